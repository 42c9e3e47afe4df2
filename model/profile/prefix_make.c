/* prefix_make.c - makes the sums that a packed profile states.
 *
 * The checkpoints in memory are too many for a file. So some of them are copied, as far apart as
 * necessary, and one of all events is taken, into a series that shares the chunks. */
#include "model/profile/prefix_make.h"

#include <stdlib.h>
#include <string.h>

#include "model/base/mem.h"
#include "model/base/vec.h"
#include "model/profile/column_form.h"
#include "model/profile/series_column.h"
#include "model/profile/series_inside.h"
#include "model/profile/series_prefix.h"

struct column
prefix_column(const int64_t *v, uint32_t n)
{
	struct column c = column_packed(v, n);

	column_close(&c, n, COLUMN_ANY);
	return c;
}

/* Takes the checkpoint of all events, and packs it. */
static void
take_last(struct series *s, const struct series *of)
{
	struct series_scratch x = {0};

	s->n = of->n;
	s->n_chunks = of->n_chunks;
	series_checkpoint_take(s, &x, of->end_time);
	struct checkpoint *c = &s->checkpoint[s->n_checkpoints - 1];
	for (unsigned m = 0; m < s->n_metrics; m++)
		column_close(&c->sum[m], c->n, COLUMN_ANY);
	series_scratch_release(&x);
}

/* Copies checkpoint i of the series, which counts from the beginning or from a checkpoint that was
 * copied from *key. */
static void
copy_checkpoint(struct series *s, const struct series *of, uint32_t i, uint32_t *key)
{
	const struct checkpoint *from = &of->checkpoint[i];
	uint32_t k = s->n_checkpoints++;
	int64_t *sum = mem_alloc(from->n, sizeof *sum);

	vec_room(s->checkpoint, s->checkpoints_cap, (size_t)k + 1);
	*key = k % CHECKPOINT_KEY ? *key : i;
	struct checkpoint *to = &s->checkpoint[k];
	*to = (struct checkpoint){
		.events = from->events, .n = from->n, .key = k - k % CHECKPOINT_KEY,
		.sum = mem_alloc(s->n_metrics, sizeof *to->sum),
	};
	for (unsigned m = 0; m < s->n_metrics; m++) {
		memset(sum, 0, from->n * sizeof *sum);
		series_checkpoint_add(of, i, m, 0, from->n, 1, sum);
		if (*key != i)
			series_checkpoint_add(of, *key, m, 0, from->n, -1, sum);
		to->sum[m] = prefix_column(sum, from->n);
	}
	s->n_seen = from->n;
	free(sum);
}

static void
drop_last(struct series *s)
{
	struct checkpoint *c = &s->checkpoint[--s->n_checkpoints];

	for (unsigned m = 0; m < s->n_metrics; m++)
		column_release(&c->sum[m]);
	free(c->sum);
	s->n_seen = s->n_checkpoints ? c[-1].n : 0;
}

/* Returns true if the last checkpoint surely takes no more than `most` bytes in a file, and no sum
 * of it is too large for one. */
static bool
last_can_be_stated(const struct series *s, uint64_t most)
{
	enum { VARINT = 10, STACK = 5, COLUMN = 24 }; /* bytes of a number, an id and a head */
	const struct checkpoint *c = &s->checkpoint[s->n_checkpoints - 1];
	uint64_t groups = c->n / COLUMN_GROUP + 1, bytes = 2 * VARINT + STACK * (uint64_t)c->n;

	for (unsigned m = 0; m < s->n_metrics; m++) {
		if (!prefix_column_fits(&c->sum[m], c->n))
			return false;
		bytes += COLUMN + column_bytes(&c->sum[m], c->n) +
			 groups * sizeof *c->sum[m].bases;
	}
	return bytes <= most;
}

/* Returns about how many bytes the last checkpoint takes in a file; UINT64_MAX if it cannot be
 * stated. */
static uint64_t
bytes_of_last(const struct series *s, uint64_t most)
{
	const struct checkpoint *c = &s->checkpoint[s->n_checkpoints - 1];
	uint64_t bytes = 2 * (uint64_t)c->n; /* of the ids of stacks */

	if (!last_can_be_stated(s, most))
		return UINT64_MAX;
	for (unsigned m = 0; m < s->n_metrics; m++)
		bytes += column_bytes(&c->sum[m], c->n);
	return bytes;
}

/* Copies checkpoints that have at least `events` events between them, and half as many behind, up
 * to the first that cannot be stated. */
static void
copy_some(struct series *s, const struct series *of, uint64_t events, uint64_t most)
{
	uint64_t last = 0;
	uint32_t key = 0;

	for (uint32_t k = 1; k < of->n_chunks; k++) {
		uint64_t first = of->chunk[k].first;
		if (of->chunk[k].checkpoint == UINT32_MAX || first - last < events ||
		    of->n - first < events / 2)
			continue;
		copy_checkpoint(s, of, of->chunk[k].checkpoint, &key);
		if (!last_can_be_stated(s, most)) {
			drop_last(s);
			return;
		}
		s->chunk[k].checkpoint = s->n_checkpoints - 1;
		last = first;
	}
}

struct series *
series_prefix_of(const struct series *s, uint64_t bytes, uint64_t most)
{
	struct series *to = series_like(s);
	uint32_t last = s->n_checkpoints - 1, key = 0;

	to->chunk = mem_copy(s->chunk, s->n_chunks, sizeof *s->chunk);
	for (uint32_t k = 0; k < s->n_chunks; k++)
		to->chunk[k].checkpoint = UINT32_MAX;
	if (s->n_checkpoints) { /* all others need about as many bytes as the last one */
		to->seen = mem_copy(s->seen, s->n_seen, sizeof *s->seen);
		to->seen_cap = s->n_seen;
		copy_checkpoint(to, s, last, &key);
		uint64_t each = bytes_of_last(to, most), stacks = 2 * (uint64_t)to->n_seen;
		drop_last(to);
		if (each > bytes)
			return to;
		uint64_t events = s->n / (bytes / each);
		copy_some(to, s, events > stacks ? events : stacks, most);
	}
	take_last(to, s);
	const struct checkpoint *end = &to->checkpoint[to->n_checkpoints - 1];
	uint64_t before = to->n_checkpoints > 1 ? end[-1].events : 0;
	if (bytes_of_last(to, most) > bytes || end->n > end->events - before)
		drop_last(to);
	return to;
}

void
series_prefix_free(struct series *s)
{
	s->n_chunks = 0; /* they belong to another series */
	series_free(s);
}

uint32_t
series_prefix_stacks(const struct series *s, uint32_t n_stacks)
{
	enum { PIECE = 1024 };
	uint64_t *met = mem_zalloc(n_stacks / 64 + 1, sizeof *met);
	uint32_t stack[PIECE], n = 0;

	for (uint32_t k = 0; k < s->n_chunks; k++)
		for (uint32_t at = 0, some; at < s->chunk[k].n; at += some) {
			some = s->chunk[k].n - at < PIECE ? s->chunk[k].n - at : PIECE;
			chunk_stacks(&s->chunk[k], at, some, stack);
			for (uint32_t i = 0; i < some; i++) {
				stack_id of = stack[i] & STEP_STACK;
				met[of / 64] |= UINT64_C(1) << of % 64;
			}
		}
	for (uint32_t i = 0; i <= n_stacks / 64; i++)
		n += (uint32_t)__builtin_popcountll(met[i]);
	free(met);
	return n;
}
