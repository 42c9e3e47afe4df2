#include "model/build/builder.h"

#include <assert.h>
#include <string.h>

#include "model/build/builder_inside.h"

/* Appends the events that builder_put.h does not: the first of a series, those that change the
 * limits of their track or file, those with large numbers, and those that are refused. */

static bool
too_large(uint64_t offset, struct err *e)
{
	return err_damage(e, offset, "the sum of the values exceeds 2^63");
}

static bool
too_far(uint64_t offset, struct err *e)
{
	return err_damage(e, offset, "a time 2^63 ns or more from the others");
}

/* Sets the error for STACK_NONE, which came from a call without an offset. */
static bool
refused(const struct builder *b, uint64_t offset, struct err *e)
{
	if (b->deep)
		return err_damage(e, offset, "a stack of more than %u frames", STACK_DEPTH_MAX);
	return err_damage(e, offset, "more than %u different stacks", STACK_MAX);
}

void
builder_put_full(struct builder *b, struct series_pending *w)
{
	pending_write(&b->pending, w);
}

/* Brings what the series knows of its last step up to date. */
static void
step_settle(struct builder *b, struct series *s)
{
	if (!s->pending)
		return;
	pending_write(&b->pending, s->pending);
	if (s->pending->exact) /* its next step is weighed by the end of this one */
		pending_leave(&b->pending, s);
}

bool
builder_step_closer(struct builder *b, struct series *s, int64_t time, stack_id stack,
		    uint32_t flags, int64_t value, uint64_t offset, struct err *e)
{
	if (stack == STACK_NONE)
		return refused(b, offset, e);
	assert(s->kind == SERIES_STEPS && stack < b->p->stacks.n && !(flags & STEP_STACK));
	assert(s->valued || !value);
	step_settle(b, s);
	if (pending_any(&b->pending, s) && time < s->last_time)
		return err_damage(e, offset, "time goes backwards, from %lld to %lld",
				  (long long)s->last_time, (long long)time);
	if (!builder_time_fits(b, s->track, &time))
		return too_far(offset, e);
	struct builder_adds adds = {.lasts = builder_more_time(b, s, time), .flags = flags};
	if (!builder_weigh_event(b, s, &adds))
		return too_large(offset, e);
	builder_reaches(b, s->track, time);
	if (flags & (STEP_CALL | STEP_RETURN))
		b->p->has_call_edges = true;
	b->p->generation++;
	struct series_pending *w = pending_place(&b->pending, s, time);
	if (w) {
		w->run.value[0][w->run.n] = value;
		builder_put(b, w, time, stack | flags);
	} else {
		pending_look(&b->pending, s);
		series_add_step(s, &b->scratch, time, stack | flags, value);
	}
	return true;
}

static bool
values_are_small(const struct series *s, const int64_t *values)
{
	uint64_t bits = 0;

	for (unsigned v = 0; v < s->n_columns; v++)
		bits |= (uint64_t)values[v] + BUILDER_PUT_SMALL;
	return !(bits >> BUILDER_PUT_BITS);
}

/* Appends a sample that is counted already. */
static void
sample_add(struct builder *b, struct series *s, int64_t time, stack_id stack, const int64_t *values)
{
	struct series_pending *w = pending_place(&b->pending, s, INT64_MIN);

	if (w && (w->exact || values_are_small(s, values))) {
		for (unsigned v = 0; v < s->n_columns; v++)
			w->run.value[v][w->run.n] = values[v];
		w->apart++;
		builder_put(b, w, time, stack);
		return;
	}
	if (w)
		pending_leave(&b->pending, s);
	pending_look(&b->pending, s);
	series_add_sample(s, &b->scratch, time, stack, values);
}

bool
builder_sample_closer(struct builder *b, struct series *s, int64_t time, stack_id stack,
		      const int64_t *values, bool aside, uint64_t offset, struct err *e)
{
	int64_t own[SERIES_METRICS_MAX];

	if (!aside && !builder_time_fits(b, s->track, &time))
		return too_far(offset, e);
	if (stack == STACK_NONE)
		return refused(b, offset, e);
	assert(s->kind == SERIES_SAMPLES && stack < b->p->stacks.n);
	assert(values || !s->n_columns);
	/* what fits into the sum of all weights fits into each sum */
	if (!builder_multiply(b, s, &values, own) ||
	    !builder_weigh_event(b, s, &(struct builder_adds){.values = values}))
		return too_large(offset, e);
	if (!aside) {
		builder_reaches(b, s->track, time);
		if (!s->derived)
			builder_track_event(b, s->track);
	}
	sample_add(b, s, time, stack, values);
	b->p->generation++;
	return true;
}

/* Keeps a total that a part has read. The whole adds it up when the part is joined. */
static void
keep_total(struct builder *b, struct series *s, stack_id stack, const int64_t *values)
{
	*vec_push(&b->total) = (struct part_total){s, stack};
	for (unsigned v = 0; v < s->n_columns; v++)
		*vec_push(&b->total_value) = values[v];
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
	if (b->carried.part && !s->labelled)
		keep_total(b, s, stack, values);
	else
		series_add_total(s, stack, values);
	b->p->generation++;
	return true;
}

void
builder_total_soon(const struct series *s, stack_id stack)
{
	series_total_soon(s, stack);
}

/* The profile's weight stays: it is an upper bound. */
void
builder_total_back(struct builder *b, struct series *s, stack_id stack, const int64_t *values)
{
	int64_t own[SERIES_METRICS_MAX];

	assert(s->kind == SERIES_TOTALS && !s->labelled && stack < b->p->stacks.n);
	if (!builder_multiply(b, s, &values, own))
		return; /* then the total was not added either */
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
	builder_track_event(b, s->track);
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
