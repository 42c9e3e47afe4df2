/* builder_actors.c - states of threads, and edges between them (actors.h). */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/ordered.h"
#include "model/base/vec.h"
#include "model/build/builder_inside.h"

/* Records the first actor of a track. */
static void
note_actor_on(struct builder *b, track_id t, actor_id a)
{
	size_t at = t - b->first_track;

	while (b->actor_on.n <= at)
		*vec_push(&b->actor_on) = ACTOR_NONE;
	if (b->actor_on.at[at] == ACTOR_NONE)
		b->actor_on.at[at] = a;
}

actor_id
builder_actor(struct builder *b, const void *name, size_t len, track_id t)
{
	struct profile *p = b->p;

	assert(t == TRACK_NONE || (t >= b->first_track && t < p->n_tracks));
	if (p->n_actors == ACTOR_MAX)
		return ACTOR_NONE;
	vec_room(p->actor, p->actors_cap, p->n_actors + 1);
	p->actor[p->n_actors] = (struct actor){
		.name = builder_track_name(b, name, len),
		.track = t,
		.under = PROCESS_NONE,
		.group = b->group,
	};
	p->generation++;
	if (t != TRACK_NONE)
		note_actor_on(b, t, p->n_actors);
	return p->n_actors++;
}

struct name
builder_actor_name(const struct builder *b, actor_id a)
{
	return builder_name_get(b, a == ACTOR_NONE ? NAME_EMPTY : b->p->actor[a].name);
}

void
builder_actor_rename(struct builder *b, actor_id a, const void *name, size_t len)
{
	assert(a >= b->first_actor && a < b->p->n_actors);
	b->p->actor[a].name = builder_track_name(b, name, len);
	b->p->generation++;
}

void
builder_actor_under(struct builder *b, actor_id a, process_id process)
{
	assert(a >= b->first_actor && a < b->p->n_actors);
	assert(process >= b->first_process && process < b->p->n_processes);
	b->p->actor[a].under = process;
}

/* Extends the run to this time; false if it lies too far from the others. */
static bool
run_reaches(struct builder *b, int64_t *time)
{
	struct group *g = &b->p->group[b->group];

	if (!builder_moment_fits(b, g, time))
		return false;
	if (g->has_time && *time >= g->start && *time <= g->end)
		return true;
	if (!g->has_time || *time < g->start)
		builder_settle(b); /* buffered events rely on the start of the file */
	g->start = g->has_time && g->start < *time ? g->start : *time;
	g->end = g->has_time && g->end > *time ? g->end : *time;
	g->has_time = true;
	b->p->generation++;
	return true;
}

static void
state_add(struct builder *b, actor_id id, int64_t time, enum actor_state state, uint32_t cause)
{
	struct actor *a = &b->p->actor[id];

	assert(id >= b->first_actor && id < b->p->n_actors);
	if (a->n && time < actor_time(a, a->n - 1))
		time = actor_time(a, a->n - 1);
	if (a->n == UINT32_MAX || !run_reaches(b, &time))
		return;
	actor_push(a, time, state, cause);
}

void
builder_state(struct builder *b, actor_id a, int64_t time, enum actor_state state)
{
	const struct actor *of = &b->p->actor[a];

	if (state == (of->n ? actor_state(of, of->n - 1) : ACTOR_UNKNOWN))
		return;
	state_add(b, a, time, state, ACTOR_BY_NOTHING);
}

void
builder_woken(struct builder *b, actor_id a, int64_t time, actor_id by)
{
	state_add(b, a, time, ACTOR_RUNNABLE, by == ACTOR_NONE ? ACTOR_BY_NOBODY : by + 2);
}

actor_id
builder_actor_on(struct builder *b, track_id t, const void *name, size_t len)
{
	size_t at = t - b->first_track;

	if (at < b->actor_on.n && b->actor_on.at[at] != ACTOR_NONE)
		return b->actor_on.at[at];
	return builder_actor(b, name, len, t);
}

void
builder_edge(struct builder *b, enum edge_kind kind, actor_id from, int64_t from_time, actor_id to,
	     int64_t to_time)
{
	struct profile *p = b->p;

	assert(kind != EDGE_WAKE);
	assert(from >= b->first_actor && from < p->n_actors);
	assert(to >= b->first_actor && to < p->n_actors);
	if (p->n_edges == UINT32_MAX || !run_reaches(b, &from_time) || !run_reaches(b, &to_time))
		return;
	vec_room(p->edge, p->edges_cap, p->n_edges + 1);
	p->edge[p->n_edges++] = (struct edge){
		.from_time = from_time,
		.to_time = to_time,
		.from_and_kind = from << EDGE_KIND_BITS | (uint32_t)kind,
		.to = to,
	};
}

ORDERED_BY_TWO(by_arrival, struct edge, to_time, from_time)

void
builder_run_end(struct builder *b, int64_t time)
{
	run_reaches(b, &time);
}

void
builder_actors_finish(struct builder *b)
{
	struct profile *p = b->p;

	for (actor_id i = b->first_actor; i < p->n_actors; i++)
		actor_fit(&p->actor[i]);
	if (p->n_edges > b->first_edge)
		sort_rows(p->edge + b->first_edge, p->n_edges - b->first_edge, sizeof *p->edge,
			  by_arrival);
}

void
builder_actors_discard(struct builder *b)
{
	struct profile *p = b->p;

	while (p->n_actors > b->first_actor)
		actor_release(&p->actor[--p->n_actors]);
	b->actor_on.n = 0;
	p->n_edges = b->first_edge;
}
