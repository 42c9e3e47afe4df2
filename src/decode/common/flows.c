/* flows.c - see flows.h. */
#include "src/decode/common/flows.h"

#include <stdlib.h>

#include "model/base/bisect.h"
#include "model/base/mem.h"
#include "model/base/ordered.h"

void
flows_add(struct flows *f, uint64_t id, uint32_t track, int64_t time_ns, unsigned bits)
{
	if (f->at.n < UINT32_MAX)
		*vec_push(&f->at) = (struct flow_event){id, time_ns, track, (uint32_t)f->at.n,
							(uint8_t)bits};
}

#define SPREAD_BITS 20u

ORDERED_NUMBERS(by_number, int64_t)

ORDERED_BY_THREE(by_id, struct flow_event, id, time_ns, order)

/* Returns the first of n sorted times that is not before `time`; `time` if there is none. */
static int64_t
next_of(const int64_t *at, size_t n, int64_t time)
{
	size_t first = bisect(i, n, at[i] < time);

	return first < n ? at[first] : time;
}

/* Events of one track are linked, so that its slices are sorted once, and one track's at a time. */
void
flows_bind(struct flows *f, struct cast *c)
{
	struct flow_event *e = f->at.at;
	uint32_t *first = mem_zalloc(c->track.n + 1, sizeof *first); /* index + 1; 0: none */
	uint32_t *next = mem_alloc(f->at.n + 1, sizeof *next);

	for (uint32_t i = 0; i < f->at.n; i++) {
		if (!(e[i].bits & FLOW_NEXT))
			continue;
		next[i] = first[e[i].track];
		first[e[i].track] = i + 1;
	}
	for (uint32_t t = 0; t < c->track.n; t++) {
		size_t n = cast_track_slices(&c->track.at[t]);
		if (!first[t])
			continue;
		int64_t *start = cast_starts(c, t);
		sort_rows(start, n, sizeof *start, by_number);
		for (uint32_t i = first[t]; i; i = next[i - 1])
			e[i - 1].time_ns = next_of(start, n, e[i - 1].time_ns);
		free(start);
	}
	free_all(first, next);
}

/* ---- edges ---- */

/* Sorts the events by id. Most ids are hashes, so their highest bits give the place of an event
 * nearly, and only its neighbours are compared with it. */
static void
flows_sort(struct flows *f)
{
	size_t n = f->at.n, at = 0;
	unsigned bits = 1;

	while (bits < SPREAD_BITS && n >> (bits + 1))
		bits++;
	size_t *to = mem_zalloc((size_t)1 << bits, sizeof *to);
	struct flow_event *sorted = mem_alloc(n + 1, sizeof *sorted);
	for (size_t i = 0; i < n; i++)
		to[f->at.at[i].id >> (64 - bits)]++;
	for (size_t i = 0; i >> bits == 0; i++) {
		at += to[i];
		to[i] = at - to[i];
	}
	for (size_t i = 0; i < n; i++)
		sorted[to[f->at.at[i].id >> (64 - bits)]++] = f->at.at[i];
	sort_rows(sorted, n, sizeof *sorted, by_id);
	free_all(to, f->at.at);
	f->at.at = sorted;
	f->at.cap = n + 1;
}

/* Returns the actor of a track; ACTOR_NONE if nothing is on the track. */
static actor_id
actor_of(struct flows *f, struct cast *c, uint32_t track)
{
	uint32_t known = idmap_get(&f->actor_of, track);

	if (known != IDMAP_NONE)
		return known;
	if (!c->track.at[track].made)
		return ACTOR_NONE;
	cast_track_text(c, track);
	actor_id a = builder_actor_on(c->b, c->track.at[track].track, buf_str(&c->text),
				      c->text.len);
	if (a != ACTOR_NONE)
		idmap_put(&f->actor_of, track, a);
	return a;
}

void
flows_write(struct flows *f, struct cast *c)
{
	flows_sort(f);
	struct flow_event *e = f->at.at;
	for (size_t i = 1; i < f->at.n; i++) {
		if (e[i].id != e[i - 1].id || e[i - 1].bits & FLOW_ENDS || e[i].bits & FLOW_BEGINS)
			continue;
		actor_id from = actor_of(f, c, e[i - 1].track), to = actor_of(f, c, e[i].track);
		if (from != ACTOR_NONE && to != ACTOR_NONE)
			builder_edge(c->b, e[i].bits & FLOW_LINK ? EDGE_LINK : EDGE_FLOW, from,
				     e[i - 1].time_ns, to, e[i].time_ns);
	}
}

void
flows_release(struct flows *f)
{
	vec_release(&f->at);
	idmap_release(&f->actor_of);
}
