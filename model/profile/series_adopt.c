/* series_adopt.c - takes over chunks that were packed by another process.
 *
 * The columns stay as they are. Each column is checked in a loop of its own before anything else
 * reads it: stacks and labels exist, times do not decrease. The rest is bounds: no sum of the
 * values can overflow, by the form of their columns. Then the series gets the sums, blocks and
 * checkpoints that the file states (series_prefix.h), or they are computed: events are read in runs
 * of EVENT_RUN_MAX, which divide blocks, and counted by series_count_run(). */
#include "model/profile/series_adopt.h"

#include <assert.h>
#include <string.h>

#include "model/base/vec.h"
#include "model/profile/column_form.h"
#include "model/profile/series_inside.h"
#include "model/profile/series_prefix.h"

/* Returns true if the numbers of columns are summed. */
static inline bool
has_values(const struct series *s)
{
	return s->kind == SERIES_SAMPLES || s->kind == SERIES_TOTALS;
}

bool
adopt_chunk_is_small(const struct series *s, const struct chunk *c,
		     const struct adopt_limits *limits)
{
	const uint64_t limit = UINT64_C(1) << ADOPT_BITS;

	if (s->kind == SERIES_STEPS)
		return (uint64_t)limits->latest - (uint64_t)limits->earliest <
		       UINT64_C(1) << ADOPT_SPAN_BITS;
	if (s->kind == SERIES_POINTS)
		return true; /* never summed */
	if (s->kind == SERIES_TOTALS &&
	    (!s->labelled || c->time.width || c->time.bits || c->time.bases || c->time.base))
		return false; /* they have no times */
	for (unsigned v = 0; v < s->n_columns; v++) {
		uint64_t base = (uint64_t)(c->value[v].base < 0 ? ~c->value[v].base
								: c->value[v].base);
		if (base >= limit / 2 || column_largest(&c->value[v]) >= limit / 2)
			return false;
	}
	return s->n_columns <= EVENT_RUN_VALUES;
}

uint64_t
adopt_chunk_most(const struct series *s, const struct chunk *c)
{
	uint64_t each = 1;

	for (unsigned v = 0; has_values(s) && v < s->n_columns; v++) {
		int64_t base = c->value[v].base;
		each += (uint64_t)(base < 0 ? ~base : base) + column_largest(&c->value[v]);
	}
	return each * c->n;
}

/* ---- values that a chunk omits ---- */

/* Checks what chunk_value_before() relies on: each call has a value of its own, and a step without
 * one returns to a call that is near. */
static bool
values_are_found(const struct chunk *c)
{
	for (uint32_t i = 0; i < c->n; i++) {
		uint32_t step = chunk_stack(c, i), stack = step & STEP_STACK;
		if (c->own[i / 64] >> i % 64 & 1)
			continue;
		bool found = stack == STACK_EMPTY && !(step & STEP_CALL);
		for (uint32_t k = i; !found && k > 0 && i - k < CHUNK_VALUE_BACK; k--) {
			uint32_t before = chunk_stack(c, k - 1);
			found = before & STEP_CALL && (before & STEP_STACK) == stack &&
				!(step & STEP_CALL);
		}
		if (!found)
			return false;
	}
	return true;
}

/* ---- the events of a chunk ---- */

#define PIECE 1024u /* events; the usual number has a constant length for the compiler */

/* Returns true if n times, the first not before `earliest`, neither fall nor reach a span of 2^63.
 * Unsigned distances from `earliest` below 2^63 have differences whose sign is right. */
static inline bool
rise(const int64_t *time, uint32_t n, int64_t earliest)
{
	uint64_t before = (uint64_t)time[0] - (uint64_t)earliest, signs = before;

	for (uint32_t i = 1; i < n; i++) {
		uint64_t now = (uint64_t)time[i] - (uint64_t)earliest;
		signs |= now | (now - ((uint64_t)time[i - 1] - (uint64_t)earliest));
	}
	return !(signs >> 63);
}

/* Returns what is wrong with the times of a chunk, or NULL. Those of a file span less than 2^63. */
static const char *
check_times(const struct chunk *c, const struct adopt_limits *limits)
{
	int64_t time[PIECE], before = limits->earliest;

	for (uint32_t at = 0, n; at < c->n; at += n) {
		n = c->n - at < PIECE ? c->n - at : PIECE;
		column_values(&c->time, at, n, time);
		if (time[0] < limits->earliest)
			return "an event before the beginning of its file";
		if (time[0] < before || !(n == PIECE ? rise(time, PIECE, limits->earliest)
						     : rise(time, n, limits->earliest)))
			return "an event earlier than the one before it";
		before = time[n - 1];
	}
	return before > limits->latest ? "an event behind the end of its file" : NULL;
}

static inline uint32_t
largest_of(const uint32_t *v, uint32_t n, uint32_t mask)
{
	uint32_t most = 0;

	for (uint32_t i = 0; i < n; i++)
		most = (v[i] & mask) > most ? v[i] & mask : most;
	return most;
}

static const char *
check_stacks(const struct series *s, const struct chunk *c, const struct adopt_limits *limits)
{
	uint32_t mask = s->kind == SERIES_STEPS ? STEP_STACK : UINT32_MAX;
	uint32_t stack[PIECE], most = 0;

	for (uint32_t at = 0, n; at < c->n; at += n) {
		n = c->n - at < PIECE ? c->n - at : PIECE;
		chunk_stacks(c, at, n, stack);
		uint32_t here = n == PIECE ? largest_of(stack, PIECE, mask)
					   : largest_of(stack, n, mask);
		most = here > most ? here : most;
	}
	return most >= limits->n_stacks ? "an event with a stack that does not exist" : NULL;
}

static const char *
check_labels(const struct chunk *c, const struct adopt_limits *limits)
{
	int64_t set[PIECE];
	uint64_t most = 0;

	for (uint32_t at = 0, n; at < c->n; at += n) {
		n = c->n - at < PIECE ? c->n - at : PIECE;
		column_values(&c->labels, at, n, set);
		for (uint32_t i = 0; i < n; i++)
			most = (uint64_t)set[i] > most ? (uint64_t)set[i] : most;
	}
	return most >= limits->n_sets ? "an event with labels that do not exist" : NULL;
}

/* Returns true if no value of the column is below 0 or at or above `limit`, by its form. */
static bool
is_below(const struct column *c, uint64_t limit)
{
	uint64_t most = column_largest(c);

	return c->base >= 0 && most < limit && (uint64_t)c->base < limit - most;
}

const char *
adopt_chunk_check(const struct series *s, const struct chunk *c, const struct adopt_limits *limits)
{
	const char *wrong = NULL;

	if (s->kind != SERIES_TOTALS && limits->timed)
		wrong = check_times(c, limits);
	if (!wrong && s->kind != SERIES_POINTS &&
	    !(has_values(s) && is_below(&c->stack, limits->n_stacks)))
		wrong = check_stacks(s, c, limits);
	if (!wrong && s->labelled && !is_below(&c->labels, limits->n_sets))
		wrong = check_labels(c, limits);
	if (!wrong && c->own && !values_are_found(c))
		wrong = "a step without a value";
	return wrong;
}

/* ---- computed sums ---- */

struct adopting {
	struct series *s;
	const struct chunk *from; /* with all its events */
	struct event_run run;
	bool ended; /* no step ends where the run begins */
	int64_t bound;
};

static void
read_run(struct adopting *a, uint32_t at, uint32_t n)
{
	const struct series *s = a->s;

	a->run.n = n;
	if (s->kind != SERIES_TOTALS)
		column_values(&a->from->time, at, n, a->run.time);
	if (s->kind != SERIES_POINTS)
		chunk_stacks(a->from, at, n, a->run.stack);
	for (uint32_t i = 0; s->kind == SERIES_POINTS && i < n; i++)
		a->run.value[0][i] = column_get(&a->from->value[0], at + i);
	for (unsigned v = 0; v < s->n_columns && has_values(s); v++)
		column_values(&a->from->value[v], at, n, a->run.value[v]);
}

/* Sums a column of a run; adds the sizes of its numbers to *bound. */
static inline int64_t
sum_column(const int64_t *v, uint32_t n, int64_t *bound)
{
	int64_t sum = 0, sizes = 0;

	for (uint32_t i = 0; i < n; i++) {
		sum += v[i];
		sizes += v[i] ^ v[i] >> 63;
	}
	*bound += sizes;
	return sum;
}

static void
sum_columns(struct adopting *a, int64_t *sum)
{
	for (unsigned v = 0; v < a->s->n_columns; v++)
		sum[v] = a->run.n == EVENT_RUN_MAX
				 ? sum_column(a->run.value[v], EVENT_RUN_MAX, &a->bound)
				 : sum_column(a->run.value[v], a->run.n, &a->bound);
}

/* Counts a run of events, which lie in the last chunk. */
static void
count_run(struct adopting *a)
{
	struct series *s = a->s;
	struct event_run *run = &a->run;
	int64_t sum[EVENT_RUN_VALUES], before = s->last_time;

	if (s->kind == SERIES_SAMPLES)
		sum_columns(a, sum);
	if (s->kind == SERIES_STEPS && !a->ended) {
		series_end_step(s, before, run->time[0]);
		a->bound += run->time[0] - before;
	}
	if (s->n % BLOCK_EVENTS == 0)
		series_block_open(s, run->time[0]);
	for (uint32_t i = 0; s->kind == SERIES_POINTS && i < run->n; i++)
		series_block_point(s, run->value[0][i], (s->n + i) % BLOCK_EVENTS == 0);
	if (s->kind != SERIES_POINTS)
		series_count_run(s, run, 0, run->n, s->kind == SERIES_SAMPLES ? sum : NULL);
	if (s->kind == SERIES_STEPS)
		a->bound += run->time[run->n - 1] - run->time[0];
	a->bound += run->n;
	s->n += run->n;
	s->last_time = run->time[run->n - 1];
	s->end_time = s->last_time;
	a->ended = false;
}

/* The same for labelled totals. */
static void
count_totals(struct adopting *a)
{
	const struct event_run *run = &a->run;
	struct series *s = a->s;
	int64_t sum[EVENT_RUN_VALUES], value[EVENT_RUN_VALUES];

	sum_columns(a, sum);
	a->bound += run->n;
	for (uint32_t i = 0; i < run->n; i++) {
		for (unsigned v = 0; v < s->n_columns; v++)
			value[v] = run->value[v][i];
		series_count_total(s, run->stack[i], value);
	}
}

/* Counts the events of the last chunk from `at` on. */
static void
count_events(struct adopting *a, uint32_t at)
{
	struct series *s = a->s;
	struct chunk *to = &s->chunk[s->n_chunks - 1];

	for (uint32_t n; at < a->from->n; at += n) {
		uint32_t in_run = EVENT_RUN_MAX - (uint32_t)(s->n % EVENT_RUN_MAX);
		n = a->from->n - at < in_run ? a->from->n - at : in_run;
		read_run(a, at, n);
		if (s->kind == SERIES_TOTALS)
			count_totals(a);
		else
			count_run(a);
		to->n = at + n;
	}
}

/* ---- taking over ---- */

/* Makes the chunk the last one and counts its events from `from` on: the series already has the
 * sums of those before. UINT32_MAX: counts all, and ends the step before the chunk. */
static void
adopt_events(struct adopting *a, uint32_t checkpoint, uint32_t from)
{
	struct series *s = a->s;
	const struct chunk *c = a->from;
	struct chunk next = *c;
	uint32_t n = from == UINT32_MAX ? 0 : from;

	a->ended = s->kind == SERIES_STEPS;
	if (a->ended && s->n && from == UINT32_MAX) {
		int64_t time = column_get(&c->time, 0);
		series_end_step(s, s->last_time, time);
		a->bound += time - s->last_time;
	}
	next.checkpoint = checkpoint;
	next.first = s->n;
	next.cap = c->n;
	next.n = n;
	vec_room(s->chunk, s->chunks_cap, s->n_chunks + 1);
	s->chunk[s->n_chunks++] = next;
	s->n += n;
	count_events(a, n);
}

/* Returns at least the sizes of all numbers that the chunk adds, without the end of its last step:
 * by its form if that suffices. */
static int64_t
most_of(const struct series *s, const struct chunk *c)
{
	uint64_t most = adopt_chunk_most(s, c);
	int64_t value[PIECE], bound = c->n;

	if (s->kind == SERIES_STEPS)
		return c->n + (column_get(&c->time, c->n - 1) - column_get(&c->time, 0));
	if (most < UINT64_C(1) << ADOPT_FORM_BITS)
		return (int64_t)most;
	for (unsigned v = 0; v < s->n_columns; v++)
		for (uint32_t at = 0, n; at < c->n; at += n) {
			n = c->n - at < PIECE ? c->n - at : PIECE;
			column_values(&c->value[v], at, n, value);
			sum_column(value, n, &bound);
		}
	return bound;
}

/* Adds what block i adds to the sums; false if these cannot be sums of events. */
static bool
add_block(struct series *s, uint32_t i)
{
	const struct series_prefix *x = s->prefix;

	for (unsigned m = 0; m < s->n_metrics; m++) {
		int64_t adds = column_get(&x->sum[m], i);
		int64_t sum = s->block_sum[(size_t)i * s->n_metrics + m];
		if ((s->role[m] == ROLE_EVENTS && adds != BLOCK_EVENTS) ||
		    (s->role[m] != ROLE_VALUE && adds < 0))
			return false;
		sum += adds; /* both are below the bound */
		if (sum > x->bound || sum < -x->bound)
			return false;
		s->sum[m] = sum;
	}
	return true;
}

/* Opens the blocks that begin in the chunk, but the last. */
static bool
open_blocks(struct series *s, const struct chunk *c, uint32_t from, uint32_t n, uint32_t n_stacks)
{
	const struct series_prefix *x = s->prefix;

	for (uint32_t i = from; i < from + n; i++) {
		int64_t dominant = column_get(&x->dominant, i);
		if (dominant < 0 || dominant >= n_stacks || (i && !add_block(s, i - 1)))
			return false;
		if (i + 1 == from + n)
			return true;
		uint32_t at = (uint32_t)((uint64_t)i * BLOCK_EVENTS - s->n);
		series_block_open(s, column_get(&c->time, at));
		s->block[i].dominant = (stack_id)dominant;
	}
	return true;
}

/* The chunk c comes next; the numbers of its events have at most the size `most`. Opens its blocks
 * but the last, with their sums. Sets *at to the event with which the last one begins; UINT32_MAX
 * if none begins in the chunk. Returns NULL, or what is wrong; then nothing has changed. */
static const char *
skip_blocks(struct series *s, const struct chunk *c, int64_t most, uint32_t n_stacks,
		   uint32_t *at)
{
	struct series_prefix *x = s->prefix;
	uint64_t all = (s->n + c->n + BLOCK_EVENTS - 1) / BLOCK_EVENTS;
	uint32_t had = s->n_blocks;
	int64_t sum[SERIES_METRICS_MAX];

	*at = UINT32_MAX;
	x->bound += most;
	if (!x->n_blocks)
		return NULL;
	if (all > x->n_blocks)
		return "more events than the series states";
	memcpy(sum, s->sum, sizeof sum);
	if (!open_blocks(s, c, had, (uint32_t)all - had, n_stacks)) {
		memcpy(s->sum, sum, sizeof sum);
		s->n_blocks = had;
		return "sums that events cannot have";
	}
	if (all > had)
		*at = (uint32_t)((all - 1) * BLOCK_EVENTS - s->n);
	return NULL;
}

/* Sets the dominant stack of the last block as the file states it. */
static void
dominate_last(struct series *s)
{
	const struct series_prefix *x = s->prefix;

	if (x->n_blocks)
		s->block[s->n_blocks - 1].dominant =
			(stack_id)column_get(&x->dominant, s->n_blocks - 1);
}

/* Takes over a chunk of a series whose sums are stated. */
static const char *
adopt_stated(struct adopting *a, struct series_scratch *x, uint32_t n_stacks, int64_t *bound)
{
	struct series *s = a->s;
	const struct chunk *c = a->from;
	int64_t most = most_of(s, c), ends = 0;
	uint32_t at, checkpoint = UINT32_MAX;
	const char *wrong = NULL;

	if (s->kind == SERIES_STEPS && s->n)
		ends = column_get(&c->time, 0) - s->last_time;
	if (s->n)
		wrong = series_prefix_due(s, ends, &checkpoint);
	wrong = wrong ? wrong : skip_blocks(s, c, most, n_stacks, &at);
	if (wrong)
		return wrong;
	if (!s->prefix->n_checkpoints && !s->prefix->alone && s->n)
		checkpoint = series_checkpoint_before(s, x, column_get(&c->time, 0));
	adopt_events(a, checkpoint, at);
	dominate_last(s);
	*bound += most + ends;
	return NULL;
}

const char *
series_adopt_chunk(struct series *s, struct series_scratch *x, struct chunk *c,
		   const struct adopt_limits *limits, int64_t *bound)
{
	struct adopting a = {.s = s, .from = c};
	const char *wrong = NULL;

	assert(c->n && (s->kind != SERIES_TOTALS || s->labelled));
	if (s->kind != SERIES_TOTALS && s->n && column_get(&c->time, 0) < s->last_time)
		wrong = "an event earlier than the one before it";
	if (!wrong && s->prefix) {
		wrong = adopt_stated(&a, x, limits->n_stacks, bound);
	} else if (!wrong) {
		uint32_t checkpoint = UINT32_MAX;
		if (s->kind < SERIES_TOTALS && s->n)
			checkpoint = series_checkpoint_before(s, x, column_get(&c->time, 0));
		adopt_events(&a, checkpoint, UINT32_MAX);
		*bound += a.bound;
	}
	if (wrong)
		series_chunk_release(s, c);
	return wrong;
}
