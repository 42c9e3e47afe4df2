#include "src/decode/common/calls.h"

/* A stack that is invalid is STACK_NONE, as are all above it. The step that uses it reports the
 * damage. */

void
calls_begin(struct calls *c, struct builder *b, track_id track)
{
	c->b = b;
	c->track = track;
	c->series = builder_steps(b, track);
}

void
calls_release(struct calls *c)
{
	vec_release(&c->open);
}

bool
calls_now(struct calls *c, int64_t time)
{
	bool back = c->any && time < c->now;

	c->now = back ? c->now : time;
	c->any = true;
	return !back;
}

static stack_id
calls_top(const struct calls *c)
{
	return c->open.n ? c->open.at[c->open.n - 1].stack : STACK_EMPTY;
}

bool
calls_step(struct calls *c, uint32_t flags, uint64_t offset, struct err *e)
{
	return builder_step(c->b, c->series, c->now, calls_top(c), flags, offset, e);
}

void
calls_push(struct calls *c, uint64_t key, frame_id frame)
{
	struct call_open call = {.key = key, .stack = calls_top(c)};

	if (call.stack != STACK_NONE)
		call.stack = c->open.n < STACK_DEPTH_MAX ? builder_child(c->b, call.stack, frame)
							 : builder_too_deep(c->b);
	*vec_push(&c->open) = call;
	builder_track_event(c->b, c->track);
}

bool
calls_enter(struct calls *c, uint64_t key, frame_id frame, uint64_t offset, struct err *e)
{
	calls_push(c, key, frame);
	return calls_step(c, STEP_CALL, offset, e);
}

size_t
calls_below(const struct calls *c, uint64_t key)
{
	size_t i = c->open.n;

	while (i && c->open.at[i - 1].key != key)
		i--;
	return i ? i - 1 : c->open.n;
}

bool
calls_leave(struct calls *c, size_t left, uint64_t offset, struct err *e)
{
	while (c->open.n > left) {
		c->open.n--;
		if (!calls_step(c, STEP_RETURN, offset, e))
			return false;
	}
	return true;
}

bool
calls_end(struct calls *c, uint64_t offset, struct err *e)
{
	bool good = true;

	if (!c->series)
		return true;
	if (c->open.n) {
		c->open.n = 0;
		good = calls_step(c, 0, offset, e);
	}
	if (c->any)
		builder_track_end(c->b, c->track, c->now);
	return good;
}
