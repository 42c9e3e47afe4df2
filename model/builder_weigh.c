#include "model/builder_inside.h"

/* Times and the sums of values stay below 2^63 over the whole profile, so that no reader
 * has to check its own sums: differences of times here, sums in weigh().  What is refused
 * has changed nothing: everything is checked before the first change.
 *
 * What every event asks and nearly always answers the same is inline (builder_inside.h). */
void
builder_reaches_out(struct builder *b, track_id t, int64_t time)
{
	struct track *track = &b->p->track[t];
	struct group *group = &b->p->group[track->group];

	group->start = group->has_time && group->start < time ? group->start : time;
	group->end = group->has_time && group->end > time ? group->end : time;
	group->has_time = true;
	if (!track->has_time) {
		track->has_time = true;
		track->start = track->end = time;
	}
	track->start = time < track->start ? time : track->start;
	track->end = time > track->end ? time : track->end;
}

/* Adds a value to what the whole profile holds of a metric, by size: parts of a sum with
 * negative values may be larger than all of it. */
static inline bool
weigh(int64_t *weight, int64_t v)
{
	int64_t sum;

	if (v == INT64_MIN || __builtin_add_overflow(*weight, v < 0 ? -v : v, &sum))
		return false;
	*weight = sum;
	return true;
}

/* How often an event counts, or how long, for a metric that is not given as a value. */
static inline int64_t
event_counts(enum metric_role role, const struct builder_adds *a)
{
	switch (role) {
	case ROLE_VALUE:
	case ROLE_EVENTS:
		break;
	case ROLE_TIME:
		return a->lasts;
	case ROLE_CALLS:
		return (a->flags & STEP_CALL) != 0;
	case ROLE_LINES:
		return (a->flags & STEP_LINE) != 0;
	}
	return 1;
}

/* What an event adds to metric m of its series, which is one.  False where that passes 2^63
 * already.  This is on every event's way. */
static inline bool
event_adds(const struct builder *b, const struct series *s, unsigned m,
	   const struct builder_adds *a, int64_t *v)
{
	enum metric_role role = (enum metric_role)s->role[m];

	if (role == ROLE_VALUE) {
		*v = a->values ? a->values[s->column[m]] : 0;
		return true;
	}
	*v = event_counts(role, a);
	/* what is counted and not given has no decimals of its own: see tally.c */
	return !b->p->metric[s->metric[m]].decimals ||
	       !__builtin_mul_overflow(*v, BUILDER_MILLION, v);
}

/* Takes the first n metrics of an event back. */
static void
unweigh(struct builder *b, const struct series *s, const struct builder_adds *a, unsigned n)
{
	int64_t v;

	while (n-- > 0)
		if (s->metric[n] != METRIC_NONE && event_adds(b, s, n, a, &v))
			b->p->weight[s->metric[n]] -= v < 0 ? -v : v;
}

bool
builder_weigh_event(struct builder *b, const struct series *s, const struct builder_adds *a)
{
	int64_t *weight = b->p->weight, v;

	for (unsigned m = 0; m < s->n_metrics; m++) {
		metric_id metric = s->metric[m];
		if (metric == METRIC_NONE)
			continue;
		if (event_adds(b, s, m, a, &v) && weigh(&weight[metric], v))
			continue;
		unweigh(b, s, a, m);
		return false;
	}
	return true;
}

bool
builder_weigh_end(struct builder *b, const struct series *s, int64_t time)
{
	struct builder_adds a = {.lasts = builder_more_time(s, time)};

	for (unsigned m = 0; m < s->n_metrics; m++) {
		int64_t v;
		if (s->role[m] == ROLE_TIME &&
		    !(event_adds(b, s, m, &a, &v) && weigh(&b->p->weight[s->metric[m]], v)))
			return false;
	}
	return true;
}

bool
builder_multiply(const struct builder *b, const struct series *s, const int64_t **values,
		 int64_t *own)
{
	if (!b->multiplies)
		return true;
	for (unsigned i = 0; i < s->n_metrics; i++) {
		unsigned at = s->column[i];
		if (s->role[i] != ROLE_VALUE)
			continue;
		bool whole = b->own[s->metric[i]].whole;
		if (__builtin_mul_overflow((*values)[at], whole ? BUILDER_MILLION : 1, &own[at]))
			return false;
	}
	*values = own;
	return true;
}
