/* answers_change.c - change: what a comparison shows surely. */
#include <math.h>

#include "model/answer/answers_inside.h"
#include "model/compare/compare.h"

#define LARGE 10 /* % of the base: a change of the whole that is strongly notable */

/* Returns the word for the unit of a metric in a number of an answer. */
static const char *
change_unit(const struct metric *m)
{
	return m->unit == UNIT_NS ? "ns" : m->unit == UNIT_BYTES ? "bytes" : "count";
}

static void
add_bounded(struct answers_number *n, struct evidence e)
{
	n->bounded = e.known;
	n->low = e.low;
	n->high = e.high;
}

/* Adds the function that changed most in one direction, if any did, and says so. */
static void
say_largest(struct answers_work *w, struct answers_item *out, const struct row *row,
	    const char *how)
{
	const struct metric *m = &w->p->metric[w->fold->metric];

	if (sides_shown_change(row->exact_self) == 0)
		return;
	name_id name = w->p->frames.function.name[row->key];
	struct answers_number *n =
		answers_add_of(w, out, name, "largest", change_unit(m),
			       sides_shown_change(row->exact_self));
	add_bounded(n, row_evidence(w->fold, row, false));
	answers_say(out, "; ");
	answers_name(w, name, &out->text);
	answers_say(out, " %s most, ", how);
	compare_both(m, row->exact_self, &out->text);
}

static void
find_change(struct answers_work *w, struct answers_item *out)
{
	const struct fold *f = w->fold;
	const struct metric *m = &w->p->metric[f->metric];
	struct row grew = {0}, fell = {0};
	struct sides whole = fold_sides(f, NODE_ROOT);
	unsigned n = 0;

	for (uint32_t i = 0; i < w->rows.n; i++) {
		struct row r = rows_get(&w->rows, i);
		double change = sides_shown_change(r.exact_self);
		if (change == 0 || row_sure(f, &r, false) != SURE_YES)
			continue;
		n++;
		if (change > sides_shown_change(grew.exact_self))
			grew = r;
		if (change < sides_shown_change(fell.exact_self))
			fell = r;
	}
	struct answers_number *sum = answers_add(out, "", "sum", change_unit(m),
						 sides_shown_change(whole));
	add_bounded(sum, changes_evidence(&f->changes, CHANGE_NODE, NODE_ROOT, whole));
	out->notable = n > 0;
	if (n && whole.base != 0 &&
	    fabs(sides_change(whole)) * 100 >= LARGE * fabs(whole.base) &&
	    fold_sure(f, NODE_ROOT) == SURE_YES)
		out->notable = 2;
	if (!f->changes.sampled && !f->changes.files)
		answers_say(out, "chance is unknown, unless each side has several files; "
				 "the whole: ");
	else if (!n)
		answers_say(out, "no function changed surely; the whole: ");
	else
		answers_say(out, "%u function%s changed surely; the whole: ", n, n == 1 ? "" : "s");
	compare_both(m, whole, &out->text);
	say_largest(w, out, &grew, "grew");
	say_largest(w, out, &fell, "fell");
}

const struct answers_row answer_change = {
	.name = "change",
	.question = "What changed?",
	.guide = "slower",
	.words = "--limit 10",
	.needs = ANSWERS_NEED_COSTS | ANSWERS_NEED_BASE,
	.find = find_change,
};
