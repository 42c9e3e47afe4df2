#include "model/tally.h"

#include <stdlib.h>
#include <string.h>

#include "model/mem.h"
#include "model/tracks.h"

/* The numbers of a range of events are the difference of two prefix sums, and a prefix
 * sum is the nearest checkpoint and the events between it and the moment.  Where that
 * would cost more than reading the events of the range one by one, they are read.
 *
 * A step counts from where it begins to where the next one does: events are added whole
 * first, then what hangs over either end of the range is corrected. */

struct counter {
	struct tally *t;
	const struct series *s;
	uint32_t *hits; /* [stack] events, modulo 2^32 */
	int value, calls, lines, events, time; /* index of these in the series, or -1 */
};

static int
find_metric(const struct series *s, metric_id m)
{
	for (unsigned i = 0; i < s->n_metrics; i++)
		if (s->metric[i] == m)
			return (int)i;
	return -1;
}

/* Adds `sign` times metric m of events [a, b) of one chunk to out[stack]. */
static void
add_events(const struct series *s, const struct chunk *c, uint32_t a, uint32_t b, int m,
	   int64_t sign, int64_t next_time, int64_t *out)
{
	const uint32_t *stack = c->stack;

	switch ((enum metric_role)s->role[m]) {
	case ROLE_VALUE: {
		const struct column *v = &c->value[s->column[m]];
		if (v->width == 0)
			for (uint32_t i = a; i < b; i++)
				out[stack[i] & STEP_STACK] += sign * v->base;
		else if (v->width == 4)
			for (uint32_t i = a; i < b; i++)
				out[stack[i] & STEP_STACK] +=
					sign * (v->base + ((const uint32_t *)v->at)[i]);
		else
			for (uint32_t i = a; i < b; i++)
				out[stack[i] & STEP_STACK] += sign * column_get(v, i);
		return;
	}
	case ROLE_EVENTS:
		for (uint32_t i = a; i < b; i++)
			out[stack[i] & STEP_STACK] += sign;
		return;
	case ROLE_TIME: {
		int64_t t = column_get(&c->time, a);
		for (uint32_t i = a; i < b; i++) {
			int64_t next = i + 1 < c->n ? column_get(&c->time, i + 1) : next_time;
			out[stack[i] & STEP_STACK] += sign * (next - t);
			t = next;
		}
		return;
	}
	case ROLE_CALLS:
		for (uint32_t i = a; i < b; i++)
			if (stack[i] & STEP_CALL)
				out[stack[i] & STEP_STACK] += sign;
		return;
	case ROLE_LINES:
		for (uint32_t i = a; i < b; i++)
			if (stack[i] & STEP_LINE)
				out[stack[i] & STEP_STACK] += sign;
		return;
	}
}

/* Adds events [a, b) of the series, one by one. */
static void
add_range(struct counter *k, uint64_t a, uint64_t b, int64_t sign)
{
	const struct series *s = k->s;

	while (a < b) {
		const struct chunk *c = series_chunk(s, a);
		uint32_t from = (uint32_t)(a - c->first);
		uint32_t to = b - c->first < c->n ? (uint32_t)(b - c->first) : c->n;
		const struct chunk *end = &s->chunk[s->n_chunks - 1];
		int64_t next = c < end ? column_get(&c[1].time, 0) : s->end_time;
		if (k->value >= 0)
			add_events(s, c, from, to, k->value, sign, next, k->t->value);
		if (k->calls >= 0)
			add_events(s, c, from, to, k->calls, sign, next, k->t->calls);
		if (k->lines >= 0)
			add_events(s, c, from, to, k->lines, sign, next, k->t->lines);
		for (uint32_t i = from; i < to; i++)
			k->hits[c->stack[i] & STEP_STACK] += (uint32_t)sign;
		k->t->events += to - from;
		a += to - from;
	}
}

static void
add_checkpoint_column(const struct series *s, const struct checkpoint *c, int m, int64_t sign,
		      int64_t *out)
{
	const int64_t *sum = c->sum + (size_t)m * c->n;

	for (uint32_t i = 0; i < c->n; i++)
		out[s->seen[i]] += sign * sum[i];
}

static void
add_checkpoint(struct counter *k, const struct checkpoint *c, int64_t sign)
{
	const struct series *s = k->s;

	if (k->value >= 0)
		add_checkpoint_column(s, c, k->value, sign, k->t->value);
	if (k->calls >= 0)
		add_checkpoint_column(s, c, k->calls, sign, k->t->calls);
	if (k->lines >= 0)
		add_checkpoint_column(s, c, k->lines, sign, k->t->lines);
	const int64_t *sum = c->sum + (size_t)k->events * c->n;
	for (uint32_t i = 0; i < c->n; i++)
		k->hits[s->seen[i]] += (uint32_t)(sign * sum[i]);
}

/* The checkpoint nearest to event i: its index, or -1 for the beginning. */
static int64_t
nearest_checkpoint(const struct series *s, uint64_t i)
{
	int64_t low = -1, high = s->n_checkpoints;

	while (high - low > 1) {
		int64_t middle = low + (high - low) / 2;
		if (s->checkpoint[middle].events <= i)
			low = middle;
		else
			high = middle;
	}
	uint64_t before = low < 0 ? 0 : s->checkpoint[low].events;
	if (high < s->n_checkpoints && s->checkpoint[high].events - i < i - before)
		return high;
	return low;
}

static uint64_t
checkpoint_events(const struct series *s, int64_t c)
{
	return c < 0 ? 0 : s->checkpoint[c].events;
}

/* Adds all events before i, times sign, by way of checkpoint c. */
static void
add_prefix(struct counter *k, int64_t c, uint64_t i, int64_t sign)
{
	uint64_t at = checkpoint_events(k->s, c);

	if (c >= 0)
		add_checkpoint(k, &k->s->checkpoint[c], sign);
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

/* Events [a, b), the cheaper way. */
static void
add_events_between(struct counter *k, uint64_t a, uint64_t b)
{
	const struct series *s = k->s;
	int64_t low = nearest_checkpoint(s, a), high = nearest_checkpoint(s, b);
	uint64_t walk = distance(checkpoint_events(s, low), a) +
			distance(checkpoint_events(s, high), b);
	uint64_t copy = (low < 0 ? 0 : s->checkpoint[low].n) +
			(high < 0 ? 0 : s->checkpoint[high].n);

	if (low == high || b - a <= walk + copy) {
		add_range(k, a, b, 1);
		return;
	}
	add_prefix(k, high, b, 1);
	add_prefix(k, low, a, -1);
}

/* A step that lasts over `from` counts what lies behind it; one that lasts over `to`
 * has been counted whole and gives back what lies behind that. */
static void
correct_ends(struct counter *k, uint64_t a, uint64_t b, int64_t from, int64_t to)
{
	const struct series *s = k->s;
	struct event e;

	if (a > 0 && series_event(s, a - 1, &e) && e.end > from) {
		stack_id stack = e.stack & STEP_STACK;
		if (k->value >= 0 && s->role[k->value] == ROLE_TIME)
			k->t->value[stack] += (e.end < to ? e.end : to) - from;
		k->hits[stack]++;
	}
	if (b > a && series_event(s, b - 1, &e) && e.end > to)
		if (k->value >= 0 && s->role[k->value] == ROLE_TIME)
			k->t->value[e.stack & STEP_STACK] -= e.end - to;
}

/* A series that is not in order (it still loads): every event is looked at. */
static void
add_unsorted(struct counter *k, int64_t from, int64_t to)
{
	for (uint32_t i = 0; i < k->s->n_chunks; i++) {
		const struct chunk *c = &k->s->chunk[i];
		for (uint32_t at = 0; at < c->n; at++) {
			int64_t t = column_get(&c->time, at);
			if (t >= from && t < to)
				add_range(k, c->first + at, c->first + at + 1, 1);
		}
	}
}

static void
add_totals(struct counter *k)
{
	const struct series *s = k->s;

	for (uint32_t i = 0; i < s->n_pages; i++) {
		const int64_t *sums = s->page[i];
		stack_id stack = i * TOTALS_PAGE;
		for (uint32_t at = 0; sums && at < TOTALS_PAGE; at++, sums += s->n_metrics) {
			if (!sums[k->events])
				continue;
			k->hits[stack + at]++;
			if (k->value >= 0)
				k->t->value[stack + at] += sums[k->value];
			if (k->calls >= 0)
				k->t->calls[stack + at] += sums[k->calls];
		}
	}
}

static int64_t
add_clipped(int64_t a, int64_t b)
{
	int64_t sum;

	return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

static void
add_series(struct counter *k, const struct profile *p, const struct slice *slice,
	   int64_t origin)
{
	const struct series *s = k->s;

	k->value = find_metric(s, slice->metric);
	k->calls = k->t->calls ? find_metric(s, p->calls_metric) : -1;
	k->lines = k->t->lines ? find_metric(s, p->lines_metric) : -1;
	k->events = find_metric(s, p->events_metric);
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
	int64_t from = add_clipped(origin, slice->from), to = add_clipped(origin, slice->to);
	if (to <= from)
		return;
	if (!s->sorted) {
		add_unsorted(k, from, to);
		return;
	}
	uint64_t a = series_find(s, from), b = to == INT64_MAX ? s->n : series_find(s, to);
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
	free(t->value);
	free(t->calls);
	free(t->lines);
	free(t->present);
	tally_init(t);
}

static int64_t *
cleared(int64_t *at, uint32_t n)
{
	at = mem_realloc(at, n, sizeof *at);
	memset(at, 0, n * sizeof *at);
	return at;
}

static int64_t *
cleared_if(bool wanted, int64_t *at, uint32_t n)
{
	if (wanted)
		return cleared(at, n);
	free(at);
	return NULL;
}

void
tally_count(struct tally *t, const struct profile *p, const struct slice *slice)
{
	struct counter k = {.t = t};

	t->n = p->stacks.n;
	t->events = 0;
	t->value = cleared(t->value, t->n);
	t->calls = cleared_if(p->calls_metric != METRIC_NONE, t->calls, t->n);
	t->lines = cleared_if(p->lines_metric != METRIC_NONE, t->lines, t->n);
	t->present = mem_realloc(t->present, t->n, 1);
	k.hits = mem_zalloc(t->n, sizeof *k.hits);
	for (track_id i = 0; i < p->n_tracks; i++) {
		const struct track *track = &p->track[i];
		if (slice->tracks && !slice->tracks[i])
			continue;
		for (uint32_t n = 0; n < track->n_series; n++) {
			k.s = track->series[n];
			add_series(&k, p, slice, p->group[track->group].start);
		}
	}
	for (stack_id s = 0; s < t->n; s++)
		t->present[s] = k.hits[s] != 0;
	/* nothing runs on the empty stack */
	t->value[STACK_EMPTY] = 0;
	t->present[STACK_EMPTY] = 0;
	free(k.hits);
}
