#include "model/builder.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "model/human.h"
#include "model/mem.h"
#include "model/profile.h"
#include "model/series.h"
#include "model/tally.h"
#include "model/vec.h"

/* The builder keeps what only a writer needs: the group that is being written, the cache
 * of whole stacks, and the scratch for checkpoints.
 *
 * Whole stacks: a sample with thirty frames would cost thirty dependent probes.  The hash
 * of its frame ids finds the stack in one; the path is then compared frame by frame, since
 * a hash alone would merge stacks now and then.  On a miss the frames that it shares with
 * the stack before are not looked up again. */

struct builder {
	struct profile *p;
	uint16_t group;
	struct series_scratch scratch;

	struct map whole;      /* hash of frame ids -> index in whole_stack */
	stack_id *whole_stack; /* what was found under it */
	uint32_t n_whole, whole_cap;
	frame_id *last; /* frames of the last stack, root first */
	stack_id *last_stack;
	size_t n_last, last_cap;

	int64_t weight[METRICS_MAX]; /* the sizes of all values so far */
};

struct builder *
builder_new(struct profile *p, const char *file, const char *format)
{
	struct builder *b = mem_zalloc(1, sizeof *b);

	b->p = p;
	map_init(&b->whole);
	if (p->n_groups == p->groups_cap) {
		p->groups_cap = (uint32_t)vec_grown(p->groups_cap, 0);
		p->group = mem_realloc(p->group, p->groups_cap, sizeof *p->group);
	}
	b->group = (uint16_t)p->n_groups;
	p->group[p->n_groups++] = (struct group){
		.name = names_put(&p->names, file, strlen(file)),
		.format = names_put(&p->names, format, strlen(format)),
		.axis = UNIT_NS,
	};
	p->generation++;
	return b;
}

void
builder_free(struct builder *b)
{
	if (!b)
		return;
	series_scratch_release(&b->scratch);
	map_release(&b->whole);
	free(b->whole_stack);
	free(b->last);
	free(b->last_stack);
	free(b);
}

void
builder_axis(struct builder *b, enum unit unit)
{
	b->p->group[b->group].axis = (uint8_t)unit;
	for (uint32_t t = 0; t < b->p->n_tracks; t++)
		if (b->p->track[t].group == b->group && b->p->track[t].kind < TRACK_COUNTER)
			b->p->track[t].unit = (uint8_t)unit;
}

void
builder_charset_cp437(struct builder *b)
{
	b->p->charset = CHARSET_CP437;
}

/* ---- metrics ---- */

metric_id
builder_metric(struct builder *b, const char *name, enum unit unit, enum metric_role role)
{
	struct profile *p = b->p;
	name_id id = names_put(&p->names, name, strlen(name));

	if (role == ROLE_EVENTS) {
		p->metric[p->events_metric].name = id;
		p->metric[p->events_metric].unit = (uint8_t)unit;
		p->events_shown = true;
		return p->events_metric;
	}
	for (metric_id m = 0; m < p->n_metrics; m++)
		if (p->metric[m].name == id && p->metric[m].role == role)
			return m;
	if (p->n_metrics == METRICS_MAX)
		return METRICS_MAX - 1;
	p->metric[p->n_metrics] =
		(struct metric){.name = id, .unit = (uint8_t)unit, .role = (uint8_t)role};
	if (role == ROLE_CALLS)
		p->calls_metric = (metric_id)p->n_metrics;
	if (role == ROLE_LINES)
		p->lines_metric = (metric_id)p->n_metrics;
	return (metric_id)p->n_metrics++;
}

void
builder_calls_metric(struct builder *b, metric_id m)
{
	b->p->calls_metric = m;
}

void
builder_default_metric(struct builder *b, metric_id m)
{
	b->p->default_metric = m;
}

bool
builder_metric_decimals(struct builder *b, metric_id m, uint64_t offset, struct err *e)
{
	struct profile *p = b->p;

	if (p->metric[m].decimals)
		return true;
	for (uint32_t t = 0; t < p->n_tracks; t++)
		for (uint32_t i = 0; i < p->track[t].n_series; i++)
			if (!series_scale(p->track[t].series[i], m, 1000000))
				return err_damage(e, offset, "the sum of the values is too large "
							     "for fractions of a millionth");
	p->metric[m].decimals = 6;
	return true;
}

/* ---- names, functions, frames, stacks ---- */

name_id
builder_name(struct builder *b, const void *bytes, size_t len)
{
	return names_put(&b->p->names, bytes, len);
}

struct name
builder_name_get(const struct builder *b, name_id id)
{
	return names_get(&b->p->names, id);
}

function_id
builder_function(struct builder *b, struct function f)
{
	return frames_function(&b->p->frames, f);
}

function_id
builder_function_named(struct builder *b, const void *name, size_t len)
{
	return builder_function(b, (struct function){
					   .name = builder_name(b, name, len),
					   .kind = (uint8_t)kind_of_name(name, len),
				   });
}

struct function
builder_function_get(const struct builder *b, function_id f)
{
	return b->p->frames.function[f];
}

frame_id
builder_frame(struct builder *b, function_id f, struct line line)
{
	if (line.form != LINE_UNKNOWN)
		b->p->has_lines = true;
	return frames_put(&b->p->frames, f, line);
}

struct frame
builder_frame_get(const struct builder *b, frame_id f)
{
	return b->p->frames.frame[f];
}

stack_id
builder_child(struct builder *b, stack_id parent, frame_id frame)
{
	return stacks_child(&b->p->stacks, parent, frame);
}

stack_id
builder_parent(const struct builder *b, stack_id s)
{
	return b->p->stacks.parent[s];
}

frame_id
builder_leaf(const struct builder *b, stack_id s)
{
	return b->p->stacks.frame[s];
}

/* Is `s` the stack of these frames (root first when step is 1, leaf first when -1)? */
static bool
stack_is(const struct stacks *t, stack_id s, const frame_id *leaf, size_t n, int step)
{
	for (; n; n--, leaf -= step) {
		if (s == STACK_EMPTY || t->frame[s] != *leaf)
			return false;
		s = t->parent[s];
	}
	return s == STACK_EMPTY;
}

/* Looks up frame by frame from where this stack leaves the last one. */
static stack_id
stack_walk(struct builder *b, const frame_id *root, size_t n, int step)
{
	size_t same = 0;
	stack_id s = STACK_EMPTY;

	if (n > b->last_cap) {
		b->last_cap = vec_grown(b->last_cap, n);
		b->last = mem_realloc(b->last, b->last_cap, sizeof *b->last);
		b->last_stack = mem_realloc(b->last_stack, b->last_cap, sizeof *b->last_stack);
	}
	while (same < n && same < b->n_last && b->last[same] == *root) {
		s = b->last_stack[same++];
		root += step;
	}
	for (size_t i = same; i < n; i++, root += step) {
		s = stacks_child(&b->p->stacks, s, *root);
		if (s == STACK_NONE) {
			b->n_last = i;
			return s;
		}
		b->last[i] = *root;
		b->last_stack[i] = s;
	}
	b->n_last = n;
	return s;
}

static stack_id
stack_find(struct builder *b, const frame_id *frames, size_t n, int step)
{
	uint64_t hash;
	uint32_t slot, i;
	stack_id s;

	if (!n)
		return STACK_EMPTY;
	/* the two orders of one stack get two entries; that costs memory, not truth */
	hash = XXH3_64bits(frames, n * sizeof *frames);
	slot = map_first(&b->whole, hash);
	const frame_id *leaf = step > 0 ? frames + n - 1 : frames;
	while (map_probe(&b->whole, &slot, hash, &i))
		if (stack_is(&b->p->stacks, b->whole_stack[i], leaf, n, step))
			return b->whole_stack[i];
	s = stack_walk(b, step > 0 ? frames : frames + n - 1, n, step);
	if (s == STACK_NONE)
		return s;
	if (b->n_whole == b->whole_cap) {
		b->whole_cap = (uint32_t)vec_grown(b->whole_cap, b->n_whole + 1u);
		b->whole_stack = mem_realloc(b->whole_stack, b->whole_cap, sizeof *b->whole_stack);
	}
	b->whole_stack[b->n_whole] = s;
	map_insert(&b->whole, hash, b->n_whole++);
	return s;
}

stack_id
builder_stack(struct builder *b, const frame_id *frames, size_t n)
{
	return stack_find(b, frames, n, 1);
}

stack_id
builder_stack_leaf_first(struct builder *b, const frame_id *frames, size_t n)
{
	return stack_find(b, frames, n, -1);
}

/* ---- tracks and series ---- */

track_id
builder_track(struct builder *b, const void *name, size_t len, enum track_kind kind)
{
	struct profile *p = b->p;

	if (p->n_tracks == p->tracks_cap) {
		p->tracks_cap = (uint32_t)vec_grown(p->tracks_cap, 0);
		p->track = mem_realloc(p->track, p->tracks_cap, sizeof *p->track);
	}
	p->track[p->n_tracks] = (struct track){
		.name = builder_name(b, name, len),
		.kind = (uint8_t)kind,
		.unit = p->group[b->group].axis,
		.group = b->group,
	};
	p->generation++;
	return p->n_tracks++;
}

void
builder_track_rename(struct builder *b, track_id t, const void *name, size_t len)
{
	b->p->track[t].name = builder_name(b, name, len);
}

void
builder_track_unit(struct builder *b, track_id t, const void *unit, size_t len)
{
	b->p->track[t].value_unit = builder_name(b, unit, len);
}

void
builder_track_event(struct builder *b, track_id t)
{
	b->p->track[t].events++;
	b->p->events++;
}

/* Times and the sums of values stay below 2^63 over the whole profile, so that no reader
 * has to check its own sums: differences of times here, sums in weigh(). */
static bool
track_reaches(struct builder *b, track_id t, int64_t time)
{
	struct track *track = &b->p->track[t];
	struct group *group = &b->p->group[track->group];
	int64_t start = group->has_time && group->start < time ? group->start : time;
	int64_t end = group->has_time && group->end > time ? group->end : time, span;

	if (__builtin_sub_overflow(end, start, &span))
		return false;
	group->has_time = true;
	group->start = start;
	group->end = end;
	if (!track->has_time) {
		track->has_time = true;
		track->start = track->end = time;
	}
	track->start = time < track->start ? time : track->start;
	track->end = time > track->end ? time : track->end;
	return true;
}

/* Adds a value to what the whole profile holds of a metric, by size: parts of a sum with
 * negative values may be larger than all of it. */
static bool
weigh(struct builder *b, metric_id m, int64_t v)
{
	int64_t sum;

	if (v == INT64_MIN || __builtin_add_overflow(b->weight[m], v < 0 ? -v : v, &sum))
		return false;
	b->weight[m] = sum;
	return true;
}

static bool
weigh_values(struct builder *b, const struct series *s, const int64_t *values)
{
	for (unsigned m = 0; m < s->n_metrics; m++)
		if (s->role[m] == ROLE_VALUE && !weigh(b, s->metric[m], values[s->column[m]]))
			return false;
	return true;
}

void
builder_track_end(struct builder *b, track_id t, int64_t time)
{
	struct track *track = &b->p->track[t];

	if (!track_reaches(b, t, time))
		return;
	for (uint32_t i = 0; i < track->n_series; i++)
		if (track->series[i]->end_time < time)
			track->series[i]->end_time = time;
}

static struct series *
series_for(struct builder *b, track_id t, enum series_kind kind)
{
	struct track *track = &b->p->track[t];
	struct series *s = series_new(kind);

	s->track = t;
	track->series = mem_realloc(track->series, track->n_series + 1u, sizeof *track->series);
	track->series[track->n_series++] = s;
	return s;
}

struct series *
builder_steps(struct builder *b, track_id t)
{
	struct series *s = series_for(b, t, SERIES_STEPS);
	struct profile *p = b->p;

	for (metric_id m = 0; m < p->n_metrics; m++) {
		enum metric_role role = (enum metric_role)p->metric[m].role;
		if (role != ROLE_VALUE)
			series_add_metric(s, m, role);
	}
	return s;
}

static struct series *
series_with_values(struct builder *b, track_id t, enum series_kind kind,
		   const metric_id *metrics, unsigned n)
{
	struct series *s = series_for(b, t, kind);
	bool counted = false;

	for (unsigned i = 0; i < n && s->n_metrics < SERIES_METRICS_MAX - 1; i++) {
		enum metric_role role = (enum metric_role)b->p->metric[metrics[i]].role;
		counted |= role == ROLE_EVENTS;
		series_add_metric(s, metrics[i], role == ROLE_EVENTS ? role : ROLE_VALUE);
	}
	if (!counted) /* what was present in a range is counted everywhere */
		series_add_metric(s, b->p->events_metric, ROLE_EVENTS);
	return s;
}

struct series *
builder_samples(struct builder *b, track_id t, const metric_id *metrics, unsigned n)
{
	return series_with_values(b, t, SERIES_SAMPLES, metrics, n);
}

struct series *
builder_totals(struct builder *b, track_id t, const metric_id *metrics, unsigned n)
{
	return series_with_values(b, t, SERIES_TOTALS, metrics, n);
}

struct series *
builder_points(struct builder *b, track_id t, bool floating)
{
	struct series *s = series_for(b, t, SERIES_POINTS);

	s->floating = floating;
	s->n_columns = 1;
	return s;
}

static bool
too_large(uint64_t offset, struct err *e)
{
	return err_damage(e, offset, "the sum of the values passes 2^63");
}

static bool
too_far(uint64_t offset, struct err *e)
{
	return err_damage(e, offset, "a time more than 2^63 from the others");
}

/* STACK_NONE comes from builder_child() when the table of stacks is full. */
static bool
too_many_stacks(uint64_t offset, struct err *e)
{
	return err_damage(e, offset, "more than %u different stacks", STACK_MAX);
}

bool
builder_step(struct builder *b, struct series *s, int64_t time, stack_id stack,
	     uint32_t flags, uint64_t offset, struct err *e)
{
	if (stack == STACK_NONE)
		return too_many_stacks(offset, e);
	if (s->n && time < s->last_time)
		return err_damage(e, offset, "time goes backwards, from %lld to %lld",
				  (long long)s->last_time, (long long)time);
	if (!track_reaches(b, s->track, time))
		return too_far(offset, e);
	for (unsigned m = 0; s->n && m < s->n_metrics; m++)
		if (s->role[m] == ROLE_TIME && !weigh(b, s->metric[m], time - s->last_time))
			return too_large(offset, e);
	if (!series_add_step(s, &b->scratch, time, stack | flags))
		return too_large(offset, e);
	if (flags & (STEP_CALL | STEP_RETURN))
		b->p->has_call_edges = true;
	b->p->generation++;
	return true;
}

bool
builder_sample(struct builder *b, struct series *s, int64_t time, stack_id stack,
	       const int64_t *values, uint64_t offset, struct err *e)
{
	if (!track_reaches(b, s->track, time))
		return too_far(offset, e);
	return builder_sample_aside(b, s, time, stack, values, offset, e);
}

bool
builder_sample_aside(struct builder *b, struct series *s, int64_t time, stack_id stack,
		     const int64_t *values, uint64_t offset, struct err *e)
{
	if (stack == STACK_NONE)
		return too_many_stacks(offset, e);
	if (!weigh_values(b, s, values) ||
	    !series_add_sample(s, &b->scratch, time, stack, values))
		return too_large(offset, e);
	b->p->generation++;
	return true;
}

bool
builder_total(struct builder *b, struct series *s, stack_id stack, const int64_t *values,
	      uint64_t offset, struct err *e)
{
	if (stack == STACK_NONE)
		return too_many_stacks(offset, e);
	if (!weigh_values(b, s, values) || !series_add_total(s, stack, values))
		return too_large(offset, e);
	b->p->generation++;
	return true;
}

bool
builder_point(struct builder *b, struct series *s, int64_t time, int64_t value,
	      uint64_t offset, struct err *e)
{
	if (!track_reaches(b, s->track, time))
		return too_far(offset, e);
	series_add_point(s, time, value);
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

/* ---- per-call statistics ---- */

struct callstats *
builder_recorded_calls(struct builder *b)
{
	return &b->p->recorded;
}

void
builder_compute_calls(const struct builder *b, struct callstats *out)
{
	const struct slice all = {.whole = true};

	callstats_compute(b->p, &all, out);
}

/* ---- what the file says of itself ---- */


static void
info_add(struct profile *p, const char *key, const char *at, size_t len)
{
	if (p->n_info == p->info_cap) {
		p->info_cap = (uint32_t)vec_grown(p->info_cap, 0);
		p->info = mem_realloc(p->info, p->info_cap, sizeof *p->info);
	}
	p->info[p->n_info++] = (struct info){
		.key = names_put(&p->names, key, strlen(key)),
		.value = names_put(&p->names, at, len),
	};
}

void
builder_info(struct builder *b, const char *key, const char *fmt, ...)
{
	struct buf text = BUF_INIT;
	va_list ap;

	va_start(ap, fmt);
	buf_addv(&text, fmt, ap);
	va_end(ap);
	info_add(b->p, key, buf_str(&text), text.len);
	buf_release(&text);
}

void
builder_info_bytes(struct builder *b, const char *key, const void *bytes, size_t len)
{
	info_add(b->p, key, bytes, len);
}

void
builder_warn(struct builder *b, const char *fmt, ...)
{
	struct profile *p = b->p;
	struct buf raw = BUF_INIT, text = BUF_INIT;
	va_list ap;

	for (uint32_t i = 0; i < p->n_warnings; i++)
		if (p->warning[i].id == fmt) {
			p->warning[i].count++;
			return;
		}
	va_start(ap, fmt);
	buf_addv(&raw, fmt, ap);
	va_end(ap);
	human_bytes(&text, buf_str(&raw), raw.len, p->charset == CHARSET_CP437);
	if (p->n_warnings == p->warnings_cap) {
		p->warnings_cap = (uint32_t)vec_grown(p->warnings_cap, 0);
		p->warning = mem_realloc(p->warning, p->warnings_cap, sizeof *p->warning);
	}
	p->warning[p->n_warnings++] =
		(struct warning){.id = fmt, .text = mem_dup(buf_str(&text), text.len), .count = 1};
	buf_release(&raw);
	buf_release(&text);
}

void
builder_comparison(struct builder *b)
{
	b->p->comparison = true;
}

void
builder_incomplete(struct builder *b, const char *why)
{
	free(b->p->why);
	b->p->why = mem_dup(why, strlen(why));
}

void
builder_finish(struct builder *b, const struct err *e)
{
	struct profile *p = b->p;

	for (uint32_t t = 0; t < p->n_tracks; t++)
		for (uint32_t i = 0; i < p->track[t].n_series; i++)
			series_sort(p->track[t].series[i], &b->scratch);
	if (err_is_set(e) && !err_is_set(&p->damage))
		p->damage = *e;
	if (err_is_set(e) && !p->why)
		builder_incomplete(b, e->text);
	p->complete = !p->why;
	p->generation++;
}
