/* series_adopt.c - takes over chunks that were packed by another process.
 *
 * The columns stay as they are. Sums, blocks and checkpoints are computed from them, so that a
 * hostile file cannot state wrong sums, and each event is checked: its stack and labels
 * exist, and its time does not precede the one before. Events are read in runs of EVENT_RUN_MAX,
 * which divide blocks, and counted by series_count_run().
 *
 * Rejected: sums and checkpoints in the file. Checking them costs as much as computing them. */
#include "model/profile/series_adopt.h"

#include <assert.h>

#include "model/base/vec.h"
#include "model/profile/series_column.h"
#include "model/profile/series_inside.h"

/* ---- the form of a column ---- */

static uint64_t
most_of_width(unsigned bytes)
{
	return bytes >= 8 ? UINT64_MAX : (UINT64_C(1) << 8 * bytes) - 1;
}

/* Returns the largest offset that a column can have, at most UINT64_MAX. */
static uint64_t
largest_offset(const struct column *c)
{
	if (!c->bits && !c->bases)
		return most_of_width(c->width);
	uint64_t values = c->bits ? (UINT64_C(1) << c->bits) - 1 : 0;
	uint64_t bases = c->bases ? (uint64_t)UINT16_MAX << c->shift : 0, sum;
	if (__builtin_add_overflow(values, bases, &sum) ||
	    __builtin_mul_overflow(sum, (uint64_t)c->step, &sum))
		return UINT64_MAX;
	return sum;
}

/* A signed base plus an offset of up to four bytes is added without a check. */
static bool
adds_up(const struct column *c, uint32_t n)
{
	uint64_t room = (uint64_t)INT64_MAX - (uint64_t)c->base;

	if (c->base < 0 || room >= most_of_width(4))
		return true;
	for (uint32_t i = 0; i < n; i++) {
		struct column offset = *c;
		offset.base = 0;
		if ((uint64_t)column_get(&offset, i) > room)
			return false;
	}
	return true;
}

bool
adopt_column_fits(const struct column *c, uint32_t n)
{
	if (c->bits || c->bases)
		return !c->width && c->bits <= COLUMN_BITS_MAX && c->step && c->shift < 48 &&
		       !(c->zeros && c->bases);
	if (c->width > 4 && c->width != 8)
		return false;
	return !c->width || c->width == 8 || adds_up(c, n);
}

uint64_t
adopt_column_bytes(const struct column *c, uint32_t n)
{
	return c->width ? (uint64_t)n * c->width : ((uint64_t)n * c->bits + 7) / 8;
}

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
		if (base >= limit / 2 || largest_offset(&c->value[v]) >= limit / 2)
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
		each += (uint64_t)(base < 0 ? ~base : base) + largest_offset(&c->value[v]);
	}
	return each * c->n;
}

/* ---- values that a chunk omits ---- */

/* Checks what chunk_value_before() relies on: each call has a value of its own, and a step without
 * one returns to a call that is near. */
bool
adopt_values_are_found(const struct chunk *c)
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

/* ---- events ---- */

struct adopting {
	struct series *s;
	const struct chunk *from; /* with all its events */
	const struct adopt_limits *limits;
	struct event_run run;
	int64_t before; /* the time of the event before the run */
	bool first;     /* there is none */
	bool stacks_exist; /* the form of the column allows no others */
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

/* Returns what is wrong with an event of the run, or NULL. The times of a file span less than
 * 2^63. */
static const char *
check_times(const struct adopting *a)
{
	const int64_t *time = a->run.time;
	uint32_t n = a->run.n;

	if (a->s->kind == SERIES_TOTALS)
		return NULL;
	if (time[0] < a->limits->earliest)
		return "an event before the beginning of its file";
	if ((!a->first && time[0] < a->before) ||
	    !(n == EVENT_RUN_MAX ? rise(time, EVENT_RUN_MAX, a->limits->earliest)
				 : rise(time, n, a->limits->earliest)))
		return "an event earlier than the one before it";
	return time[n - 1] > a->limits->latest ? "an event behind the end of its file" : NULL;
}

static const char *
check_stacks(const struct adopting *a)
{
	uint32_t mask = a->s->kind == SERIES_STEPS ? STEP_STACK : UINT32_MAX, most = 0;

	if (a->stacks_exist)
		return NULL;
	for (uint32_t i = 0; i < a->run.n; i++) {
		uint32_t stack = a->run.stack[i] & mask;
		most = stack > most ? stack : most;
	}
	return most >= a->limits->n_stacks ? "an event with a stack that does not exist" : NULL;
}

static const char *
check_labels(const struct adopting *a, uint32_t at)
{
	for (uint32_t i = 0; a->s->labelled && i < a->run.n; i++)
		if ((uint64_t)column_get(&a->from->labels, at + i) >= a->limits->n_sets)
			return "an event with labels that do not exist";
	return NULL;
}

/* Makes the chunk the last one, with no event yet. */
static void
push_chunk(struct series *s, struct series_scratch *x, const struct chunk *c, int64_t time)
{
	struct chunk next = *c;

	next.checkpoint = s->kind < SERIES_TOTALS && s->n ? series_checkpoint_before(s, x, time)
							  : UINT32_MAX;
	next.first = s->n;
	next.cap = c->n;
	next.n = 0;
	vec_room(s->chunk, s->chunks_cap, s->n_chunks + 1);
	s->chunk[s->n_chunks++] = next;
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

/* Counts the run; the first one of the chunk appends the chunk. */
static void
count_run(struct adopting *a, struct series_scratch *x, bool opens)
{
	struct series *s = a->s;
	struct event_run *run = &a->run;
	int64_t sum[EVENT_RUN_VALUES];

	if (s->kind == SERIES_SAMPLES)
		sum_columns(a, sum);
	if (s->kind == SERIES_STEPS && !a->first) {
		series_end_step(s, a->before, run->time[0]);
		a->bound += run->time[0] - a->before;
	}
	if (opens)
		push_chunk(s, x, a->from, run->time[0]);
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
	s->chunk[s->n_chunks - 1].n += run->n;
	a->before = s->last_time = run->time[run->n - 1];
	s->end_time = s->end_time < a->before || a->first ? a->before : s->end_time;
	a->first = false;
}

/* The same for labelled totals. */
static void
count_totals(struct adopting *a, bool opens)
{
	const struct event_run *run = &a->run;
	struct series *s = a->s;
	int64_t sum[EVENT_RUN_VALUES], value[EVENT_RUN_VALUES];

	sum_columns(a, sum);
	a->bound += run->n;
	if (opens)
		push_chunk(s, NULL, a->from, 0);
	for (uint32_t i = 0; i < run->n; i++) {
		for (unsigned v = 0; v < s->n_columns; v++)
			value[v] = run->value[v][i];
		series_count_total(s, run->stack[i], value);
	}
	s->chunk[s->n_chunks - 1].n += run->n;
}

const char *
series_adopt_chunk(struct series *s, struct series_scratch *x, struct chunk *c,
		   const struct adopt_limits *limits, int64_t *bound)
{
	struct adopting a = {.s = s, .from = c, .limits = limits, .before = s->last_time,
			     .first = !s->n, .bound = *bound};
	uint64_t most_stack = largest_offset(&c->stack);
	const char *wrong = NULL;
	uint32_t at = 0;

	assert(c->n && (s->kind != SERIES_TOTALS || s->labelled));
	a.stacks_exist = has_values(s) && c->stack.base >= 0 &&
			 most_stack < limits->n_stacks &&
			 (uint64_t)c->stack.base < limits->n_stacks - most_stack;
	for (uint32_t n; at < c->n; at += n) {
		uint32_t in_run = EVENT_RUN_MAX - (uint32_t)(s->n % EVENT_RUN_MAX);
		n = c->n - at < in_run ? c->n - at : in_run;
		read_run(&a, at, n);
		wrong = check_times(&a);
		wrong = wrong || s->kind == SERIES_POINTS ? wrong : check_stacks(&a);
		wrong = wrong ? wrong : check_labels(&a, at);
		if (wrong)
			break;
		if (s->kind == SERIES_TOTALS)
			count_totals(&a, !at);
		else
			count_run(&a, x, !at);
	}
	*bound = a.bound;
	if (!at)
		series_chunk_release(s, c);
	return wrong;
}
