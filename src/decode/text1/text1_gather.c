#include "src/decode/text1/text1_gather.h"

#include "model/base/mem.h"

/* A step that is given to the builder by itself costs several times what one of a run costs.  So
 * while a window of the file is read, which nobody interrupts to look at the profile, the steps of
 * a context wait here, and its events are counted.
 *
 * A run must not be refused where its steps would not be, one by one, or somewhere else: times lie
 * so close that no sum is large.  Nor does a
 * context wait where there are very many, or is a run written that is short: those go one by
 * one, which wait in the builder, 32 series side by side. */

#define RUN_LEAST 16u

bool
text1_gather_write(struct text1 *t, struct context *c, struct err *e)
{
	struct event_run *r = &c->run->run;
	bool good = true;

	if (r->n < RUN_LEAST || !builder_step_run(t->b, c->steps, r))
		for (uint32_t i = 0; i < r->n && good; i++)
			good = builder_step(t->b, c->steps, r->time[i], r->stack[i] & STEP_STACK,
					    r->stack[i] & ~STEP_STACK, c->run->offset[i], e);
	r->n = 0;
	return good;
}

bool
text1_gather_closer(struct text1 *t, struct context *c, struct err *e)
{
	if (c->run && !text1_gather_write(t, c, e))
		return false;
	if (!t->gathers || c->run || t->n_gathering == RUNS_MAX ||
	    !text1_gather_near(t, c->time))
		return builder_step(t->b, c->steps, c->time, c->stack_now, c->flags, c->offset, e);
	t->gathering[t->n_gathering++] = (uint32_t)(c - t->contexts.at);
	c->run = mem_alloc(1, sizeof *c->run);
	c->run->run.n = 0;
	return text1_gather_step(t, c, e);
}

void
text1_gather(struct text1 *t)
{
	t->gathers = true;
	t->gathers_from = t->events;
}

bool
text1_gathered(struct text1 *t, bool good, struct err *e)
{
	struct err later;

	err_init(&later); /* what was damaged before is told */
	t->gathers = false;
	if (t->events == t->gathers_from)
		return good;
	for (uint32_t i = 0; i < t->n_gathering; i++) {
		struct context *c = &t->contexts.at[t->gathering[i]];
		bool written = text1_gather_write(t, c, good ? e : &later);
		good = good && written;
		builder_track_events(t->b, c->track, (int64_t)c->events);
		c->events = 0;
	}
	return good;
}
