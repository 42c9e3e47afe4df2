/* layout_hold.c - the duration of a sample: one rule for all pictures.
 *
 * A sample means "this ran just now" and represents a piece of time. The best source of its
 * duration is the file: the sample's weight, if that is a time, or the interval of its event.
 * Else it is the median distance of samples on busy tracks. On a track that rarely runs, the
 * distances are those of its sleep. So tracks with less than half the samples of the busiest
 * one of the same event are ignored. If a sample lasted until the next one, a thread that ran
 * for 4 ms of 5 s would look as if it never stopped. */
#include <assert.h>
#include <stdlib.h>

#include "model/base/ordered.h"
#include "model/base/sum.h"
#include "model/picture/layout_inside.h"

#define GAPS_TRACK 255u /* distances read per track */
#define GAPS_MAX 4096u

static bool
is_ns(const struct profile *p, const struct series *s, unsigned m)
{
	const struct metric *metric = &p->metric[s->metric[m]];
	return s->role[m] == ROLE_VALUE && metric->unit == UNIT_NS && !metric->decimals &&
	       !metric->computed;
}

/* Returns 1 + the metric whose values are times, preferably `metric`; 0 if there is none. */
static uint8_t
time_weight(const struct profile *p, const struct series *s, metric_id metric)
{
	uint8_t found = 0;
	if (p->track[s->track].unit != UNIT_NS)
		return 0;
	for (unsigned m = 0; m < s->n_metrics; m++)
		if (is_ns(p, s, m) && (!found || s->metric[m] == metric))
			found = (uint8_t)(m + 1);
	return found;
}

/* Returns true for samples of the same event, in the same unit of time. */
static bool
is_alike(const struct profile *p, const struct series *a, const struct series *b)
{
	if (b->kind != SERIES_SAMPLES || !b->sorted || a->n_metrics != b->n_metrics ||
	    p->track[a->track].group != p->track[b->track].group)
		return false;
	for (unsigned m = 0; m < a->n_metrics; m++)
		if (a->metric[m] != b->metric[m])
			return false;
	return true;
}

ORDERED_NUMBERS(by_length, int64_t)

static size_t
add_gaps(const struct series *s, int64_t *gap, size_t n)
{
	uint64_t pairs = s->n - 1, step = pairs / GAPS_TRACK + 1;
	for (uint64_t i = 0; i < pairs && n < GAPS_MAX; i += step) {
		struct event e;
		series_event(s, i, &e);
		if (e.end > e.time) /* several at one moment count once */
			gap[n++] = difference_clipped(e.end, e.time);
	}
	return n;
}

/* Returns the median distance on tracks at least half as busy as the busiest. */
static int64_t
usual_gap(const struct profile *p, const struct series *s)
{
	int64_t gap[GAPS_MAX];
	size_t n = 0;
	uint64_t most = 0;
	for (int pass = 0; pass < 2; pass++)
		for (track_id t = 0; t < p->n_tracks; t++)
			for (uint32_t i = 0; i < p->track[t].n_series; i++) {
				const struct series *x = p->track[t].series[i];
				if (!is_alike(p, s, x))
					continue;
				if (!pass)
					most = x->n > most ? x->n : most;
				else if (x->n > 1 && x->n >= most - most / 2)
					n = add_gaps(x, gap, n);
			}
	qsort(gap, n, sizeof *gap, by_length);
	return n ? gap[n / 2] : 1;
}

int64_t
layout_hold(struct layout *l, const struct profile *p, const struct series *s)
{
	if (s->kind != SERIES_SAMPLES)
		return INT64_MAX;
	if (s->interval > 0)
		return s->interval;
	for (size_t i = 0; i < l->n_usual; i++)
		if (l->usual[i].of == p->names.serial && l->usual[i].events == p->events &&
		    is_alike(p, s, l->usual[i].series))
			return l->usual[i].gap;
	int64_t gap = usual_gap(p, s);
	size_t at = l->n_usual < LAYOUT_USUAL ? l->n_usual++ : l->next_usual++ % LAYOUT_USUAL;
	l->usual[at] = (struct layout_usual){s, p->names.serial, p->events, gap};
	return gap;
}

void
layout_lane_look(struct layout *l, const struct profile *p, struct layout_lane *lane,
		 metric_id metric)
{
	const struct series *s = lane->series;
	lane->weight = s->kind == SERIES_SAMPLES ? time_weight(p, s, metric) : 0;
	lane->held = layout_held_metric(p, s, metric);
	lane->start = p->group[p->track[s->track].group].start;
	lane->end = p->group[p->track[s->track].group].end;
	if (lane->held)
		lane->weight = 0;
	lane->hold = lane->weight ? 0 : lane->held ? INT64_MAX : layout_hold(l, p, s);
}

int64_t
layout_event_end(const struct layout_lane *lane, uint64_t i, const struct event *e)
{
	const struct series *s = lane->series;
	int64_t until, hold = lane->hold;
	if (s->kind == SERIES_STEPS)
		return e->end;
	if (lane->weight) {
		const struct chunk *c = series_chunk(s, i);
		hold = series_number(s, c, (uint32_t)(i - c->first), lane->weight - 1u);
	}
	if (__builtin_add_overflow(e->time, hold > 1 ? hold : 1, &until))
		until = INT64_MAX;
	if (lane->held && until > lane->end)
		until = lane->end > e->time ? lane->end : sum_clipped(e->time, 1);
	return i + 1 < s->n && e->end < until ? e->end : until;
}
