/* builder_join.c - see builder_join.h.
 *
 * The tables of a part only grow, and ids are given in the order of first appearance. So the new
 * entries of a part, in their order, are a sequence of look-ups that the decoder of the whole would
 * have made, too; those of them that the whole knows already change nothing. One table does not
 * depend on the order of another, so each is joined as a run, which overlaps its cache misses.
 *
 * builder_joinable.c first checks all that can be refused: it compares the bounds of sums and times
 * with the limits, so the events can be added without a check. Totals and
 * samples are then added one by one, as their decoder would.
 *
 * Rejected: one table of names for all threads (a lock or an atomic for each name, and ids in the
 * order of chance), sorting ids afterwards (readers have seen them). */
#include "model/build/builder_join.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/mem.h"
#include "model/base/vec.h"
#include "model/build/builder_joint.h"
#include "model/build/builder_load.h"

/* ---- a part ---- */

void
builder_twin(const struct builder *whole, struct twin *out)
{
	const struct profile *p = whole->p;
	const struct group *g = &p->group[whole->group];

	*out = (struct twin){
		.file = names_get(&p->names, g->name).at,
		.format = names_get(&p->names, g->format).at,
		.label = whole->label,
		.reads = whole->reads,
		.flags = whole->carried.flags,
		.exact = p->weight != NULL,
	};
}

struct builder *
builder_part(const struct twin *twin, struct profile *p)
{
	struct builder *b = builder_new(p, twin->file, twin->format);

	if (twin->label)
		builder_label(b, twin->label);
	b->reads = twin->reads;
	b->carried.part = true;
	b->carried.flags = twin->flags;
	if (twin->exact)
		p->weight = mem_zalloc(p->metrics_cap, sizeof *p->weight);
	return b;
}

struct joint *
joint_new(struct builder *whole, struct builder *part)
{
	struct joint *j = mem_zalloc(1, sizeof *j);

	j->whole = whole;
	j->part = part;
	return j;
}

void
joint_free(struct joint *j)
{
	if (!j)
		return;
	for (size_t t = 0; t < j->track.n; t++)
		vec_release(&j->track.at[t].series);
	vec_release_all(&j->name, &j->function, &j->frame, &j->stack, &j->metric, &j->track,
			&j->weight);
	free(j);
}

#define ENTRIES_OF_TRACK ((size_t)16) /* each has series with chunks of their own */

size_t
builder_entries(const struct builder *b)
{
	const struct profile *p = b->p;

	return (size_t)p->names.n + p->frames.n + p->stacks.n + ENTRIES_OF_TRACK * p->n_tracks;
}

/* ---- tables ---- */

#define AHEAD 8u

static void
join_names(struct joint *j)
{
	const struct names *from = &j->part->p->names;
	struct names *to = &j->whole->p->names;

	for (uint32_t i = (uint32_t)j->name.n; i < from->n; i++) {
		struct name name = names_get(from, i);
		if (i + AHEAD < from->n) {
			struct name later = names_get(from, i + AHEAD);
			names_fetch(to, later.at, later.len);
		}
		*vec_push(&j->name) = names_put(to, name.at, name.len);
	}
}

static void
join_frames(struct joint *j)
{
	const struct frames *from = &j->part->p->frames;
	struct builder *b = j->whole;

	for (uint32_t i = (uint32_t)j->function.n; i < from->n_functions; i++) {
		struct function f = frames_get_function(from, i);
		f.name = j->name.at[f.name];
		f.file = j->name.at[f.file];
		f.module = j->name.at[f.module];
		*vec_push(&j->function) = builder_function_shown(b, f);
	}
	for (uint32_t i = (uint32_t)j->frame.n; i < from->n; i++) {
		struct frame f = frames_get(from, i);
		f.function = j->function.at[f.function];
		*vec_push(&j->frame) = frames_put_at(&b->p->frames, f, ADDRESS_NONE);
	}
	b->p->has_lines |= j->part->p->has_lines;
}

static void
join_stacks(struct joint *j)
{
	const struct stacks *from = &j->part->p->stacks;

	if (!j->stack.n)
		*vec_push(&j->stack) = STACK_EMPTY;
	vec_reserve(&j->stack, from->n);
	stacks_join(&j->whole->p->stacks, from, (stack_id)j->stack.n, j->frame.at,
		    !j->whole->alike.n, j->stack.at);
	j->stack.n = from->n;
}

/* ---- tracks and series ---- */

static struct series *
series_made(struct builder *b, const struct series *like, track_id t, const metric_id *metric)
{
	struct series *s = builder_series_for(b, t, (enum series_kind)like->kind);

	for (unsigned m = 0; m < like->n_metrics; m++) {
		series_add_metric(s, metric[m], (enum metric_role)like->role[m]);
		if (like->kind == SERIES_SAMPLES && metric[m] != METRIC_NONE &&
		    b->own[metric[m]].interval)
			s->interval = b->own[metric[m]].interval;
	}
	return s;
}

/* Returns the series of the track that has the form of a part's series, or a new one. */
static struct series *
series_in_whole(struct joint *j, const struct series *like, track_id t)
{
	const struct track *track = &j->whole->p->track[t];
	metric_id metric[SERIES_METRICS_MAX];

	for (unsigned m = 0; m < like->n_metrics; m++)
		metric[m] = j->metric.at[like->metric[m]];
	for (uint32_t i = 0; i < track->n_series; i++) {
		struct series *s = track->series[i];
		if (s->kind == like->kind && s->n_metrics == like->n_metrics &&
		    !memcmp(s->metric, metric, like->n_metrics * sizeof *metric) &&
		    !memcmp(s->role, like->role, like->n_metrics * sizeof *like->role))
			return s;
	}
	return series_made(j->whole, like, t, metric);
}

static track_id
track_made(struct joint *j, const struct track *like)
{
	struct builder *b = j->whole;
	const struct profile *p = j->part->p;
	track_id t = builder_track_with(b, j->name.at[like->name], (enum track_kind)like->kind);

	if (like->under != PROCESS_NONE) {
		name_id name = j->name.at[p->process[like->under].name];
		process_id process = builder_process_of(b, name);
		if (process == PROCESS_NONE)
			process = builder_process_with(b, name);
		builder_track_under(b, t, process);
	}
	return t;
}

static void
join_tracks(struct joint *j)
{
	const struct profile *p = j->part->p;

	for (track_id t = 0; t < p->n_tracks; t++) {
		const struct track *track = &p->track[t];
		if (t == j->track.n) {
			track_id known = builder_track_of(j->whole, j->name.at[track->name]);
			known = known == TRACK_NONE ? track_made(j, track) : known;
			*vec_push(&j->track) = (struct joined_track){.id = known};
		}
		struct joined_track *to = &j->track.at[t];
		for (uint32_t i = (uint32_t)to->series.n; i < track->n_series; i++)
			*vec_push(&to->series) = series_in_whole(j, track->series[i], to->id);
	}
}

/* ---- events ---- */

/* Returns the series of the whole for one of the part. */
static struct series *
joined_series(const struct joint *j, const struct series *s)
{
	const struct track *t = &j->part->p->track[s->track];
	uint32_t i = 0;

	while (t->series[i] != s)
		i++;
	return j->track.at[s->track].series.at[i];
}

/* Adds the part's totals, which its builder has kept. */
static void
join_totals(struct joint *j)
{
	struct builder *part = j->part;
	const struct part_total *total = part->total.at, *end = total + part->total.n;
	const int64_t *value = part->total_value.at;
	const struct series *of = NULL;
	struct series *s = NULL;

	for (; total < end; total++) {
		if (total->series != of)
			s = joined_series(j, of = total->series);
		if (total + AHEAD < end)
			series_total_soon(s, j->stack.at[total[AHEAD].stack]);
		series_add_total(s, j->stack.at[total->stack], value);
		value += of->n_columns;
	}
	part->total.n = part->total_value.n = 0;
}

#define RUN 256u

/* Appends the samples of a chunk. */
static void
join_samples(struct joint *j, struct series *s, const struct series *from, const struct chunk *c)
{
	int64_t time[RUN], column[SERIES_METRICS_MAX][RUN], value[SERIES_METRICS_MAX];
	uint32_t stack[RUN];
	struct err none;

	err_init(&none);
	for (uint32_t at = 0, n; at < c->n; at += n) {
		n = c->n - at < RUN ? c->n - at : RUN;
		column_values(&c->time, at, n, time);
		chunk_stacks(c, at, n, stack);
		for (unsigned v = 0; v < from->n_columns; v++)
			column_values(&c->value[v], at, n, column[v]);
		for (uint32_t i = 0; i < n; i++) {
			for (unsigned v = 0; v < from->n_columns; v++)
				value[v] = column[v][i];
			bool good = builder_sample(j->whole, s, time[i], j->stack.at[stack[i]],
						   value, 0, &none);
			assert(good), (void)good; /* builder_joinable.c has weighed them */
		}
	}
}

/* Removes the events of a part's series, which its decoder keeps using. */
static void
series_empty(struct series *s)
{
	struct series *anew = series_like(s), old = *s;

	anew->track = s->track;
	anew->interval = s->interval;
	*s = *anew;
	*anew = old;
	series_free(anew);
}

static void
join_series(struct joint *j, struct series *s, struct series *from)
{
	if (!from->n)
		return;
	for (uint32_t i = 0; i < from->n_chunks; i++)
		join_samples(j, s, from, &from->chunk[i]);
	series_empty(from);
}

/* Counts records that no appended sample has counted. */
static void
join_records(struct joint *j, track_id t, struct joined_track *to)
{
	const struct track *track = &j->part->p->track[t];
	uint64_t more = track->events - to->events, samples = 0;

	for (uint32_t i = 0; i < track->n_series; i++)
		if (track->series[i]->kind == SERIES_SAMPLES)
			samples += track->series[i]->n;
	to->events = track->events;
	builder_track_events(j->whole, to->id, (int64_t)(more - samples));
}

static void
join_events(struct joint *j)
{
	const struct profile *p = j->part->p;

	join_totals(j);
	for (track_id t = 0; t < p->n_tracks; t++) {
		struct joined_track *to = &j->track.at[t];
		join_records(j, t, to);
		for (uint32_t i = 0; i < to->series.n; i++)
			join_series(j, to->series.at[i], p->track[t].series[i]);
	}
}

/* ---- sums, and what the decoder carries ---- */

/* Adds what the part has counted. Each of its samples is counted again when it is appended; that is
 * a bound, too. */
static void
join_weights(struct joint *j)
{
	struct profile *to = j->whole->p;
	const struct profile *from = j->part->p;

	if (!to->weight) {
		to->bound += from->bound - j->bound;
		j->bound = from->bound;
		return;
	}
	for (metric_id m = 0; m < j->metric.n; m++) {
		if (j->metric.at[m] != METRIC_NONE)
			to->weight[j->metric.at[m]] += from->weight[m] - j->weight.at[m];
		j->weight.at[m] = from->weight[m];
	}
}

static void
join_carried(struct joint *j)
{
	struct carried *to = &j->whole->carried, *from = &j->part->carried;

	for (unsigned i = 0; i < CARRIED_COUNTS; i++) {
		to->count[i] += from->count[i];
		from->count[i] = 0;
	}
	to->joins++;
	to->flags |= from->flags;
	if (from->has_last) {
		carried_time(to, from->first);
		to->last = from->last;
	}
	to->back += from->back;
	from->back = 0;
	from->has_last = false;
}

bool
builder_join(struct joint *j)
{
	assert(!j->part->pending.beside_from);
	builder_settle(j->part);
	if (!builder_joinable(j))
		return false;
	join_names(j);
	join_frames(j);
	join_stacks(j);
	join_tracks(j);
	join_weights(j);
	join_events(j);
	join_carried(j);
	j->whole->p->generation++;
	return true;
}
