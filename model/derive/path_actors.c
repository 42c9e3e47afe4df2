/* path_actors.c - see path_actors.h. */
#include "model/derive/path_actors.h"

#include <stdlib.h>
#include <string.h>

#include "model/base/mem.h"
#include "model/base/vec.h"

/* Reads the steps of an actor, and the flows that arrive there. */
struct flow_walk {
	const struct profile *p;
	struct actor *a;
	const struct series *s;
	const uint32_t *arrives; /* indexes of edges to this actor, in the order of arrival */
	uint32_t n, at;
};

bool
path_actors_are_flows(const struct profile *p)
{
	for (actor_id i = 0; i < p->n_actors; i++)
		if (p->actor[i].n)
			return false;
	return p->n_edges;
}

bool
path_actors_can(const struct actor *a, bool flows)
{
	return flows ? a->track != TRACK_NONE : a->n;
}

static const struct series *
slices_of(const struct profile *p, const struct actor *a)
{
	const struct track *t = a->track == TRACK_NONE ? NULL : &p->track[a->track];

	for (uint32_t i = 0; t && i < t->n_series; i++)
		if (t->series[i]->kind == SERIES_STEPS && t->series[i]->sorted && t->series[i]->n)
			return t->series[i];
	return NULL;
}

/* Returns the end of the outermost slice that begins with event i. */
static int64_t
slice_end(const struct flow_walk *w, uint64_t i)
{
	const struct stacks *t = &w->p->stacks;
	struct event e = {0};
	int64_t end = 0;

	for (bool first = true; series_event(w->s, i, &e); i++, first = false) {
		stack_id stack = e.stack & STEP_STACK;
		bool outermost = stack != STACK_EMPTY && t->parent[stack] == STACK_EMPTY;
		if (stack == STACK_EMPTY || (!first && outermost && e.stack & STEP_CALL))
			break;
		end = e.end;
	}
	return end;
}

/* Ends a wait that began at `idle`, with the slice of event i. */
static void
end_wait(struct flow_walk *w, int64_t idle, uint64_t i, int64_t begin)
{
	int64_t end = 0;

	while (w->at < w->n && w->p->edge[w->arrives[w->at]].to_time < begin)
		w->at++;
	const struct edge *edge = w->at < w->n ? &w->p->edge[w->arrives[w->at]] : NULL;
	if (edge)
		end = slice_end(w, i);
	if (edge && edge->to_time < end && edge->from_time < begin) {
		int64_t sent = edge->from_time > idle ? edge->from_time : idle;
		actor_push(w->a, sent, ACTOR_RUNNABLE, edge_from(edge) + 2);
	}
	actor_push(w->a, begin, ACTOR_RUNNING, ACTOR_BY_NOTHING);
}

static void
find_states(struct flow_walk *w, struct pace *pace)
{
	int64_t idle = w->p->group[w->a->group].start;
	bool running = false;
	struct event e;

	actor_push(w->a, idle, ACTOR_WAITING, ACTOR_BY_NOTHING);
	for (uint64_t i = 0; w->s && series_event(w->s, i, &e) && pace_on(pace, 1); i++) {
		bool runs = (e.stack & STEP_STACK) != STACK_EMPTY && e.end > e.time;
		if (runs && !running)
			end_wait(w, idle, i, e.time);
		else if (!runs && running && e.end > e.time)
			actor_push(w->a, idle = e.time, ACTOR_WAITING, ACTOR_BY_NOTHING);
		if (e.end > e.time)
			running = runs;
	}
	if (running && w->s->end_time < w->p->group[w->a->group].end)
		actor_push(w->a, w->s->end_time, ACTOR_WAITING, ACTOR_BY_NOTHING);
}

/* Finds the states of all actors with tracks from the flows. */
static void
from_flows(struct path_actors *t, const struct profile *p, struct pace *pace)
{
	uint32_t *first = mem_zalloc((size_t)p->n_actors + 2, sizeof *first);
	uint32_t *order = mem_alloc((size_t)p->n_edges + 1, sizeof *order);

	for (uint32_t i = 0; i < p->n_edges; i++)
		first[p->edge[i].to + 2]++;
	for (actor_id a = 0; a < p->n_actors; a++)
		first[a + 2] += first[a + 1];
	for (uint32_t i = 0; i < p->n_edges; i++)
		order[first[p->edge[i].to + 1]++] = i;
	for (actor_id a = 0; a < t->n; a++) {
		struct flow_walk w = {.p = p, .a = &t->at[a], .s = slices_of(p, &t->at[a]),
				      .arrives = order + first[a], .n = first[a + 1] - first[a]};
		if (path_actors_can(w.a, true))
			find_states(&w, pace);
	}
	free(order);
	free(first);
}

void
path_actors_init(struct path_actors *t, const struct profile *p, struct pace *pace)
{
	*t = (struct path_actors){
		.at = mem_copy(p->actor, p->n_actors, sizeof *p->actor),
		.n = p->n_actors,
		.flows = path_actors_are_flows(p),
	};
	for (actor_id i = 0; t->flows && i < t->n; i++) {
		struct actor *a = &t->at[i];
		*a = (struct actor){a->name, a->track, a->under, a->group, .n = 0};
	}
	if (t->flows)
		from_flows(t, p, pace);
}

void
path_actors_release(struct path_actors *t)
{
	for (actor_id i = 0; t->flows && i < t->n; i++)
		actor_release(&t->at[i]);
	free(t->at);
	*t = (struct path_actors){.at = NULL};
}
