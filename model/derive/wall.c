/* wall.c - see wall.h.
 *
 * The running series are copied with one more metric or label, all others are shared with the
 * original profile. Steps have ROLE_WALL: the reading of the clock is a function of the time, so a
 * range cuts them exactly. Samples carry a number.
 *
 * Rejected: a number for each step (a range would count it where the step begins), and the metric
 * in every loaded profile (all users would pay for it). */
#include "model/derive/wall.h"

#include <stdlib.h>
#include <string.h>

#include "model/base/map.h"
#include "model/base/mem.h"
#include "model/lens/labelterm.h"
#include "model/lens/lens.h"
#include "model/picture/layout.h"
#include "model/profile/running.h"
#include "model/profile/series.h"

#define CUTS_MAX 4u /* pieces of a step, on average */

/* A label set with one more label. */
struct widened {
	labels_id of, to;
	int64_t running;
};

/* A series of samples that is copied while its clock is made. */
struct widened_lane {
	struct layout_lane of;
	struct series *to;
	uint32_t chunk, i; /* the next event */
};

struct widening {
	struct wall *w;
	const struct profile *p;
	struct profile *out;
	metric_id metric; /* METRIC_NONE: none is added */
	bool labels;
	name_id key;
	struct pace *pace;
	uint8_t *idle; /* [stack] running_idle(); NULL: none is */
	struct layout layout;
	struct map set_map;
	VEC(struct widened) set;
	VEC(struct widened_lane) lane_of; /* of all series, while the clocks are made */
	struct series_scratch scratch;
	/* of a series */
	struct layout_lane lane;
	const struct wall_clock *clock;
	uint32_t near, mean_near; /* guesses for searches */
	unsigned column; /* of the metric's values; samples alone */
};

/* ---- labels ---- */

static labels_id
widen_set(struct widening *x, labels_id of, int64_t running)
{
	uint32_t n;
	const label_id *id = labels_get(&x->p->labels, of, &n);
	label_id *more = mem_alloc((size_t)n + 1, sizeof *more);

	if (n)
		memcpy(more, id, n * sizeof *id);
	more[n] = labels_put(&x->out->labels, (struct label){.key = x->key, .is_number = true,
							     .number = running});
	labels_id to = labels_set(&x->out->labels, more, (size_t)n + 1);
	free(more);
	return to;
}

/* Returns the set with the label for that many running tracks. */
static labels_id
widened(struct widening *x, labels_id of, int64_t running)
{
	uint64_t hash = map_hash_pair((uint32_t)running, of);
	uint32_t slot, i;

	slot = map_first(&x->set_map, hash);
	while (map_probe(&x->set_map, &slot, hash, &i))
		if (x->set.at[i].of == of && x->set.at[i].running == running)
			return x->set.at[i].to;
	map_insert(&x->set_map, hash, (uint32_t)x->set.n);
	*vec_push(&x->set) = (struct widened){of, widen_set(x, of, running), running};
	return x->set.at[x->set.n - 1].to;
}

/* ---- events ---- */

static int64_t
running_at(struct widening *x, int64_t time)
{
	x->near = wall_clock_find(x->clock, time, x->near);
	return x->near ? x->clock->change[x->near - 1].running : 0;
}

static void
put_step(struct widening *x, struct series *to, const struct event *e)
{
	bool empty = (e->stack & STEP_STACK) == STACK_EMPTY, cuts = x->labels && !x->w->means;
	struct event piece = *e;

	to->next_labels = e->labels;
	if (x->labels && !empty)
		to->next_labels = widened(x, e->labels,
					  cuts ? running_at(x, e->time)
					       : wall_clock_mean(x->clock, e->time, e->end,
								  &x->mean_near));
	series_add_step(to, &x->scratch, e->time, e->stack, e->value);
	if (!cuts || empty)
		return;
	piece.stack &= STEP_STACK;
	for (uint32_t i = x->near; i < x->clock->n && x->clock->change[i].time < e->end; i++) {
		to->next_labels = widened(x, e->labels, x->clock->change[i].running);
		series_add_step(to, &x->scratch, x->clock->change[i].time, piece.stack, e->value);
	}
}

/* Returns the end of the time in which a sample runs: an idle one does not. */
static int64_t
sample_end(const struct widening *x, const struct layout_lane *lane, uint64_t at,
	   const struct event *e)
{
	return x->idle && x->idle[e->stack & STEP_STACK] ? e->time
							 : layout_event_end(lane, at, e);
}

/* Copies a sample that runs up to `end`. */
static void
put_sample(struct widening *x, struct series *to, const struct series *s, const struct chunk *c,
	   uint32_t i, const struct event *e, int64_t end)
{
	int64_t value[SERIES_METRICS_MAX];

	for (unsigned v = 0; v < s->n_columns; v++)
		value[v] = column_get(&c->value[v], i);
	if (x->metric != METRIC_NONE && to->n_metrics > s->n_metrics) {
		int64_t begin = wall_clock_at(x->clock, e->time, &x->near);
		uint32_t near = x->near;
		value[x->column] = wall_clock_at(x->clock, end, &near) - begin;
	}
	to->next_labels = e->labels;
	if (x->labels)
		to->next_labels = widened(
			x, e->labels, wall_clock_mean(x->clock, e->time, end, &x->mean_near));
	series_add_sample(to, &x->scratch, e->time, e->stack, value);
}

/* Reads event i of a chunk, which begins at `time`. */
static struct event
wall_event(const struct series *s, const struct chunk *c, uint32_t i, int64_t time)
{
	return (struct event){
		.time = time,
		.end = i + 1 < c->n ? column_get(&c->time, i + 1) : chunk_end(s, c),
		.stack = chunk_stack(c, i),
		.value = s->valued ? chunk_value(c, i) : 0,
		.labels = s->labelled ? (labels_id)column_get(&c->labels, i) : LABELS_NONE,
	};
}

static void
copy_events(struct widening *x, struct series *to)
{
	const struct series *s = x->lane.series;

	for (uint32_t k = 0; k < s->n_chunks && pace_on(x->pace, s->chunk[k].n); k++) {
		const struct chunk *c = &s->chunk[k];
		int64_t time = column_get(&c->time, 0);
		for (uint32_t i = 0; i < c->n; i++) {
			struct event e = wall_event(s, c, i, time);
			time = e.end;
			if (s->kind == SERIES_STEPS)
				put_step(x, to, &e);
			else
				put_sample(x, to, s, c, i, &e,
					   sample_end(x, &x->lane, c->first + i, &e));
		}
	}
}

static struct series *
copy_series(struct widening *x, const struct series *s)
{
	struct series *to = series_like(s);

	to->track = s->track;
	to->labelled |= x->labels;
	if (x->metric != METRIC_NONE && s->n_metrics < SERIES_METRICS_MAX) {
		bool steps = s->kind == SERIES_STEPS;
		x->column = to->n_columns;
		series_add_metric(to, x->metric, steps ? ROLE_WALL : ROLE_VALUE);
		to->first = s->first; /* the weights that pictures use stay */
		to->clock = x->clock;
	}
	x->lane = (struct layout_lane){.series = s};
	x->near = x->mean_near = 0;
	layout_lane_look(&x->layout, x->p, &x->lane, x->w->clocks.base);
	copy_events(x, to);
	layout_lane_release(&x->lane);
	if (to->n)
		to->end_time = s->end_time;
	return to;
}

/* ---- samples, while their clock is made ---- */

/* Copies the samples of a lane that end until then. Returns when the next one begins. */
static int64_t
copy_known(struct widening *x, struct widened_lane *l, int64_t until)
{
	const struct series *s = l->of.series;

	for (; l->chunk < s->n_chunks; l->chunk++, l->i = 0) {
		const struct chunk *c = &s->chunk[l->chunk];
		int64_t time = l->i < c->n ? column_get(&c->time, l->i) : 0;
		for (; l->i < c->n && pace_on(x->pace, 1); l->i++) {
			struct event e = wall_event(s, c, l->i, time);
			int64_t end = sample_end(x, &l->of, c->first + l->i, &e);
			if (end > until)
				return time;
			put_sample(x, l->to, s, c, l->i, &e, end);
			time = e.end;
		}
	}
	return INT64_MAX;
}

static void
copy_all_known(void *ctx, struct wall_clock *clock, int64_t until)
{
	struct widening *x = ctx;
	int64_t from = until;

	x->clock = clock;
	for (size_t i = 0; i < x->lane_of.n; i++) {
		struct widened_lane *l = &x->lane_of.at[i];
		if (wall_clock_of(&x->w->clocks, x->p, l->of.series) != clock)
			continue;
		int64_t next = copy_known(x, l, until);
		from = next < from ? next : from;
	}
	wall_clock_drop(clock, from);
}

/* Returns true if all series that may run have samples in the order of time. */
static bool
has_samples_alone(const struct profile *p)
{
	metric_id base = running_base(p);

	for (track_id t = 0; t < p->n_tracks; t++)
		for (uint32_t k = 0; k < p->track[t].n_series; k++) {
			const struct series *s = p->track[t].series[k];
			if (running_fits(p, s, base) &&
			    (s->kind != SERIES_SAMPLES || !series_is_sorted(s)))
				return false;
		}
	return true;
}

/* Copies each series while its clock is made, so no clock needs more memory than the longest
 * sample. */
static void
copy_beside_clocks(struct widening *x)
{
	metric_id base = running_base(x->p);

	for (track_id t = 0; t < x->p->n_tracks; t++)
		for (uint32_t k = 0; k < x->p->track[t].n_series; k++) {
			struct widened_lane l = {.of = {.series = x->p->track[t].series[k]}};
			if (!running_fits(x->p, l.of.series, base))
				continue;
			l.to = series_like(l.of.series);
			l.to->track = l.of.series->track;
			l.to->labelled = true;
			layout_lane_look(&x->layout, x->p, &l.of, base);
			*vec_push(&x->lane_of) = l;
		}
	wall_clocks_read(&x->w->clocks, x->p, x->pace, copy_all_known, x);
	for (size_t i = 0; i < x->lane_of.n; i++) {
		struct widened_lane *l = &x->lane_of.at[i];
		layout_lane_release(&l->of);
		*vec_push(&x->w->own) = l->to;
		if (!wall_clock_of(&x->w->clocks, x->p, l->of.series))
			continue; /* it does not run */
		if (l->to->n)
			l->to->end_time = l->of.series->end_time;
		struct track *track = &x->out->track[l->to->track];
		for (uint32_t k = 0; k < track->n_series; k++)
			if (track->series[k] == l->of.series)
				track->series[k] = l->to;
	}
	vec_release(&x->lane_of);
}

/* ---- the profile ---- */

/* Returns true if cutting the steps where the number of running tracks changes would make too many
 * pieces. */
static bool
cuts_too_often(const struct widening *x)
{
	uint64_t steps = 0, pieces = 0;

	for (track_id t = 0; t < x->p->n_tracks; t++)
		for (uint32_t k = 0; k < x->p->track[t].n_series; k++) {
			const struct series *s = x->p->track[t].series[k];
			const struct wall_clock *clock =
				wall_clock_of(&x->w->clocks, x->p, s);
			if (!clock || s->kind != SERIES_STEPS)
				continue;
			steps += s->n;
			uint32_t near = 0;
			for (uint32_t c = 0; c < s->n_chunks && pace_on(x->pace, s->chunk[c].n);
			     c++)
				for (uint32_t i = 0; i < s->chunk[c].n; i++) {
					const struct chunk *at = &s->chunk[c];
					bool empty = (chunk_stack(at, i) & STEP_STACK) ==
						     STACK_EMPTY;
					uint32_t before = wall_clock_find(
						clock, column_get(&at->time, i), near);
					int64_t end = i + 1 < at->n ? column_get(&at->time, i + 1)
								    : chunk_end(s, at);
					near = wall_clock_find(clock, end - 1, before);
					pieces += empty ? 1 : near - before + 1;
				}
		}
	return pieces / CUTS_MAX > steps;
}

/* Makes the clocks, then copies the series. */
static void
copy_behind_clocks(struct widening *x)
{
	wall_clocks_make(&x->w->clocks, x->p, x->pace);
	x->w->means = x->labels && cuts_too_often(x);
	for (track_id t = 0; t < x->out->n_tracks; t++)
		for (uint32_t k = 0; k < x->p->track[t].n_series && !pace_gives_up(x->pace); k++) {
			const struct series *s = x->p->track[t].series[k];
			x->clock = wall_clock_of(&x->w->clocks, x->p, s);
			if (!x->clock)
				continue;
			*vec_push(&x->w->own) = x->out->track[t].series[k] = copy_series(x, s);
		}
}

void
wall_make(const struct profile *p, unsigned needs, struct pace *pace, struct wall *out)
{
	struct widening x = {.w = out, .p = p, .pace = pace, .metric = METRIC_NONE,
			     .labels = needs & WALL_LABEL};

	*out = (struct wall){.p = profile_branch(p)};
	x.out = out->p;
	for (metric_id m = 0; needs & WALL_METRIC && m < p->n_metrics; m++)
		if (p->metric[m].computed)
			x.metric = m;
	x.idle = running_idle(p);
	x.key = names_put(&x.out->names, WALL_LABEL_NAME, strlen(WALL_LABEL_NAME));
	map_init(&x.set_map);
	layout_init(&x.layout);
	if (needs == (WALL_LABEL | WALL_ANY_ORDER) && has_samples_alone(p))
		copy_beside_clocks(&x);
	else
		copy_behind_clocks(&x);
	free(x.idle);
	layout_release(&x.layout);
	map_release(&x.set_map);
	vec_release(&x.set);
	series_scratch_release(&x.scratch);
}

void
wall_release(struct wall *w)
{
	for (size_t i = 0; i < w->own.n; i++)
		series_free(w->own.at[i]);
	vec_release(&w->own);
	profile_free(w->p);
	wall_clocks_release(&w->clocks);
	*w = (struct wall){.p = NULL};
}

/* ---- what a lens needs ---- */

static bool
names_label(const struct entry *e)
{
	const char *text = pattern_text(e->pattern);
	struct label_term t;
	struct err none;

	if (e->off)
		return false;
	if (e->verb == VERB_LABEL)
		return !strcmp(text, WALL_LABEL_NAME);
	if (e->verb != VERB_WHERE)
		return false;
	err_init(&none);
	bool is = label_term_read(&t, text, strlen(text), &none) &&
		  t.key_len == strlen(WALL_LABEL_NAME) &&
		  !memcmp(text + t.key_at, WALL_LABEL_NAME, t.key_len);
	label_term_release(&t);
	return is;
}

unsigned
wall_needs(const struct profile *p, const struct lens *l)
{
	name_id key = names_find(&p->names, WALL_LABEL_NAME, strlen(WALL_LABEL_NAME));
	metric_id m = l->metric ? profile_metric(p, l->metric, strlen(l->metric)) : METRIC_NONE;
	unsigned needs = m != METRIC_NONE && p->metric[m].computed ? WALL_METRIC : 0;

	for (size_t i = 0; i < l->entries.n; i++)
		if (names_label(&l->entries.at[i]))
			needs |= WALL_LABEL;
	for (label_id i = 0; needs & WALL_LABEL && i < p->labels.n_labels; i++)
		if (p->labels.label[i].key == key)
			needs &= ~WALL_LABEL;
	return needs;
}
