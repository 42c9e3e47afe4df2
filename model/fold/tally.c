#include "model/fold/tally.h"

#include <stdlib.h>
#include <string.h>

#include "model/base/mem.h"
#include "model/base/sum.h"
#include "model/profile/tracks.h"

/* The numbers of a range of events are the difference of two prefix sums. A prefix sum is the
 * nearest checkpoint plus the events between it and the moment. If reading the events of the
 * range one by one is cheaper, they are read.
 *
 * A step counts from its beginning to the beginning of the next one. Events are first added
 * whole; then the parts beyond both ends of the range are corrected.
 *
 * Most of the time goes into adding events to their stacks, which are scattered in memory. The
 * metric and the count of events of a stack share a cell, so that an event costs one cache line
 * and not two. */

struct counter {
	struct tally *t;
	const struct series *s;
	int value, calls, lines, events; /* index of these in the series, or -1 */
	int64_t unit; /* of the value: profile_metric_unit() */
};

/* Returns the metric that counts its events, which every series but one of points has. */
static int
find_events(const struct series *s)
{
	for (unsigned i = 0; i < s->n_metrics; i++)
		if (s->role[i] == ROLE_EVENTS)
			return (int)i;
	return -1;
}

/* Events are processed in pieces that fit the first-level cache. */
#define PIECE 1024u

/* Adds the metric and the number of events of a piece to the cells. */
static void
add_cells(struct counter *k, const struct chunk *c, uint32_t from, uint32_t n,
	  int64_t sign)
{
	struct tally_cell *cell = k->t->cell;
	int64_t value[PIECE], unit = sign * k->unit;
	uint32_t stack[PIECE];

	chunk_stacks(c, from, n, stack);
	if (k->value >= 0)
		chunk_adds(k->s, c, from, n, (unsigned)k->value, chunk_end(k->s, c), value);
	else
		memset(value, 0, n * sizeof *value);
	for (uint32_t i = 0; i < n; i++) {
		cell[stack[i] & STEP_STACK].value += unit * value[i];
		cell[stack[i] & STEP_STACK].hits += (uint32_t)sign;
	}
}

/* Adds another metric of a piece: calls, lines. */
static void
add_counts(struct counter *k, const struct chunk *c, uint32_t from, uint32_t n, int m,
	   int64_t sign, int64_t *out)
{
	int64_t value[PIECE];
	uint32_t stack[PIECE];

	if (m < 0)
		return;
	chunk_stacks(c, from, n, stack);
	chunk_adds(k->s, c, from, n, (unsigned)m, chunk_end(k->s, c), value);
	for (uint32_t i = 0; i < n; i++)
		out[stack[i] & STEP_STACK] += sign * value[i];
}

/* Adds events [a, b) of the series, one by one. */
static void
add_range(struct counter *k, uint64_t a, uint64_t b, int64_t sign)
{
	const struct series *s = k->s;

	k->t->events += b - a;
	while (a < b) {
		const struct chunk *c = series_chunk(s, a);
		uint32_t from = (uint32_t)(a - c->first);
		uint32_t to = b - c->first < c->n ? (uint32_t)(b - c->first) : c->n;
		a += to - from;
		for (uint32_t n; from < to; from += n) {
			n = to - from < PIECE ? to - from : PIECE;
			if (!pace_on(k->t->pace, n))
				return;
			add_cells(k, c, from, n, sign);
			add_counts(k, c, from, n, k->calls, sign, k->t->calls);
			add_counts(k, c, from, n, k->lines, sign, k->t->lines);
		}
	}
}

/* Computes one metric of the events between two checkpoints (-1: the beginning): the difference
 * of their sums for the stacks seen[from..]; n <= PIECE. */
static void
tally_difference(const struct series *s, int64_t low, int64_t high, int m, uint32_t from,
		 uint32_t n, int64_t *out)
{
	memset(out, 0, n * sizeof *out);
	series_checkpoint_add(s, (uint32_t)high, (unsigned)m, from, n, 1, out);
	if (low >= 0)
		series_checkpoint_add(s, (uint32_t)low, (unsigned)m, from, n, -1, out);
}

static void
add_between_checkpoints(struct counter *k, int64_t low, int64_t high)
{
	const struct series *s = k->s;
	uint32_t seen = s->checkpoint[high].n;
	int64_t value[PIECE], events[PIECE];

	for (uint32_t from = 0, n; from < seen; from += n) {
		const stack_id *stack = s->seen + from;
		n = seen - from < PIECE ? seen - from : PIECE;
		if (!pace_on(k->t->pace, n))
			return;
		tally_difference(s, low, high, k->events, from, n, events);
		for (uint32_t i = 0; i < n; i++)
			k->t->cell[stack[i]].hits += (uint32_t)events[i];
		if (k->value >= 0 && k->value != k->events)
			tally_difference(s, low, high, k->value, from, n, value);
		for (uint32_t i = 0; k->value >= 0 && i < n; i++)
			k->t->cell[stack[i]].value +=
				k->unit * (k->value == k->events ? events[i] : value[i]);
		if (k->calls >= 0)
			tally_difference(s, low, high, k->calls, from, n, value);
		for (uint32_t i = 0; k->calls >= 0 && i < n; i++)
			k->t->calls[stack[i]] += value[i];
		if (k->lines >= 0)
			tally_difference(s, low, high, k->lines, from, n, value);
		for (uint32_t i = 0; k->lines >= 0 && i < n; i++)
			k->t->lines[stack[i]] += value[i];
	}
}

static uint64_t
checkpoint_events(const struct series *s, int64_t c)
{
	return c < 0 ? 0 : s->checkpoint[c].events;
}

/* Adds the events from a checkpoint up to event i; if i is before it, subtracts those between. */
static void
add_from_checkpoint(struct counter *k, int64_t c, uint64_t i, int64_t sign)
{
	uint64_t at = checkpoint_events(k->s, c);

	if (at <= i)
		add_range(k, at, i, sign);
	else
		add_range(k, i, at, -sign);
}

static uint64_t
distance(uint64_t a, uint64_t b)
{
	return a < b ? b - a : a - b;
}

/* Adds events [a, b), the cheaper way. */
static void
add_events_between(struct counter *k, uint64_t a, uint64_t b)
{
	const struct series *s = k->s;
	int64_t low = series_checkpoint_near(s, a), high = series_checkpoint_near(s, b);
	uint64_t walk = distance(checkpoint_events(s, low), a) +
			distance(checkpoint_events(s, high), b);
	uint64_t copy = (low < 0 ? 0 : s->checkpoint[low].n) +
			(high < 0 ? 0 : s->checkpoint[high].n);

	if (low == high || b - a <= walk + copy) {
		add_range(k, a, b, 1);
		return;
	}
	add_between_checkpoints(k, low, high);
	add_from_checkpoint(k, high, b, 1);
	add_from_checkpoint(k, low, a, -1);
}

/* Corrects the steps at both ends: one that extends over `from` counts the part after it; one
 * that extends over `to` was counted whole, so the part after is subtracted. */
static void
correct_ends(struct counter *k, uint64_t a, uint64_t b, int64_t from, int64_t to)
{
	const struct series *s = k->s;
	bool lasts = k->value >= 0 && role_lasts((enum metric_role)s->role[k->value]);
	struct event e;

	if (a > 0 && series_event(s, a - 1, &e) && e.end > from) {
		stack_id stack = e.stack & STEP_STACK;
		if (lasts)
			k->t->cell[stack].value += series_lasts(s, (unsigned)k->value, from,
								e.end < to ? e.end : to);
		k->t->cell[stack].hits++;
	}
	if (b > a && series_event(s, b - 1, &e) && e.end > to)
		if (lasts)
			k->t->cell[e.stack & STEP_STACK].value -=
				series_lasts(s, (unsigned)k->value, to, e.end);
}

/* Adds an unsorted series (still loading): reads every event. */
static void
add_unsorted(struct counter *k, int64_t from, int64_t to)
{
	for (uint32_t i = 0; i < k->s->n_chunks; i++) {
		const struct chunk *c = &k->s->chunk[i];
		uint32_t run = 0; /* events before `at` that are in the range */
		for (uint32_t at = 0; at <= c->n; at++) {
			int64_t t = at < c->n ? column_get(&c->time, at) : to;
			if (t >= from && t < to) {
				run++;
				continue;
			}
			if (run)
				add_range(k, c->first + at - run, c->first + at, 1);
			run = 0;
		}
	}
}

static void
add_totals(struct counter *k)
{
	const struct series *s = k->s;

	int64_t events[TOTALS_PAGE], value[TOTALS_PAGE], calls[TOTALS_PAGE];

	for (uint32_t i = 0; i < s->n_pages; i++) {
		const struct totals *page = &s->page[(size_t)i * s->n_metrics];
		stack_id stack = series_page_stack(s, i);
		if (!pace_on(k->t->pace, TOTALS_PAGE))
			return;
		if (!page[k->events].at)
			continue;
		totals_read(&page[k->events], events);
		if (k->value >= 0)
			totals_read(&page[k->value], value);
		if (k->calls >= 0)
			totals_read(&page[k->calls], calls);
		for (uint32_t at = 0; at < TOTALS_PAGE; at++) {
			if (!events[at])
				continue;
			k->t->cell[stack + at].hits++;
			if (k->value >= 0)
				k->t->cell[stack + at].value += k->unit * value[at];
			if (k->calls >= 0)
				k->t->calls[stack + at] += calls[at];
		}
	}
}

static void
tally_add_series(struct counter *k, const struct profile *p, const struct slice *slice,
		 int64_t origin)
{
	const struct series *s = k->s;

	k->value = series_metric(s, slice->metric);
	k->calls = k->t->calls ? series_metric(s, p->calls_metric) : -1;
	k->lines = k->t->lines ? series_metric(s, p->lines_metric) : -1;
	k->events = find_events(s);
	k->unit = k->value < 0 ? 1 : profile_metric_unit(p, s, (unsigned)k->value);
	if (s->kind == SERIES_TOTALS) {
		if (slice->whole)
			add_totals(k);
		return;
	}
	if (s->kind == SERIES_POINTS || !s->n)
		return;
	if (slice->whole) {
		add_events_between(k, 0, s->n);
		return;
	}
	int64_t from = sum_clipped(origin, slice->from),
		to = sum_clipped(origin, slice->to);
	if (to <= from)
		return;
	if (!s->sorted) {
		add_unsorted(k, from, to);
		return;
	}
	if (s->end_time < from)
		return;
	uint64_t a = series_find(s, from),
		 b = to == INT64_MAX ? s->n : series_find(s, to);
	add_events_between(k, a, b);
	if (s->kind == SERIES_STEPS)
		correct_ends(k, a, b, from, to);
}

void
tally_init(struct tally *t)
{
	*t = (struct tally){0};
}

void
tally_release(struct tally *t)
{
	free(t->calls);
	free(t->lines);
	free(t->cell);
	tally_init(t);
}

int64_t *
tally_column(bool wanted, int64_t *at, uint32_t n)
{
	if (!wanted) {
		free(at);
		return NULL;
	}
	at = mem_realloc(at, n, sizeof *at);
	memset(at, 0, n * sizeof *at);
	return at;
}

void
tally_clear(struct tally *t, const struct profile *p)
{
	t->n = p->stacks.n;
	t->events = 0;
	t->calls = tally_column(p->calls_metric != METRIC_NONE, t->calls, t->n);
	t->lines = tally_column(p->lines_metric != METRIC_NONE, t->lines, t->n);
	t->cell = mem_realloc(t->cell, t->n, sizeof *t->cell);
	pace_clear(t->cell, t->n * sizeof *t->cell, t->pace);
}

void
tally_add_track(struct tally *t, const struct profile *p, const struct slice *slice,
		track_id track)
{
	const struct track *of = &p->track[track];
	struct counter k = {.t = t};

	for (uint32_t n = 0; n < of->n_series; n++) {
		k.s = of->series[n];
		tally_add_series(&k, p, slice, p->group[of->group].start);
	}
}

void
tally_count(struct tally *t, const struct profile *p, const struct slice *slice)
{
	tally_clear(t, p);
	for (track_id i = 0; i < p->n_tracks; i++) {
		if (slice->tracks && !slice->tracks[i])
			continue;
		if (!pace_on(t->pace, 64))
			return;
		tally_add_track(t, p, slice, i);
	}
	t->cell[STACK_EMPTY] = (struct tally_cell){0};
}

/* Returns false if the series certainly has nothing in the range. */
static bool
may_count(const struct series *s, const struct slice *slice, int64_t origin)
{
	if (slice->whole)
		return true;
	if (s->kind != SERIES_STEPS && s->kind != SERIES_SAMPLES)
		return false;
	return s->n && (!s->sorted || s->end_time >= sum_clipped(origin, slice->from));
}

uint8_t *
tally_tracks(const struct profile *p, const struct slice *slice)
{
	uint8_t *counts = mem_zalloc((size_t)p->n_tracks + 1, 1);

	for (track_id i = 0; i < p->n_tracks; i++) {
		const struct track *t = &p->track[i];
		if (slice->tracks && !slice->tracks[i])
			continue;
		for (uint32_t n = 0; n < t->n_series && !counts[i]; n++)
			counts[i] = may_count(t->series[n], slice, p->group[t->group].start);
	}
	return counts;
}

static int64_t
series_sum(const struct profile *p, const struct series *s, const struct slice *slice,
	   const struct group *g)
{
	int m = series_metric(s, slice->metric);
	int64_t from = g->start, to = sum_clipped(g->end, 1), sum = 0;

	if (m < 0 || s->kind == SERIES_POINTS)
		return 0;
	if (slice->whole)
		return series_whole(s, (unsigned)m) * profile_metric_unit(p, s, (unsigned)m);
	if (s->kind == SERIES_TOTALS)
		return 0;
	int64_t begin = sum_clipped(g->start, slice->from),
		end = sum_clipped(g->start, slice->to);
	from = begin > from ? begin : from;
	to = end < to ? end : to;
	series_bins(s, (unsigned)m, from, to, 1, &sum);
	return sum * profile_metric_unit(p, s, (unsigned)m);
}

int64_t
tally_track(const struct profile *p, track_id track, const struct slice *slice)
{
	const struct track *t = &p->track[track];
	int64_t sum = 0;

	for (uint32_t i = 0; i < t->n_series; i++)
		sum += series_sum(p, t->series[i], slice, &p->group[t->group]);
	return sum;
}
