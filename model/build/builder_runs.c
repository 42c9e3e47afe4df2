#include <assert.h>

#include "model/build/builder_inside.h"

/* The batch door: what every event of a run would be asked is asked of all of them, in loops
 * over columns without a branch in them.  Runs for which the answer is not the one that nearly
 * all have are not taken: whoever has one gives its events singly, so that the one that is too
 * large is told by its own offset, and those before it stay.
 *
 * The bound on sums (builder_weigh.c) grows by more than the sizes of all values of a run, which is
 * at least what its events would add to it one by one. */

/* The sum of n values, and the bits that the size of any of them has: -n is n - 1 there. */
static inline int64_t
add_up(const int64_t *v, uint32_t n, uint64_t *bits)
{
	uint64_t sum = 0, any = 0;

	for (uint32_t i = 0; i < n; i++) {
		sum += (uint64_t)v[i];
		any |= builder_size(v[i]);
	}
	*bits = any;
	return (int64_t)sum;
}

/* The sum of a column, and what no sum of its sizes passes; false where a value of it is
 * large. */
static bool
column_size(const int64_t *v, uint32_t n, int64_t *sum, uint64_t *size)
{
	uint64_t bits;

	/* of a whole run the compiler knows the length */
	*sum = n == EVENT_RUN_MAX ? add_up(v, EVENT_RUN_MAX, &bits) : add_up(v, n, &bits);
	*size = (bits + 1) * n;
	return bits < BUILDER_SMALL;
}

static inline uint32_t
most_of(const uint32_t *v, uint32_t n)
{
	uint32_t most = 0;

	for (uint32_t i = 0; i < n; i++)
		most = v[i] > most ? v[i] : most;
	return most;
}

/* sum[]: of each column. */
static bool
weighs(struct builder *b, const struct series *s, const struct event_run *run, int64_t *sum)
{
	struct profile *p = b->p;
	uint64_t all = run->n, size;

	if (p->weight || b->counts_parts || b->multiplies)
		return false;
	for (unsigned v = 0; v < s->n_columns; v++) {
		if (!column_size(run->value[v], run->n, &sum[v], &size))
			return false;
		all += size;
	}
	if (all >= (uint64_t)(BUILDER_BOUND - p->bound))
		return false;
	p->bound += (int64_t)all;
	return true;
}

/* Whether all times of the track's file stay close enough. */
static bool
times_fit(struct builder *b, track_id t, int64_t first, int64_t last)
{
	int64_t span, begin = first, end = last;

	/* times that must be moved go one by one */
	return !__builtin_sub_overflow(last, first, &span) && span <= TIME_SPAN_MAX &&
	       builder_time_fits(b, t, &begin) && builder_time_fits(b, t, &end) &&
	       begin == first && end == last;
}

bool
builder_sample_run_labelled(struct builder *b, struct series *s, const struct event_run *run,
			    const labels_id *labels, int64_t first, int64_t last)
{
	int64_t sum[EVENT_RUN_VALUES];
	bool reaches = first <= last;

	assert(s->kind == SERIES_SAMPLES && s->n_columns <= EVENT_RUN_VALUES);
	assert(s->labelled == (labels != NULL));
	if (!run->n)
		return true;
	if (reaches && !times_fit(b, s->track, first, last))
		return false;
	assert((run->n == EVENT_RUN_MAX ? most_of(run->stack, EVENT_RUN_MAX)
					: most_of(run->stack, run->n)) < b->p->stacks.n);
	if (!weighs(b, s, run, sum))
		return false;
	if (s->pending)
		pending_write(&b->pending, s->pending);
	pending_write_run(&b->pending, s, run, labels, sum);
	if (reaches) {
		builder_reaches(b, s->track, first);
		builder_reaches(b, s->track, last);
	}
	return true;
}

bool
builder_sample_run(struct builder *b, struct series *s, const struct event_run *run,
		   int64_t first, int64_t last)
{
	return builder_sample_run_labelled(b, s, run, NULL, first, last);
}

/* How much longer a series of steps is with these. */
static int64_t
steps_last(const struct series *s, bool any, const struct event_run *run)
{
	int64_t from = any ? s->end_time : run->time[0], last = run->time[run->n - 1];

	return last > from ? last - from : 0;
}

/* Whether no time goes down; *flags: of any of them, *most: the largest stack. */
static bool
steps_rise(const struct event_run *run, uint32_t *flags, stack_id *most)
{
	int64_t before = run->time[0];
	bool falls = false;

	*flags = *most = 0;
	for (uint32_t i = 0; i < run->n; i++) {
		stack_id stack = run->stack[i] & STEP_STACK;
		falls |= run->time[i] < before;
		before = run->time[i];
		*flags |= run->stack[i];
		*most = stack > *most ? stack : *most;
	}
	return !falls;
}

bool
builder_step_run(struct builder *b, struct series *s, const struct event_run *run)
{
	bool any = pending_any(&b->pending, s);
	struct profile *p = b->p;
	uint32_t flags;
	stack_id most;

	assert(s->kind == SERIES_STEPS && !s->labelled);
	if (!run->n)
		return true;
	int64_t first = run->time[0], last = run->time[run->n - 1];
	if (p->weight || b->counts_parts || (any && first < s->last_time) ||
	    !steps_rise(run, &flags, &most) || !times_fit(b, s->track, first, last))
		return false;
	int64_t lasts = steps_last(s, any, run);
	if ((uint64_t)lasts >= BUILDER_SMALL || p->bound + lasts + run->n >= BUILDER_BOUND)
		return false;
	p->bound += lasts + run->n;
	assert(most < p->stacks.n);
	if (flags & (STEP_CALL | STEP_RETURN))
		p->has_call_edges = true;
	pending_leave(&b->pending, s);
	pending_write_rising(&b->pending, s, run);
	builder_reaches(b, s->track, first);
	builder_reaches(b, s->track, last);
	return true;
}
