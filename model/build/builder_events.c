#include "model/build/builder.h"

#include <assert.h>
#include <string.h>

#include "model/build/builder_inside.h"

/* What is appended.  Nearly every event of a large file is like the one before it in its
 * series: later, small in its numbers, of a stack that is there.  Such ones only join those
 * that wait (series_pending.h); whatever else has to be asked is asked of the others. */

static bool
too_large(uint64_t offset, struct err *e)
{
	return err_damage(e, offset, "the sum of the values passes 2^63");
}

static bool
too_far(uint64_t offset, struct err *e)
{
	return err_damage(e, offset, "a time 2^63 ns or more from the others");
}

/* STACK_NONE came from a call that had no offset to tell. */
static bool
refused(const struct builder *b, uint64_t offset, struct err *e)
{
	if (b->deep)
		return err_damage(e, offset, "a stack of more than %u frames",
				  STACK_DEPTH_MAX);
	return err_damage(e, offset, "more than %u different stacks", STACK_MAX);
}

/* The way of nearly every step: nothing about it is new to its series, which gathers a run.
 * False where it has to be looked at closer.  What it adds to the sums is told by its run. */
static inline bool
step_waits(struct builder *b, struct series *s, int64_t time, stack_id stack, uint32_t flags,
	   int64_t value)
{
	struct series_pending *at = s->pending;

	if (!at || stack == STACK_NONE || time < s->last_time || time > at->until ||
	    b->p->bound >= BUILDER_BOUND || b->p->weight || b->counts_parts)
		return false;
	at->run.value[0][at->run.n] = value;
	pending_add_step(&b->pending, at, time, stack | flags);
	return true;
}

/* Every other step; apart, so that most of them pay for nothing here. */
static __attribute__((noinline)) bool
step_closer(struct builder *b, struct series *s, int64_t time, stack_id stack, uint32_t flags,
	    int64_t value, uint64_t offset, struct err *e)
{
	if (stack == STACK_NONE)
		return refused(b, offset, e);
	assert(s->kind == SERIES_STEPS && stack < b->p->stacks.n && !(flags & STEP_STACK));
	assert(s->valued || !value);
	if (pending_any(&b->pending, s) && time < s->last_time)
		return err_damage(e, offset, "time goes backwards, from %lld to %lld",
				  (long long)s->last_time, (long long)time);
	if (!builder_time_fits(b, s->track, &time))
		return too_far(offset, e);
	struct builder_adds adds = {.lasts = builder_more_time(b, s, time), .flags = flags};
	if (!builder_weigh_event(b, s, &adds))
		return too_large(offset, e);
	builder_reaches(b, s->track, time);
	struct series_pending *at = pending_for(&b->pending, s);
	if (at) {
		at->weighed += adds.lasts;
		at->run.value[0][at->run.n] = value;
		pending_add(&b->pending, at, time, stack | flags);
	} else {
		pending_look(&b->pending, s);
		series_add_step(s, &b->scratch, time, stack | flags, value);
	}
	if (flags & (STEP_CALL | STEP_RETURN))
		b->p->has_call_edges = true;
	b->p->generation++;
	return true;
}

bool
builder_step(struct builder *b, struct series *s, int64_t time, stack_id stack, uint32_t flags,
	     uint64_t offset, struct err *e)
{
	return step_waits(b, s, time, stack, flags, 0) ||
	       step_closer(b, s, time, stack, flags, 0, offset, e);
}

bool
builder_step_valued(struct builder *b, struct series *s, int64_t time, stack_id stack,
		    uint32_t flags, int64_t value, uint64_t offset, struct err *e)
{
	return step_waits(b, s, time, stack, flags, value) ||
	       step_closer(b, s, time, stack, flags, value, offset, e);
}

/* The same for samples; those that are aside may be of any time. */
static inline bool
sample_waits(struct builder *b, struct series *s, int64_t time, stack_id stack,
	     const int64_t *values)
{
	struct series_pending *at = s->pending;
	uint64_t most = 1;

	if (!at || stack == STACK_NONE || b->multiplies)
		return false;
	for (unsigned v = 0; v < s->n_columns; v++) {
		/* stays unseen where this event does not */
		at->run.value[v][at->run.n] = values[v];
		most |= builder_size(values[v]);
	}
	if (!builder_weighs(b, most))
		return false;
	pending_add(&b->pending, at, time, stack);
	return true;
}

bool
builder_sample(struct builder *b, struct series *s, int64_t time, stack_id stack,
	       const int64_t *values, uint64_t offset, struct err *e)
{
	struct series_pending *at = s->pending;

	if (at && time >= at->low && time <= at->high) {
		int64_t reached = time > at->reached ? time : at->reached, before = at->reached;
		at->reached = reached;
		if (sample_waits(b, s, time, stack, values))
			return true;
		at->reached = before;
	}
	if (!builder_time_fits(b, s->track, &time))
		return too_far(offset, e);
	if (!builder_sample_aside(b, s, time, stack, values, offset, e))
		return false;
	builder_reaches(b, s->track, time);
	return true;
}

bool
builder_sample_aside(struct builder *b, struct series *s, int64_t time, stack_id stack,
		     const int64_t *values, uint64_t offset, struct err *e)
{
	if (sample_waits(b, s, time, stack, values))
		return true;
	if (stack == STACK_NONE)
		return refused(b, offset, e);
	assert(s->kind == SERIES_SAMPLES && stack < b->p->stacks.n);
	assert(values || !s->n_columns);
	int64_t own[SERIES_METRICS_MAX];
	/* what fits into the weight of all fits into each sum */
	if (!builder_multiply(b, s, &values, own) ||
	    !builder_weigh_event(b, s, &(struct builder_adds){.values = values}))
		return too_large(offset, e);
	struct series_pending *at = pending_for(&b->pending, s);
	if (at) {
		for (unsigned v = 0; v < s->n_columns; v++)
			at->run.value[v][at->run.n] = values[v];
		pending_add(&b->pending, at, time, stack);
	} else {
		pending_look(&b->pending, s);
		series_add_sample(s, &b->scratch, time, stack, values);
	}
	b->p->generation++;
	return true;
}

bool
builder_total(struct builder *b, struct series *s, stack_id stack, const int64_t *values,
	      uint64_t offset, struct err *e)
{
	if (stack == STACK_NONE)
		return refused(b, offset, e);
	assert(s->kind == SERIES_TOTALS && stack < b->p->stacks.n);
	assert(values || !s->n_columns);
	int64_t own[SERIES_METRICS_MAX];
	if (!builder_multiply(b, s, &values, own) ||
	    !builder_weigh_event(b, s, &(struct builder_adds){.values = values}))
		return too_large(offset, e);
	series_add_total(s, stack, values);
	b->p->generation++;
	return true;
}

void
builder_total_soon(const struct series *s, stack_id stack)
{
	series_total_soon(s, stack);
}

/* The weight of the profile stays: it is a bound. */
void
builder_total_back(struct builder *b, struct series *s, stack_id stack, const int64_t *values)
{
	int64_t own[SERIES_METRICS_MAX];

	assert(s->kind == SERIES_TOTALS && !s->labelled && stack < b->p->stacks.n);
	if (!builder_multiply(b, s, &values, own))
		return; /* nor was it added */
	series_take_total(s, stack, values);
	b->p->generation++;
}

void
builder_totals_gone(struct builder *b, struct series *s)
{
	series_clear_totals(s);
	b->p->generation++;
}

bool
builder_point(struct builder *b, struct series *s, int64_t time, int64_t value,
	      uint64_t offset, struct err *e)
{
	if (!builder_time_fits(b, s->track, &time))
		return too_far(offset, e);
	assert(s->kind == SERIES_POINTS);
	builder_reaches(b, s->track, time);
	series_add_point(s, time, value, b->p->points++);
	b->p->generation++;
	return true;
}

bool
builder_point_double(struct builder *b, struct series *s, int64_t time, double value,
		     uint64_t offset, struct err *e)
{
	int64_t bits;

	memcpy(&bits, &value, sizeof bits);
	return builder_point(b, s, time, bits, offset, e);
}
