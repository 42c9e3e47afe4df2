/* Profiles in a unit of time lie on the axis: events become steps, samples have their weights
 * as time.  Those of bytes or of no unit have no axis, since a file has one: what lies between
 * two events is a total of the stack that is open.
 *
 * A number is rounded once, where it stands.  Values without a unit are whole until a fraction
 * comes; then all are millionths. */
#include "src/decode/speedscope/speedscope_profile.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "src/input/decimal.h"
#include "src/input/json_shape.h"

#define MILLION 1000000

void
scope_profile_release(struct scope_profile *p)
{
	buf_release(&p->name);
	vec_release(&p->open);
	vec_release(&p->sample);
}

bool
scope_profile_ready(const struct scope_profile *p)
{
	return p->kind != SCOPE_UNKNOWN && p->has_unit && p->start.len;
}

/* ---- numbers ---- */

/* The first fraction of a value without unit. */
static bool
to_millionths(struct scope_file *x, struct scope_profile *p, uint64_t offset)
{
	if (!builder_metric_decimals(x->b, x->metric[SCOPE_VALUE], offset, x->e))
		return false;
	x->decimals = true;
	if (__builtin_mul_overflow(p->clock, MILLION, &p->clock))
		return err_damage(x->e, offset, "a value passes 2^63");
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
		return err_damage(x->e, offset, "a number that does not fit");
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
	if (!x->declared[m]) {
		x->declared[m] = true;
		x->metric[m] = builder_metric(x->b, names[m], units[m],
					      m == SCOPE_TIME ? ROLE_TIME : ROLE_VALUE);
	}
	if (m == SCOPE_TIME && p->kind == SCOPE_EVENTED)
		builder_metric(x->b, "calls", UNIT_CALLS, ROLE_CALLS);
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
top(const struct scope_profile *p)
{
	return p->open.n ? p->open.at[p->open.n - 1].stack : STACK_EMPTY;
}

static bool
push(struct scope_file *x, struct scope_profile *p, uint64_t frame)
{
	stack_id stack = p->open.n < STACK_DEPTH_MAX
				 ? builder_child(x->b, top(p), frame_at(x, frame))
				 : builder_too_deep(x->b);

	if (stack == STACK_NONE)
		return false;
	*vec_push(&p->open) = (struct scope_open){frame, stack};
	return true;
}

/* ---- evented ---- */

struct scope_event {
	uint64_t frame, offset;
	int64_t at;
	char type;
	bool has_frame, has_at;
};

/* The open stack has what lies between the last event and `at`. */
static bool
charge(struct scope_file *x, struct scope_profile *p, int64_t at, uint64_t offset)
{
	int64_t lasted;

	if (__builtin_sub_overflow(at, p->clock, &lasted))
		return err_damage(x->e, offset, "a value passes 2^63");
	p->clock = at;
	return p->measure == SCOPE_TIME || !lasted || !p->open.n ||
	       builder_total(x->b, p->series, top(p), &lasted, offset, x->e);
}

static bool
step(struct scope_file *x, struct scope_profile *p, uint32_t flags, uint64_t offset)
{
	return p->measure != SCOPE_TIME ||
	       builder_step(x->b, p->series, p->clock, top(p), flags, offset, x->e);
}

static bool
opens(struct scope_file *x, struct scope_profile *p, const struct scope_event *v)
{
	if (push(x, p, v->frame))
		return step(x, p, STEP_CALL, v->offset);
	return builder_step(x->b, p->series, p->clock, STACK_NONE, 0, v->offset, x->e);
}

static bool
closes(struct scope_file *x, struct scope_profile *p, const struct scope_event *v)
{
	size_t at = p->open.n;

	while (at && p->open.at[at - 1].frame != v->frame)
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

static bool
happens(struct scope_file *x, struct scope_profile *p, const struct scope_event *v)
{
	if ((v->type != 'O' && v->type != 'C') || !v->has_frame || !v->has_at)
		return err_damage(x->e, v->offset, "an event without type, frame or at");
	if (v->at < p->clock)
		return err_damage(x->e, v->offset, "an event before the one before it");
	builder_track_event(x->b, p->track);
	if (!charge(x, p, v->at, v->offset))
		return false;
	return v->type == 'O' ? opens(x, p, v) : closes(x, p, v);
}

/* An index of a frame; one that is no index is of no frame. */
static uint64_t
index_of(const struct json_token *t)
{
	int64_t n;

	return t->kind == JSON_NUMBER && decimal_scaled(t->at, t->len, 0, &n) && n >= 0
		       ? (uint64_t)n
		       : UINT64_MAX;
}

static bool
read_event(struct scope_file *x, struct scope_profile *p, struct json *j, struct scope_event *v)
{
	struct json_token name, t;

	while (json_member(j, &name, &t)) {
		bool type = json_is(&name, "type"), frame = json_is(&name, "frame");
		bool at = json_is(&name, "at");
		if (t.kind == JSON_KEY && !json_next(j, &t))
			break;
		if (type && t.kind == JSON_STRING)
			v->type = json_char(&t);
		if (frame) {
			v->has_frame = true;
			v->frame = index_of(&t);
		}
		if (at && t.kind == JSON_NUMBER) {
			v->has_at = true;
			if (!number(x, p, t.at, t.len, v->offset, &v->at))
				return false;
		}
		if (!json_skip_value(j, &t))
			break;
	}
	return j->failed ? json_damage(j, v->offset, x->e) : true;
}

/* What the members of a shape are. */
enum { EVENT_TYPE, EVENT_FRAME, EVENT_AT, EVENT_OTHER };

static void
shape_members(const struct json_shape *shape, uint8_t member[JSON_SHAPE_FIELDS])
{
	static const char *const keys[] = {"type", "frame", "at"};

	for (unsigned i = 0; i < shape->n; i++) {
		struct json_token t = {.at = shape->key[i].name, .len = shape->key[i].len};
		member[i] = (uint8_t)json_key(&t, keys, EVENT_OTHER);
	}
}

/* An event that looks like the one before. */
static bool
take_fields(struct scope_file *x, struct scope_profile *p, const struct json_shape *shape,
	    const uint8_t *member, const struct json_field *field, struct scope_event *v)
{
	for (unsigned i = 0; i < shape->n; i++) {
		const struct json_field *f = &field[i];
		bool string = shape->key[i].string;
		int64_t n;
		if (member[i] == EVENT_TYPE && string && f->len == 1)
			v->type = f->at[0];
		if (member[i] == EVENT_FRAME) {
			struct json_token t = json_field_token(shape, i, f);
			v->has_frame = true;
			v->frame = string || !json_field_scaled(f, 0, &n) ? index_of(&t)
				   : n >= 0                               ? (uint64_t)n
									  : UINT64_MAX;
		}
		if (member[i] != EVENT_AT || string)
			continue;
		v->has_at = true;
		if ((p->measure == SCOPE_VALUE || !json_field_scaled(f, p->scale, &v->at)) &&
		    !number(x, p, f->at, f->len, v->offset, &v->at))
			return false;
	}
	return true;
}

static bool
read_events(struct scope_file *x, struct scope_profile *p, struct json *j)
{
	struct json_shape shape = {0};
	struct json_field field[JSON_SHAPE_FIELDS];
	uint8_t member[JSON_SHAPE_FIELDS];
	struct json_token t;

	for (;;) {
		struct scope_event v = {0};
		uint64_t from = json_offset(j);
		bool met = json_shape_next(j, &shape, field, &v.offset);
		if (met && !take_fields(x, p, &shape, member, field, &v))
			return false;
		if (!met) {
			if (!json_next(j, &t) || t.kind == JSON_ARRAY_END)
				break;
			v.offset = t.offset;
			if (t.kind != JSON_OBJECT)
				return err_damage(x->e, t.offset, "an event that is no object");
			if (!read_event(x, p, j, &v))
				return false;
			if (json_shape_learn(j, &shape, from))
				shape_members(&shape, member);
		}
		if (!happens(x, p, &v))
			return false;
	}
	return j->failed ? json_damage(j, j->where, x->e) : true;
}

/* ---- sampled ---- */

/* One sample, root first: what it shares with the one before stays. */
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
			if (!push(x, p, frame))
				return builder_sample(x->b, p->series, p->clock, STACK_NONE,
						      (int64_t[]){0}, offset, x->e);
		}
		depth++;
	}
	p->open.n = depth < p->open.n ? depth : p->open.n;
	if (j->failed)
		return json_damage(j, offset, x->e);
	*vec_push(&p->sample) = top(p);
	return true;
}

static bool
read_samples(struct scope_file *x, struct scope_profile *p, struct json *j)
{
	struct json_token t;

	while (json_next(j, &t) && t.kind != JSON_ARRAY_END) {
		if (t.kind != JSON_ARRAY)
			return err_damage(x->e, t.offset, "a sample that is no list");
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
		builder_track_event(x->b, p->track);
		good = p->measure == SCOPE_TIME
			       ? builder_sample(x->b, p->series, p->clock, stack, &weight,
						offset, x->e)
			       : builder_total(x->b, p->series, stack, &weight, offset, x->e);
	}
	if (p->measure == SCOPE_TIME && weight > 0 &&
	    __builtin_add_overflow(p->clock, weight, &p->clock))
		return err_damage(x->e, offset, "a time passes 2^63");
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
			return err_damage(x->e, t.offset, "a weight that is no number");
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
scope_profile_array(struct scope_file *x, struct scope_profile *p, enum scope_array which,
		    struct json *j)
{
	bool good = which == SCOPE_EVENTS    ? read_events(x, p, j)
		    : which == SCOPE_SAMPLES ? read_samples(x, p, j)
					     : read_weights(x, p, j);

	p->torn |= !good;
	return good;
}

bool
scope_profile_end(struct scope_file *x, struct scope_profile *p, uint64_t offset)
{
	int64_t end = p->clock;

	builder_track_rename(x->b, p->track, buf_str(&p->name), p->name.len);
	/* After damage nobody knows how long what is open lasted. */
	if (!p->torn && p->end.len && !number(x, p, p->end.at, p->end.len, offset, &end))
		return false;
	if (end < p->clock)
		end = p->clock;
	if (p->kind == SCOPE_EVENTED && p->open.n) {
		x->never_ended += p->torn ? 0 : p->open.n;
		if (!charge(x, p, end, offset))
			return false;
		p->open.n = 0;
		if (!step(x, p, 0, offset))
			return false;
	}
	if (p->measure == SCOPE_TIME)
		builder_track_end(x->b, p->track, end);
	return true;
}
