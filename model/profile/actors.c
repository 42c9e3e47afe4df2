/* actors.c - see actors.h.
 *
 * Each actor has its states in two columns of its own, so that a binary search finds the state at
 * a moment without an index. The columns are packed a block at a time, to four or five bytes a
 * state instead of twelve. The waker needs no table: the state that a wake-up begins names it, and
 * the wait that it ended is the state before.
 *
 * Rejected: one table of states in the order of time with an index by thread, which is larger
 * and has to be made before the first question. */
#include "model/profile/actors.h"

#include <stdlib.h>

#include "model/base/bisect.h"
#include "model/base/sum.h"
#include "model/base/vec.h"
#include "model/profile/series_column.h"

#define STATE_NAME(state, name) [ACTOR_##state] = name,
#define KIND_NAME(kind, name) [EDGE_##kind] = name,

const char *
actor_state_name(enum actor_state state)
{
	static const char *const names[] = {ACTOR_STATES(STATE_NAME)};

	return names[state];
}

const char *
edge_kind_name(enum edge_kind kind)
{
	static const char *const names[] = {EDGE_KINDS(KIND_NAME)};

	return names[kind];
}

/* Packs the states behind the blocks, which fill a block. */
static void
pack_block(struct actor *a)
{
	struct actor_block b = {0};

	column_room(&b.time, ACTOR_BLOCK);
	column_room(&b.word, ACTOR_BLOCK);
	column_put_many(&b.time, 0, ACTOR_BLOCK, a->time, ACTOR_BLOCK, true);
	column_put_words(&b.word, 0, ACTOR_BLOCK, a->word, ACTOR_BLOCK);
	column_close(&b.time, ACTOR_BLOCK, COLUMN_RISING);
	column_close(&b.word, ACTOR_BLOCK, COLUMN_IDS);
	vec_room(a->block, a->blocks_cap, a->n / ACTOR_BLOCK);
	a->block[a->n / ACTOR_BLOCK - 1] = b;
}

void
actor_push(struct actor *a, int64_t time, enum actor_state state, uint32_t cause)
{
	uint32_t at = a->n % ACTOR_BLOCK, had = a->cap;

	vec_room(a->time, a->cap, at + 1);
	vec_room(a->word, had, at + 1);
	a->time[at] = time;
	a->word[at] = (uint32_t)state | cause << ACTOR_STATE_BITS;
	if (++a->n % ACTOR_BLOCK == 0)
		pack_block(a);
}

void
actor_fit(struct actor *a)
{
	if (!a->n)
		return;
	a->cap = a->n % ACTOR_BLOCK;
	a->time = mem_realloc(a->time, a->cap, sizeof *a->time);
	a->word = mem_realloc(a->word, a->cap, sizeof *a->word);
}

void
actor_release(struct actor *a)
{
	for (uint32_t i = 0; i < a->n / ACTOR_BLOCK; i++) {
		column_release(&a->block[i].time);
		column_release(&a->block[i].word);
	}
	free_all(a->block, a->time, a->word);
	a->block = NULL;
	a->time = NULL;
	a->word = NULL;
	a->n = a->cap = a->blocks_cap = 0;
}

uint32_t
actor_find(const struct actor *a, int64_t time)
{
	return (uint32_t)bisect(i, a->n, actor_time(a, (uint32_t)i) <= time);
}

int64_t
actor_waited(const struct actor *a, uint32_t i)
{
	enum actor_state before = i ? actor_state(a, i - 1) : ACTOR_UNKNOWN;

	if (before != ACTOR_WAITING && before != ACTOR_IO)
		return 0;
	return difference_clipped(actor_time(a, i), actor_time(a, i - 1));
}
