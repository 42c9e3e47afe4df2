/* layout_hold.c - how long a sample lasts: the one rule for every picture.
 *
 * A sample says "this ran just now" and stands for a piece of time.  How long that is, the
 * file says best: as the sample's weight, where that is a time; or as the interval of its
 * event.  Else it is the median distance of samples on busy tracks: on a track that is
 * rarely on a processor the distances are those of its sleep, so tracks with less than half
 * the samples of the busiest of the same event are not asked.  Holding a sample until the
 * next one would draw a thread that ran for 4 ms of 5 s as one that never stopped. */
#include <assert.h>
#include <stdlib.h>

#include "model/picture/layout_inside.h"
#include "model/base/sum.h"

#define GAPS_TRACK 255u /* distances that are looked at, a track */
#define GAPS_MAX 4096u

static bool
is_ns(const struct profile *p, const struct series *s, unsigned m)
{
	const struct metric *metric = &p->metric[s->metric[m]];
	return s->role[m] == ROLE_VALUE && metric->unit == UNIT_NS && !metric->decimals;
}

/* Which of its metrics, values that are times, the one that is asked for before others; 0 or 1
 * more. */
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

/* Samples of the same event, in the same unit of time. */
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

static int
by_length(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
	return (x > y) - (x < y);
}

static size_t
add_gaps(const struct series *s, int64_t *gap, size_t n)
{
	uint64_t pairs = s->n - 1, step = pairs / GAPS_TRACK + 1;
	for (uint64_t i = 0; i < pairs && n < GAPS_MAX; i += step) {
		struct event e;
		series_event(s, i, &e);
		if (e.end > e.time) /* several at one moment are one */
			gap[n++] = difference_clipped(e.end, e.time);
	}
	return n;
}

/* The median distance on tracks that are as busy as half of the busiest. */
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
	lane->hold = lane->weight ? 0 : layout_hold(l, p, s);
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
	return i + 1 < s->n && e->end < until ? e->end : until;
}
