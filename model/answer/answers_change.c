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

	if (row->self == row->base_self)
		return;
	name_id name = w->p->frames.function.name[row->key];
	struct answers_number *n =
		answers_add_of(w, out, name, "largest", change_unit(m),
			       (double)row->self - (double)row->base_self);
	add_bounded(n, row_evidence(w->fold, row, false));
	answers_say(out, "; ");
	answers_name(w, name, &out->text);
	answers_say(out, " %s most, ", how);
	compare_amount(m, row->self, row->base_self, &out->text);
	answers_say(out, " ");
	compare_share(row->exact_self, &out->text);
}

static void
find_change(struct answers_work *w, struct answers_item *out)
{
	const struct fold *f = w->fold;
	const struct metric *m = &w->p->metric[f->metric];
	struct row grew = {0}, fell = {0};
	int64_t now = f->now.total[NODE_ROOT], base = f->base.total[NODE_ROOT];
	unsigned n = 0;

	for (uint32_t i = 0; i < w->rows.n; i++) {
		struct row r = rows_get(&w->rows, i);
		if (r.self == r.base_self || row_sure(f, &r, false) != SURE_YES)
			continue;
		double change = (double)r.self - (double)r.base_self;
		n++;
		if (change > (double)grew.self - (double)grew.base_self)
			grew = r;
		if (change < (double)fell.self - (double)fell.base_self)
			fell = r;
	}
	struct answers_number *sum = answers_add(out, "", "sum", change_unit(m),
						 (double)now - (double)base);
	add_bounded(sum, changes_evidence(&f->changes, CHANGE_NODE, NODE_ROOT,
					  fold_sides(f, NODE_ROOT)));
	out->notable = n > 0;
	if (n && base && fabs((double)now - (double)base) * 100 >= LARGE * fabs((double)base) &&
	    fold_sure(f, NODE_ROOT) == SURE_YES)
		out->notable = 2;
	if (!f->changes.sampled && !f->changes.files)
		answers_say(out, "chance is unknown, unless each side has several files; "
				 "the whole: ");
	else if (!n)
		answers_say(out, "no function changed surely; the whole: ");
	else
		answers_say(out, "%u function%s changed surely; the whole: ", n, n == 1 ? "" : "s");
	compare_amount(m, now, base, &out->text);
	if (now != base) {
		answers_say(out, " ");
		compare_share(fold_sides(f, NODE_ROOT), &out->text);
	}
	say_largest(w, out, &grew, "grew");
	say_largest(w, out, &fell, "fell");
}

const struct answers_row answer_change = {
	.name = "change",
	.question = "What changed?",
	.guide = "slower",
	.command = "--limit 10",
	.needs = ANSWERS_NEED_COSTS | ANSWERS_NEED_BASE,
	.find = find_change,
};
