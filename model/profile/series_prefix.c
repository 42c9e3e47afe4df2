/* series_prefix.c - sums of a series that its file states.
 *
 * Computing the sums of blocks and checkpoints takes most of the time of opening a packed profile;
 * as packed columns they take some percent of its bytes. They become visible only with the events
 * that they sum, so a file that ends early leaves a series that agrees with itself. The events
 * from the last block on are still summed, because the next ones may be missing.
 *
 * A bound on sizes replaces a look at each value (series_adopt.c). Stated sums must stay below it,
 * too: twice the bound of a profile fits 63 bits, and differences of two checkpoints no more. */
#include "model/profile/series_prefix.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/mem.h"
#include "model/base/vec.h"
#include "model/profile/column_form.h"

#define PIECE 1024u /* stacks */

bool
prefix_column_fits(const struct column *c, uint32_t n)
{
	const int64_t limit = INT64_C(1) << PREFIX_BITS;

	if (c->base <= -limit || c->base >= limit)
		return false;
	if (column_largest(c) < (uint64_t)limit)
		return true;
	for (uint32_t i = 0; i < n; i++) {
		int64_t v = column_get(c, i);
		if (v <= -limit || v >= limit)
			return false;
	}
	return true;
}

static struct series_prefix *
prefix_of(struct series *s)
{
	if (!s->prefix)
		s->prefix = mem_zalloc(1, sizeof *s->prefix);
	return s->prefix;
}

bool
series_prefix_blocks(struct series *s, uint32_t n, const struct column *dominant,
		     const struct column *sum)
{
	struct series_prefix *x = prefix_of(s);

	assert(!s->n && n);
	if (x->n_blocks)
		return false;
	x->n_blocks = n;
	x->dominant = *dominant;
	x->sum = mem_copy(sum, s->n_metrics, sizeof *sum);
	return true;
}

uint32_t
series_prefix_seen(const struct series *s)
{
	const struct series_prefix *x = s->prefix;

	return x && x->n_checkpoints ? s->checkpoint[x->n_checkpoints - 1].n : 0;
}

bool
series_prefix_checkpoint(struct series *s, uint64_t events, const stack_id *stack, uint32_t n,
			 const struct column *sum)
{
	struct series_prefix *x = prefix_of(s);
	uint32_t i = x->n_checkpoints, seen = series_prefix_seen(s);
	uint64_t before = i ? s->checkpoint[i - 1].events : 0;

	assert(!s->n);
	if (events <= before || (uint64_t)seen + n > events - before)
		return false;
	vec_room(s->seen, s->seen_cap, (size_t)seen + n);
	if (n)
		memcpy(s->seen + seen, stack, n * sizeof *stack);
	vec_room(s->checkpoint, s->checkpoints_cap, (size_t)i + 1);
	s->checkpoint[i] = (struct checkpoint){
		.events = events,
		.n = seen + n,
		.key = i - i % CHECKPOINT_KEY,
		.sum = mem_copy(sum, s->n_metrics, sizeof *sum),
	};
	x->n_checkpoints++;
	return true;
}

void
series_prefix_alone(struct series *s)
{
	prefix_of(s)->alone = true;
}

void
series_prefix_drop(struct series *s)
{
	struct series_prefix *x = s->prefix;

	if (!x)
		return;
	for (uint32_t i = s->n_checkpoints; i < x->n_checkpoints; i++) {
		for (unsigned m = 0; m < s->n_metrics; m++)
			column_release(&s->checkpoint[i].sum[m]);
		free(s->checkpoint[i].sum);
	}
	for (unsigned m = 0; x->sum && m < s->n_metrics; m++)
		column_release(&x->sum[m]);
	column_release(&x->dominant);
	free(x->sum);
	*x = (struct series_prefix){0};
}

/* Sums n sizes below 2^62, n <= PIECE; UINT64_MAX if the sum is 2^62 or more. */
static inline uint64_t
sum_of_sizes(const int64_t *v, uint32_t n)
{
	uint64_t low = 0, high = 0;

	for (uint32_t i = 0; i < n; i++) {
		uint64_t size = (uint64_t)(v[i] < 0 ? -v[i] : v[i]);
		low += size & UINT32_MAX;
		high += size >> 32;
	}
	high += low >> 32;
	return high >> 30 ? UINT64_MAX : high << 32 | (low & UINT32_MAX);
}

/* Returns true if the sums of metric m that checkpoint i adds to the one before can be those of
 * events whose sizes are at most `most` together. */
static bool
adds_little(const struct series *s, uint32_t i, unsigned m, uint64_t most)
{
	uint64_t sizes = 0, before = i ? s->checkpoint[i - 1].events : 0;
	int64_t v[PIECE];

	for (uint32_t from = 0, n; from < s->checkpoint[i].n; from += n) {
		n = s->checkpoint[i].n - from < PIECE ? s->checkpoint[i].n - from : PIECE;
		memset(v, 0, n * sizeof *v);
		series_checkpoint_add(s, i, m, from, n, 1, v);
		if (i)
			series_checkpoint_add(s, i - 1, m, from, n, -1, v);
		int64_t signs = 0;
		for (uint32_t k = 0; k < n; k++)
			signs |= v[k];
		uint64_t sum = sum_of_sizes(v, n);
		if (sum > most - sizes || (signs < 0 && s->role[m] != ROLE_VALUE))
			return false;
		sizes += sum;
	}
	return s->role[m] != ROLE_EVENTS || sizes == s->checkpoint[i].events - before;
}

const char *
series_prefix_due(struct series *s, int64_t ends, uint32_t *index)
{
	struct series_prefix *x = s->prefix;
	uint32_t i = s->n_checkpoints;

	x->bound += ends;
	*index = UINT32_MAX;
	if (i >= x->n_checkpoints || s->checkpoint[i].events != s->n)
		return NULL;
	for (unsigned m = 0; m < s->n_metrics; m++)
		if (!adds_little(s, i, m, (uint64_t)(x->bound - x->checked)))
			return "a checkpoint that events cannot have";
	x->checked = x->bound;
	s->n_checkpoints++;
	s->n_seen = s->checkpoint[i].n;
	for (unsigned m = 0; m < s->n_metrics; m++)
		s->checkpoint_bytes += column_bytes(&s->checkpoint[i].sum[m], s->n_seen);
	*index = i;
	return NULL;
}

const char *
series_prefix_end(struct series *s, int64_t ends)
{
	const char *wrong = NULL;
	uint32_t index;

	if (!s->prefix)
		return NULL;
	wrong = series_prefix_due(s, ends, &index);
	series_prefix_drop(s);
	return wrong;
}
