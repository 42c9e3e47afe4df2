/* compare.c - see compare.h.
 *
 * When two ranges differ in length, the base is scaled to the length of the current range
 * (changes.c), and the line above the view says so. Without
 * that, everything would look slower in the longer range, with certainty.  Files are compared by
 * their plain numbers, since a longer run for the same work is the result sought there; --normalize
 * compares shares.
 *
 * Colour and a character show the direction: ▲ and ▼, + for new, × and hatching for gone, ~ for a
 * change that may be chance.  Percentages refer to the base's own value. */
#include "ui/part/compare.h"

#include <math.h>
#include <string.h>

#include "model/base/escape.h"
#include "model/base/sum.h"
#include "ui/part/show.h"
#include "ui/screen/shorten.h"

#define BASE_COLS_MAX 40 /* of its name: addresses of stores are long */
#define LEAST_SHADE 3
#define SAME_SHADE 5 /* what has not changed does not attract the eye */

enum fate
compare_node(const struct fold *f, node_id node)
{
	return f->compares ? compare_fate(fold_sides(f, node)) : FATE_SAME;
}

const char *
compare_mark(enum fate fate, enum sure sure)
{
	static const char *const marks[] = {
		[FATE_SAME] = "=", [FATE_GREW] = "▲", [FATE_SHRANK] = "▼",
		[FATE_NEW] = "+",  [FATE_GONE] = "×",
	};
	return fate != FATE_SAME && sure == SURE_NO ? "~" : marks[fate];
}

enum ink
compare_ink(enum fate fate, enum sure sure)
{
	if (fate != FATE_SAME && sure == SURE_NO)
		return INK_DIM;
	switch (fate) {
	case FATE_SAME:
		return INK_TEXT;
	case FATE_GREW:
	case FATE_NEW:
		return INK_GREW;
	case FATE_SHRANK:
	case FATE_GONE:
		return INK_SHRANK;
	}
	return INK_TEXT;
}

enum ink
compare_box_ink(struct sides x, enum sure sure)
{
	if (sure == SURE_NO)
		return INK_SAME;
	bool much = fabs(sides_change(x)) * 4 >= fabs(x.base);
	switch (compare_fate(x)) {
	case FATE_SAME:
		return INK_SAME;
	case FATE_GREW:
		return much ? INK_GREW_2 : INK_GREW_1;
	case FATE_NEW:
		return INK_GREW_2;
	case FATE_SHRANK:
		return much ? INK_SHRANK_2 : INK_SHRANK_1;
	case FATE_GONE:
		return INK_SHRANK_2;
	}
	return INK_SAME;
}

unsigned
compare_box_shade(struct sides x, enum sure sure)
{
	double change = fabs(sides_change(x)), step = fabs(x.base);
	unsigned eighths = 8;
	if (sure == SURE_NO || compare_fate(x) == FATE_SAME)
		return SAME_SHADE;
	for (; eighths > LEAST_SHADE && change < step; eighths--)
		step /= 2;
	return eighths;
}

/* Writes "1.000 s … 2.000 s", or "the whole run". */
static void
say_range(const struct scene *s, const struct lens *kept, struct buf *out)
{
	int64_t from, to, end = sum_clipped(s->fold->run, 1);
	bool whole;
	struct err none;
	err_init(&none);
	if (!lens_range(kept, s->p, &from, &to, &whole, &none) || whole) {
		buf_adds(out, "the whole run");
	} else {
		show_time(s, from, out);
		buf_adds(out, " … ");
		show_time(s, to < end ? to : end - 1, out);
	}
	for (size_t i = 0; i < kept->entries.n; i++) {
		const struct entry *e = &kept->entries.at[i];
		const char *text = pattern_text(e->pattern);
		if (e->verb != VERB_TRACK || e->off)
			continue;
		buf_addc(out, ' ');
		escape_shown(out, text, strlen(text), false);
	}
}

/* Writes a name, shortened because the numbers follow. */
static void
say_base(const char *at, size_t len, struct buf *out)
{
	struct buf name = BUF_INIT;

	escape_shown(&name, at, len, false);
	shorten_middle(buf_str(&name), BASE_COLS_MAX, out);
	buf_release(&name);
}

/* Writes the name of the base if it is part of the same profile. */
static void
say_own_base(const struct profile *p, struct buf *out)
{
	if (p->comparison == COMPARE_TRACKS && p->n_tracks) {
		profile_show_name(p, p->track[0].name, out);
	} else if (p->n_groups) {
		struct name n = names_get(&p->names, p->group[0].name);
		const char *slash = memrchr(n.at, '/', n.len);
		size_t skip = slash && slash[1] ? (size_t)(slash + 1 - n.at) : 0;
		say_base(n.at + skip, n.len - skip, out);
	}
}

void
compare_say(const struct scene *s, const struct lens *kept, const char *name,
	    struct buf *out)
{
	const struct fold *f = s->fold;
	if (!f->compares)
		return;
	struct sides x = fold_sides(f, NODE_ROOT);
	if (f->changes.rates && show_axis(s) == UNIT_NS)
		buf_addf(out, "per second, \u00d7%.3g: ", f->changes.scale);
	else if (f->changes.rates)
		buf_addf(out, "for as many %s, \u00d7%.3g: ", unit_name(show_axis(s)),
			 f->changes.scale);
	buf_adds(out, "base ");
	if (kept)
		say_range(s, kept, out);
	else if (name)
		say_base(name, strlen(name), out);
	else
		say_own_base(s->p, out);
	if (compare_fate(x) == FATE_SAME) {
		buf_addc(out, ' ');
		show_exact(s, x.base, out);
		buf_adds(out, ", the same now");
		return;
	}
	buf_adds(out, " was ");
	show_exact(s, x.base, out);
	buf_adds(out, ", now ");
	show_exact(s, x.now, out);
	buf_adds(out, ": ");
	compare_share(x, out);
	if (x.base != 0 && x.now != 0)
		buf_adds(out, " of base");
}

void
compare_draw_legend(struct canvas *c, struct area a)
{
	static const struct {
		enum fate fate;
		enum sure sure;
		const char *word;
	} rows[] = {
		{FATE_GREW, SURE_YES, "more"},     {FATE_SHRANK, SURE_YES, "less"},
		{FATE_NEW, SURE_YES, "new"},       {FATE_GONE, SURE_YES, "gone"},
		{FATE_SAME, SURE_YES, "the same"}, {FATE_GREW, SURE_NO, "may be chance"},
	};
	int x = 1;
	if (a.h < 1)
		return;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		enum ink ink = compare_ink(rows[i].fate, rows[i].sure);
		x += canvas_text(c, a.y, a.x + x, a.w - x, ink,
				 compare_mark(rows[i].fate, rows[i].sure));
		x += 1 + canvas_text(c, a.y, a.x + x + 1, a.w - x - 1, INK_DIM, rows[i].word) + 2;
	}
}
