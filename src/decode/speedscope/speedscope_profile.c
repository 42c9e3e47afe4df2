/* Profiles in a unit of time lie on the axis: events become steps, samples have their weights
 * as time.  Profiles in bytes or without a unit have no axis, since a file has one axis: the
 * difference between two events is added to the total of the open stack.
 *
 * Each number is rounded once, by itself.  Values without a unit are whole until the first
 * fraction; from then on all are millionths. */
#include "src/decode/speedscope/speedscope_profile.h"

#include <stdlib.h>
#include <string.h>

#include "src/input/decimal.h"

#define MILLION 1000000

void
scope_profile_release(struct scope_profile *p)
{
	vec_release_all(&p->open, &p->sample);
	buf_release(&p->name);
}

bool
scope_profile_ready(const struct scope_profile *p)
{
	return p->kind != SCOPE_UNKNOWN && p->has_unit && p->start.len;
}

/* ---- numbers ---- */

/* Switches to millionths, at the first fraction of a value without unit. */
static bool
to_millionths(struct scope_file *x, struct scope_profile *p, uint64_t offset)
{
	if (!builder_metric_decimals(x->b, x->metric[SCOPE_VALUE], offset, x->e))
		return false;
	x->decimals = true;
	if (__builtin_mul_overflow(p->clock, MILLION, &p->clock))
		return err_damage(x->e, offset, "a value exceeds 2^63");
	return true;
}

static bool
number(struct scope_file *x, struct scope_profile *p, const char *at, size_t len,
       uint64_t offset, int64_t *out)
{
	int scale = p->scale;

	if (p->measure == SCOPE_VALUE) {
		if (!x->decimals && decimal_is_fraction(at, len) && !to_millionths(x, p, offset))
			return false;
		scale = x->decimals ? 6 : 0;
	}
	if (!decimal_scaled(at, len, scale, out))
		return err_damage(x->e, offset, "a number out of range");
	return true;
}

/* ---- the track ---- */

bool
scope_profile_begin(struct scope_file *x, struct scope_profile *p, uint64_t offset)
{
	static const char *const names[] = {"time", "bytes", "value"};
	static const enum unit units[] = {UNIT_NS, UNIT_BYTES, UNIT_COUNT};
	enum scope_measure m = p->measure;

	if (p->begun)
		return true;
	p->begun = true;
	x->declared[m] = true;
	x->metric[m] = m == SCOPE_TIME && p->kind == SCOPE_EVENTED
			       ? builder_time(x->b, names[m])
			       : builder_metric(x->b, names[m], units[m],
						m == SCOPE_TIME ? ROLE_TIME : ROLE_VALUE);
	p->track = builder_track(x->b, buf_str(&p->name), p->name.len, TRACK_THREAD);
	if (m != SCOPE_TIME)
		p->series = builder_totals(x->b, p->track, &x->metric[m], 1);
	else if (p->kind == SCOPE_EVENTED)
		p->series = builder_steps_of(x->b, p->track, x->metric[m]);
	else
		p->series = builder_samples(x->b, p->track, &x->metric[m], 1);
	if (p->start.len && !number(x, p, p->start.at, p->start.len, offset, &p->clock))
		return false;
	return m != SCOPE_TIME || p->kind != SCOPE_EVENTED ||
	       builder_step(x->b, p->series, p->clock, STACK_EMPTY, 0, offset, x->e);
}

static frame_id
frame_at(struct scope_file *x, uint64_t index)
{
	if (index < x->frame.n)
		return x->frame.at[index];
	x->frames_missing++;
	return builder_frame(x->b, builder_function_unknown(x->b), line_unknown());
}

static stack_id
speedscope_top(const struct scope_profile *p)
{
	return p->open.n ? p->open.at[p->open.n - 1].stack : STACK_EMPTY;
}

static bool
speedscope_push(struct scope_file *x, struct scope_profile *p, uint64_t frame)
{
	stack_id stack = p->open.n < STACK_DEPTH_MAX
				 ? builder_child(x->b, speedscope_top(p), frame_at(x, frame))
				 : builder_too_deep(x->b);

	if (stack == STACK_NONE)
		return false;
	*vec_push(&p->open) = (struct scope_open){frame, stack};
	return true;
}

/* ---- evented ---- */

enum { OPENS = 1, CLOSES };
static const char *const event_types[] = {"O", "C", NULL};

struct scope_event {
	uint64_t offset;
	int64_t frame, at;
	uint8_t type;
};

/* Adds the difference between the last event and `at` to the open stack. */
static bool
charge(struct scope_file *x, struct scope_profile *p, int64_t at, uint64_t offset)
{
	int64_t lasted;

	if (__builtin_sub_overflow(at, p->clock, &lasted))
		return err_damage(x->e, offset, "a value exceeds 2^63");
	p->clock = at;
	return p->measure == SCOPE_TIME || !lasted || !p->open.n ||
	       builder_total(x->b, p->series, speedscope_top(p), &lasted, offset, x->e);
}

static bool
step(struct scope_file *x, struct scope_profile *p, uint32_t flags, uint64_t offset)
{
	return p->measure != SCOPE_TIME ||
	       builder_step(x->b, p->series, p->clock, speedscope_top(p), flags, offset, x->e);
}

static bool
opens(struct scope_file *x, struct scope_profile *p, const struct scope_event *v)
{
	if (speedscope_push(x, p, (uint64_t)v->frame))
		return step(x, p, STEP_CALL, v->offset);
	return builder_step(x->b, p->series, p->clock, STACK_NONE, 0, v->offset, x->e);
}

static bool
closes(struct scope_file *x, struct scope_profile *p, const struct scope_event *v)
{
	size_t at = p->open.n;

	while (at && p->open.at[at - 1].frame != (uint64_t)v->frame)
		at--;
	if (!at) {
		x->ends_of_nothing++;
		return true;
	}
	x->ends_outer += at < p->open.n;
	while (p->open.n >= at) {
		p->open.n--;
		if (!step(x, p, STEP_RETURN, v->offset))
			return false;
	}
	return true;
}

#define EVENT_LACKS "an event without type, frame or at"

static bool
happens(struct scope_file *x, struct scope_profile *p, const struct scope_event *v)
{
	if (!v->type)
		return err_damage(x->e, v->offset, EVENT_LACKS);
	if (v->at < p->clock)
		return err_damage(x->e, v->offset, "an event earlier than the one before it");
	builder_track_event(x->b, p->track);
	if (!charge(x, p, v->at, v->offset))
		return false;
	return v->type == OPENS ? opens(x, p, v) : closes(x, p, v);
}

/* Reads a value.  Without a unit, a fraction changes the scale. */
static bool
value_take(struct rows_json *r, void *event, const struct json_value *v)
{
	struct scope_file *x = r->context;
	struct scope_event *to = event;

	if (v->t.kind != JSON_NUMBER)
		return err_damage(x->e, r->offset, EVENT_LACKS);
	return (x->decimals && json_value_scaled(v, 6, false, &to->at)) ||
	       number(x, x->at, v->t.at, v->t.len, r->offset, &to->at);
}

static bool
speedscope_event_take(struct rows_json *r, void *profile, void *event)
{
	((struct scope_event *)event)->offset = r->offset;
	return happens(r->context, profile, event);
}

#define EVENT_ROWS                                                                         \
	{"type", ROW_WORD(struct scope_event, type, event_types), .must = EVENT_LACKS}, \
	{"frame", ROW_NUMBER(struct scope_event, frame), .must = EVENT_LACKS}

static const struct json_row event_rows[] = {
	EVENT_ROWS,
	{"at", ROW_NUMBER(struct scope_event, at), .scale = ROW_SCALE, .must = EVENT_LACKS},
	{0},
};
static const struct json_list events = {.rows = event_rows,
					.size = sizeof(struct scope_event),
					.record = true,
					.what = "an event",
					.end = speedscope_event_take};
static const struct json_row value_rows[] = {
	EVENT_ROWS,
	{"at", ROW_VALUE(value_take), .must = EVENT_LACKS},
	{0},
};
static const struct json_list value_events = {.rows = value_rows,
					      .size = sizeof(struct scope_event),
					      .record = true,
					      .what = "an event",
					      .end = speedscope_event_take};

/* ---- sampled ---- */

/* Returns the index of a frame; an invalid one belongs to no frame. */
static uint64_t
index_of(const struct json_token *t)
{
	int64_t n;

	return t->kind == JSON_NUMBER && decimal_scaled(t->at, t->len, 0, &n) && n >= 0
		       ? (uint64_t)n
		       : UINT64_MAX;
}

/* Reads one sample, root first, and keeps the part that it shares with the previous one. */
static bool
read_sample(struct scope_file *x, struct scope_profile *p, struct json *j, uint64_t offset)
{
	struct json_token t;
	size_t depth = 0;

	while (json_next(j, &t) && t.kind != JSON_ARRAY_END) {
		uint64_t frame = index_of(&t);
		if (!json_skip(j, &t))
			break;
		if (depth == p->open.n || p->open.at[depth].frame != frame) {
			p->open.n = depth;
			if (!speedscope_push(x, p, frame))
				return builder_sample(x->b, p->series, p->clock, STACK_NONE,
						      (int64_t[]){0}, offset, x->e);
		}
		depth++;
	}
	p->open.n = depth < p->open.n ? depth : p->open.n;
	if (j->failed)
		return json_damage(j, offset, x->e);
	*vec_push(&p->sample) = speedscope_top(p);
	return true;
}

static bool
speedscope_read_samples(struct scope_file *x, struct scope_profile *p, struct json *j)
{
	struct json_token t;

	while (json_next(j, &t) && t.kind != JSON_ARRAY_END) {
		if (t.kind != JSON_ARRAY)
			return err_damage(x->e, t.offset, "a sample that is not a list");
		if (!read_sample(x, p, j, t.offset))
			return false;
	}
	if (j->failed)
		return json_damage(j, j->where, x->e);
	p->samples_end = t.offset;
	return true;
}

static bool
weigh(struct scope_file *x, struct scope_profile *p, stack_id stack, int64_t weight,
      uint64_t offset)
{
	bool good = true;

	if (stack != STACK_EMPTY) {
		if (p->measure != SCOPE_TIME)
			builder_track_event(x->b, p->track);
		good = p->measure == SCOPE_TIME
			       ? builder_sample(x->b, p->series, p->clock, stack, &weight,
						offset, x->e)
			       : builder_total(x->b, p->series, stack, &weight, offset, x->e);
	}
	if (p->measure == SCOPE_TIME && weight > 0 &&
	    __builtin_add_overflow(p->clock, weight, &p->clock))
		return err_damage(x->e, offset, "a time exceeds 2^63");
	return good;
}

static bool
read_weights(struct scope_file *x, struct scope_profile *p, struct json *j)
{
	struct json_token t;
	size_t n = 0;
	int64_t weight;

	while (json_next(j, &t) && t.kind != JSON_ARRAY_END) {
		if (n == p->sample.n)
			return err_damage(x->e, p->samples_end,
					  "there are more weights than samples");
		if (t.kind != JSON_NUMBER)
			return err_damage(x->e, t.offset, "a weight that is not a number");
		if (!number(x, p, t.at, t.len, t.offset, &weight) ||
		    !weigh(x, p, p->sample.at[n++], weight, t.offset))
			return false;
	}
	if (j->failed)
		return json_damage(j, j->where, x->e);
	if (n < p->sample.n)
		return err_damage(x->e, t.offset, "there are fewer weights than samples");
	return true;
}

/* ---- a profile ---- */

bool
scope_profile_array(struct rows_json *r, struct scope_profile *p, enum scope_array which)
{
	struct scope_file *x = r->context;

	x->at = p;
	r->scale = p->scale;
	bool good =
		which == SCOPE_EVENTS
			? rows_json_list(r, p->measure == SCOPE_VALUE ? &value_events : &events, p)
		: which == SCOPE_SAMPLES ? speedscope_read_samples(x, p, &r->j)
					 : read_weights(x, p, &r->j);

	p->torn |= !good;
	return good;
}

bool
scope_profile_end(struct scope_file *x, struct scope_profile *p)
{
	int64_t end = p->clock;

	builder_track_rename(x->b, p->track, buf_str(&p->name), p->name.len);
	/* after damage the duration of open frames is unknown */
	if (!p->torn && p->end.len && !number(x, p, p->end.at, p->end.len, 0, &end))
		return false;
	if (end < p->clock)
		end = p->clock;
	if (p->kind == SCOPE_EVENTED && p->open.n) {
		x->never_ended += p->torn ? 0 : p->open.n;
		if (!charge(x, p, end, 0))
			return false;
		p->open.n = 0;
		if (!step(x, p, 0, 0))
			return false;
	}
	if (p->measure == SCOPE_TIME)
		builder_track_end(x->b, p->track, end);
	return true;
}
