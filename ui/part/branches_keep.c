/* branches_keep.c - saves and restores which rows are open.
 *
 * A session must mean the same in the next load of the file, but the hashes that identify rows
 * derive from ids, which change.  So a session stores only the rule.  Within one load (a cancelled
 * search, a step of the guide) the marks are stored as they are. */
#include "ui/part/branches.h"

#include <stdlib.h>
#include <string.h>

static void
add_mark(struct branches *b, struct branch_mark mark)
{
	map_insert(&b->map, mark.path, (uint32_t)b->marks.n);
	*vec_push(&b->marks) = mark;
	b->marked |= mark.bits;
}

static void
branches_changed(struct branches *b)
{
	b->stale = true;
	b->counted = false;
}

bool
branches_hold(struct branches *b, bool back)
{
	if (!back) {
		vec_reserve(&b->held, b->marks.n);
		b->held.n = 0;
		for (size_t i = 0; i < b->marks.n; i++)
			*vec_push(&b->held) = b->marks.at[i];
		b->held_at = b->at;
		b->held_row = b->row;
		b->held_resets = b->resets;
		return true;
	}
	branches_forget_marks(b);
	for (size_t i = 0; i < b->held.n; i++)
		add_mark(b, b->held.at[i]);
	branches_changed(b);
	if (b->resets != b->held_resets)
		return false;
	b->at = b->held_at;
	b->row = b->held_row;
	b->placed = true;
	return true;
}

/* ---- words ---- */

/* A sign precedes each number and gives its meaning. */
#define SIGN_OPEN '+'
#define SIGN_CLOSED '-'
#define SIGN_WAY '/'
#define SIGN_ABOVE '^' /* the path leads into the upper tree */
#define SIGN_ROW '='

static const char *const rules[] = {
	[BRANCHES_HEAVY] = "heavy",
	[BRANCHES_ALL] = "open",
	[BRANCHES_NONE] = "closed",
};
#define N_RULES (sizeof rules / sizeof *rules)

void
branches_keep(const struct branches *b, struct buf *out)
{
	if (b->rule != BRANCHES_HEAVY)
		buf_adds(out, rules[b->rule]);
}

static void
branches_keep_add_number(struct buf *out, char sign, uint64_t number)
{
	buf_addf(out, " %c%llx", sign, (unsigned long long)number);
}

void
branches_stand(const struct branches *b, struct buf *out)
{
	buf_adds(out, rules[b->rule]);
	for (size_t i = 0; i < b->marks.n; i++)
		branches_keep_add_number(out,
					 b->marks.at[i].open ? SIGN_OPEN : SIGN_CLOSED,
					 b->marks.at[i].path);
	for (size_t i = 0; i < b->way.n; i++)
		branches_keep_add_number(out, b->way_above ? SIGN_ABOVE : SIGN_WAY, b->way.at[i]);
	if (b->row >= 0)
		branches_keep_add_number(out, SIGN_ROW, (uint64_t)b->row);
}

/* Reads the next number and its sign; returns false at the end, and if there is none. */
static bool
next_number(const char **words, char *sign, uint64_t *number)
{
	const char *at = *words;
	char *end;
	if (at[0] != ' ' || !at[1] || !strchr("+-/^=", at[1]) ||
	    !strchr("0123456789abcdef", at[2] ? at[2] : ' '))
		return false;
	*sign = at[1];
	*number = strtoull(at + 2, &end, 16);
	*words = end;
	return true;
}

static void
branches_keep_take_number(struct branches *b, char sign, uint64_t number)
{
	switch (sign) {
	case SIGN_OPEN:
	case SIGN_CLOSED:
		add_mark(b, (struct branch_mark){number, UINT64_MAX, sign == SIGN_OPEN});
		break;
	case SIGN_WAY:
	case SIGN_ABOVE:
		b->way_above = sign == SIGN_ABOVE;
		*vec_push(&b->way) = number;
		break;
	case SIGN_ROW:
		b->row = number < 10000 ? (int)number : 0;
		b->placed = true;
		break;
	default:
		break;
	}
}

bool
branches_read(struct branches *b, const char *words)
{
	size_t rule = 0, len = strcspn(words, " ");
	const char *at = words + len;
	uint64_t number;
	char sign;

	if (!len)
		rule = BRANCHES_HEAVY; /* as branches_keep() writes it */
	while (len && rule < N_RULES &&
	       (strlen(rules[rule]) != len || memcmp(words, rules[rule], len)))
		rule++;
	while (next_number(&at, &sign, &number))
		continue;
	if (rule == N_RULES || *at)
		return false;
	b->rule = (enum branch_rule)rule;
	branches_forget_marks(b);
	b->way.n = 0;
	for (at = words + len; next_number(&at, &sign, &number);)
		branches_keep_take_number(b, sign, number);
	branches_changed(b);
	return true;
}
