/* Actors follow one another, each with its states in the order of time.  The state before the
 * first one is unknown, and is a row like the others.  Wake-ups are part of the states that they
 * begin; the other edges are in a table of their own. */
#include "src/encode/shown_actors.h"

#include <stdlib.h>

#include "model/base/sum.h"

void
shown_actors_open(struct shown_actors *a, const struct shown *s)
{
	const struct fold *f = s->fold;

	*a = (struct shown_actors){
		.s = s,
		.keep = lens_actors(&s->lens, s->p),
		.from = f->whole ? INT64_MIN : f->from,
		.to = f->whole ? INT64_MAX : f->to,
	};
}

void
shown_actors_close(struct shown_actors *a)
{
	free(a->keep);
	a->keep = NULL;
}

void
shown_actors_rewind(struct shown_actors *a)
{
	a->actor = 0;
	a->i = 0;
}

static int64_t
time_in_file(const struct shown_actors *a, actor_id of, int64_t time)
{
	const struct profile *p = a->s->p;

	return difference_clipped(time, p->group[p->actor[of].group].start);
}

/* Reads the state before time[i] of the actor. Returns false if it lies outside of the range, or
 * if there is no state. */
static bool
state_before(const struct shown_actors *a, uint32_t i, struct shown_state *out)
{
	const struct profile *p = a->s->p;
	const struct actor *of = &p->actor[a->actor];

	*out = (struct shown_state){.of = a->actor, .by = ACTOR_NONE};
	out->state = i ? actor_state(of, i - 1) : ACTOR_UNKNOWN;
	out->start = i ? time_in_file(a, a->actor, actor_time(of, i - 1)) : 0;
	out->end = time_in_file(a, a->actor,
				i < of->n ? actor_time(of, i) : p->group[of->group].end);
	bool empty = out->start == out->end, begins = i && out->start >= a->from;
	if (out->start >= a->to || (empty ? !begins : out->end <= a->from))
		return false;
	out->woken = begins && actor_woken(of, i - 1, &out->by);
	out->start = out->start < a->from ? a->from : out->start;
	out->end = out->end > a->to ? a->to : out->end;
	return true;
}

bool
shown_actors_state(struct shown_actors *a, struct shown_state *out)
{
	const struct profile *p = a->s->p;

	for (; a->actor < p->n_actors; a->actor++, a->i = 0) {
		uint32_t n = p->actor[a->actor].n;
		while (n && a->keep[a->actor] && a->i <= n)
			if (state_before(a, a->i++, out))
				return true;
	}
	return false;
}

static bool
edge_is_shown(const struct shown_actors *a, const struct shown_edge *e)
{
	return a->keep[e->to] && e->to_time >= a->from && e->to_time < a->to;
}

bool
shown_actors_edge(struct shown_actors *a, struct shown_edge *out)
{
	const struct profile *p = a->s->p;

	for (; a->actor < p->n_actors; a->actor++, a->i = 0) {
		const struct actor *of = &p->actor[a->actor];
		*out = (struct shown_edge){.kind = EDGE_WAKE, .to = a->actor};
		while (a->keep[a->actor] && a->i < of->n) {
			uint32_t i = a->i++;
			out->to_time = time_in_file(a, a->actor, actor_time(of, i));
			out->from_time = out->to_time;
			if (actor_woken(of, i, &out->from) && edge_is_shown(a, out))
				return true;
		}
	}
	while (a->i < p->n_edges) {
		const struct edge *e = &p->edge[a->i++];
		*out = (struct shown_edge){.kind = edge_kind(e), .from = edge_from(e), .to = e->to};
		out->from_time = time_in_file(a, out->from, e->from_time);
		out->to_time = time_in_file(a, out->to, e->to_time);
		if (edge_is_shown(a, out))
			return true;
	}
	return false;
}
