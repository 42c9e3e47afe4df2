/* flows.c - see flows.h. */
#include "src/decode/common/flows.h"

#include <stdlib.h>

#include "model/base/mem.h"
#include "src/decode/common/bisect.h"
#include "src/decode/common/ordered.h"

void
flows_add(struct flows *f, uint64_t id, uint32_t track, int64_t time_ns, unsigned bits)
{
	if (f->at.n < UINT32_MAX)
		*vec_push(&f->at) = (struct flow_event){id, time_ns, track, (uint32_t)f->at.n,
							(uint8_t)bits};
}

ORDERED_NUMBERS(by_number, int64_t)

ORDERED_BY_TWO(by_track, struct flow_event, track, order)

ORDERED_BY_THREE(by_id, struct flow_event, id, time_ns, order)

/* Returns the first of n sorted times that is not before `time`; `time` if there is none. */
static int64_t
next_of(const int64_t *at, size_t n, int64_t time)
{
	size_t first = bisect(i, n, at[i] < time);

	return first < n ? at[first] : time;
}

/* Binds n events of one track. */
static void
bind_track(struct flow_event *e, size_t n, const struct slices *s)
{
	int64_t *start = NULL;

	for (size_t i = 0; i < n; i++) {
		if (!(e[i].bits & FLOW_NEXT))
			continue;
		if (!start) {
			start = mem_alloc(s->n + 1, sizeof *start);
			for (size_t k = 0; k < s->n; k++)
				start[k] = slices_ns(s->at[k].start, 0);
			qsort(start, s->n, sizeof *start, by_number);
		}
		e[i].time_ns = next_of(start, s->n, e[i].time_ns);
	}
	free(start);
}

void
flows_bind(struct flows *f, const struct cast *c)
{
	struct flow_event *e = f->at.at;

	vec_sort(&f->at, by_track);
	for (size_t i = 0, end; i < f->at.n; i = end) {
		for (end = i + 1; end < f->at.n && e[end].track == e[i].track; end++)
			;
		bind_track(e + i, end - i, &c->track.at[e[i].track].slices);
	}
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
	struct flow_event *e = f->at.at;

	vec_sort(&f->at, by_id);
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
