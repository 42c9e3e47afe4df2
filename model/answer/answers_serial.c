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

/* A span of a file. */
struct serial_span {
	struct answers_span in;
	uint32_t group;
};

static int
compare_lengths(const void *a, const void *b)
{
	const struct serial_span *x = a, *y = b;
	int64_t long_x = x->in.to - x->in.from, long_y = y->in.to - y->in.from;

	if (long_x != long_y)
		return long_x > long_y ? -1 : 1;
	if (x->group != y->group)
		return x->group < y->group ? -1 : 1;
	return x->in.from < y->in.from ? -1 : x->in.from > y->in.from;
}

/* Finds the longest spans in which at most one lane runs, the longest first. Returns their number:
 * at most SPANS_READ. */
static size_t
find_spans(struct answers_work *w, struct serial_span *out)
{
	size_t n = 0;

	for (size_t k = 0; k < w->running.n; k++) {
		const struct answers_running *r = &w->running.at[k];
		for (size_t i = 0; i < r->alone.n; i++) {
			struct serial_span one = {r->alone.at[i], r->group};
			if (n == SPANS_READ && compare_lengths(&one, &out[n - 1]) >= 0)
				continue;
			size_t place = n < SPANS_READ ? n++ : n - 1;
			for (; place && compare_lengths(&one, &out[place - 1]) < 0; place--)
				out[place] = out[place - 1];
			out[place] = one;
		}
	}
	return n;
}

/* Adds the cost in a span, in the metric that says what runs, to self[key]. Returns their sum. */
static double
add_span(struct answers_work *w, struct tally *tally, const struct serial_span *x, double *self)
{
	const struct projection *t = w->fold->tree;
	uint8_t *tracks = mem_zalloc((size_t)w->p->n_tracks + 1, 1);
	struct slice slice = {.metric = w->running.at[0].base, .tracks = tracks};
	double sum = 0;

	for (track_id i = 0; i < w->p->n_tracks; i++)
		tracks[i] = w->tracks[i] && w->p->track[i].group == x->group;
	slice.from = x->in.from;
	slice.to = x->in.to;
	tally_count(tally, w->p, &slice);
	for (stack_id s = 0; s < tally->n && s < t->n_stacks; s++) {
		node_id node = t->node_of[s];
		if (node == NODE_NONE || node == NODE_ROOT || tally->cell[s].value <= 0 ||
		    (w->idle && w->idle[s]))
			continue;
		self[t->key[node]] += (double)tally->cell[s].value;
		sum += (double)tally->cell[s].value;
	}
	free(tracks);
	return sum;
}

/* Says which function has the most in the longest spans in which at most one lane runs. */
static void
say_function(struct answers_work *w, struct answers_item *out)
{
	struct serial_span longest[SPANS_READ];
	size_t n = w->fold->tree->n_keys, spans = find_spans(w, longest);
	double *self = mem_zalloc(n + 1, sizeof *self), sum = 0;
	struct tally tally;
	key_id best = 0;

	tally_init(&tally);
	tally.pace = w->pace;
	for (size_t i = 0; i < spans && !pace_gives_up(w->pace); i++)
		sum += add_span(w, &tally, &longest[i], self);
	tally_release(&tally);
	for (key_id key = 0; key < n; key++)
		best = self[key] > self[best] ? key : best;
	if (sum > 0) {
		double share = 100 * self[best] / sum;
		answers_add_of(w, out, w->p->frames.function.name[best], "function_share", "%",
			       share);
		answers_say(out, ", %.0f %% of it in ", share);
		answers_function(w, best, &out->text);
	}
	free(self);
}

static void
find_serial(struct answers_work *w, struct answers_item *out)
{
	double alone = 0, run = 0;
	unsigned tracks = 0;

	if (!answers_run(w)) {
		answers_say(out, "nothing runs in the range");
		return;
	}
	for (size_t i = 0; i < w->running.n; i++) {
		const struct answers_running *r = &w->running.at[i];
		alone += length_of(r->alone.at, r->alone.n) - length_of(r->idle.at, r->idle.n);
		run += (double)(r->to - r->from);
		tracks = r->tracks > tracks ? r->tracks : tracks;
	}
	double share = 100 * alone / run;
	answers_add(out, "", "share", "%", share);
	if (tracks >= TRACKS_FEW)
		out->notable = answers_level(share, 50);
	const char *what = w->running.at[0].kind == TRACK_TASK ? "track" : "thread";
	if (tracks == 1)
		answers_say(out, "the only %s runs for %.0f %% of the time", what, share);
	else
		answers_say(out, "one %s of %u runs alone for %.0f %% of the time", what, tracks,
			    share);
	if (share >= 0.5) /* else the sentence says 0 % */
		say_function(w, out);
}

const struct answers_row answer_serial = {
	.name = "serial",
	.question = "Does one thread run alone?",
	.guide = "alone",
	.view = "info",
	.needs = ANSWERS_NEED_TIME | ANSWERS_NEED_COSTS,
	.find = find_serial,
};
