/* source_code_jumps.c - follows jumps and calls in the instructions of a function, returns from
 * them, and writes the part of this state that a session stores.
 *
 * A call to a function of the profile selects it.  A function without cost cannot be selected: the
 * view visits its code, and the selection stays. */
#include "ui/view/source/source_code.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/bisect.h"
#include "model/base/mem.h"
#include "model/fold/keys.h"

struct code_hit
source_code_hit_of(const struct scene *s, const struct code_row *row)
{
	return s->code->at(s->code->ctx, row->instruction);
}

struct code_hit
source_code_here(const struct source_code *c, const struct scene *s)
{
	return source_code_hit_of(s, &c->rows.at[c->scroll.at]);
}

/* Returns the first row at or after this address; n: none.  Rows of one module are sorted by
 * address. */
int64_t
source_code_row_from(const struct source_code *c, const struct scene *s, uint64_t address)
{
	size_t low = bisect(i, c->rows.n,
			    source_code_hit_of(s, &c->rows.at[i]).is->address < address);

	while (low + 1 < c->rows.n && c->rows.at[low].source)
		low++;
	return (int64_t)low;
}

/* Returns the target row of a jump or a call; CODE_NO_ROW if it leaves the visible code. */
static int64_t
source_code_jumps_row_of(const struct source_code *c, const struct scene *s,
			 const struct code_row *r)
{
	const struct instruction *is = source_code_hit_of(s, r).is;
	int64_t to = !r->source && is->to ? source_code_row_from(c, s, is->to) : CODE_NO_ROW;

	if (to == CODE_NO_ROW || to >= (int64_t)c->rows.n ||
	    source_code_hit_of(s, &c->rows.at[to]).is->address != is->to)
		return CODE_NO_ROW;
	return to;
}

int64_t
source_code_target(const struct source_code *c, const struct scene *s, int64_t row)
{
	const struct code_row *r = &c->rows.at[row];

	return source_code_hit_of(s, r).is->calls ? CODE_NO_ROW : source_code_jumps_row_of(c, s, r);
}

/* Returns the key of the function with this name, in the module of `from` or, from a stub, in any
 * module; KEY_NONE if it is not shown. */
static key_id
key_named(const struct scene *s, const char *name, function_id from)
{
	const struct projection *t = s->fold->tree;
	const char *stub = strstr(name, "@plt");
	size_t len = stub ? (size_t)(stub - name) : strlen(name);
	name_id id = names_find(&s->p->names, name, len);
	name_id module = profile_function(s->p, from).module;

	for (node_id i = 1; id != UINT32_MAX && i < t->n; i++) {
		struct function f;
		if (key_function(t, s->p, t->key[i], &f) && f.name == id &&
		    (stub || f.module == module))
			return t->key[i];
	}
	return KEY_NONE;
}

static void
keep_step(struct source_code *c, const struct scene *s)
{
	*vec_push(&c->steps) = (struct code_step){
		s->nav->key, source_code_here(c, s).is->address, c->visit};
}

/* Visits a function without cost, which cannot be selected. */
static void
source_visit(struct source_code *c, const struct instruction *is, function_id fn)
{
	*vec_push(&c->visits) =
		(struct code_visit){mem_dup(is->to_name, strlen(is->to_name)), is->to};
	c->visit = c->visits.n;
	c->visit_from = fn;
	c->wanted = is->to;
}

enum reply
source_code_follow(struct source_code *c, struct scene *s, function_id fn)
{
	const struct code_row *row = &c->rows.at[c->scroll.at];
	const struct instruction *is = source_code_here(c, s).is;
	int64_t to = source_code_jumps_row_of(c, s, row);

	if (to != CODE_NO_ROW) {
		keep_step(c, s);
		c->scroll.at = to;
		return REPLY_DONE;
	}
	if ((!is->calls && !is->jumps) || row->source)
		return REPLY_STACKS;
	key_id key = is->to_name ? key_named(s, is->to_name, fn) : KEY_NONE;
	if (key != KEY_NONE && (key != s->nav->key || c->visit)) {
		keep_step(c, s);
		c->visit = 0;
		nav_select_key(s->nav, s->fold, s->p, key);
	} else if (!is->to_name) {
		buf_adds(&s->say, "the target is known only at run time");
	} else if (strstr(is->to_name, "@plt")) {
		buf_addf(&s->say, "%s: a function of another module, without cost here",
			 is->to_name);
	} else if (key == KEY_NONE) {
		keep_step(c, s);
		source_visit(c, is, fn);
	}
	return REPLY_DONE;
}

enum reply
source_code_step_back(struct source_code *c, struct scene *s)
{
	if (!c->steps.n)
		return REPLY_PASS;
	struct code_step step = c->steps.at[--c->steps.n];
	c->wanted = step.address;
	c->visit = step.visit;
	if (step.key == s->nav->key)
		return REPLY_DONE;
	nav_select_key(s->nav, s->fold, s->p, step.key);
	c->visit_from = s->nav->function;
	return REPLY_DONE;
}

/* ---- sessions ---- */

static const char *const shown_words[CODE_SHOWN] = {
	[CODE_ALONE] = "instructions",
	[CODE_BETWEEN] = "both",
};

void
source_code_keep(const struct source_code *c, struct buf *out)
{
	if (!c->shown)
		return;
	buf_adds(out, shown_words[c->shown]);
	if (c->at != ADDRESS_NONE && !c->visit)
		buf_addf(out, " 0x%" PRIx64, c->at);
}

bool
source_code_recall(struct source_code *c, const char *words)
{
	size_t len = strcspn(words, " ");
	char *end = NULL;

	for (enum code_shown i = CODE_ALONE; i < CODE_SHOWN; i++)
		if (strlen(shown_words[i]) == len && !memcmp(words, shown_words[i], len)) {
			c->shown = i;
			c->placed = false;
			c->wanted = words[len] ? strtoull(words + len + 1, &end, 16) : ADDRESS_NONE;
			return !end || !*end;
		}
	return false;
}
