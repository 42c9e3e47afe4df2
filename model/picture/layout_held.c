/* layout_held.c - memory that is held: samples that say how it changes.
 *
 * A column of a picture shows how much is held in it, not what changed: the sum of all changes
 * before the column's end.  The sums per stack of one series are cached at one event.  The
 * next column continues from there, or from the nearest checkpoint, whichever is cheaper, so a
 * picture from left to right reads each event once.
 *
 * Sums over groups of stacks, and over groups of groups, follow these changes. With them a column
 * finds the stacks that it draws without reading the others. */
#include <stdlib.h>
#include <string.h>

#include "model/base/mem.h"
#include "model/base/sum.h"
#include "model/picture/layout_inside.h"

#define PIECE 1024u
#define EXACT_EVENTS 65536u /* series up to here are read for the most that is held */
#define FAN_BITS 3u         /* a group of stacks, or of groups, has eight */

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

/* ---- sums of groups ---- */

/* Returns what a stack adds to the sums. */
static int64_t
held_part(const struct layout *l, stack_id s)
{
	int64_t held = l->held[s];

	if (held <= 0 || node_of(l, s) == NODE_NONE)
		return 0;
	return held < l->held_cap ? held : l->held_cap;
}

/* Adds to the sums of all groups that the stack is in. */
static void
add_to_groups(struct layout *l, stack_id s, int64_t by)
{
	size_t i = s;

	for (unsigned k = 0; k < l->n_held_levels; k++) {
		i >>= FAN_BITS;
		l->held_sum[l->held_level[k] + i] += by;
	}
}

static void
change_held(struct layout *l, stack_id s, int64_t by)
{
	int64_t was = l->held_summed ? held_part(l, s) : 0;

	l->held[s] += by;
	if (!l->held_summed)
		return;
	int64_t now = held_part(l, s);
	if (now == was)
		return;
	l->held_stacks += (uint32_t)(now > 0) - (uint32_t)(was > 0);
	add_to_groups(l, s, now - was);
}

/* Makes the sums of all groups anew. */
static void
sum_groups(struct layout *l)
{
	size_t all = 0, n = l->n_held;

	l->n_held_levels = 0;
	do {
		n = ((n - 1) >> FAN_BITS) + 1;
		l->held_level[l->n_held_levels++] = all;
		all += n;
	} while (n > 1);
	free(l->held_sum);
	l->held_sum = mem_zalloc(all, sizeof *l->held_sum);
	l->held_cap = INT64_MAX / 2 / ((int64_t)l->n_held + 1);
	l->held_stacks = 0;
	for (stack_id s = 0; s < l->n_held; s++) {
		int64_t part = held_part(l, s);
		l->held_stacks += part > 0;
		if (part)
			add_to_groups(l, s, part);
	}
	l->held_summed = true;
}

/* Finds the largest group that begins at *s and whose sum is less than `below`, moves *s behind
 * it, and returns its sum; -1: there is none. */
static int64_t
skip_group(const struct layout *l, stack_id *s, int64_t below, uint64_t *reads)
{
	unsigned k = 0;

	while (k < l->n_held_levels && !(*s & ((UINT64_C(1) << FAN_BITS * (k + 1)) - 1)))
		k++;
	while (k--) {
		unsigned bits = FAN_BITS * (k + 1);
		int64_t sum = l->held_sum[l->held_level[k] + (*s >> bits)];
		uint64_t end = ((*s >> bits) + UINT64_C(1)) << bits;
		++*reads;
		if (sum >= below)
			continue;
		*s = end < l->n_held ? (stack_id)end : l->n_held;
		return sum;
	}
	return -1;
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
				change_held(l, at, sign * value[i]);
		}
		a += n;
	}
}

static void
begin_at_checkpoint(struct layout *l, const struct series *s, unsigned m, int64_t checkpoint)
{
	uint32_t seen = checkpoint < 0 ? 0 : s->checkpoint[checkpoint].n;
	int64_t value[PIECE];

	l->held_summed = false;
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

static struct layout_held_key
held_key(const struct layout *l, const struct layout_lane *lane)
{
	return (struct layout_held_key){lane->series, l->p->names.serial, l->p->events,
					lane->series->n, lane->held};
}

static bool
is_of(const struct layout_held_key *a, const struct layout_held_key *b)
{
	return a->series == b->series && a->of == b->of && a->events == b->events &&
	       a->n == b->n && a->metric == b->metric;
}

/* Makes l->held what each stack holds before a moment. */
static void
hold_until(struct layout *l, const struct layout_lane *lane, int64_t time)
{
	const struct series *s = lane->series;
	unsigned m = lane->held - 1u;
	uint64_t i = series_find(s, time);
	uint64_t own = i > l->held_event ? i - l->held_event : l->held_event - i;

	struct layout_held_key key = held_key(l, lane);
	if (!is_of(&l->held_of, &key) || l->n_held != l->p->stacks.n) {
		l->held_of = key;
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
}

uint64_t
layout_held_parts(struct layout *l, const struct layout_lane *lane, int64_t time, uint32_t most,
		  layout_held_give give, void *ctx)
{
	uint64_t reads = 0;

	hold_until(l, lane, time);
	if (!l->n_held)
		return 0;
	if (!l->held_summed)
		sum_groups(l);
	int64_t all = l->held_sum[l->held_level[l->n_held_levels - 1]], ran = 0;
	int64_t each = l->held_stacks > most ? all / most + 1 : 1, next = each;
	for (stack_id s = 0; s < l->n_held;) {
		int64_t sum = skip_group(l, &s, next - ran, &reads);
		if (sum >= 0) {
			ran += sum;
			continue;
		}
		ran += held_part(l, s);
		reads++;
		if (ran >= next) {
			int64_t parts = (ran - next) / each + 1;
			give(ctx, s, parts * each);
			next += parts * each;
		}
		s++;
	}
	return reads;
}

int64_t
layout_held_most(struct layout *l, const struct layout_lane *lane)
{
	const struct series *s = lane->series;
	unsigned m = lane->held - 1u;
	int64_t value[PIECE], sum = 0, most = 1;

	struct layout_held_key key = held_key(l, lane);
	if (is_of(&l->most_of, &key))
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
	l->most_of = key;
	l->most = most;
	return most;
}
