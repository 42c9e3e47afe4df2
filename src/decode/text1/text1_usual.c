#include "src/decode/text1/text1.h"

/* The fast path for nearly all events: those of a known function, at a time after the previous one,
 * in a file without lines, with regular calls and returns. This handles many in a row in local
 * variables, with the same results as text1_events.c, which handles all others. */

/* The state of one context while its events are appended. */
struct usual {
	struct context *c;
	int64_t time; /* of the pending step */
	uint64_t offset;
	uint32_t step; /* its stack and flags */
	size_t depth;  /* of the stack */
	bool running;
};

static bool
may_be_usual(const struct text1 *t, const struct context *c)
{
	return c->pending && c->last_time != INT64_MIN && t->span.events &&
	       !t->handles[AREA_LINE].n;
}

static struct usual
text1_usual_begin(struct context *c)
{
	return (struct usual){
		.c = c,
		.time = c->time,
		.offset = c->offset,
		.step = c->stack_now | c->flags,
		.depth = c->stack.n,
		.running = c->running,
	};
}

/* Writes the state back, n events later.  `good`: the step before the pending one was accepted. */
static void
end(struct text1 *t, const struct usual *u, size_t n, bool good)
{
	struct context *c = u->c;

	c->pending = good;
	if (!n)
		return;
	t->span.events += n;
	t->span.latest = u->time;
	t->span.to = u->time > t->span.to ? u->time : t->span.to;
	builder_track_events(t->b, c->track, (int64_t)n);
	c->last_time = c->time = u->time;
	c->stack_now = u->step & STEP_STACK;
	c->flags = u->step & ~STEP_STACK;
	c->offset = u->offset;
	c->keep = false;
	c->stack.n = u->depth;
	c->running = u->running;
}

size_t
text1_usual(struct text1 *t, const struct event_record *r, size_t n, bool *good, struct err *e)
{
	const struct idmap *functions = &t->handles[AREA_FUNCTION];
	uint32_t context = r->context;
	size_t i;

	if (context >= t->contexts.n || !may_be_usual(t, &t->contexts.at[context]))
		return 0;
	struct usual u = text1_usual_begin(&t->contexts.at[context]);
	struct series *steps = u.c->steps;
	for (i = 0; i < n; i++) {
		int64_t time = r[i].time;
		uint32_t handle = r[i].handle;
		if (r[i].context != context || handle >= functions->n_dense ||
		    !functions->dense[handle] || time <= u.time || time < t->span.latest ||
		    (uint64_t)time - (uint64_t)t->span.from > INT64_MAX)
			break;
		uint32_t step = text1_step_of(t, u.c, &u.depth, &u.running, r[i].type,
					      functions->dense[handle] - 1);
		if (step == STACK_NONE)
			break;
		*good = builder_step(t->b, steps, u.time, u.step & STEP_STACK,
				     u.step & ~STEP_STACK, u.offset, e);
		if (!*good)
			break;
		u.time = time;
		u.step = step;
		u.offset = r[i].offset;
	}
	end(t, &u, i, *good);
	return i;
}
