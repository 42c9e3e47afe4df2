#include "model/builder.h"

#include <assert.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "model/builder_inside.h"
#include "model/callstats.h"
#include "model/human.h"
#include "model/mem.h"
#include "model/profile.h"
#include "model/tally.h"
#include "model/vec.h"

/* The builder keeps what only a writer needs: the group that is being written, the cache
 * of whole stacks (builder_stacks.c), and the scratch for checkpoints.
 *
 * Several files in one profile share the metrics of one name and unit.  A metric's role is
 * a matter of the file, not of the metric: where one file counts samples the next may carry
 * a number with each; so the builder keeps the roles that its own decoder declared, and
 * series remember theirs.  Decimals are the metric's: a file of whole numbers that joins a
 * metric with decimals has its values multiplied here, the decoder need not know. */

#define NO_ROLE UINT8_MAX
#define MILLION 1000000

static void own_metrics_init(struct builder *b);

struct builder *
builder_new(struct profile *p, const char *file, const char *format)
{
	struct builder *b = mem_zalloc(1, sizeof *b);

	b->p = p;
	map_init(&b->whole);
	vec_room(p->group, p->groups_cap, p->n_groups + 1);
	b->group = p->n_groups;
	p->group[p->n_groups++] = (struct group){
		.name = names_put(&p->names, file, strlen(file)),
		.format = names_put(&p->names, format, strlen(format)),
		.axis = UNIT_NS,
	};
	own_metrics_init(b);
	b->default_free = p->default_metric == METRIC_NONE;
	b->first_track = p->n_tracks;
	b->first_event = p->events;
	p->complete = false;
	if (b->group && p->comparison == COMPARE_TRACKS)
		p->comparison = COMPARE_NOTHING; /* of two files' tracks none is the first */
	if (b->group && p->comparison == COMPARE_FILES)
		alike_init(&b->alike, &p->frames);
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
	map_release(&b->metric_map);
	free(b->own);
	free(b->whole_stack);
	free(b->last);
	free(b->last_stack);
	free(b->label);
	if (b->alike.next)
		alike_release(&b->alike);
	free(b);
}

void
builder_label(struct builder *b, const char *label)
{
	free(b->label);
	b->label = mem_dup(label, strlen(label));
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

/* Whether a metric can be the one that this file calls so. */
static bool
metric_joins(const struct builder *b, metric_id m, name_id name, enum unit unit,
	     enum metric_role role)
{
	const struct metric *x = &b->p->metric[m];

	if (x->name != name || (m == b->p->events_metric && !b->p->events_shown))
		return false;
	if (b->own[m].role != NO_ROLE)
		return b->own[m].role == role;
	return x->unit == unit && (x->role == ROLE_LINES) == (role == ROLE_LINES);
}

static uint64_t
metric_hash(name_id name)
{
	return (name + UINT64_C(1)) * UINT64_C(0x9E3779B97F4A7C15);
}

/* A row for each metric of the profile; names that metrics had before stay in the map, and
 * are told apart by comparing. */
static void
own_metric_put(struct builder *b, metric_id m)
{
	if (m >= b->own_cap) {
		b->own_cap = (uint32_t)vec_grown(b->own_cap, (size_t)m + 1);
		b->own = mem_realloc(b->own, b->own_cap, sizeof *b->own);
	}
	for (; b->n_own <= m; b->n_own++)
		b->own[b->n_own] = (struct own_metric){.role = NO_ROLE};
	map_insert(&b->metric_map, metric_hash(b->p->metric[m].name), m);
}

static void
own_metrics_init(struct builder *b)
{
	b->counted = METRIC_NONE;
	map_init(&b->metric_map);
	for (metric_id m = 0; m < b->p->n_metrics; m++)
		own_metric_put(b, m);
}

static metric_id
metric_push(struct profile *p, struct metric x)
{
	if (p->n_metrics == p->metrics_cap) {
		p->metrics_cap = (uint32_t)vec_grown(p->metrics_cap, 0);
		p->metric = mem_realloc(p->metric, p->metrics_cap, sizeof *p->metric);
		p->weight = mem_realloc(p->weight, p->metrics_cap, sizeof *p->weight);
	}
	p->metric[p->n_metrics] = x;
	p->weight[p->n_metrics] = 0;
	return p->n_metrics++;
}

/* Two files may mean different things by one name: the unit tells them apart. */
static bool
name_is_taken(const struct builder *b, name_id name, enum unit unit)
{
	const struct profile *p = b->p;
	uint64_t hash = metric_hash(name);
	uint32_t slot = map_first(&b->metric_map, hash), m;

	while (map_probe(&b->metric_map, &slot, hash, &m))
		if (p->metric[m].name == name && profile_metric_shown(p, m) &&
		    p->metric[m].unit != unit)
			return true;
	return false;
}

static metric_id
metric_add(struct builder *b, name_id name, enum unit unit, enum metric_role role)
{
	struct profile *p = b->p;

	if (b->group && name_is_taken(b, name, unit)) {
		struct buf text = BUF_INIT;
		buf_addf(&text, "%s (%s)", names_get(&p->names, name).at, unit_name(unit));
		name = names_put(&p->names, buf_str(&text), text.len);
		buf_release(&text);
	}
	metric_id m = metric_push(p, (struct metric){.name = name,
						     .unit = (uint8_t)unit,
						     .role = (uint8_t)role});
	own_metric_put(b, m);
	return m;
}

static metric_id
metric_find(struct builder *b, name_id name, enum unit unit, enum metric_role role)
{
	struct profile *p = b->p;
	uint64_t hash = metric_hash(name);
	uint32_t slot = map_first(&b->metric_map, hash), m;
	metric_id first = METRIC_NONE;

	/* the one metric that is always there; in the first file it has no other meaning */
	if (role == ROLE_EVENTS && !b->group) {
		p->metric[p->events_metric].name = name;
		p->metric[p->events_metric].unit = (uint8_t)unit;
		p->events_shown = true;
		own_metric_put(b, p->events_metric);
		return p->events_metric;
	}
	while (map_probe(&b->metric_map, &slot, hash, &m))
		if (m < first && metric_joins(b, m, name, unit, role))
			first = m;
	return first == METRIC_NONE ? metric_add(b, name, unit, role) : first;
}

metric_id
builder_metric(struct builder *b, const char *name, enum unit unit, enum metric_role role)
{
	struct profile *p = b->p;
	metric_id m = metric_find(b, names_put(&p->names, name, strlen(name)), unit, role);

	if (b->own[m].role == NO_ROLE && p->metric[m].decimals)
		b->multiplies = b->own[m].whole = true;
	b->own[m].role = (uint8_t)role;
	if (role == ROLE_EVENTS && m < b->counted)
		b->counted = m;
	p->metric[m].unused = false;
	if (role == ROLE_CALLS)
		p->calls_metric = m;
	if (role == ROLE_LINES)
		p->lines_metric = m;
	return m;
}

void
builder_calls_metric(struct builder *b, metric_id m)
{
	b->p->calls_metric = m;
}

void
builder_metric_unused(struct builder *b, metric_id m)
{
	struct metric *x = &b->p->metric[m];

	x->unused = x->role == ROLE_VALUE && !b->p->weight[m];
}

void
builder_default_metric(struct builder *b, metric_id m)
{
	if (b->default_free)
		b->p->default_metric = m;
}

bool
builder_metric_decimals(struct builder *b, metric_id m, uint64_t offset, struct err *e)
{
	struct profile *p = b->p;
	int64_t weight;

	if (p->metric[m].decimals) {
		b->own[m].whole = false;
		return true;
	}
	/* no sum of any series is larger than the weight of all */
	if (__builtin_mul_overflow(p->weight[m], MILLION, &weight))
		return err_damage(e, offset, "the sum of the values is too large for fractions "
					     "of a millionth");
	for (uint32_t t = 0; t < p->n_tracks; t++)
		for (uint32_t i = 0; i < p->track[t].n_series; i++)
			if (!series_scales(p->track[t].series[i], m))
				return err_damage(e, offset, "fractions of what a file before "
							     "has in whole numbers");
	for (uint32_t t = 0; t < p->n_tracks; t++)
		for (uint32_t i = 0; i < p->track[t].n_series; i++)
			series_scale(p->track[t].series[i], m, MILLION);
	p->weight[m] = weight;
	p->metric[m].decimals = 6;
	b->own[m].whole = false;
	return true;
}

/* ---- tracks and series ---- */

/* With a label, tracks say whose they are; one that is called like its file says it so. */
static name_id
track_name(struct builder *b, const void *name, size_t len)
{
	struct buf text = BUF_INIT;
	size_t label_len = b->label ? strlen(b->label) : 0;

	if (!b->label)
		return builder_name(b, name, len);
	const char *end = label_len >= len ? b->label + label_len - len : NULL;
	buf_adds(&text, b->label);
	if (!end || (len && memcmp(end, name, len)) || (end > b->label && end[-1] != '/')) {
		buf_adds(&text, ": ");
		buf_add(&text, name, len);
	}
	name_id id = builder_name(b, buf_str(&text), text.len);
	buf_release(&text);
	return id;
}

track_id
builder_track(struct builder *b, const void *name, size_t len, enum track_kind kind)
{
	struct profile *p = b->p;

	vec_room(p->track, p->tracks_cap, p->n_tracks + 1);
	p->track[p->n_tracks] = (struct track){
		.name = track_name(b, name, len),
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
	b->p->track[t].name = track_name(b, name, len);
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
 * has to check its own sums: differences of times here, sums in weigh().  What is refused
 * has changed nothing: everything is checked before the first change.
 *
 * A run is at most TIME_SPAN_MAX long: its end as a limit, the moment behind its last one,
 * is a number too. */
#define TIME_SPAN_MAX (INT64_MAX - 1)

static bool
time_fits(const struct builder *b, track_id t, int64_t time)
{
	const struct group *group = &b->p->group[b->p->track[t].group];
	int64_t start = group->has_time && group->start < time ? group->start : time;
	int64_t end = group->has_time && group->end > time ? group->end : time, span;

	return !__builtin_sub_overflow(end, start, &span) && span <= TIME_SPAN_MAX;
}

/* The track has something at a time that fits. */
static void
track_reaches(struct builder *b, track_id t, int64_t time)
{
	struct track *track = &b->p->track[t];
	struct group *group = &b->p->group[track->group];

	/* nearly every event lies behind all others of its track and group */
	if (track->has_time && time >= track->end && time <= group->end) {
		track->end = time;
		return;
	}
	group->start = group->has_time && group->start < time ? group->start : time;
	group->end = group->has_time && group->end > time ? group->end : time;
	group->has_time = true;
	if (!track->has_time) {
		track->has_time = true;
		track->start = track->end = time;
	}
	track->start = time < track->start ? time : track->start;
	track->end = time > track->end ? time : track->end;
}

/* Adds a value to what the whole profile holds of a metric, by size: parts of a sum with
 * negative values may be larger than all of it. */
static bool
weigh(struct builder *b, metric_id m, int64_t v)
{
	int64_t sum;

	if (v == INT64_MIN ||
	    __builtin_add_overflow(b->p->weight[m], v < 0 ? -v : v, &sum))
		return false;
	b->p->weight[m] = sum;
	return true;
}

/* What an event adds to metric m of its series; `lasts` of it is new time. */
struct adds {
	const int64_t *values;
	int64_t lasts;
	uint32_t flags;
};

/* False where that passes 2^63 already. */
static bool
event_adds(const struct builder *b, const struct series *s, unsigned m, const struct adds *a,
	   int64_t *v)
{
	int64_t n = 1;

	switch ((enum metric_role)s->role[m]) {
	case ROLE_VALUE:
		*v = a->values ? a->values[s->column[m]] : 0;
		return true;
	case ROLE_EVENTS:
		break;
	case ROLE_TIME:
		n = a->lasts;
		break;
	case ROLE_CALLS:
		n = (a->flags & STEP_CALL) != 0;
		break;
	case ROLE_LINES:
		n = (a->flags & STEP_LINE) != 0;
		break;
	}
	/* what is counted and not given has no decimals of its own: see tally.c */
	int64_t unit = s->metric[m] != METRIC_NONE && b->p->metric[s->metric[m]].decimals
			       ? MILLION
			       : 1;
	return !__builtin_mul_overflow(n, unit, v);
}

/* Weighs all that an event adds, or nothing. */
static bool
weigh_event(struct builder *b, const struct series *s, const struct adds *a)
{
	int64_t v;

	for (unsigned m = 0; m < s->n_metrics; m++) {
		if (s->metric[m] == METRIC_NONE ||
		    (event_adds(b, s, m, a, &v) && weigh(b, s->metric[m], v)))
			continue;
		while (m-- > 0)
			if (s->metric[m] != METRIC_NONE && event_adds(b, s, m, a, &v))
				b->p->weight[s->metric[m]] -= v < 0 ? -v : v;
		return false;
	}
	return true;
}

/* How much longer a series of steps is when something of it is at `time`: the last step
 * counts too, from where it was known to end. */
static int64_t
more_time(const struct series *s, int64_t time)
{
	return s->n && time > s->end_time ? time - s->end_time : 0;
}

/* The last step of a series lasts until then: no event, only time. */
static bool
weigh_end(struct builder *b, const struct series *s, int64_t time)
{
	struct adds a = {.lasts = more_time(s, time)};

	for (unsigned m = 0; m < s->n_metrics; m++) {
		int64_t v;
		if (s->role[m] == ROLE_TIME &&
		    !(event_adds(b, s, m, &a, &v) && weigh(b, s->metric[m], v)))
			return false;
	}
	return true;
}

void
builder_track_end(struct builder *b, track_id t, int64_t time)
{
	struct track *track = &b->p->track[t];

	if (!time_fits(b, t, time))
		return;
	for (uint32_t i = 0; i < track->n_series; i++)
		if (track->series[i]->end_time < time &&
		    weigh_end(b, track->series[i], time))
			track->series[i]->end_time = time;
	track_reaches(b, t, time);
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

/* What was present in a range is counted everywhere, as the metric that this file shows it
 * as.  Where it shows none, files after the first count in secret: nobody may take their
 * count for a metric that another file shows. */
static metric_id
events_counted(const struct builder *b)
{
	if (b->counted != METRIC_NONE)
		return b->counted;
	return b->group ? METRIC_NONE : b->p->events_metric;
}

struct series *
builder_steps(struct builder *b, track_id t)
{
	struct series *s = series_for(b, t, SERIES_STEPS);
	struct profile *p = b->p;

	series_add_metric(s, events_counted(b), ROLE_EVENTS);
	for (metric_id m = 0; m < p->n_metrics; m++)
		if (b->own[m].role != NO_ROLE && b->own[m].role != ROLE_VALUE &&
		    b->own[m].role != ROLE_EVENTS)
			series_add_metric(s, m, (enum metric_role)b->own[m].role);
	return s;
}

struct series *
builder_steps_valued(struct builder *b, track_id t)
{
	struct series *s = builder_steps(b, t);

	s->valued = true;
	s->n_columns = 1;
	return s;
}

static struct series *
series_with_values(struct builder *b, track_id t, enum series_kind kind,
		   const metric_id *metrics, unsigned n)
{
	struct series *s = series_for(b, t, kind);
	bool counted = false;

	for (unsigned i = 0; i < n; i++) {
		enum metric_role role = (enum metric_role)b->own[metrics[i]].role;
		counted |= role == ROLE_EVENTS;
		series_add_metric(s, metrics[i], role == ROLE_EVENTS ? role : ROLE_VALUE);
	}
	if (!counted)
		series_add_metric(s, events_counted(b), ROLE_EVENTS);
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

/* STACK_NONE, or a name, came from a call that had no offset to tell. */
static bool
is_refused(const struct builder *b, stack_id stack)
{
	return stack == STACK_NONE || b->long_name;
}

static bool
refused(const struct builder *b, uint64_t offset, struct err *e)
{
	if (b->long_name)
		return err_damage(e, offset, "a name of %zu bytes", b->long_name);
	if (b->deep)
		return err_damage(e, offset, "a stack of more than %u frames",
				  STACK_DEPTH_MAX);
	return err_damage(e, offset, "more than %u different stacks", STACK_MAX);
}

/* Gives values that lack decimals theirs, in own[]; false when one passes 2^63. */
static bool
multiply(const struct builder *b, const struct series *s, const int64_t **values, int64_t *own)
{
	if (!b->multiplies)
		return true;
	for (unsigned i = 0; i < s->n_metrics; i++) {
		unsigned at = s->column[i];
		if (s->role[i] != ROLE_VALUE)
			continue;
		bool whole = b->own[s->metric[i]].whole;
		if (__builtin_mul_overflow((*values)[at], whole ? MILLION : 1, &own[at]))
			return false;
	}
	*values = own;
	return true;
}

bool
builder_step(struct builder *b, struct series *s, int64_t time, stack_id stack,
	     uint32_t flags, uint64_t offset, struct err *e)
{
	return builder_step_valued(b, s, time, stack, flags, 0, offset, e);
}

bool
builder_step_valued(struct builder *b, struct series *s, int64_t time, stack_id stack,
		    uint32_t flags, int64_t value, uint64_t offset, struct err *e)
{
	if (is_refused(b, stack))
		return refused(b, offset, e);
	if (s->n && time < s->last_time)
		return err_damage(e, offset, "time goes backwards, from %lld to %lld",
				  (long long)s->last_time, (long long)time);
	if (!time_fits(b, s->track, time))
		return too_far(offset, e);
	struct adds adds = {.lasts = more_time(s, time), .flags = flags};
	if (!weigh_event(b, s, &adds) ||
	    !series_add_step(s, &b->scratch, time, stack | flags, value))
		return too_large(offset, e);
	track_reaches(b, s->track, time);
	if (flags & (STEP_CALL | STEP_RETURN))
		b->p->has_call_edges = true;
	b->p->generation++;
	return true;
}

bool
builder_sample(struct builder *b, struct series *s, int64_t time, stack_id stack,
	       const int64_t *values, uint64_t offset, struct err *e)
{
	if (!time_fits(b, s->track, time))
		return too_far(offset, e);
	if (!builder_sample_aside(b, s, time, stack, values, offset, e))
		return false;
	track_reaches(b, s->track, time);
	return true;
}

bool
builder_sample_aside(struct builder *b, struct series *s, int64_t time, stack_id stack,
		     const int64_t *values, uint64_t offset, struct err *e)
{
	if (is_refused(b, stack))
		return refused(b, offset, e);
	int64_t own[SERIES_METRICS_MAX];
	/* what fits into the weight of all fits into each sum */
	if (!multiply(b, s, &values, own) ||
	    !weigh_event(b, s, &(struct adds){.values = values}) ||
	    !series_add_sample(s, &b->scratch, time, stack, values))
		return too_large(offset, e);
	b->p->generation++;
	return true;
}

bool
builder_total(struct builder *b, struct series *s, stack_id stack, const int64_t *values,
	      uint64_t offset, struct err *e)
{
	if (is_refused(b, stack))
		return refused(b, offset, e);
	int64_t own[SERIES_METRICS_MAX];
	if (!multiply(b, s, &values, own) ||
	    !weigh_event(b, s, &(struct adds){.values = values}) ||
	    !series_add_total(s, stack, values))
		return too_large(offset, e);
	b->p->generation++;
	return true;
}

bool
builder_point(struct builder *b, struct series *s, int64_t time, int64_t value,
	      uint64_t offset, struct err *e)
{
	if (is_refused(b, STACK_EMPTY))
		return refused(b, offset, e);
	if (!time_fits(b, s->track, time))
		return too_far(offset, e);
	track_reaches(b, s->track, time);
	series_add_point(s, time, value, b->p->points++);
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
info_add(struct builder *b, const char *key, const char *at, size_t len)
{
	struct profile *p = b->p;

	vec_room(p->info, p->info_cap, p->n_info + 1);
	p->info[p->n_info++] = (struct info){
		.key = names_put(&p->names, key, strlen(key)),
		.value = names_put(&p->names, at, len < NAME_LEN_MAX ? len : NAME_LEN_MAX),
		.group = b->group,
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
	info_add(b, key, buf_str(&text), text.len);
	buf_release(&text);
}

void
builder_info_bytes(struct builder *b, const char *key, const void *bytes, size_t len)
{
	info_add(b, key, bytes, len);
}

void
builder_warn(struct builder *b, const char *fmt, ...)
{
	struct profile *p = b->p;
	struct buf raw = BUF_INIT, text = BUF_INIT;
	va_list ap;

	for (uint32_t i = 0; i < p->n_warnings; i++)
		if (p->warning[i].id == fmt && p->warning[i].group == b->group) {
			p->warning[i].count++;
			return;
		}
	va_start(ap, fmt);
	buf_addv(&raw, fmt, ap);
	va_end(ap);
	human_shown(&text, buf_str(&raw), raw.len, p->charset == CHARSET_CP437);
	vec_room(p->warning, p->warnings_cap, p->n_warnings + 1);
	p->warning[p->n_warnings++] =
		(struct warning){.id = fmt, .text = mem_dup(buf_str(&text), text.len), .count = 1,
				 .group = b->group};
	buf_release(&raw);
	buf_release(&text);
}

void
builder_comparison(struct builder *b)
{
	if (!b->group && b->p->comparison == COMPARE_NOTHING)
		b->p->comparison = COMPARE_TRACKS;
}

void
builder_incomplete(struct builder *b, const char *why)
{
	struct profile *p = b->p;
	struct buf text = BUF_INIT;

	p->group[b->group].why = names_put(&p->names, why, strlen(why));
	if (b->group && p->why)
		return; /* the first file that is not complete stands for all */
	if (b->label)
		buf_addf(&text, "%s: ", b->label);
	buf_adds(&text, why);
	free(p->why);
	p->why = mem_dup(buf_str(&text), text.len);
	buf_release(&text);
}

void
builder_finish(struct builder *b, const struct err *e)
{
	struct profile *p = b->p;

	for (uint32_t t = b->first_track; t < p->n_tracks; t++)
		for (uint32_t i = 0; i < p->track[t].n_series; i++)
			series_sort(p->track[t].series[i], &b->scratch);
	if (err_is_set(e) && !err_is_set(&p->damage)) {
		p->damage = *e;
		p->damage_group = b->group;
	}
	if (err_is_set(e) && p->group[b->group].why == NAME_EMPTY)
		builder_incomplete(b, e->text);
	p->complete = !p->why;
	p->generation++;
}

/* ---- more files than one ---- */

void
builder_discard(struct builder *b)
{
	struct profile *p = b->p;

	while (p->n_tracks > b->first_track) {
		struct track *t = &p->track[--p->n_tracks];
		for (uint32_t i = 0; i < t->n_series; i++)
			series_free(t->series[i]);
		free(t->series);
	}
	while (p->n_info && p->info[p->n_info - 1].group == b->group)
		p->n_info--;
	while (p->n_warnings && p->warning[p->n_warnings - 1].group == b->group)
		free(p->warning[--p->n_warnings].text);
	p->events = b->first_event;
	p->n_groups--;
	p->complete = p->n_groups && !p->why;
	if (b->default_free)
		p->default_metric = METRIC_NONE;
	p->generation++;
}
