/* layout_held.c - memory that is held: samples that say how it changes.
 *
 * A column of a picture shows how much is held in it, not what changed: the sum of all changes
 * before the column's end.  The sums per stack of one series are cached at one event.  The
 * next column continues from there, or from the nearest checkpoint, whichever is cheaper, so a
 * picture from left to right reads each event once. */
#include <stdlib.h>
#include <string.h>

#include "model/base/mem.h"
#include "model/base/sum.h"
#include "model/picture/layout_inside.h"

#define PIECE 1024u
#define EXACT_EVENTS 65536u /* series up to here are read for the most that is held */

bool
layout_is_held(const struct profile *p, metric_id m)
{
	struct name n = names_get(&p->names, p->metric[m].name);

	return p->metric[m].unit == UNIT_BYTES &&
	       ((n.len >= 4 && !memcmp(n.at, "live", 4)) ||
		(n.len >= 5 && !memcmp(n.at, "inuse", 5)));
}

uint8_t
layout_held_metric(const struct profile *p, const struct series *s, metric_id metric)
{
	uint8_t found = 0;

	if (s->kind != SERIES_SAMPLES)
		return 0;
	for (unsigned m = 0; m < s->n_metrics; m++) {
		bool held = s->role[m] == ROLE_VALUE && s->metric[m] != METRIC_NONE &&
			    layout_is_held(p, s->metric[m]);
		if (s->metric[m] == metric)
			return held ? (uint8_t)(m + 1) : 0;
		if (held && !found)
			found = (uint8_t)(m + 1);
	}
	return found;
}

int64_t
layout_held_at(const struct series *s, unsigned m, int64_t time)
{
	int64_t sum = 0, first = s->n ? column_get(&s->chunk[0].time, 0) : 0;

	if (s->n && time > first)
		series_bins(s, m, first, time, 1, &sum);
	return sum;
}

void
layout_held_bins(const struct series *s, unsigned m, int64_t from, int64_t to, unsigned n,
		 double *out)
{
	int64_t *sum = mem_alloc(n, sizeof *sum), held = layout_held_at(s, m, from);

	series_bins(s, m, from, to, n, sum);
	for (unsigned k = 0; k < n; k++) {
		held = sum_clipped(held, sum[k]);
		out[k] = (double)held;
	}
	free(sum);
}

/* ---- by stack ---- */

static void
add_held(struct layout *l, const struct series *s, unsigned m, uint64_t a, uint64_t b, int sign)
{
	int64_t value[PIECE];
	uint32_t stack[PIECE];

	while (a < b) {
		const struct chunk *chunk = series_chunk(s, a);
		uint32_t from = (uint32_t)(a - chunk->first), n = chunk->n - from;
		n = n > b - a ? (uint32_t)(b - a) : n;
		n = n > PIECE ? PIECE : n;
		chunk_adds(s, chunk, from, n, m, chunk_end(s, chunk), value);
		chunk_stacks(chunk, from, n, stack);
		for (uint32_t i = 0; i < n; i++) {
			stack_id at = stack[i] & STEP_STACK;
			if (at < l->n_held)
				l->held[at] += sign * value[i];
		}
		a += n;
	}
}

static void
begin_at_checkpoint(struct layout *l, const struct series *s, unsigned m, int64_t checkpoint)
{
	uint32_t seen = checkpoint < 0 ? 0 : s->checkpoint[checkpoint].n;
	int64_t value[PIECE];

	memset(l->held, 0, l->n_held * sizeof *l->held);
	l->held_event = checkpoint < 0 ? 0 : s->checkpoint[checkpoint].events;
	for (uint32_t from = 0, n; from < seen; from += n) {
		n = seen - from < PIECE ? seen - from : PIECE;
		memset(value, 0, n * sizeof *value);
		series_checkpoint_add(s, (uint32_t)checkpoint, m, from, n, 1, value);
		for (uint32_t i = 0; i < n; i++)
			if (s->seen[from + i] < l->n_held)
				l->held[s->seen[from + i]] += value[i];
	}
}

const int64_t *
layout_held(struct layout *l, const struct layout_lane *lane, int64_t time)
{
	const struct series *s = lane->series;
	unsigned m = lane->held - 1u;
	uint64_t i = series_find(s, time);
	uint64_t own = i > l->held_event ? i - l->held_event : l->held_event - i;

	if (l->held_of != s || l->held_metric != lane->held || l->n_held != l->p->stacks.n) {
		l->held_of = s;
		l->held_metric = lane->held;
		l->n_held = l->p->stacks.n;
		l->held = mem_realloc(l->held, l->n_held + 1u, sizeof *l->held);
		own = UINT64_MAX;
	}
	int64_t near = series_checkpoint_near(s, i);
	uint64_t there = near < 0 ? 0 : s->checkpoint[near].events;
	if (own > (there < i ? i - there : there - i) + l->n_held)
		begin_at_checkpoint(l, s, m, near);
	if (l->held_event < i)
		add_held(l, s, m, l->held_event, i, 1);
	else
		add_held(l, s, m, i, l->held_event, -1);
	l->held_event = i;
	return l->held;
}

int64_t
layout_held_most(struct layout *l, const struct layout_lane *lane)
{
	const struct series *s = lane->series;
	unsigned m = lane->held - 1u;
	int64_t value[PIECE], sum = 0, most = 1;

	if (l->most_of == s && l->most_n == s->n && l->most_metric == lane->held)
		return l->most;
	for (uint64_t i = 0; i < s->n && s->n <= EXACT_EVENTS;) {
		const struct chunk *chunk = series_chunk(s, i);
		uint32_t from = (uint32_t)(i - chunk->first), n = chunk->n - from;
		n = n > PIECE ? PIECE : n;
		chunk_adds(s, chunk, from, n, m, chunk_end(s, chunk), value);
		for (uint32_t k = 0; k < n; k++) {
			sum += value[k];
			most = sum > most ? sum : most;
		}
		i += n;
	}
	for (uint64_t b = 0; b < s->n_blocks && s->n > EXACT_EVENTS; b++) {
		sum = s->block_sum[b * s->n_metrics + m];
		most = sum > most ? sum : most;
	}
	l->most_of = s;
	l->most_n = s->n;
	l->most_metric = lane->held;
	l->most = most;
	return most;
}
