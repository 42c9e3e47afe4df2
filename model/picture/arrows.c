/* arrows.c - see arrows.h. */
#include "model/picture/arrows.h"

#include "model/base/bisect.h"
#include "model/base/sum.h"
#include "model/profile/series.h"

#define ARROWS_ARRIVE 2u   /* the limit of those that arrive */
#define CHAIN_MAX 1000u    /* slices that one led to the other */
#define SLICE_STEPS 10000u /* in a slice of the chain */
#define ACTIVITY_MAX 1000u /* states between a wake-up and the moment */
#define ARROWS_WORK 500000u /* states and edges that one search reads */

struct arrow_search {
	const struct profile *p;
	actor_id actor;
	int64_t from, to, when;
	uint32_t work; /* left */
	struct arrows *out;
};

static void
arrow_add(struct arrows *out, struct arrow x)
{
	if (out->n < ARROWS_ARRIVE)
		out->at[out->n++] = x;
}

/* Adds the wake-up that ends the wait at the moment, or that led to the activity then. */
static void
find_waker(struct arrow_search *s)
{
	const struct actor *a = &s->p->actor[s->actor];
	uint32_t i = actor_find(a, s->when);
	actor_id by;

	if (!i--)
		return;
	if (actor_state(a, i) == ACTOR_WAITING || actor_state(a, i) == ACTOR_IO)
		i++;
	else
		for (unsigned k = 0; i && k < ACTIVITY_MAX && !actor_woken(a, i, &by); k++, i--)
			if (actor_state(a, i) != ACTOR_RUNNING &&
			    actor_state(a, i) != ACTOR_RUNNABLE)
				return;
	if (i < a->n && actor_woken(a, i, &by) && by != ACTOR_NONE && by != s->actor)
		arrow_add(s->out,
			  (struct arrow){EDGE_WAKE, true, by, actor_time(a, i), actor_time(a, i)});
}

/* Puts an edge that leaves among the nearest ones: `after` the moment the first, else the last. */
static void
keep_nearest(struct arrow_search *s, unsigned first, bool after, struct arrow x)
{
	struct arrows *out = s->out;
	unsigned most = after ? ARROWS_MAX : first + 1, i = out->n;

	while (i > first && (after ? out->at[i - 1].from_time > x.from_time
				   : out->at[i - 1].from_time < x.from_time))
		i--;
	if (i >= most)
		return;
	out->n += out->n < most;
	for (unsigned k = out->n - 1; k > i; k--)
		out->at[k] = out->at[k - 1];
	out->at[i] = x;
}

/* Returns the farthest time from the moment at which an edge would still be kept. */
static int64_t
leaving_limit(const struct arrow_search *s, unsigned first, bool after)
{
	const struct arrows *out = s->out;

	if (after)
		return out->n == ARROWS_MAX ? out->at[out->n - 1].from_time : s->to;
	return out->n > first ? out->at[out->n - 1].from_time : s->from;
}

static struct arrow
wake_to(actor_id other, int64_t time)
{
	return (struct arrow){EDGE_WAKE, false, other, time, time};
}

/* Searches the states of one thread for wake-ups that the actor caused. */
static void
find_woken(struct arrow_search *s, actor_id other, unsigned first, bool after)
{
	const struct actor *a = &s->p->actor[other];
	uint32_t i = actor_find(a, sum_clipped(s->when, -1));
	actor_id by;

	if (!after)
		while (i-- > 0 && s->work && actor_time(a, i) >= leaving_limit(s, first, after)) {
			s->work--;
			if (!actor_woken(a, i, &by) || by != s->actor)
				continue;
			keep_nearest(s, first, after, wake_to(other, actor_time(a, i)));
			return;
		}
	for (; after && i < a->n && s->work && actor_time(a, i) < leaving_limit(s, first, after);
	     i++) {
		s->work--;
		if (actor_woken(a, i, &by) && by == s->actor)
			keep_nearest(s, first, after, wake_to(other, actor_time(a, i)));
	}
}

/* Returns the first edge of the actor's file that arrives at or after `time`. Edges are sorted by
 * their arrival in each file, and files follow one another. */
static uint32_t
first_edge(const struct arrow_search *s, int64_t time)
{
	const struct profile *p = s->p;
	uint32_t group = p->actor[s->actor].group;

	return (uint32_t)bisect(i, p->n_edges,
				p->actor[p->edge[i].to].group < group ||
					(p->actor[p->edge[i].to].group == group &&
					 p->edge[i].to_time < time));
}

static struct arrow
arrow_of(const struct edge *e, bool arrives)
{
	return (struct arrow){edge_kind(e), arrives, arrives ? edge_from(e) : e->to, e->from_time,
			      e->to_time};
}

/* Adds the last flow that arrives up to the moment, else the first one after it. */
static void
find_arrival(struct arrow_search *s)
{
	const struct edge *e = s->p->edge, *best = NULL;
	uint32_t n = s->p->n_edges;

	for (uint32_t i = first_edge(s, s->from); i < n && s->work; i++, s->work--) {
		if (s->p->actor[e[i].to].group != s->p->actor[s->actor].group ||
		    e[i].to_time >= s->to || (best && e[i].to_time > s->when))
			break;
		if (e[i].to == s->actor && edge_from(&e[i]) != s->actor)
			best = &e[i];
	}
	if (best)
		arrow_add(s->out, arrow_of(best, true));
}

/* Adds flows that leave. None arrives before it leaves. */
static void
find_departures(struct arrow_search *s, unsigned first, bool after)
{
	const struct edge *e = s->p->edge;
	uint32_t n = s->p->n_edges;

	for (uint32_t i = first_edge(s, after ? s->when : s->from); i < n && s->work;
	     i++, s->work--) {
		if (s->p->actor[e[i].to].group != s->p->actor[s->actor].group)
			break;
		if (edge_from(&e[i]) == s->actor && e[i].to != s->actor &&
		    (after ? e[i].from_time >= s->when && e[i].from_time < s->to
			   : e[i].from_time >= s->from && e[i].from_time < s->when))
			keep_nearest(s, first, after, arrow_of(&e[i], false));
	}
}

void
arrows_find(const struct profile *p, actor_id a, int64_t from, int64_t to, int64_t when,
	    struct arrows *out)
{
	struct arrow_search s = {p, a, from, to, when, ARROWS_WORK, out};

	out->n = 0;
	find_waker(&s);
	if (p->n_edges)
		find_arrival(&s);
	unsigned first = out->n;
	for (int after = 1; after >= 0 && out->n == first; after--) {
		for (actor_id i = 0; i < p->n_actors; i++)
			if (i != a && p->actor[i].n && p->actor[i].group == p->actor[a].group)
				find_woken(&s, i, first, after);
		if (p->n_edges)
			find_departures(&s, first, after);
	}
}

/* Returns when the outermost slice of an actor began that runs at a time; else that time. */
static int64_t
outermost_begin(const struct profile *p, actor_id id, int64_t time)
{
	const struct actor *a = &p->actor[id];
	const struct track *t = a->track == TRACK_NONE ? NULL : &p->track[a->track];
	const struct series *s = NULL;
	struct event e;

	for (uint32_t i = 0; t && i < t->n_series && !s; i++)
		if (t->series[i]->kind == SERIES_STEPS && t->series[i]->sorted)
			s = t->series[i];
	uint64_t i = s ? series_find(s, sum_clipped(time, 1)) : 0;
	for (unsigned n = 0; n < SLICE_STEPS && i-- > 0 && series_event(s, i, &e); n++) {
		stack_id stack = e.stack & STEP_STACK;
		if (stack == STACK_EMPTY)
			break;
		time = e.time;
		if (p->stacks.parent[stack] == STACK_EMPTY && e.stack & STEP_CALL)
			break;
	}
	return time;
}

int64_t
arrows_chain_begin(const struct profile *p, actor_id a, int64_t from, int64_t to)
{
	int64_t begin = from;

	for (unsigned n = 0; n < CHAIN_MAX; n++) {
		struct arrows found = {.n = 0};
		struct arrow_search s = {p, a, from, to, to, ARROWS_WORK, &found};
		find_arrival(&s);
		if (!found.n || found.at[0].from_time >= to)
			break;
		a = found.at[0].other;
		to = sum_clipped(found.at[0].from_time, 1);
		from = outermost_begin(p, a, found.at[0].from_time);
		begin = from < begin ? from : begin;
	}
	return begin;
}
