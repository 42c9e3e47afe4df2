/* text1_gather.h - steps of a timeline on their way to the builder.
 *
 *	text1_gather(&t);			-- nobody looks from here on
 *	text1_gather_event(&t, c);		-- an event of a context,
 *	text1_gather_step(&t, c, e);		-- its pending step, as often as there are
 *	text1_gathered(&t, good, e);		-- and all are in the profile
 *
 * Without the first and the last each goes to the builder at once. */
#ifndef PNAV_SRC_DECODE_TEXT1_TEXT1_GATHER_H
#define PNAV_SRC_DECODE_TEXT1_TEXT1_GATHER_H

#include "src/decode/text1/text1.h"

struct text1_run {
	struct event_run run;
	uint64_t offset[EVENT_RUN_MAX];
};
/* Of all times of a timeline that is gathered, in ns: CONTEXTS_MAX times that is below 2^63. */
#define GATHER_SPAN ((uint64_t)1 << 46)

/* Any step. */
bool text1_gather_closer(struct text1 *t, struct context *c, struct err *e);
/* Writes what waits of a context. */
bool text1_gather_write(struct text1 *t, struct context *c, struct err *e);

static inline bool
text1_gather_near(const struct text1 *t, int64_t time)
{
	return (uint64_t)time - (uint64_t)t->from < GATHER_SPAN;
}

static inline bool
text1_gather_step(struct text1 *t, struct context *c, struct err *e)
{
	struct text1_run *x = c->run;

	if (!t->gathers || !x || !text1_gather_near(t, c->time))
		return text1_gather_closer(t, c, e);
	uint32_t n = x->run.n;
	x->run.time[n] = c->time;
	x->run.stack[n] = c->stack_now | c->flags;
	x->offset[n] = c->offset;
	x->run.n = ++n;
	return n < EVENT_RUN_MAX || text1_gather_write(t, c, e);
}

static inline void
text1_gather_event(struct text1 *t, struct context *c)
{
	if (t->gathers && c->run)
		c->events++;
	else
		builder_track_event(t->b, c->track);
}

#endif
