#include "src/decode/text1/text1_gather.h"

/* Events as nearly all are: of a function that is known, at a time behind the one before, of a
 * context whose steps are gathered, in a file without lines; calls and returns in which nothing is
 * odd.  What text1_events.c makes of each of them is done here for many in a row, in variables
 * of this function; whatever is not so is left to that.
 *
 * The step that is pending lies in the run already, behind those that count. */

/* Of one context, while its events are told. */
struct usual {
	struct context *c;
	struct text1_run *x;
	uint32_t n;      /* place of the pending step in the run */
	size_t depth;    /* of the stack */
	bool running;
	int64_t latest;  /* of all contexts */
};

static bool
may_be_usual(const struct text1 *t, const struct context *c)
{
	return t->gathers && c->run && c->pending && c->last_time != INT64_MIN && t->events &&
	       !t->handles[AREA_LINE].n && text1_gather_near(t, c->time);
}

static struct usual
begin(const struct text1 *t, struct context *c)
{
	struct usual u = {.c = c, .x = c->run, .n = c->run->run.n, .depth = c->stack.n,
			  .running = c->running, .latest = t->latest};

	u.x->run.time[u.n] = c->time;
	u.x->run.stack[u.n] = c->stack_now | c->flags;
	u.x->offset[u.n] = c->offset;
	return u;
}

/* Writes it all back, n events later. */
static void
end(struct text1 *t, const struct usual *u, size_t n)
{
	struct context *c = u->c;
	uint32_t step = u->x->run.stack[u->n];

	if (!n)
		return;
	t->events += n;
	t->latest = u->latest;
	t->to = u->latest > t->to ? u->latest : t->to;
	c->events += n;
	c->last_time = c->time = u->x->run.time[u->n];
	c->time_before = u->n ? u->x->run.time[u->n - 1] : c->time_before;
	c->stack_now = step & STEP_STACK;
	c->flags = step & ~STEP_STACK;
	c->offset = u->x->offset[u->n];
	c->keep = false;
	c->stack.n = u->depth;
	c->running = u->running;
	u->x->run.n = u->n;
}

/* What an event makes run, and the flags of its step; STACK_NONE: it is none of the usual ones, and
 * nothing has changed. */
static inline uint32_t
step_of(struct text1 *t, struct usual *u, enum event_type type, uint32_t area)
{
	struct active *a = u->depth ? &u->c->stack.at[u->depth - 1] : NULL;

	if (type == EVENT_ENTRY) {
		stack_id parent = a ? a->stack : STACK_EMPTY;
		const struct text1_child *x = text1_child(t, parent, area);
		if (x->area != area + 1 || x->parent != parent || u->depth == u->c->stack.cap)
			return STACK_NONE;
		u->c->stack.at[u->depth++] = (struct active){
			.area = area, .line = AREA_NONE, .parent = parent, .stack = x->child};
		u->running = true;
		return x->child | STEP_CALL;
	}
	if (!a || a->area != area || (type == EVENT_EXIT && !u->running) || type > EVENT_RESUME)
		return STACK_NONE;
	u->running = type == EVENT_RESUME;
	u->depth -= type == EVENT_EXIT;
	return type == EVENT_RESUME ? a->stack
	       : type == EVENT_EXIT ? STACK_EMPTY | STEP_RETURN
				    : STACK_EMPTY;
}

size_t
text1_usual(struct text1 *t, const struct event_record *r, size_t n, bool *good, struct err *e)
{
	const struct idmap *functions = &t->handles[AREA_FUNCTION];
	uint32_t context = r->context;
	size_t i;

	if (context >= t->contexts.n || !may_be_usual(t, &t->contexts.at[context]))
		return 0;
	struct usual u = begin(t, &t->contexts.at[context]);
	int64_t before = u.x->run.time[u.n];
	for (i = 0; i < n && *good; i++) {
		int64_t time = r[i].time;
		uint32_t handle = r[i].handle;
		if (r[i].context != context || handle >= functions->n_dense ||
		    !functions->dense[handle] || time <= before || time < u.latest ||
		    !text1_gather_near(t, time))
			break;
		uint32_t step = step_of(t, &u, r[i].type, functions->dense[handle] - 1);
		if (step == STACK_NONE)
			break;
		if (++u.n == EVENT_RUN_MAX) {
			u.x->run.n = EVENT_RUN_MAX;
			u.c->time_before = before;
			u.n = 0;
			*good = text1_gather_write(t, u.c, e);
		}
		u.x->run.time[u.n] = time;
		u.x->run.stack[u.n] = step;
		u.x->offset[u.n] = r[i].offset;
		u.latest = before = time;
	}
	end(t, &u, i);
	return i;
}
