/* wall_clocks.c - see wall.h: one pass over the events of all running series of a file makes its
 * clock or its shares.
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
	const uint8_t *idle; /* [stack] running_idle(); NULL: none is */
	uint32_t chunk, i; /* of the next event */
	int64_t from, to;  /* the next interval, or the one in progress */
	bool running;
};

/* Takes the moments at which the number of running tracks changes, in the order of time. */
typedef void wall_changed(void *ctx, int64_t time, uint32_t running);

struct sweep {
	struct pace *pace;
	wall_changed *changed;
	void *ctx;
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
	if (s->kind == SERIES_SAMPLES && l->idle && l->idle[chunk_stack(c, i) & STEP_STACK])
		*to = e.time;
	else if (s->kind == SERIES_SAMPLES)
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
sweep_run(struct sweep *w)
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
			w->changed(w->ctx, now, running);
		known = running;
	}
}

/* The running series of a profile. */
struct runners {
	const struct profile *p;
	struct layout layout;
	metric_id base;
	uint8_t *idle;
	struct pace *pace;
};

static void
runners_init(struct runners *r, const struct profile *p, struct pace *pace)
{
	*r = (struct runners){.p = p, .base = running_base(p), .idle = running_idle(p),
			      .pace = pace};
	layout_init(&r->layout);
}

static void
runners_release(struct runners *r)
{
	free(r->idle);
	layout_release(&r->layout);
}

/* Sweeps the series of a file, or of the programs beside its command. */
static void
sweep_group(struct runners *r, uint32_t group, bool outside, wall_changed *changed, void *ctx)
{
	struct sweep w = {.pace = r->pace, .changed = changed, .ctx = ctx};
	enum track_kind kind = running_kind(r->p, group, r->base);

	for (track_id id = 0; id < r->p->n_tracks; id++) {
		const struct track *t = &r->p->track[id];
		if (t->group != group || t->kind != kind ||
		    profile_is_outside(r->p, id) != outside)
			continue;
		for (uint32_t i = 0; i < t->n_series; i++) {
			struct wall_lane l = {.of = {.series = t->series[i]}, .idle = r->idle};
			if (!running_fits(r->p, l.of.series, r->base))
				continue;
			layout_lane_look(&r->layout, r->p, &l.of, r->base);
			*vec_push(&w.lane) = l;
		}
	}
	sweep_run(&w);
	for (size_t i = 0; i < w.lane.n; i++)
		layout_lane_release(&w.lane.at[i].of);
	vec_release(&w.lane);
	vec_release(&w.heap);
}

/* ---- the clocks ---- */

#define KNOWN_CHANGES 65536u /* between two calls of wall_known */

struct clock_making {
	struct wall_clock *clock;
	wall_known *known; /* NULL: the clock is read when it is complete */
	void *ctx;
	uint32_t due; /* number of changes at the next call */
};

static void
clock_changed(void *ctx, int64_t time, uint32_t running)
{
	struct clock_making *x = ctx;

	wall_clock_change(x->clock, time, running);
	if (!x->known || x->clock->n < x->due)
		return;
	x->known(x->ctx, x->clock, time);
	x->due = x->clock->n + KNOWN_CHANGES;
}

static void
make_clock(struct runners *r, uint32_t group, bool outside, struct clock_making x)
{
	sweep_group(r, group, outside, clock_changed, &x);
	if (x.known)
		x.known(x.ctx, x.clock, INT64_MAX);
}

void
wall_clocks_make(struct wall_clocks *c, const struct profile *p, struct pace *pace)
{
	wall_clocks_read(c, p, pace, NULL, NULL);
}

void
wall_clocks_read(struct wall_clocks *c, const struct profile *p, struct pace *pace,
		 wall_known *known, void *ctx)
{
	struct runners r;

	runners_init(&r, p, pace);
	*c = (struct wall_clocks){
		.at = mem_zalloc((size_t)p->n_groups + 1, sizeof *c->at),
		.beside = mem_zalloc((size_t)p->n_groups + 1, sizeof *c->beside),
		.kind = mem_alloc((size_t)p->n_groups + 1, 1),
		.base = r.base,
		.n = p->n_groups,
	};
	for (uint32_t g = 0; g < c->n; g++)
		c->kind[g] = (uint8_t)running_kind(p, g, c->base);
	for (uint32_t g = 0; g < c->n; g++) {
		struct clock_making x = {&c->at[g], known, ctx, KNOWN_CHANGES};
		make_clock(&r, g, false, x);
		x.clock = &c->beside[g];
		if (profile_tracks_outside(p))
			make_clock(&r, g, true, x);
	}
	runners_release(&r);
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

/* Programs beside the command have a clock of their own. */
const struct wall_clock *
wall_clock_of(const struct wall_clocks *c, const struct profile *p, const struct series *s)
{
	const struct track *t = &p->track[s->track];

	if (t->group >= c->n || t->kind != c->kind[t->group] || !running_fits(p, s, c->base))
		return NULL;
	return profile_is_outside(p, s->track) ? &c->beside[t->group] : &c->at[t->group];
}

/* ---- the shares ---- */

struct sharing {
	struct wall_shares *to;
	int64_t from, begin, end; /* the last change, the ends of the range */
	uint32_t running;  /* since then */
};

static unsigned
share_row(uint32_t running)
{
	return running < 2 ? running : 33 - (unsigned)__builtin_clz(running - 1);
}

/* A file's last interval ends with the file, so the caller ends with a change there. */
static void
share_changed(void *ctx, int64_t time, uint32_t running)
{
	struct sharing *x = ctx;
	int64_t from = x->from > x->begin ? x->from : x->begin;
	int64_t end = time < x->end ? time : x->end;

	if (x->running && from < end) {
		unsigned row = share_row(x->running);
		double ns = (double)(end - from);
		x->to->ns[row] += ns;
		x->to->rows = x->to->rows > row + 1 ? x->to->rows : row + 1;
		x->to->busy += ns;
		x->to->area += ns * x->running;
	}
	x->from = time;
	x->running = running < WALL_RUNNING_MAX ? running : WALL_RUNNING_MAX;
}

struct wall_shares *
wall_shares_make(const struct profile *p, bool whole, int64_t from, int64_t to, struct pace *pace)
{
	struct wall_shares *all = mem_zalloc((size_t)p->n_groups + 1, sizeof *all);
	struct runners r;

	runners_init(&r, p, pace);
	for (uint32_t g = 0; g < p->n_groups; g++) {
		const struct group *of = &p->group[g];
		int64_t length = difference_clipped(of->end, of->start);
		all[g].whole = whole;
		all[g].from = whole || from < 0 ? 0 : from;
		all[g].to = whole || to > length ? length : to;
		struct sharing x = {.to = &all[g],
				    .begin = sum_clipped(of->start, all[g].from),
				    .end = sum_clipped(of->start, all[g].to)};
		if (all[g].to <= all[g].from)
			continue;
		sweep_group(&r, g, false, share_changed, &x);
		share_changed(&x, INT64_MAX, 0);
		all[g].ns[0] = (double)(all[g].to - all[g].from) - all[g].busy;
	}
	runners_release(&r);
	return all;
}
