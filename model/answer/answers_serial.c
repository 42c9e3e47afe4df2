/* answers_serial.c - does one thread run alone while others could run, too?
 *
 * The time during which exactly one lane runs is that at which at most one does, without that at
 * which none does. The hottest function is looked for in the longest of these spans. */
#include <stdlib.h>

#include "model/answer/answers_inside.h"

#define TRACKS_FEW 4u
#define SPANS_READ 64u /* the longest ones, for the hottest function */

static double
length_of(const struct answers_span *x, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += (double)(x[i].to - x[i].from);
	return sum;
}

static int
compare_lengths(const void *a, const void *b)
{
	const struct answers_span *x = a, *y = b;
	int64_t long_x = x->to - x->from, long_y = y->to - y->from;

	if (long_x != long_y)
		return long_x > long_y ? -1 : 1;
	return x->from < y->from ? -1 : x->from > y->from;
}

/* Says which function has the most in the longest spans in which at most one lane runs. */
static void
say_function(struct answers_work *w, struct answers_item *out)
{
	const struct answers_running *r = answers_run(w);
	const struct projection *t = w->fold->tree;
	struct answers_span *span = mem_alloc(r->alone.n, sizeof *span);
	double *self = mem_zalloc(t->n_keys + 1, sizeof *self), sum = 0;
	struct slice slice = w->slice;
	struct tally tally;
	key_id best = 0;

	for (size_t i = 0; i < r->alone.n; i++)
		span[i] = r->alone.at[i];
	qsort(span, r->alone.n, sizeof *span, compare_lengths);
	tally_init(&tally);
	tally.pace = w->pace;
	slice.whole = false;
	for (size_t i = 0; i < r->alone.n && i < SPANS_READ && !pace_gives_up(w->pace); i++) {
		slice.from = span[i].from;
		slice.to = span[i].to;
		tally_count(&tally, w->p, &slice);
		for (stack_id s = 0; s < tally.n && s < t->n_stacks; s++) {
			node_id node = t->node_of[s];
			if (node == NODE_NONE || node == NODE_ROOT || tally.cell[s].value <= 0)
				continue;
			self[t->key[node]] += (double)tally.cell[s].value;
			sum += (double)tally.cell[s].value;
			best = self[t->key[node]] > self[best] ? t->key[node] : best;
		}
	}
	tally_release(&tally);
	if (sum > 0) {
		double share = 100 * self[best] / sum;
		answers_add_of(w, out, w->p->frames.function.name[best], "function_share", "%",
			       share);
		answers_say(out, ", %.0f %% of it in ", share);
		answers_function(w, best, &out->text);
	}
	free(self);
	free(span);
}

static void
find_serial(struct answers_work *w, struct answers_item *out)
{
	const struct answers_running *r = answers_run(w);
	double alone = length_of(r->alone.at, r->alone.n) - length_of(r->idle.at, r->idle.n);
	double share = 100 * alone / (double)(r->to - r->from);

	answers_add(out, "", "share", "%", share);
	if (r->tracks >= TRACKS_FEW)
		out->notable = answers_level(share, 50);
	answers_say(out, "one %s of %u runs alone for %.0f %% of the time",
		    r->kind == TRACK_TASK ? "track" : "thread", r->tracks, share);
	if (alone > 0)
		say_function(w, out);
}

const struct answers_row answer_serial = {
	.name = "serial",
	.question = "Does one thread run alone?",
	.guide = "threads",
	.command = "--view tracks",
	.needs = ANSWERS_NEED_TIME | ANSWERS_NEED_COSTS,
	.find = find_serial,
};
