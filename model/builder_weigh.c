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
static bool
weigh(struct builder *b, metric_id m, int64_t v)
{
	int64_t sum;

	if (v == INT64_MIN ||
	    __builtin_add_overflow(b->p->weight[m], v < 0 ? -v : v, &sum))
		return false;
	b->p->weight[m] = sum;
	return true;
}

/* False where that passes 2^63 already. */
static bool
event_adds(const struct builder *b, const struct series *s, unsigned m,
	   const struct builder_adds *a, int64_t *v)
{
	int64_t n = 1;

	switch ((enum metric_role)s->role[m]) {
	case ROLE_VALUE:
		*v = a->values ? a->values[s->column[m]] : 0;
		return true;
	case ROLE_EVENTS:
		break;
	case ROLE_TIME:
		n = a->lasts;
		break;
	case ROLE_CALLS:
		n = (a->flags & STEP_CALL) != 0;
		break;
	case ROLE_LINES:
		n = (a->flags & STEP_LINE) != 0;
		break;
	}
	/* what is counted and not given has no decimals of its own: see tally.c */
	int64_t unit = s->metric[m] != METRIC_NONE && b->p->metric[s->metric[m]].decimals
			       ? BUILDER_MILLION
			       : 1;
	return !__builtin_mul_overflow(n, unit, v);
}

bool
builder_weigh_event(struct builder *b, const struct series *s, const struct builder_adds *a)
{
	int64_t v;

	for (unsigned m = 0; m < s->n_metrics; m++) {
		if (s->metric[m] == METRIC_NONE ||
		    (event_adds(b, s, m, a, &v) && weigh(b, s->metric[m], v)))
			continue;
		while (m-- > 0)
			if (s->metric[m] != METRIC_NONE && event_adds(b, s, m, a, &v))
				b->p->weight[s->metric[m]] -= v < 0 ? -v : v;
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
		    !(event_adds(b, s, m, &a, &v) && weigh(b, s->metric[m], v)))
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
