/* comms.c - see comms.h.
 *
 * Nearly every event says a name again. So one that goes on is an entry with the first and the last
 * time at which it was said, as long as the times of its events rise. */
#include "src/decode/common/comms.h"

#include <stdlib.h>

#include "model/base/bisect.h"
#include "model/base/ordered.h"

/* A name, or an end, at one time. */
struct comm_point {
	int64_t tid, time_ns;
	uint32_t order;
	name_id name;
};

ORDERED_BY_THREE(comm_by_time, struct comm_point, tid, time_ns, order)

static void
say(struct comms *c, int64_t tid, int64_t time_ns, name_id name)
{
	idmap_put(&c->last_of, (uint64_t)tid, (uint32_t)c->said.n);
	*vec_push(&c->said) = (struct comm){tid, time_ns, time_ns, name};
}

void
comms_named(struct comms *c, int64_t tid, int64_t time_ns, name_id name)
{
	if (tid <= 0 || name == NAME_EMPTY)
		return;
	uint32_t i = idmap_get(&c->last_of, (uint64_t)tid);
	struct comm *last = i == IDMAP_NONE ? NULL : &c->said.at[i];
	if (last && last->name == name && time_ns >= last->last_ns)
		last->last_ns = time_ns;
	else
		say(c, tid, time_ns, name);
}

void
comms_ends(struct comms *c, int64_t tid, int64_t time_ns)
{
	if (tid > 0)
		say(c, tid, time_ns, NAME_EMPTY);
}

void
comms_begins(struct comms *c, int64_t tid, int64_t time_ns)
{
	if (time_ns > INT64_MIN)
		comms_ends(c, tid, time_ns - 1);
}

void
comms_settle(struct comms *c)
{
	VEC(struct comm_point) point = VEC_INIT;
	name_id name = NAME_EMPTY;

	for (size_t i = 0; i < c->said.n; i++) {
		const struct comm *s = &c->said.at[i];
		uint32_t order = (uint32_t)i;
		*vec_push(&point) = (struct comm_point){s->tid, s->first_ns, order, s->name};
		if (s->last_ns > s->first_ns)
			*vec_push(&point) =
				(struct comm_point){s->tid, s->last_ns, order, s->name};
	}
	vec_sort(&point, comm_by_time);
	c->life.n = 0;
	for (size_t i = 0; i < point.n; i++) {
		const struct comm_point *p = &point.at[i];
		bool last = i + 1 == point.n || p[1].tid != p->tid;
		if (p->name == NAME_EMPTY)
			*vec_push(&c->life) = (struct comm_life){p->tid, p->time_ns, name};
		name = p->name;
		if (!last)
			continue;
		if (name != NAME_EMPTY)
			*vec_push(&c->life) = (struct comm_life){p->tid, INT64_MAX, name};
		else
			c->life.at[c->life.n - 1].until_ns = INT64_MAX;
		name = NAME_EMPTY;
	}
	vec_release(&point);
}

const struct comm_life *
comms_life_at(const struct comms *c, int64_t tid, int64_t time_ns)
{
	const struct comm_life *l = c->life.at;
	size_t at = bisect(i, c->life.n,
			   l[i].tid < tid || (l[i].tid == tid && l[i].until_ns < time_ns));

	return at < c->life.n && l[at].tid == tid ? &l[at] : NULL;
}

name_id
comms_at(const struct comms *c, int64_t tid, int64_t time_ns)
{
	const struct comm_life *l = comms_life_at(c, tid, time_ns);

	return l ? l->name : NAME_EMPTY;
}

void
comms_release(struct comms *c)
{
	vec_release_all(&c->said, &c->life);
	idmap_release(&c->last_of);
}
