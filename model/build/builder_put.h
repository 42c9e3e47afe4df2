/* builder_put.h - appends one event; builder.h includes it, nothing else does.
 *
 * Nearly every event of a large file resembles the one before it in its series: later, with small
 * numbers, and with an existing stack. Such an event only joins the buffer of its series, in a few
 * instructions. The buffer is written as a run. Only events that cannot be refused join it, so an
 * error is always reported by the call that appends the event. All others take the closer look of
 * builder_events.c. */
#ifndef PNAV_MODEL_BUILD_BUILDER_PUT_H
#define PNAV_MODEL_BUILD_BUILDER_PUT_H

#include <stddef.h>

#include "model/base/err.h"
#include "model/profile/event_run.h"
#include "model/profile/tracks.h"

struct builder;

/* Values from BUILDER_PUT_SMALL on, and below its negative, need a closer look. */
#define BUILDER_PUT_BITS 48
#define BUILDER_PUT_SMALL (UINT64_C(1) << (BUILDER_PUT_BITS - 1))

/* Take events that the inline functions do not. */
bool builder_step_closer(struct builder *b, struct series *s, int64_t time, stack_id stack,
			 uint32_t flags, int64_t value, uint64_t offset, struct err *e);
bool builder_sample_closer(struct builder *b, struct series *s, int64_t time, stack_id stack,
			   const int64_t *values, bool aside, uint64_t offset, struct err *e);
/* Writes a full buffer. */
void builder_put_full(struct builder *b, struct series_pending *w);

/* Adds an event, whose values and labels are already there, to the buffer of its series. */
static inline void
builder_put(struct builder *b, struct series_pending *w, int64_t time, uint32_t stack)
{
	uint32_t n = w->run.n;

	w->run.time[n] = time;
	w->run.stack[n] = stack;
	w->run.n = ++n;
	if (n == EVENT_RUN_MAX)
		builder_put_full(b, w);
}

static inline bool
builder_put_step(struct builder *b, struct series *s, int64_t time, stack_id stack,
		 uint32_t flags, int64_t value, uint64_t offset, struct err *e)
{
	struct series_pending *w = s->pending;

	if (!w || stack == STACK_NONE || time < w->low || time > w->high)
		return builder_step_closer(b, s, time, stack, flags, value, offset, e);
	w->low = time;
	w->run.value[0][w->run.n] = value;
	builder_put(b, w, time, stack | flags);
	return true;
}

/* Writes the values after the events of the buffer; returns true if all of them are small. Most
 * series have one or two columns. */
static inline bool
builder_put_values(const struct series *s, struct series_pending *w, const int64_t *values)
{
	unsigned n_values = s->n_columns;
	uint32_t n = w->run.n;
	/* the length of the caller's array, if the compiler knows it */
	size_t room = __builtin_object_size(values, 1) / sizeof *values;
	uint64_t any = 0;

	if (room > 1 && n_values > 1) {
		w->run.value[0][n] = values[0];
		w->run.value[1][n] = values[1];
		any = ((uint64_t)values[0] + BUILDER_PUT_SMALL) |
		      ((uint64_t)values[1] + BUILDER_PUT_SMALL);
	} else if (n_values) {
		w->run.value[0][n] = values[0];
		any = (uint64_t)values[0] + BUILDER_PUT_SMALL;
	}
	for (unsigned v = 2; room > 2 && v < n_values; v++) {
		w->run.value[v][n] = values[v];
		any |= (uint64_t)values[v] + BUILDER_PUT_SMALL;
	}
	return !(any >> BUILDER_PUT_BITS);
}

static inline bool
builder_put_sample(struct builder *b, struct series *s, int64_t time, stack_id stack,
		   const int64_t *values, uint64_t offset, struct err *e)
{
	struct series_pending *w = s->pending;

	if (!w || stack == STACK_NONE || time < w->low || time > w->high ||
	    !builder_put_values(s, w, values))
		return builder_sample_closer(b, s, time, stack, values, false, offset, e);
	w->reached = time > w->reached ? time : w->reached;
	builder_put(b, w, time, stack);
	return true;
}

static inline bool
builder_put_aside(struct builder *b, struct series *s, int64_t time, stack_id stack,
		  const int64_t *values, uint64_t offset, struct err *e)
{
	struct series_pending *w = s->pending;

	if (!w || stack == STACK_NONE || w->low > w->high || !builder_put_values(s, w, values))
		return builder_sample_closer(b, s, time, stack, values, true, offset, e);
	w->apart++;
	builder_put(b, w, time, stack);
	return true;
}

#endif
