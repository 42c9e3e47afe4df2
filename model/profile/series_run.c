/* series_run.c - appends a run of events to its series.
 *
 * It is cut where a chunk or a block ends; within a piece all work is loops over columns. The
 * result equals that of series_add_step() and series_add_sample() for the same events one by
 * one. A new block, and a checkpoint, include the step before, which ends where the piece
 * begins. */
#include "model/profile/series_column.h"
#include "model/profile/series_inside.h"

/* Adds what a run adds to each metric by its events' existence and flags, not by times and
 * values. */
static void
add_flags(struct series *s, const uint32_t *stack, uint32_t n)
{
	int64_t calls = 0, lines = 0;

	for (uint32_t i = 0; i < n; i++) {
		calls += (stack[i] & STEP_CALL) != 0;
		lines += (stack[i] & STEP_LINE) != 0;
	}
	for (unsigned m = 0; m < s->n_metrics; m++)
		s->sum[m] += s->role[m] == ROLE_EVENTS  ? n
			     : s->role[m] == ROLE_CALLS ? calls
			     : s->role[m] == ROLE_LINES ? lines
							: 0;
}

/* Returns how long all steps of a piece but the last ran, on the clock. */
static int64_t
wall_lasted(const struct wall_clock *clock, const int64_t *time, const uint32_t *stack, uint32_t n)
{
	uint32_t near = clock->n / 2;
	int64_t sum = 0, from = wall_clock_at(clock, time[0], &near);

	for (uint32_t i = 0; i + 1 < n; i++) {
		int64_t to = wall_clock_at(clock, time[i + 1], &near);
		if ((stack[i] & STEP_STACK) != STACK_EMPTY)
			sum += to - from;
		from = to;
	}
	return sum;
}

/* Ends all steps of a piece but the last. */
static void
add_steps(struct series *s, const int64_t *time, const uint32_t *stack, uint32_t n)
{
	int64_t lasted = 0;

	for (uint32_t i = 0; i + 1 < n; i++) {
		stack_id at = stack[i] & STEP_STACK;
		if (at == STACK_EMPTY)
			continue;
		lasted += time[i + 1] - time[i];
		series_block_weigh(s, at, time[i + 1] - time[i]);
	}
	for (unsigned m = 0; m < s->n_metrics; m++)
		if (s->role[m] == ROLE_TIME)
			s->sum[m] += lasted;
		else if (s->role[m] == ROLE_WALL)
			s->sum[m] += wall_lasted(s->clock, time, stack, n);
	add_flags(s, stack, n);
}

static inline int64_t
sum_of(const int64_t *v, uint32_t n)
{
	int64_t sum = 0;

	for (uint32_t i = 0; i < n; i++)
		sum += v[i];
	return sum;
}

/* One loop per part, without branches. */
static inline int64_t
sum_of_part(enum value_part part, const int64_t *v, uint32_t n)
{
	int64_t sum = 0;

	switch (part) {
	case PART_ALL:
		return sum_of(v, n);
	case PART_GAIN:
		for (uint32_t i = 0; i < n; i++)
			sum += value_part(PART_GAIN, v[i]);
		return sum;
	case PART_BIT_0:
		for (uint32_t i = 0; i < n; i++)
			sum += value_part(PART_BIT_0, v[i]);
		return sum;
	case PART_BIT_1:
		for (uint32_t i = 0; i < n; i++)
			sum += value_part(PART_BIT_1, v[i]);
		return sum;
	case PART_SIGN_0:
		for (uint32_t i = 0; i < n; i++)
			sum += value_part(PART_SIGN_0, v[i]);
		return sum;
	}
	return sum;
}

/* A whole run has a constant length for the compiler. */
static int64_t
sum_of_metric(enum value_part part, const int64_t *v, uint32_t n)
{
	return n == EVENT_RUN_MAX ? sum_of_part(part, v, EVENT_RUN_MAX) : sum_of_part(part, v, n);
}

/* Weighs samples by the numbers of a metric, or by a part of them. */
static void
weigh_samples(struct series *s, const uint32_t *stack, const int64_t *v, uint32_t n)
{
	enum value_part part = (enum value_part)s->part[s->first];

	/* after the first event of a block, a gain that is not positive is never the largest */
	series_block_weigh(s, stack[0], value_part(part, v[0]));
	int64_t longest = s->longest;
	uint32_t at = 0; /* 0: none is longer */
	for (uint32_t i = 1; part <= PART_GAIN && i < n; i++)
		if (v[i] > longest) {
			longest = v[i];
			at = i;
		}
	for (uint32_t i = 1; part > PART_GAIN && i < n; i++)
		if (value_part(part, v[i]) > longest) {
			longest = value_part(part, v[i]);
			at = i;
		}
	if (at)
		series_block_weigh(s, stack[at], longest);
}

/* sum[]: of each column, or NULL. */
static void
series_run_add_samples(struct series *s, const struct event_run *run, uint32_t from, uint32_t n,
		       const int64_t *sum)
{
	const uint32_t *stack = run->stack + from;

	if (s->first == UINT8_MAX) /* all weigh the same: the first of a block is dominant */
		series_block_weigh(s, stack[0], 1);
	else
		weigh_samples(s, stack, run->value[s->column[s->first]] + from, n);
	for (unsigned m = 0; m < s->n_metrics; m++) {
		unsigned c = s->column[m];
		enum value_part part = (enum value_part)s->part[m];
		if (c == UINT8_MAX)
			s->sum[m] += n;
		else if (sum && part == PART_ALL)
			s->sum[m] += sum[c];
		else
			s->sum[m] += sum_of_metric(part, run->value[c] + from, n);
	}
}

void
series_count_run(struct series *s, const struct event_run *run, uint32_t from, uint32_t n,
		 const int64_t *sum)
{
	if (s->kind == SERIES_STEPS)
		add_steps(s, run->time + from, run->stack + from, n);
	else
		series_run_add_samples(s, run, from, n, n == run->n ? sum : NULL);
}

/* Appends the stacks of a piece; those of steps are rotated (tracks.h). */
static void
put_stacks(const struct series *s, struct chunk *c, const uint32_t *stack, uint32_t n)
{
	uint32_t turned[EVENT_RUN_MAX];

	for (uint32_t i = 0; s->kind == SERIES_STEPS && i < n; i++)
		turned[i] = step_turned(stack[i]);
	column_put_words(&c->stack, c->n, c->cap, s->kind == SERIES_STEPS ? turned : stack, n);
}

/* Writes as many events from `from` on as fit one chunk and one block; returns how many. The
 * previous event was at `before`; sum[]: of the columns of the whole run, or NULL. */
static uint32_t
write_piece(struct series *s, struct series_scratch *x, const struct event_run *run,
	    const labels_id *labels, const int64_t *sum, uint32_t from, int64_t before)
{
	const int64_t *time = run->time + from;
	const uint32_t *stack = run->stack + from;
	uint32_t n = run->n - from, in_block = BLOCK_EVENTS - (uint32_t)(s->n % BLOCK_EVENTS);

	if (s->kind == SERIES_STEPS && s->n)
		series_end_step(s, before, time[0]);
	struct chunk *c = series_chunk_for(s, x, time[0]);
	if (in_block == BLOCK_EVENTS)
		series_block_open(s, time[0]);
	n = n < in_block ? n : in_block;
	n = n < c->cap - c->n ? n : c->cap - c->n;
	column_put_many(&c->time, c->n, c->cap, time, n, true);
	put_stacks(s, c, stack, n);
	for (unsigned v = 0; v < s->n_columns; v++)
		column_put_many(&c->value[v], c->n, c->cap, run->value[v] + from, n, false);
	for (uint32_t i = 0; s->labelled && i < n; i++)
		column_put(&c->labels, c->n + i, c->cap, labels[from + i], false);
	series_count_run(s, run, from, n, sum);
	c->n += n;
	s->n += n;
	return n;
}

void
series_add_run(struct series *s, struct series_scratch *x, const struct event_run *run,
	       const labels_id *labels, const int64_t *sum, int64_t before)
{
	for (uint32_t from = 0; from < run->n; before = run->time[from - 1])
		from += write_piece(s, x, run, labels, sum, from, before);
}
