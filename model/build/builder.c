#include "model/build/builder.h"

#include <assert.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/escape.h"
#include "model/base/mem.h"
#include "model/base/vec.h"
#include "model/build/builder_inside.h"
#include "model/calls/callstats.h"
#include "model/fold/tally.h"
#include "model/profile/profile.h"

/* The builder's own state: the group being written, the cache of whole stacks
 * (builder_stacks.c), and scratch for checkpoints. Its metrics are in builder_metrics.c;
 * builder_weigh.c keeps all sums below 2^63. */

struct builder *
builder_new(struct profile *p, const char *file, const char *format)
{
	struct builder *b = mem_zalloc(1, sizeof *b);

	b->p = p;
	map_init(&b->whole);
	pending_init(&b->pending, p, &b->scratch);
	vec_room(p->group, p->groups_cap, p->n_groups + 1);
	b->group = p->n_groups;
	b->n_cut_before = p->names.n_cut;
	p->group[p->n_groups++] = (struct group){
		.name = names_put(&p->names, file, strlen(file)),
		.format = names_put(&p->names, format, strlen(format)),
		.axis = UNIT_NS,
	};
	builder_metrics_init(b);
	b->default_free = p->default_metric == METRIC_NONE;
	b->first_track = p->n_tracks;
	b->first_process = p->n_processes;
	b->first_actor = p->n_actors;
	b->first_edge = p->n_edges;
	b->first_event = p->events;
	b->adopts_whole = !b->group;
	p->complete = false;
	if (b->group && p->comparison == COMPARE_TRACKS)
		p->comparison = COMPARE_NOTHING; /* of several files, no track is the first */
	if (b->group)
		alike_init(&b->alike, p, p->comparison == COMPARE_FILES);
	p->generation++;
	return b;
}

void
builder_free(struct builder *b)
{
	if (!b)
		return;
	pending_settle(&b->pending);
	pending_release(&b->pending);
	series_scratch_release(&b->scratch);
	map_release(&b->whole);
	map_release(&b->read_map);
	map_release(&b->tracks_named.map);
	map_release(&b->processes_named.map);
	vec_release_all(&b->read, &b->actor_on, &b->total, &b->total_value);
	map_release(&b->metric_map);
	vec_release(&b->next);
	free_all(b->own, b->whole_stack, b->last, b->last_stack, b->label, b->pair, b->adopted);
	alike_release(&b->alike); /* zeros if nothing is compared */
	free(b);
}

void
builder_label(struct builder *b, const char *label)
{
	free(b->label);
	b->label = mem_dup(label, strlen(label));
	b->adopts_whole = false;
}

void
builder_time_steps(struct builder *b, int64_t first, int64_t step)
{
	struct group *g = &b->p->group[b->group];

	g->step_first = first;
	g->step = step;
}

void
builder_clock(struct builder *b, int64_t ns)
{
	struct group *g = &b->p->group[b->group];

	g->clock = ns;
	g->has_clock = true;
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
	profile_use_cp437(b->p);
}

/* ---- tracks and series ---- */

track_id
builder_track(struct builder *b, const void *name, size_t len, enum track_kind kind)
{
	return builder_track_with(b, builder_track_name(b, name, len), kind);
}

track_id
builder_track_with(struct builder *b, name_id name, enum track_kind kind)
{
	struct profile *p = b->p;

	vec_room(p->track, p->tracks_cap, p->n_tracks + 1);
	p->track[p->n_tracks] = (struct track){
		.name = name,
		.kind = (uint8_t)kind,
		.unit = p->group[b->group].axis,
		.group = b->group,
		.under = PROCESS_NONE,
	};
	p->generation++;
	return p->n_tracks++;
}

track_id
builder_main(struct builder *b)
{
	return builder_track(b, "main", 4, TRACK_THREAD);
}

void
builder_track_rename(struct builder *b, track_id t, const void *name, size_t len)
{
	assert(t < b->p->n_tracks);
	b->p->track[t].name = builder_track_name(b, name, len);
}

void
builder_track_unit(struct builder *b, track_id t, const void *unit, size_t len)
{
	assert(t < b->p->n_tracks);
	b->p->track[t].value_unit = builder_name(b, unit, len);
}

void
builder_track_event(struct builder *b, track_id t)
{
	assert(t < b->p->n_tracks);
	b->p->track[t].events++;
	b->p->events++;
}

bool
builder_track_last(struct builder *b, track_id t, int64_t *time)
{
	assert(t < b->p->n_tracks);
	builder_settle(b);
	*time = b->p->track[t].end;
	return b->p->track[t].has_time;
}

void
builder_track_end(struct builder *b, track_id t, int64_t time)
{
	struct track *track = &b->p->track[t];

	assert(t < b->p->n_tracks);
	if (!builder_time_fits(b, t, &time))
		return;
	for (uint32_t i = 0; i < track->n_series; i++) {
		struct series *s = track->series[i];
		if (s->pending && s->kind == SERIES_STEPS) /* the end of its last step moves */
			pending_write(&b->pending, s->pending);
		if (s->end_time < time && builder_weigh_end(b, s, time))
			s->end_time = time;
	}
	builder_reaches(b, t, time);
}

struct series *
builder_series_for(struct builder *b, track_id t, enum series_kind kind)
{
	struct track *track = &b->p->track[t];
	struct series *s = series_new(kind);

	assert(t < b->p->n_tracks && track->group == b->group);

	s->track = t;
	track->series = mem_realloc(track->series, track->n_series + 1u, sizeof *track->series);
	track->series[track->n_series++] = s;
	return s;
}

/* Presence in a range needs a count of events, under the metric in which this file shows it. If
 * it shows none, files after the first count in a hidden metric, so that their count is not
 * mistaken for a metric that another file shows. */
metric_id
builder_events_counted(const struct builder *b)
{
	if (b->counted != METRIC_NONE)
		return b->counted;
	return b->group ? METRIC_NONE : b->p->events_metric;
}

static struct series *
steps_of(struct builder *b, track_id t, metric_id events, metric_id metric)
{
	struct series *s = builder_series_for(b, t, SERIES_STEPS);

	series_add_metric(s, events, ROLE_EVENTS);
	for (metric_id m = 0; m < b->n_own; m++)
		if (b->own[m].role == ROLE_CALLS || b->own[m].role == ROLE_LINES ||
		    (b->own[m].role == ROLE_TIME && (metric == METRIC_NONE || m == metric)))
			series_add_metric(s, m, (enum metric_role)b->own[m].role);
	return s;
}

struct series *
builder_steps_of(struct builder *b, track_id t, metric_id metric)
{
	return steps_of(b, t, builder_events_counted(b), metric);
}

struct series *
builder_turns(struct builder *b, track_id t, metric_id metric)
{
	struct series *s = steps_of(b, t, METRIC_NONE, metric);

	s->turns = true;
	return s;
}

struct series *
builder_steps(struct builder *b, track_id t)
{
	return builder_steps_of(b, t, METRIC_NONE);
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
	struct series *s = builder_series_for(b, t, kind);
	bool counted = false;

	assert(n < SERIES_METRICS_MAX);
	for (unsigned i = 0; i < n; i++) {
		assert(metrics[i] < b->n_own);
		enum metric_role role = (enum metric_role)b->own[metrics[i]].role;
		assert(role != BUILDER_NO_ROLE);
		counted |= role == ROLE_EVENTS;
		if (kind == SERIES_SAMPLES && b->own[metrics[i]].interval)
			s->interval = b->own[metrics[i]].interval;
		series_add_metric(s, metrics[i], role == ROLE_EVENTS ? role : ROLE_VALUE);
	}
	if (!counted)
		series_add_metric(s, builder_events_counted(b), ROLE_EVENTS);
	return s;
}

struct series *
builder_samples(struct builder *b, track_id t, const metric_id *metrics, unsigned n)
{
	return series_with_values(b, t, SERIES_SAMPLES, metrics, n);
}

struct series *
builder_samples_parts(struct builder *b, track_id t, const metric_id *metrics,
		      const uint8_t *columns, const enum value_part *parts, unsigned n)
{
	assert(n < SERIES_METRICS_MAX);
	for (unsigned i = 0; i < n; i++)
		if (b->own[metrics[i]].whole)
			return NULL;
	struct series *s = builder_series_for(b, t, SERIES_SAMPLES);
	for (unsigned i = 0; i < n; i++) {
		assert(metrics[i] < b->n_own && b->own[metrics[i]].role == ROLE_VALUE);
		series_add_part(s, metrics[i], columns[i], parts[i]);
	}
	series_add_metric(s, builder_events_counted(b), ROLE_EVENTS);
	return s;
}

void
builder_series_metric(struct builder *b, struct series *s, metric_id from, metric_id to)
{
	struct profile *p = b->p;

	assert(p->metric[from].unit == p->metric[to].unit);
	if (p->metric[from].decimals != p->metric[to].decimals)
		return; /* an earlier file gave one of them decimals */
	builder_settle(b);
	for (unsigned m = 0; m < s->n_metrics; m++)
		if (s->metric[m] == from)
			s->metric[m] = to;
	if (p->weight && __builtin_add_overflow(p->weight[to], p->weight[from], &p->weight[to]))
		p->weight[to] = INT64_MAX;
	p->generation++;
}

void
builder_sample_interval(struct series *s, int64_t interval)
{
	assert(s->kind == SERIES_SAMPLES);
	s->interval = interval > 0 ? interval : 0;
}

void
builder_derived(struct series *s)
{
	assert(s->kind == SERIES_SAMPLES && !s->n);
	s->derived = true;
}

struct series *
builder_totals(struct builder *b, track_id t, const metric_id *metrics, unsigned n)
{
	return series_with_values(b, t, SERIES_TOTALS, metrics, n);
}

struct series *
builder_points(struct builder *b, track_id t, bool floating)
{
	struct series *s = builder_series_for(b, t, SERIES_POINTS);

	s->floating = floating;
	return s;
}

/* ---- labels ---- */

label_id
builder_label_text(struct builder *b, name_id key, name_id value)
{
	return labels_put(&b->p->labels, (struct label){.key = key, .text = value});
}

label_id
builder_label_number(struct builder *b, name_id key, int64_t number, name_id unit)
{
	return labels_put(
		&b->p->labels,
		(struct label){.key = key, .is_number = true, .number = number, .unit = unit});
}

labels_id
builder_labels(struct builder *b, label_id *id, size_t n)
{
	return labels_set(&b->p->labels, id, n);
}

labels_id
builder_labels_with(struct builder *b, labels_id set, label_id one)
{
	uint32_t n;
	const label_id *of = labels_get(&b->p->labels, set, &n);
	label_id *id = mem_alloc((size_t)n + 1, sizeof *id);

	if (n)
		memcpy(id, of, n * sizeof *id);
	id[n] = one;
	labels_id with = labels_set(&b->p->labels, id, (size_t)n + 1);
	free(id);
	return with;
}

void
builder_labelled(struct builder *b UNUSED, struct series *s)
{
	assert(!s->n);
	s->labelled = true;
}

/* ---- per-call statistics ---- */

void
builder_stated(struct builder *b, track_id t, metric_id metric, bool estimated)
{
	stated_begin(&b->p->stated, t, metric, estimated);
}

void
builder_stated_total(struct builder *b, function_id f, int64_t total)
{
	stated_add(&b->p->stated, f, total);
}

struct callrows *
builder_recorded_calls(struct builder *b)
{
	return &b->p->recorded;
}

void
builder_compute_calls(struct builder *b, struct callstats *out)
{
	const struct slice all = {.whole = true};

	builder_settle(b);
	callstats_compute(b->p, &all, out, NULL);
}

/* ---- facts of the file ---- */

void
builder_info(struct builder *b, const char *key, const char *fmt, ...)
{
	struct buf text = BUF_INIT;
	va_list ap;

	va_start(ap, fmt);
	buf_addv(&text, fmt, ap);
	va_end(ap);
	profile_inform(b->p, b->group, key, buf_str(&text), text.len);
	buf_release(&text);
}

void
builder_info_bytes(struct builder *b, const char *key, const void *bytes, size_t len)
{
	profile_inform(b->p, b->group, key, bytes, len);
}

void
builder_odd_lines(struct builder *b, uint64_t n, uint64_t first)
{
	if (!n)
		return;
	b->n_odd = n;
	b->first_odd = first;
	builder_warn(b, "lines that are not of this format were skipped: %" PRIu64
			", the first at byte %" PRIu64, n, first);
}

bool
builder_only_odd(struct builder *b, uint64_t *first)
{
	builder_settle(b); /* counts buffered events */
	*first = b->first_odd;
	return b->n_odd && b->p->events == b->first_event;
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
	escape_shown(&text, buf_str(&raw), raw.len, p->charset == CHARSET_CP437);
	vec_room(p->warning, p->warnings_cap, p->n_warnings + 1);
	p->warning[p->n_warnings++] =
		(struct warning){.id = fmt, .text = mem_dup(buf_str(&text), text.len), .count = 1,
				 .group = b->group};
	buf_release_all(&raw, &text);
}

void
builder_incomplete(struct builder *b, const char *why)
{
	struct profile *p = b->p;
	struct buf text = BUF_INIT;

	p->group[b->group].why = names_put(&p->names, why, strlen(why));
	if (b->group && p->why)
		return; /* only the first incomplete file is recorded */
	if (b->label)
		buf_addf(&text, "%s: ", b->label);
	buf_adds(&text, why);
	free(p->why);
	p->why = mem_dup(buf_str(&text), text.len);
	buf_release(&text);
}

void
builder_beside(struct builder *b, uint32_t runs)
{
	b->pending.beside_from = runs;
}

void
builder_unshown(struct builder *b, uint64_t events)
{
	b->n_unshown += events;
}

static void
warn_nothing(struct builder *b)
{
	if (b->n_unshown)
		builder_warn(b, "nothing to show: its %" PRIu64 " event%s no samples, calls or "
				"counters (report --view info lists them)", b->n_unshown,
			     b->n_unshown > 1 ? "s are" : " is");
	else
		builder_warn(b, "nothing was recorded: it has no samples, calls or counters");
}

void
builder_finish(struct builder *b, const struct err *e)
{
	struct profile *p = b->p;
	uint32_t cut = p->names.n_cut - b->n_cut_before;

	builder_settle(b);
	builder_default_settle(b);
	if (cut)
		builder_warn(b, "%" PRIu32 " name%s longer than %u bytes: cut there, with a hash "
				"of the whole at the end", cut, cut > 1 ? "s are" : " is",
			     NAME_LEN_MAX);
	/* a packed profile has this warning already */
	if (!err_is_set(e) && builder_is_empty(b) && !b->adopted_files &&
	    p->group[b->group].why == NAME_EMPTY)
		warn_nothing(b);
	if (b->n_missing)
		builder_info(b, "events without a stack", "%" PRIu64, b->n_missing);
	for (uint32_t t = b->first_track; t < p->n_tracks; t++)
		for (uint32_t i = 0; i < p->track[t].n_series; i++)
			series_sort(p->track[t].series[i], &b->scratch);
	builder_actors_finish(b);
	builder_unique_tracks(b);
	if (err_is_set(e) && !err_is_set(&p->damage)) {
		p->damage = *e;
		p->damage_group = b->group;
	}
	if (err_is_set(e) && p->group[b->group].why == NAME_EMPTY)
		builder_incomplete(b, e->text);
	p->complete = !p->why;
	p->generation++;
}

/* ---- several files ---- */

void
builder_discard(struct builder *b)
{
	struct profile *p = b->p;

	assert(b->group + 1 == p->n_groups); /* only the last group can be removed */
	builder_settle(b);
	/* a view may have drawn them already and keep them until its next fold */
	b->n_pairs = 0;
	stated_drop_from(&p->stated, b->first_track);
	while (p->n_tracks > b->first_track) {
		struct track *t = &p->track[--p->n_tracks];
		p->gone = mem_realloc(p->gone, p->n_gone + t->n_series + 1, sizeof *p->gone);
		for (uint32_t i = 0; i < t->n_series; i++)
			p->gone[p->n_gone++] = t->series[i];
		free_all(t->series, t->value_name);
	}
	builder_unique_discard(p);
	p->n_processes = b->first_process;
	builder_actors_discard(b);
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
