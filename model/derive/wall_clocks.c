/* wall_clocks.c - see wall.h: one pass over the events of all running series of a file.
 *
 * Each series gives the intervals in which it runs, in the order of time. A heap of the series, by
 * their next begin or end, merges them. So memory depends on the number of changes, and an event
 * costs its decoding and a few comparisons. */
#include "model/derive/wall.h"

#include <stdlib.h>

#include "model/base/mem.h"
#include "model/base/sum.h"
#include "model/picture/layout.h"
#include "model/profile/running.h"

struct wall_lane {
	struct layout_lane of;
	uint32_t chunk, i; /* of the next event */
	int64_t from, to;  /* the next interval, or the one in progress */
	bool running;
};

struct sweep {
	struct pace *pace;
	VEC(struct wall_lane) lane;
	VEC(uint32_t) heap; /* of lanes, by lane_time() */
};

/* ---- a series ---- */

/* Reads the interval of the next event; returns false at the end. */
static bool
next_event(struct wall_lane *l, struct pace *pace, int64_t *from, int64_t *to)
{
	const struct series *s = l->of.series;

	while (l->chunk < s->n_chunks && l->i == s->chunk[l->chunk].n) {
		l->chunk++;
		l->i = 0;
		if (l->chunk < s->n_chunks && !pace_on(pace, s->chunk[l->chunk].n))
			return false;
	}
	if (l->chunk == s->n_chunks)
		return false;
	const struct chunk *c = &s->chunk[l->chunk];
	uint32_t i = l->i++;
	struct event e = {.time = column_get(&c->time, i)};
	e.end = i + 1 < c->n ? column_get(&c->time, i + 1) : chunk_end(s, c);
	*from = e.time;
	if (s->kind == SERIES_SAMPLES)
		*to = layout_event_end(&l->of, c->first + i, &e);
	else
		*to = (chunk_stack(c, i) & STEP_STACK) != STACK_EMPTY ? e.end : e.time;
	return true;
}

/* Finds the next interval in which the series runs; contiguous ones are one. */
static bool
next_interval(struct wall_lane *l, struct pace *pace)
{
	int64_t from, to, behind = l->to;
	uint32_t chunk = l->chunk, i = l->i;
	bool found = false;

	while (next_event(l, pace, &from, &to)) {
		if (to > from && found && from > behind)
			break;
		if (to > from) {
			l->from = found ? l->from : from;
			behind = l->to = to;
			found = true;
		}
		chunk = l->chunk;
		i = l->i;
	}
	l->chunk = chunk; /* the event behind it is read again */
	l->i = i;
	return found;
}

/* ---- all of them ---- */

static int64_t
lane_time(const struct sweep *w, uint32_t lane)
{
	const struct wall_lane *l = &w->lane.at[lane];

	return l->running ? l->to : l->from;
}

/* Moves the top of the heap down to its place. */
static void
sink(struct sweep *w)
{
	uint32_t lane = w->heap.at[0];
	int64_t time = lane_time(w, lane);
	size_t i = 0;

	for (size_t k; (k = 2 * i + 1) < w->heap.n; i = k) {
		if (k + 1 < w->heap.n &&
		    lane_time(w, w->heap.at[k + 1]) < lane_time(w, w->heap.at[k]))
			k++;
		if (lane_time(w, w->heap.at[k]) >= time)
			break;
		w->heap.at[i] = w->heap.at[k];
	}
	w->heap.at[i] = lane;
}

static void
rise(struct sweep *w, uint32_t lane)
{
	size_t i = w->heap.n;

	*vec_push(&w->heap) = lane;
	for (; i && lane_time(w, w->heap.at[(i - 1) / 2]) > lane_time(w, lane); i = (i - 1) / 2)
		w->heap.at[i] = w->heap.at[(i - 1) / 2];
	w->heap.at[i] = lane;
}

static void
sweep_run(struct sweep *w, struct wall_clock *clock)
{
	uint32_t running = 0, known = 0;

	for (uint32_t i = 0; i < w->lane.n; i++)
		if (next_interval(&w->lane.at[i], w->pace))
			rise(w, i);
	while (w->heap.n && pace_on(w->pace, 1)) {
		struct wall_lane *l = &w->lane.at[w->heap.at[0]];
		int64_t now = lane_time(w, w->heap.at[0]);
		running += l->running ? UINT32_MAX : 1;
		if (l->running && !next_interval(l, w->pace)) {
			w->heap.at[0] = w->heap.at[--w->heap.n];
			l->running = true;
		}
		l->running = !l->running;
		if (w->heap.n)
			sink(w);
		if (w->heap.n && lane_time(w, w->heap.at[0]) == now)
			continue; /* more begin or end at this time */
		if (running != known)
			wall_clock_change(clock, now, running);
		known = running;
	}
}

/* Returns the clock of a series that can run; NULL: it cannot. Programs beside the command have a
 * clock of their own. */
static struct wall_clock *
lane_clock(const struct wall_clocks *c, const struct profile *p, const struct series *s)
{
	const struct track *t = &p->track[s->track];

	if (t->group >= c->n || t->kind != c->kind[t->group] || !running_fits(p, s, c->base))
		return NULL;
	return profile_is_outside(p, s->track) ? &c->beside[t->group] : &c->at[t->group];
}

static void
sweep_group(struct wall_clocks *c, const struct profile *p, struct wall_clock *clock,
	    struct layout *layout, struct pace *pace)
{
	struct sweep w = {.pace = pace};

	for (track_id t = 0; t < p->n_tracks; t++)
		for (uint32_t i = 0; i < p->track[t].n_series; i++) {
			struct wall_lane l = {.of = {.series = p->track[t].series[i]}};
			if (lane_clock(c, p, l.of.series) != clock)
				continue;
			layout_lane_look(layout, p, &l.of, c->base);
			*vec_push(&w.lane) = l;
		}
	sweep_run(&w, clock);
	for (size_t i = 0; i < w.lane.n; i++)
		layout_lane_release(&w.lane.at[i].of);
	vec_release(&w.lane);
	vec_release(&w.heap);
}

void
wall_clocks_make(struct wall_clocks *c, const struct profile *p, struct pace *pace)
{
	struct layout layout;

	*c = (struct wall_clocks){
		.at = mem_zalloc((size_t)p->n_groups + 1, sizeof *c->at),
		.beside = mem_zalloc((size_t)p->n_groups + 1, sizeof *c->beside),
		.kind = mem_alloc((size_t)p->n_groups + 1, 1),
		.base = running_base(p),
		.n = p->n_groups,
	};
	layout_init(&layout);
	for (uint32_t g = 0; g < c->n; g++) {
		c->kind[g] = (uint8_t)running_kind(p, g, c->base);
		sweep_group(c, p, &c->at[g], &layout, pace);
		if (profile_tracks_outside(p))
			sweep_group(c, p, &c->beside[g], &layout, pace);
	}
	layout_release(&layout);
}

void
wall_clocks_release(struct wall_clocks *c)
{
	for (uint32_t g = 0; g < c->n; g++) {
		wall_clock_release(&c->at[g]);
		wall_clock_release(&c->beside[g]);
	}
	free(c->at);
	free(c->beside);
	free(c->kind);
	*c = (struct wall_clocks){.at = NULL};
}

const struct wall_clock *
wall_clock_of(const struct wall_clocks *c, const struct profile *p, const struct series *s)
{
	return lane_clock(c, p, s);
}
