#include "model/profile/series.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/mem.h"
#include "model/base/ordered.h"
#include "model/base/vec.h"
#include "model/profile/series_column.h"
#include "model/profile/series_inside.h"
#include "model/profile/series_prefix.h"

/* Events are appended to the last chunk. Nothing is allocated per event, and written data never
 * move, except for a column that must become wider while its chunk fills.
 *
 * Invariants (profile_check walks them): chunk[i].first is the sum of the n before it; a
 * checkpoint's `n` never decreases; time columns of a sorted series never decrease;
 * block_sum[b][m] is the sum of metric m over events 0 .. b*BLOCK_EVENTS-1. */

#define CHUNK_MIN 32u

struct series *
series_new(enum series_kind kind)
{
	struct series *s = mem_zalloc(1, sizeof *s);

	s->kind = (uint8_t)kind;
	s->sorted = true;
	s->n_columns = kind == SERIES_POINTS ? 2 : 0; /* value and place */
	s->first = UINT8_MAX;
	return s;
}

static void
release_pages(struct series *s)
{
	for (size_t i = 0; i < (size_t)s->n_pages * s->n_metrics; i++)
		totals_release(&s->page[i]);
	free(s->page);
}

void
series_chunk_release(const struct series *s, struct chunk *c)
{
	column_release(&c->time);
	column_release(&c->labels);
	column_release(&c->stack);
	for (unsigned v = 0; c->value && v < s->n_columns; v++)
		column_release(&c->value[v]);
	free(c->value);
	free(c->own);
	free(c->own_before);
}

void
series_free(struct series *s)
{
	for (uint32_t i = 0; i < s->n_chunks; i++)
		series_chunk_release(s, &s->chunk[i]);
	series_prefix_drop(s);
	free(s->prefix);
	for (uint32_t i = 0; i < s->n_checkpoints; i++) {
		for (unsigned m = 0; m < s->n_metrics; m++)
			column_release(&s->checkpoint[i].sum[m]);
		free(s->checkpoint[i].sum);
	}
	release_pages(s);
	free(s->chunk);
	free(s->checkpoint);
	free(s->seen);
	free(s->block);
	free(s->block_sum);
	free(s);
}

unsigned
series_add_metric(struct series *s, metric_id m, enum metric_role role)
{
	assert(s->n_metrics < SERIES_METRICS_MAX);
	unsigned i = s->n_metrics++;

	s->metric[i] = m;
	s->role[i] = (uint8_t)role;
	s->column[i] = UINT8_MAX;
	s->part[i] = PART_ALL;
	if (role != ROLE_VALUE)
		return i;
	s->column[i] = s->n_columns++;
	s->first = s->first == UINT8_MAX ? (uint8_t)i : s->first;
	return i;
}

unsigned
series_add_part(struct series *s, metric_id m, unsigned column, enum value_part part)
{
	uint8_t columns = s->n_columns;
	unsigned i = series_add_metric(s, m, ROLE_VALUE);

	assert(s->kind == SERIES_SAMPLES && column <= columns);
	s->column[i] = (uint8_t)column;
	s->part[i] = (uint8_t)part;
	s->n_columns = column < columns ? columns : columns + 1;
	return i;
}

struct series *
series_like(const struct series *s)
{
	struct series *like = series_new((enum series_kind)s->kind);

	like->floating = s->floating;
	like->valued = s->valued;
	like->turns = s->turns;
	like->labelled = s->labelled;
	like->derived = s->derived;
	like->interval = s->interval;
	like->clock = s->clock;
	like->n_metrics = s->n_metrics;
	like->n_columns = s->n_columns;
	like->first = s->first;
	memcpy(like->metric, s->metric, sizeof s->metric);
	memcpy(like->role, s->role, sizeof s->role);
	memcpy(like->column, s->column, sizeof s->column);
	memcpy(like->part, s->part, sizeof s->part);
	return like;
}

/* ---- chunks and blocks ---- */

/* Returns the capacity of an array of chunks or of blocks that gets one more element. Where threads
 * are many, most have one chunk and one block. */
static uint32_t
one_more(uint32_t cap, uint32_t n)
{
	return n ? (uint32_t)vec_grown(cap, (size_t)n + 1) : 1;
}

void
series_chunk_close(const struct series *s, struct chunk *c)
{
	uint32_t n_values = s->valued ? series_thin_values(c) : c->n;

	column_close(&c->time, c->n,
		     series_is_sorted(s) && s->kind != SERIES_TOTALS ? COLUMN_RISING : COLUMN_ANY);
	column_close(&c->labels, c->n, COLUMN_IDS);
	column_close(&c->stack, c->n, COLUMN_IDS);
	for (unsigned v = 0; v < s->n_columns; v++)
		column_close(&c->value[v], n_values, s->valued ? COLUMN_ZEROS : COLUMN_ANY);
	c->cap = c->n;
}

/* Makes the columns of an empty chunk, with the widths of a full one that is not packed yet. */
static void
columns_like(const struct series *s, struct chunk *c, const struct chunk *of)
{
	c->time = column_like(&of->time);
	c->labels = column_like(&of->labels);
	c->stack = column_like(&of->stack);
	for (unsigned v = 0; v < s->n_columns; v++)
		c->value[v] = column_like(&of->value[v]);
}

/* Allocates them, possibly with the memory of the previous chunk's. */
static void
columns_room(const struct series *s, struct chunk *c)
{
	column_room(&c->time, c->cap);
	column_room(&c->labels, c->cap);
	column_room(&c->stack, c->cap);
	for (unsigned v = 0; v < s->n_columns; v++)
		column_room(&c->value[v], c->cap);
}

uint32_t
series_checkpoint_before(struct series *s, struct series_scratch *x, int64_t time)
{
	return s->n - series_checkpointed(s) >= CHUNK_MAX && series_checkpoint(s, x, time)
		       ? s->n_checkpoints - 1
		       : UINT32_MAX;
}

struct chunk *
series_chunk_open(struct series *s, struct series_scratch *x, int64_t time)
{
	uint32_t cap = CHUNK_MIN;
	/* reads the last chunk before it is packed, while that is fast */
	uint32_t checkpoint = series_checkpoint_before(s, x, time);
	uint32_t last = s->n_chunks - 1;
	while (cap < CHUNK_MAX && cap < s->n)
		cap *= 2;
	struct chunk next = {.first = s->n, .cap = cap, .checkpoint = checkpoint,
			     .turned = s->kind == SERIES_STEPS};
	if (s->n_columns)
		next.value = mem_zalloc(s->n_columns, sizeof *next.value);
	if (s->n_chunks)
		columns_like(s, &next, &s->chunk[last]);
	/* no later checkpoint reads chunks that this one covers */
	if (s->n_chunks && (checkpoint == UINT32_MAX || !x->closer ||
			    !x->closer(x->closer_with, s, last)))
		series_chunk_close(s, &s->chunk[last]);

	columns_room(s, &next);
	if (s->n_chunks == s->chunks_cap) {
		s->chunks_cap = one_more(s->chunks_cap, s->n_chunks);
		s->chunk = mem_realloc(s->chunk, s->chunks_cap, sizeof *s->chunk);
	}
	s->chunk[s->n_chunks] = next;
	return &s->chunk[s->n_chunks++];
}

void
series_block_open(struct series *s, int64_t time)
{
	if (s->n_blocks == s->blocks_cap) {
		s->blocks_cap = one_more(s->blocks_cap, s->n_blocks);
		s->block = mem_realloc(s->block, s->blocks_cap, sizeof *s->block);
		if (s->n_metrics)
			s->block_sum = mem_realloc(s->block_sum, s->blocks_cap,
						   sizeof *s->block_sum * s->n_metrics);
	}
	s->block[s->n_blocks] = (struct block){.time = time, .min = INT64_MAX, .max = INT64_MIN};
	for (unsigned m = 0; m < s->n_metrics; m++)
		s->block_sum[(size_t)s->n_blocks * s->n_metrics + m] = s->sum[m];
	s->n_blocks++;
	s->longest = INT64_MIN;
}

static inline void
event_time(struct series *s, int64_t time)
{
	if (s->n && time < s->last_time)
		s->sorted = false;
	else
		s->last_time = time;
	if (!s->n || s->end_time < time)
		s->end_time = time;
}

/* ---- appending ---- */

static inline void
put_labels(struct series *s, struct chunk *c)
{
	if (!s->labelled)
		return;
	column_put(&c->labels, c->n, c->cap, s->next_labels, false);
	s->next_labels = LABELS_NONE;
}

void
series_add_step(struct series *s, struct series_scratch *x, int64_t time,
		uint32_t stack_and_flags, int64_t value)
{
	if (s->n)
		series_end_step(s, s->last_time, time);
	struct chunk *c = series_chunk_for(s, x, time);
	if (s->n % BLOCK_EVENTS == 0)
		series_block_open(s, time);
	column_put(&c->time, c->n, c->cap, time, true);
	column_put(&c->stack, c->n, c->cap, step_turned(stack_and_flags), false);
	if (s->valued)
		column_put(&c->value[0], c->n, c->cap, value, false);
	put_labels(s, c);
	c->n++;
	event_time(s, time);
	s->n++;
	for (unsigned m = 0; m < s->n_metrics; m++) /* its duration is known when it ends */
		s->sum[m] += role_adds((enum metric_role)s->role[m], 0, 0, stack_and_flags);
}

void
series_add_sample(struct series *s, struct series_scratch *x, int64_t time, stack_id stack,
		  const int64_t *values)
{
	struct chunk *c = series_chunk_for(s, x, time);

	if (s->n % BLOCK_EVENTS == 0)
		series_block_open(s, time);
	series_block_weigh(s, stack,
			   s->first != UINT8_MAX ? series_number_of(s, s->first, values) : 1);
	column_put(&c->time, c->n, c->cap, time, true);
	column_put(&c->stack, c->n, c->cap, stack, false);
	for (unsigned v = 0; v < s->n_columns; v++)
		column_put(&c->value[v], c->n, c->cap, values[v], false);
	put_labels(s, c);
	c->n++;
	for (unsigned m = 0; m < s->n_metrics; m++)
		s->sum[m] += s->column[m] != UINT8_MAX ? series_number_of(s, m, values) : 1;
	event_time(s, time);
	s->n++;
}

void
series_block_point(struct series *s, int64_t value, bool first)
{
	struct block *b = &s->block[s->n_blocks - 1];
	double v, low, high;

	if (!s->floating) {
		b->min = value < b->min ? value : b->min;
		b->max = value > b->max ? value : b->max;
		return;
	}
	memcpy(&v, &value, sizeof v);
	memcpy(&low, &b->min, sizeof low);
	memcpy(&high, &b->max, sizeof high);
	if (first || v < low)
		b->min = value;
	if (first || v > high)
		b->max = value;
}

void
series_add_point(struct series *s, int64_t time, int64_t value, int64_t place)
{
	struct chunk *c = series_chunk_for(s, NULL, time);

	if (s->n % BLOCK_EVENTS == 0)
		series_block_open(s, time);
	column_put(&c->time, c->n, c->cap, time, true);
	column_put(&c->value[0], c->n, c->cap, value, false);
	column_put(&c->value[1], c->n, c->cap, place, true);
	put_labels(s, c);
	c->n++;
	series_block_point(s, value, s->n % BLOCK_EVENTS == 0);
	event_time(s, time);
	s->n++;
}

/* Makes room for n pages, `before` of them before the present ones. */
static void
pages_extend(struct series *s, uint32_t before, uint32_t n)
{
	size_t each = s->n_metrics, have = s->n_pages * each, at = before * each;

	s->page = mem_realloc(s->page, n, each * sizeof *s->page);
	memmove(s->page + at, s->page, have * sizeof *s->page);
	memset(s->page, 0, at * sizeof *s->page);
	memset(s->page + at + have, 0, (n * each - at - have) * sizeof *s->page);
	s->first_page -= before;
	s->n_pages = n;
}

/* Returns the page of a stack: the sums of each metric. */
static struct totals *
totals_of(struct series *s, stack_id stack)
{
	uint32_t i = stack / TOTALS_PAGE;

	if (!s->n_pages)
		s->first_page = i;
	if (i < s->first_page) { /* some more, so that not each further one moves all */
		uint32_t more = s->first_page - i + (i < s->n_pages ? i : s->n_pages);
		pages_extend(s, more, s->n_pages + more);
	} else if (i - s->first_page >= s->n_pages) {
		size_t n = (size_t)(i - s->first_page) + 1;
		pages_extend(s, 0, (uint32_t)vec_grown(s->n_pages, n));
	}
	return s->page + (size_t)(i - s->first_page) * s->n_metrics;
}

/* Labels belong to single events, so labelled totals are also kept one by one. */
static void
keep_total(struct series *s, stack_id stack, const int64_t *values)
{
	struct chunk *c = series_chunk_for(s, NULL, 0);

	column_put(&c->time, c->n, c->cap, 0, true);
	column_put(&c->stack, c->n, c->cap, stack, false);
	for (unsigned v = 0; v < s->n_columns; v++)
		column_put(&c->value[v], c->n, c->cap, values[v], false);
	put_labels(s, c);
	c->n++;
}

void
series_count_total(struct series *s, stack_id stack, const int64_t *values)
{
	struct totals *page = totals_of(s, stack);

	for (unsigned m = 0; m < s->n_metrics; m++) {
		int64_t v = s->column[m] != UINT8_MAX ? values[s->column[m]] : 1;
		totals_add(&page[m], stack % TOTALS_PAGE, v);
		s->sum[m] += v;
	}
	s->n++;
}

void
series_add_total(struct series *s, stack_id stack, const int64_t *values)
{
	if (s->labelled)
		keep_total(s, stack, values);
	series_count_total(s, stack, values);
}

void
series_total_soon(const struct series *s, stack_id stack)
{
	uint32_t i = stack / TOTALS_PAGE - s->first_page;

	for (unsigned m = 0; i < s->n_pages && m < s->n_metrics; m++)
		totals_soon(&s->page[(size_t)i * s->n_metrics + m], stack % TOTALS_PAGE);
}

void
series_take_total(struct series *s, stack_id stack, const int64_t *values)
{
	struct totals *page = totals_of(s, stack);

	for (unsigned m = 0; m < s->n_metrics; m++)
		if (s->column[m] != UINT8_MAX) {
			totals_add(&page[m], stack % TOTALS_PAGE, -values[s->column[m]]);
			s->sum[m] -= values[s->column[m]];
		}
}

void
series_clear_totals(struct series *s)
{
	release_pages(s);
	s->page = NULL;
	s->n_pages = 0;
	s->n = 0;
	memset(s->sum, 0, sizeof s->sum);
}

void
series_add_sums(struct series *s, stack_id stack, const int64_t *sums)
{
	struct totals *page = totals_of(s, stack);

	assert(!s->labelled);
	for (unsigned m = 0; m < s->n_metrics; m++) {
		totals_add(&page[m], stack % TOTALS_PAGE, sums[m]);
		s->sum[m] += sums[m];
		if (s->role[m] == ROLE_EVENTS)
			s->n += (uint64_t)sums[m];
	}
}

/* Derived counts have no decimals of their own: see tally.c. */
static bool
is_scaled(const struct series *s, unsigned m, metric_id metric)
{
	return s->metric[m] == metric && s->role[m] == ROLE_VALUE;
}

bool
series_scales(const struct series *s, metric_id metric)
{
	for (unsigned m = 0; m < s->n_metrics; m++)
		if (is_scaled(s, m, metric) && s->n_chunks)
			return false;
	return true;
}

void
series_scale(struct series *s, metric_id metric, int64_t factor)
{
	assert(series_scales(s, metric));
	for (unsigned m = 0; m < s->n_metrics; m++) {
		if (!is_scaled(s, m, metric))
			continue;
		s->sum[m] *= factor;
		for (uint32_t i = 0; i < s->n_pages; i++)
			totals_scale(&s->page[(size_t)i * s->n_metrics + m], factor);
	}
}

/* ---- sorting ---- */

struct series_order {
	int64_t time;
	uint64_t i;
};

ORDERED_BY_TWO(order_compare, struct series_order, time, i)

void
series_sort(struct series *s, struct series_scratch *x)
{
	struct series_order *order;
	struct series *sorted;

	if (s->sorted || s->kind == SERIES_TOTALS || s->kind == SERIES_STEPS)
		return;
	order = mem_alloc(s->n, sizeof *order);
	for (uint32_t k = 0, n = 0; k < s->n_chunks; k++)
		for (uint32_t i = 0; i < s->chunk[k].n; i++, n++)
			order[n] = (struct series_order){column_get(&s->chunk[k].time, i),
							 s->chunk[k].first + i};
	qsort(order, s->n, sizeof *order, order_compare);

	sorted = series_like(s);
	for (uint64_t n = 0; n < s->n; n++) {
		const struct chunk *c = series_chunk(s, order[n].i);
		uint32_t i = (uint32_t)(order[n].i - c->first);
		int64_t value[SERIES_METRICS_MAX];
		for (unsigned v = 0; v < s->n_columns; v++)
			value[v] = column_get(&c->value[v], i);
		if (s->labelled)
			sorted->next_labels = (labels_id)column_get(&c->labels, i);
		if (s->kind == SERIES_POINTS)
			series_add_point(sorted, order[n].time, value[0], value[1]);
		else
			series_add_sample(sorted, x, order[n].time, chunk_stack(c, i), value);
	}
	free(order);
	struct series swap = *s; /* keeps the caller's pointer to the series valid */
	sorted->track = s->track;
	sorted->end_time = s->end_time;
	*s = *sorted;
	*sorted = swap;
	series_free(sorted);
}
