/* actorsum.c - see actorsum.h. */
#include "model/fold/actorsum.h"

#include <stdlib.h>
#include <string.h>

#include "model/base/map.h"
#include "model/base/mem.h"
#include "model/base/sum.h"
#include "model/profile/running.h"

/* The range, from each file's first event, and the actors of the lens. */
struct summing {
	const struct profile *p;
	struct pace *pace;
	struct actorsum *out;
	int64_t from, to;
	uint8_t *keep;
	struct map of; /* rows of edges, by kind and ends */
	track_id *owner;  /* of edges: running_owners() */
	actor_id *row_of; /* of edges, [actor]: the actor that has its rows */
};

static bool
summing_init(struct summing *s, const struct lens *l, struct err *e)
{
	bool whole;

	if (!lens_range(l, s->p, &s->from, &s->to, &whole, e))
		return false;
	s->keep = lens_actors(l, s->p);
	return true;
}

static void
row_add(struct actorsum_row *row, int64_t lasts)
{
	row->count++;
	row->total_ns = sum_clipped(row->total_ns, lasts);
	row->longest_ns = lasts > row->longest_ns ? lasts : row->longest_ns;
}

/* ---- states ---- */

/* Adds a state in [start, end) to its row; one without length lies in a range by its start. */
static void
state_add(const struct summing *s, struct actorsum_row *rows, enum actor_state state,
	  int64_t start, int64_t end)
{
	bool empty = start == end;

	if (start >= s->to || (empty ? start < s->from : end <= s->from))
		return;
	start = start < s->from ? s->from : start;
	end = end > s->to ? s->to : end;
	row_add(&rows[state], difference_clipped(end, start));
}

static void
actor_sum(const struct summing *s, actor_id id)
{
	const struct actor *a = &s->p->actor[id];
	const struct group *g = &s->p->group[a->group];
	struct actorsum_row rows[ACTOR_STATE_COUNT] = {{0}};
	int64_t end = difference_clipped(g->end, g->start), start;

	if (!a->n)
		return;
	start = difference_clipped(actor_time(a, 0), g->start);
	if (start > 0)
		state_add(s, rows, ACTOR_UNKNOWN, 0, start);
	for (uint32_t i = 0; i < a->n && pace_on(s->pace, 1); i++) {
		int64_t next = i + 1 < a->n ? difference_clipped(actor_time(a, i + 1), g->start)
					    : end;
		state_add(s, rows, actor_state(a, i), start, next);
		start = next;
	}
	for (unsigned i = 0; i < ACTOR_STATE_COUNT; i++) {
		rows[i].what = (uint8_t)i;
		rows[i].from = ACTOR_NONE;
		rows[i].to = id;
		rows[i].to_name = a->name;
		if (rows[i].count)
			*vec_push(&s->out->row) = rows[i];
	}
}

bool
actorsum_states(const struct profile *p, const struct lens *l, struct pace *pace,
		struct actorsum *out, struct err *e)
{
	struct summing s = {.p = p, .pace = pace, .out = out};

	if (!summing_init(&s, l, e))
		return false;
	for (actor_id i = 0; i < p->n_actors; i++)
		if (s.keep[i])
			actor_sum(&s, i);
	free(s.keep);
	return true;
}

/* ---- edges ---- */

/* Finds the actor that has the rows of each actor: that of a lane is on the track whose lane it is,
 * or on another lane of it. */
static void
find_row_actors(struct summing *s)
{
	const struct profile *p = s->p;
	actor_id *on = mem_alloc((size_t)p->n_tracks + 1, sizeof *on); /* [track] */

	s->owner = running_owners(p);
	s->row_of = mem_alloc((size_t)p->n_actors + 1, sizeof *s->row_of);
	for (track_id t = 0; t < p->n_tracks; t++)
		on[t] = ACTOR_NONE;
	for (actor_id i = p->n_actors; i-- > 0;)
		if (p->actor[i].track < p->n_tracks)
			on[p->actor[i].track] = i;
	for (actor_id i = 0; i < p->n_actors; i++) {
		track_id t = p->actor[i].track;
		s->row_of[i] = i;
		if (t >= p->n_tracks || s->owner[t] == t)
			continue;
		if (on[s->owner[t]] == ACTOR_NONE)
			on[s->owner[t]] = i;
		s->row_of[i] = on[s->owner[t]];
	}
	free(on);
}

static name_id
row_name(const struct summing *s, actor_id a)
{
	track_id t = a == ACTOR_NONE ? TRACK_NONE : s->p->actor[a].track;

	if (t < s->p->n_tracks && s->owner[t] != t)
		return s->p->track[s->owner[t]].name;
	return a == ACTOR_NONE ? NAME_EMPTY : s->p->actor[a].name;
}

static void
edge_add(struct summing *s, enum edge_kind kind, actor_id from, actor_id to, int64_t waited)
{
	to = s->row_of[to];
	from = from == ACTOR_NONE ? ACTOR_NONE : s->row_of[from];
	uint64_t hash = ((uint64_t)from << 32 | to) * UINT64_C(0x9E3779B97F4A7C15) + (uint64_t)kind;
	struct actorsum_row *row;
	uint32_t slot, i;

	hash = (hash ^ hash >> 32) * UINT64_C(0xD6E8FEB86659FD93);
	slot = map_first(&s->of, hash);
	while (map_probe(&s->of, &slot, hash, &i)) {
		row = &s->out->row.at[i];
		if (row->what == kind && row->from == from && row->to == to) {
			row_add(row, waited);
			return;
		}
	}
	map_insert(&s->of, hash, (uint32_t)s->out->row.n);
	row = vec_push(&s->out->row);
	*row = (struct actorsum_row){.what = (uint8_t)kind,
				     .from = from,
				     .to = to,
				     .from_name = row_name(s, from),
				     .to_name = row_name(s, to)};
	row_add(row, waited);
}

/* Returns true if the time lies in the range of the actor's file. */
static bool
is_inside(const struct summing *s, actor_id to, int64_t time)
{
	int64_t at = difference_clipped(time, s->p->group[s->p->actor[to].group].start);

	return s->keep[to] && at >= s->from && at < s->to;
}

static int
compare_actor_names(const struct profile *p, name_id a, name_id b)
{
	return strcmp(names_get(&p->names, a).at, names_get(&p->names, b).at);
}

static int
compare_edges(const void *a, const void *b, void *context)
{
	const struct profile *p = ((const struct summing *)context)->p;
	const struct actorsum_row *x = a, *y = b;
	int order;

	if (x->total_ns != y->total_ns)
		return x->total_ns > y->total_ns ? -1 : 1;
	order = compare_actor_names(p, x->from_name, y->from_name);
	order = order ? order : compare_actor_names(p, x->to_name, y->to_name);
	if (order)
		return order;
	if (x->what != y->what)
		return x->what < y->what ? -1 : 1;
	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	return x->to < y->to ? -1 : x->to > y->to;
}

bool
actorsum_edges(const struct profile *p, const struct lens *l, struct pace *pace,
	       struct actorsum *out, struct err *e)
{
	struct summing s = {.p = p, .pace = pace, .out = out};

	if (!summing_init(&s, l, e))
		return false;
	map_init(&s.of);
	find_row_actors(&s);
	for (actor_id i = 0; i < p->n_actors; i++) {
		const struct actor *a = &p->actor[i];
		actor_id by;
		for (uint32_t k = 0; k < a->n && s.keep[i] && pace_on(pace, 1); k++)
			if (actor_woken(a, k, &by) && is_inside(&s, i, actor_time(a, k)))
				edge_add(&s, EDGE_WAKE, by, i, actor_waited(a, k));
	}
	for (uint32_t i = 0; i < p->n_edges && pace_on(pace, 1); i++) {
		const struct edge *edge = &p->edge[i];
		if (is_inside(&s, edge->to, edge->to_time))
			edge_add(&s, edge_kind(edge), edge_from(edge), edge->to,
				 difference_clipped(edge->to_time, edge->from_time));
	}
	map_release(&s.of);
	free_all(s.keep, s.owner, s.row_of);
	if (out->row.n > 1)
		qsort_r(out->row.at, out->row.n, sizeof *out->row.at, compare_edges, &s);
	return true;
}

void
actorsum_release(struct actorsum *s)
{
	vec_release(&s->row);
}
