#include "src/decode/text1/text1.h"

#include <string.h>

/* Converts the events E, S, R and X to the step function of the model.
 *
 * A context (task, core) has one stack of functions. S(caller) then E(callee) is a call, X(callee)
 * then R(caller) a return; between S and the next event, and between X and R, nothing of the
 * context runs. A function that resumes without being on the stack was running before the recording
 * began: it becomes a root. Lines refine the leaf: entering a line replaces the top of the stack by
 * the same function at that line.
 *
 * Several events of one moment make one step if that expresses the same: `X(callee), R(caller)` is
 * one step to the caller that also ends the callee's call; `E(f), E(line)` is one step to f at that
 * line. So the last step of a context stays pending until the time advances, or a step comes that
 * cannot be merged into it. Without merging the result would also be right, but would use twice the
 * memory and show frames without any time.
 *
 * A step whose flags refer to its own stack (STEP_CALL, STEP_LINE) is never merged away. `keep`
 * protects a stack that must be visible even for no time: X of a suspended function resumes it, so
 * that STEP_RETURN ends its call; and R of a function that was running before the recording began
 * may be the only trace of it.
 *
 * The search down the stack ends at SEARCH_DEPTH. If it finds a function, those above are dropped.
 * So only unsuccessful searches cost time, and never more than this. */

#define SEARCH_DEPTH 1024u

/* ---- steps ---- */

static inline bool
step_flush(struct text1 *t, struct context *c, struct err *e)
{
	if (!c->pending)
		return true;
	if (c->line_before != AREA_NONE) {
		struct text1_area *line = &t->areas.at[c->line_before];
		line->net = (int64_t)((uint64_t)line->net + (uint64_t)c->time -
				      (uint64_t)c->time_before);
	}
	c->line_before = c->line_now;
	c->time_before = c->time;
	c->pending = c->keep = false;
	return builder_step(t->b, c->steps, c->time, c->stack_now, c->flags, c->offset, e);
}

/* Returns true if a step with these flags at the same moment may replace the pending step.
 * `refines`: by the same function at another line. */
static bool
step_merges(const struct context *c, uint32_t flags, bool refines)
{
	if ((c->keep && !refines) || (c->flags & flags & STEP_RETURN))
		return false;
	if (c->flags & STEP_LINE)
		return false;
	return !(c->flags & STEP_CALL) || (refines && flags == STEP_LINE);
}

static inline bool
text1_events_step(struct text1 *t, struct context *c, const struct event_record *r,
		  stack_id stack, uint32_t flags, bool refines, struct err *e)
{
	uint32_t line = AREA_NONE;

	if (stack != STACK_EMPTY && c->stack.n)
		line = c->stack.at[c->stack.n - 1].line;
	if (c->pending && c->time == r->time && step_merges(c, flags, refines)) {
		c->flags |= flags;
		c->stack_now = stack;
		c->line_now = line;
		return true;
	}
	if (!step_flush(t, c, e))
		return false;
	c->pending = true;
	c->time = r->time;
	c->offset = r->offset;
	c->flags = flags;
	c->stack_now = stack;
	c->line_now = line;
	return true;
}

/* ---- contexts ---- */

uint32_t
text1_context(struct text1 *t, uint64_t key, const char *name, size_t len, enum track_kind kind)
{
	uint32_t i = idmap_get(&t->known.context_of, key);

	if (i != IDMAP_NONE)
		return i;
	if (t->contexts.n == CONTEXTS_MAX)
		return CONTEXTS_MAX;
	if (!t->begun) {
		t->begun = true;
		t->time = builder_timeline(t->b);
		if (t->handles[AREA_LINE].n)
			builder_metric(t->b, "lines", UNIT_COUNT, ROLE_LINES);
	}
	i = (uint32_t)t->contexts.n;
	struct context *c = vec_push(&t->contexts);
	*c = (struct context){
		.track = builder_track(t->b, name, len, kind),
		.last_time = INT64_MIN,
		.line_now = AREA_NONE,
		.line_before = AREA_NONE,
	};
	c->steps = builder_steps(t->b, c->track);
	idmap_put(&t->known.context_of, key, i);
	return i;
}

static inline struct active *
text1_top(struct context *c)
{
	return c->stack.n ? &c->stack.at[c->stack.n - 1] : NULL;
}

static inline bool
top_is(struct context *c, uint32_t area)
{
	return c->stack.n && c->stack.at[c->stack.n - 1].area == area;
}

/* Removes everything above the function, if it is on the stack. */
static bool
unwind_to(struct context *c, uint32_t area)
{
	size_t least = c->stack.n > SEARCH_DEPTH ? c->stack.n - SEARCH_DEPTH : 0;

	for (size_t i = c->stack.n; i-- > least;)
		if (c->stack.at[i].area == area) {
			c->stack.n = i + 1;
			return true;
		}
	return false;
}

/* A stack without room in the profile goes to builder_step(), which reports it, and never
 * becomes a parent. */
static bool
no_stack(struct text1 *t, struct context *c, const struct event_record *r, struct err *e)
{
	return builder_step(t->b, c->steps, r->time, STACK_NONE, 0, r->offset, e);
}

static bool
text1_events_push(struct text1 *t, struct context *c, const struct event_record *r,
		  uint32_t area, struct err *e)
{
	stack_id parent = c->stack.n ? text1_top(c)->stack : STACK_EMPTY;
	stack_id stack;

	text1_area_make(t, area);
	stack = text1_stack(t, parent, area);
	if (stack == STACK_NONE)
		return no_stack(t, c, r, e);
	*vec_push(&c->stack) = (struct active){
		.area = area, .line = AREA_NONE, .parent = parent, .stack = stack};
	return true;
}

/* ---- events of functions ---- */

static bool
function_exit(struct text1 *t, struct context *c, const struct event_record *r,
	      uint32_t area, struct err *e)
{
	if (!top_is(c, area)) {
		if (!unwind_to(c, area)) {
			builder_warn(t->b, "a function ends that was not running, at byte %llu",
				     (unsigned long long)r->offset);
			return true;
		}
		c->running = false;
	}
	if (!c->running) {
		if (!text1_events_step(t, c, r, text1_top(c)->stack, 0, false, e))
			return false;
		c->keep = true;
	}
	c->stack.n--;
	c->running = false;
	return text1_events_step(t, c, r, STACK_EMPTY, STEP_RETURN, false, e);
}

static bool
function_suspend(struct text1 *t, struct context *c, const struct event_record *r,
		 uint32_t area, struct err *e)
{
	if (!c->stack.n && !text1_events_push(t, c, r, area, e))
		return false;
	if (!top_is(c, area))
		return true; /* a callee of it runs: it was suspended already */
	c->running = false;
	return text1_events_step(t, c, r, STACK_EMPTY, 0, false, e);
}

static bool
function_resume(struct text1 *t, struct context *c, const struct event_record *r,
		uint32_t area, struct err *e)
{
	bool known = top_is(c, area) || unwind_to(c, area);

	if (!known) {
		c->stack.n = 0;
		if (!text1_events_push(t, c, r, area, e))
			return false;
	}
	c->running = true;
	if (!text1_events_step(t, c, r, text1_top(c)->stack, 0, false, e))
		return false;
	c->keep |= !known;
	return true;
}

static bool
function_entry(struct text1 *t, struct context *c, const struct event_record *r,
	       uint32_t area, struct err *e)
{
	if (!text1_events_push(t, c, r, area, e))
		return false;
	c->running = true;
	return text1_events_step(t, c, r, text1_top(c)->stack, STEP_CALL, false, e);
}

/* ---- events of lines ---- */

/* Sets the line of the top of the stack (AREA_NONE: unknown). */
static bool
line_set(struct text1 *t, struct context *c, const struct event_record *r, uint32_t line,
	 uint32_t flags, struct err *e)
{
	struct active *a = text1_top(c);
	stack_id stack = text1_stack(t, a->parent, line == AREA_NONE ? a->area : line);

	if (stack == STACK_NONE)
		return no_stack(t, c, r, e);
	a->line = line;
	a->stack = stack;
	if (c->running)
		return text1_events_step(t, c, r, stack, flags, true, e);
	/* entering a line while its function is suspended takes no time */
	return !flags || (text1_events_step(t, c, r, stack, flags, false, e) &&
			  text1_events_step(t, c, r, STACK_EMPTY, 0, false, e));
}

static bool
line_event(struct text1 *t, struct context *c, const struct event_record *r,
	   uint32_t area, struct err *e)
{
	struct text1_area *line = &t->areas.at[area];
	bool enters = r->type == EVENT_ENTRY || r->type == EVENT_RESUME;

	if (!text1_area_make(t, area)) {
		builder_warn(t->b, "events of lines whose function is not known, at byte %llu",
			     (unsigned long long)r->offset);
		return true;
	}
	line->entries += r->type == EVENT_ENTRY;
	if (!c->stack.n && enters) { /* only lines were recorded */
		if (!text1_events_push(t, c, r, line->parent, e))
			return false;
		c->running = true;
	}
	if (!top_is(c, line->parent)) {
		if (enters)
			builder_warn(t->b,
				     "lines are entered outside of their function, at byte %llu",
				     (unsigned long long)r->offset);
		return true;
	}
	if (r->type == EVENT_ENTRY)
		return line_set(t, c, r, area, STEP_LINE, e);
	if (enters && text1_top(c)->line != area)
		return line_set(t, c, r, area, 0, e);
	if (r->type == EVENT_EXIT && text1_top(c)->line == area)
		return line_set(t, c, r, AREA_NONE, 0, e);
	return true;
}

/* ---- events of data ---- */

static bool
data_event(struct text1 *t, const struct event_record *r, struct err *e)
{
	uint32_t area = text1_data_area(t, r->handle); /* may move the areas */
	struct text1_area *a = &t->areas.at[area];
	struct series **s = r->floating ? &a->doubles : &a->points;
	double value;

	builder_track_end(t->b, a->track, r->time);
	if (r->type != EVENT_WRITE && r->type != EVENT_ENTRY) {
		builder_track_event(t->b, a->track);
		return true;
	}
	if (!*s)
		*s = builder_points(t->b, a->track, r->floating);
	if (!r->floating)
		return builder_point(t->b, *s, r->time, r->value, r->offset, e);
	memcpy(&value, &r->value, sizeof value);
	return builder_point_double(t->b, *s, r->time, value, r->offset, e);
}

static bool
function_event(struct text1 *t, struct context *c, const struct event_record *r,
	       uint32_t area, struct err *e)
{
	switch (r->type) {
	case EVENT_EXIT:
		return function_exit(t, c, r, area, e);
	case EVENT_SUSPEND:
		return function_suspend(t, c, r, area, e);
	case EVENT_RESUME:
		return function_resume(t, c, r, area, e);
	case EVENT_ENTRY:
		return function_entry(t, c, r, area, e);
	case EVENT_WRITE:
		builder_warn(t->b, "a function is written to, at byte %llu",
			     (unsigned long long)r->offset);
	}
	return true;
}

/* All times of a file lie within 2^63 of each other, so that any of them can be
 * subtracted from any other. */
static inline bool
in_range(struct text1 *t, int64_t time)
{
	int64_t from = t->span.events && t->span.from < time ? t->span.from : time;
	int64_t to = t->span.events && t->span.to > time ? t->span.to : time, span;

	if (__builtin_sub_overflow(to, from, &span))
		return false;
	t->span.from = from;
	t->span.to = to;
	return true;
}

/* Any event. */
static __attribute__((noinline)) bool
event_closer(struct text1 *t, const struct event_record *r, struct err *e)
{
	uint32_t kind = r->handle >> 28;
	bool good;

	if (kind > AREA_AUX_STATE)
		return err_damage(e, r->offset, "no kind of area has the handle %08X",
				  (unsigned)r->handle);
	if (!in_range(t, r->time))
		return err_damage(e, r->offset, "the times lie farther apart than 2^63");
	t->span.events++;
	t->span.latest = r->time;
	if (kind >= AREA_VARIABLE)
		return data_event(t, r, e);

	struct context *c = &t->contexts.at[r->context];
	uint32_t area = text1_area(t, r->handle);
	if (r->time < c->last_time)
		return err_damage(e, r->offset, "time goes backwards, from %lld to %lld",
				  (long long)c->last_time, (long long)r->time);
	if (c->last_time == INT64_MIN && !c->pending &&
	    !text1_events_step(t, c, r, STACK_EMPTY, 0, false, e))
		return false;
	builder_track_event(t->b, c->track);
	good = kind == AREA_LINE ? line_event(t, c, r, area, e) : function_event(t, c, r, area, e);
	if (good)
		c->last_time = r->time;
	return good;
}

/* Nearly every event belongs to a known function and follows the one before it. */
static inline bool
event_now(struct text1 *t, const struct event_record *r, struct err *e)
{
	uint32_t area = AREA_NONE;

	if (r->handle >> 28 == AREA_FUNCTION)
		area = idmap_get(&t->handles[AREA_FUNCTION], r->handle);
	if (area == AREA_NONE || !t->span.events || r->time < t->span.latest ||
	    (uint64_t)r->time - (uint64_t)t->span.from > INT64_MAX)
		return event_closer(t, r, e);
	struct context *c = &t->contexts.at[r->context];
	size_t depth = c->stack.n;
	bool running = c->running;
	uint32_t step = c->last_time == INT64_MIN
				? STACK_NONE
				: text1_step_of(t, c, &depth, &running, r->type, area);
	if (step == STACK_NONE)
		return event_closer(t, r, e);
	c->stack.n = depth;
	c->running = running;
	t->span.events++;
	t->span.latest = r->time;
	t->span.to = r->time > t->span.to ? r->time : t->span.to;
	builder_track_event(t->b, c->track);
	c->last_time = r->time;
	return text1_events_step(t, c, r, step & STEP_STACK, step & ~STEP_STACK, false, e);
}

bool
text1_events(struct text1 *t, const struct event_record *r, size_t n, struct err *e)
{
	bool good = true;

	for (size_t i = 0; i < n && good; i++) {
		i += text1_usual(t, r + i, n - i, &good, e);
		good = good && (i == n || event_now(t, &r[i], e));
	}
	return good;
}

bool
text1_event(struct text1 *t, const struct event_record *r, struct err *e)
{
	return text1_events(t, r, 1, e);
}

bool
text1_events_end(struct text1 *t, struct err *e)
{
	bool good = true;

	for (size_t i = 0; i < t->contexts.n; i++) {
		struct context *c = &t->contexts.at[i];
		good &= step_flush(t, c, e);
		if (c->last_time != INT64_MIN)
			builder_track_end(t->b, c->track, c->last_time);
	}
	return good;
}
