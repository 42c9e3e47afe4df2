#include <stdlib.h>
#include <string.h>

#include "model/base/mem.h"
#include "model/base/vec.h"
#include "model/profile/series_column.h"
#include "model/profile/series_inside.h"

/* A checkpoint is taken when a chunk is opened, of all chunks before it. Two conditions: the
 * events pay for the checkpoints and blocks before it (CHECKPOINT_BYTES each), and those since
 * the last one are as many as its stacks, or four times as many. So taking it costs an event a
 * few additions. Dense checkpoints make a time range cheap: on average, a quarter of the events
 * between two is read at each end. That is why they are packed.
 *
 * The events since the last one are walked once. A scratch column (stack -> place in `seen`)
 * that is filled before and emptied after gives the place of a stack's sums. The sums of one
 * stack are adjacent, since stacks come in any order. */

#define CHECKPOINT_BYTES 2u
#define FEW 65536u /* stacks of samples: reading the events between costs little, so half of that */
#define PIECE 1024u /* events whose columns fit the first-level cache */
#define AHEAD 12u   /* events whose sums are fetched in advance */

void
series_scratch_release(struct series_scratch *x)
{
	free(x->place);
	free(x->sum);
	free(x->value);
	*x = (struct series_scratch){0};
}

static void
place_room(struct series_scratch *x, stack_id stack)
{
	if (stack < x->cap)
		return;
	uint32_t cap = (uint32_t)vec_grown(x->cap, (size_t)stack + 1);
	x->place = mem_realloc(x->place, cap, sizeof *x->place);
	memset(x->place + x->cap, 0, (size_t)(cap - x->cap) * sizeof *x->place);
	x->cap = cap;
}

/* Makes room for the sums of n stacks; new ones are zero. */
static void
sum_room(struct series_scratch *x, const struct series *s, uint32_t *have, uint32_t n)
{
	vec_room(x->sum, x->sum_cap, (size_t)n * s->n_metrics);
	memset(x->sum + (size_t)*have * s->n_metrics, 0,
	       (size_t)(n - *have) * s->n_metrics * sizeof *x->sum);
	*have = n;
}

/* Replaces steps by the places of their stacks in s->seen, and appends new stacks to it. */
static void
find_places(struct series *s, struct series_scratch *x, const uint32_t *step, uint32_t n,
	    uint32_t *place)
{
	stack_id most = 0;

	for (uint32_t i = 0; i < n; i++) {
		place[i] = step[i] & STEP_STACK;
		most = place[i] > most ? place[i] : most;
	}
	place_room(x, most);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t *at = &x->place[place[i]];
		if (!*at) {
			vec_room(s->seen, s->seen_cap, s->n_seen + 1);
			s->seen[s->n_seen++] = place[i];
			*at = s->n_seen;
		}
		place[i] = *at - 1;
	}
}

/* Returns true if the series has these metrics in this order, as nearly all series of steps; the
 * last may be missing. */
static bool
is_usual(const struct series *s)
{
	static const uint8_t usual[] = {ROLE_EVENTS, ROLE_TIME, ROLE_CALLS, ROLE_LINES};

	return s->kind == SERIES_STEPS && s->n_metrics >= 3 && s->n_metrics <= 4 &&
	       !memcmp(s->role, usual, s->n_metrics);
}

/* Returns the place, plus 1, of a stack that occurs for the first time; its sums are zero. */
static uint32_t
new_place(struct series *s, struct series_scratch *x, stack_id stack, uint32_t *have)
{
	vec_room(s->seen, s->seen_cap, s->n_seen + 1);
	s->seen[s->n_seen++] = stack;
	sum_room(x, s, have, s->n_seen);
	return x->place[stack] = s->n_seen;
}

/* Adds n steps to the sums of their stacks in one pass; equals find_places(), chunk_adds() and
 * series_add_all(). */
static inline void
add_steps(struct series *s, struct series_scratch *x, const uint32_t *step, uint32_t n,
	  const int64_t *lasts, uint32_t *have, unsigned metrics)
{
	const uint32_t *place = x->place;
	int64_t *sum = x->sum;

	for (uint32_t i = 0; i < n; i++) {
		stack_id stack = step[i] & STEP_STACK;
		uint32_t at = place[stack];
		if (!at) {
			at = new_place(s, x, stack, have);
			sum = x->sum;
		}
		int64_t *of = sum + (size_t)(at - 1) * metrics;
		of[0]++;
		of[1] += lasts[i];
		of[2] += role_adds(ROLE_CALLS, 0, 0, step[i]);
		if (metrics > 3)
			of[3] += role_adds(ROLE_LINES, 0, 0, step[i]);
	}
}

static void
add_usual(struct series *s, struct series_scratch *x, const struct chunk *c, uint32_t from,
	  uint32_t n, int64_t next, uint32_t *have)
{
	uint32_t step[PIECE];
	int64_t lasts[PIECE];
	stack_id most = 0;

	chunk_stacks(c, from, n, step);
	chunk_adds(s, c, from, n, 1, next, lasts);
	for (uint32_t i = 0; i < n; i++)
		most = (step[i] & STEP_STACK) > most ? step[i] & STEP_STACK : most;
	place_room(x, most);
	if (*have < s->n_seen)
		sum_room(x, s, have, s->n_seen);
	if (s->n_metrics == 3)
		add_steps(s, x, step, n, lasts, have, 3);
	else
		add_steps(s, x, step, n, lasts, have, 4);
}

/* Adds the numbers of n events, [metric][PIECE], to the sums of their stacks. The sums of a
 * stack are adjacent, and those of AHEAD more events can be fetched meanwhile. Nearly all series
 * have few metrics; a constant number lets the compiler unroll. */
static inline void
add_each(int64_t *sum, const uint32_t *place, uint32_t n, const int64_t *value, unsigned metrics)
{
	for (uint32_t i = 0; i < n; i++) {
		int64_t *of = sum + (size_t)place[i] * metrics;
		__builtin_prefetch(sum + (size_t)place[i + AHEAD] * metrics, 1);
#pragma GCC unroll 8
		for (unsigned m = 0; m < metrics; m++)
			of[m] += value[(size_t)m * PIECE + i];
	}
}

static void
series_add_all(int64_t *sum, const uint32_t *place, uint32_t n, const int64_t *value,
	       unsigned metrics)
{
	switch (metrics) {
	case 1:
		add_each(sum, place, n, value, 1);
		return;
	case 2:
		add_each(sum, place, n, value, 2);
		return;
	case 3:
		add_each(sum, place, n, value, 3);
		return;
	case 4:
		add_each(sum, place, n, value, 4);
		return;
	case 5:
		add_each(sum, place, n, value, 5);
		return;
	case 6:
		add_each(sum, place, n, value, 6);
		return;
	default:
		add_each(sum, place, n, value, metrics);
	}
}

/* Adds a piece of chunk c to the sums; `next` is the time of the event after the chunk. */
static void
add_piece(struct series *s, struct series_scratch *x, const struct chunk *c, uint32_t from,
	  uint32_t n, int64_t next, uint32_t *have)
{
	uint32_t step[PIECE], place[PIECE + AHEAD];

	if (is_usual(s)) {
		add_usual(s, x, c, from, n, next, have);
		return;
	}
	vec_room(x->value, x->value_cap, (size_t)s->n_metrics * PIECE);
	chunk_stacks(c, from, n, step);
	find_places(s, x, step, n, place);
	memset(place + n, 0, AHEAD * sizeof *place);
	sum_room(x, s, have, s->n_seen);
	for (unsigned m = 0; m < s->n_metrics; m++) {
		int64_t *value = x->value + (size_t)m * PIECE;
		switch ((enum metric_role)s->role[m]) {
		case ROLE_EVENTS:
			for (uint32_t i = 0; i < n; i++)
				value[i] = 1;
			break;
		case ROLE_CALLS:
			for (uint32_t i = 0; i < n; i++)
				value[i] = role_adds(ROLE_CALLS, 0, 0, step[i]);
			break;
		case ROLE_LINES:
			for (uint32_t i = 0; i < n; i++)
				value[i] = role_adds(ROLE_LINES, 0, 0, step[i]);
			break;
		case ROLE_TIME:
		case ROLE_WALL:
		case ROLE_VALUE:
			chunk_adds(s, c, from, n, m, next, value);
			break;
		}
	}
	series_add_all(x->sum, place, n, x->value, s->n_metrics);
}

/* Packs the sums of one metric over all events: those since the last checkpoint plus that
 * checkpoint, minus the key that this one counts from. */
static struct column
pack_sums(const struct series *s, const struct series_scratch *x, unsigned m, int64_t *sum)
{
	uint32_t i = s->n_checkpoints - 1, key = s->checkpoint[i].key, n = s->n_seen;

	for (uint32_t k = 0; k < n; k++)
		sum[k] = x->sum[(size_t)k * s->n_metrics + m];
	if (i && i == key)
		series_checkpoint_add(s, i - 1, m, 0, n, 1, sum);
	else if (i && i - 1 != key) /* it counts from the same key */
		column_add(&s->checkpoint[i - 1].sum[m], 0, s->checkpoint[i - 1].n, 1, sum);
	return column_packed(sum, n);
}

static bool
is_due(const struct series *s)
{
	uint64_t bytes = s->checkpoint_bytes + s->n_seen * sizeof *s->seen +
			 s->n_blocks * (sizeof *s->block + s->n_metrics * sizeof *s->block_sum);

	/* steps have several sums per stack, which are packed each time */
	uint64_t apart = (uint64_t)s->n_seen * (s->kind == SERIES_STEPS ? 4 : 1);

	bool few = s->kind == SERIES_SAMPLES && s->n_seen < FEW;
	uint64_t allowed = s->n * CHECKPOINT_BYTES / (few ? 2 : 1);

	return series_is_sorted(s) && s->kind < SERIES_TOTALS &&
	       s->n - series_checkpointed(s) >= apart && allowed >= bytes;
}

/* Returns the first chunk that no checkpoint covers. */
static uint32_t
first_uncovered(const struct series *s)
{
	uint32_t k = s->n_chunks;

	while (k > 0 && s->chunk[k - 1].checkpoint == UINT32_MAX)
		k--;
	return k ? k - 1 : 0;
}

void
series_checkpoint_take(struct series *s, struct series_scratch *x, int64_t next)
{
	uint32_t have = 0, i = s->n_checkpoints;

	for (uint32_t k = 0; k < s->n_seen; k++) {
		place_room(x, s->seen[k]);
		x->place[s->seen[k]] = k + 1;
	}
	for (uint32_t k = first_uncovered(s), n; k < s->n_chunks; k++) {
		const struct chunk *c = &s->chunk[k];
		int64_t end = k + 1 < s->n_chunks ? column_get(&c[1].time, 0) : next;
		for (uint32_t from = 0; from < c->n; from += n) {
			n = c->n - from < PIECE ? c->n - from : PIECE;
			add_piece(s, x, c, from, n, end, &have);
		}
	}
	vec_room(s->checkpoint, s->checkpoints_cap, s->n_checkpoints + 1);
	struct checkpoint *now = &s->checkpoint[s->n_checkpoints++];
	*now = (struct checkpoint){
		.events = s->n,
		.n = s->n_seen,
		.key = i - i % CHECKPOINT_KEY,
		.sum = mem_alloc(s->n_metrics, sizeof *now->sum),
	};
	int64_t *sum = mem_alloc(s->n_seen, sizeof *sum);
	for (unsigned m = 0; m < s->n_metrics; m++) {
		now->sum[m] = pack_sums(s, x, m, sum);
		s->checkpoint_bytes += (uint64_t)now->n * now->sum[m].width;
	}
	free(sum);
	for (uint32_t k = 0; k < s->n_seen; k++)
		x->place[s->seen[k]] = 0;
}

bool
series_checkpoint(struct series *s, struct series_scratch *x, int64_t next)
{
	if (!is_due(s))
		return false;
	series_checkpoint_take(s, x, next);
	return true;
}
