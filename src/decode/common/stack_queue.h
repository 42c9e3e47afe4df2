/* stack_queue.h - the items of a file (lines, samples) that wait for their stacks.
 *
 * The decoder has an array of STACK_QUEUE items. It fills the item that stack_queue_next() names,
 * adds it, and gets each item back with its stack, in their order.
 *
 *	struct stack_queue q = {.b = b, .ops = &ops, .owner = decoder};
 *	struct item *item = &decoder->item[stack_queue_next(&q)];
 *	...fill it...
 *	ok = stack_queue_add(&q, bytes, len, seed);
 *	...before the bytes of items move, and at the end of the file...
 *	ok = stack_queue_flush(&q);
 *
 * Zero-initialise the other members; release with stack_queue_release(). */
#ifndef PNAV_SRC_DECODE_COMMON_STACK_QUEUE_H
#define PNAV_SRC_DECODE_COMMON_STACK_QUEUE_H

#include <stdbool.h>
#include <stdint.h>

#include "model/base/vec.h"
#include "model/build/builder.h"
#include "src/decode/common/text_cache.h"
#include "src/input/hash.h"

#define STACK_QUEUE 32u /* slightly more than the number of parallel memory accesses */

/* The decoder does this with item i. */
struct stack_queue_ops {
	/* May be NULL. Is called for all new items, in order, before path() of the first. */
	void (*split)(void *owner, uint32_t i);
	/* Calls stack_queue_path() for a new item and returns true, or returns false if the item
	 * has no stack: take() gets STACK_NONE. Called in order. */
	bool (*path)(void *owner, uint32_t i);
	/* May be NULL. Prefetches what take() of the item will change; there is a stack. Called for
	 * all items before the first take(). */
	void (*soon)(void *owner, uint32_t i, stack_id stack);
	/* Takes the item. STACK_NONE: the profile is full, or the stack too deep. Returns false to
	 * drop the items after it. */
	bool (*take)(void *owner, uint32_t i, stack_id stack);
};

/* A path that waits for its stack. */
struct stack_queue_way {
	uint32_t item;
	size_t shared;   /* number of frames that it has in common with the previous path */
	size_t first, n; /* in frame[]: those after them */
	size_t known;    /* number of these whose stacks exist; they are in each[] */
};

struct stack_queue {
	struct builder *b;
	const struct stack_queue_ops *ops;
	void *owner;
	/* items */
	uint32_t n;
	struct hash128 hash[STACK_QUEUE];
	stack_id stack[STACK_QUEUE]; /* STACK_NONE: not known */
	bool hashed[STACK_QUEUE];
	struct text_cache cache; /* hash to stack + 1 */
	bool silent;             /* the cache hardly ever hit: it is not used for some time */
	uint32_t asked, known;   /* items since that decision; those that were in the cache */
	/* new items */
	uint32_t n_ways;
	struct stack_queue_way way[STACK_QUEUE];
	VEC(frame_id) frame;
	VEC(stack_id) each;      /* [frame] */
	VEC(frame_id) last;      /* the previous path */
	VEC(stack_id) last_each; /* the stacks of the previous path that has one */
	VEC(stack_id) ahead;     /* the same, as expected of the paths that are not made yet */
	bool too_deep;           /* a path has more frames than a stack may have, */
	bool failed;             /* ... or no stack: all later ones have none either */
};

/* Returns the index of the item that stack_queue_add() adds. */
static inline uint32_t
stack_queue_next(const struct stack_queue *q)
{
	return q->n;
}

/* Finds the stacks of all items that wait. Returns false if take() did. */
bool stack_queue_flush(struct stack_queue *q);

/* Adds the next item; finds the stacks of all if the queue is full. Items with equal bytes and
 * seeds have the same stack; NULL: its stack is not kept. Returns false if take() did. */
static inline bool
stack_queue_add(struct stack_queue *q, const void *bytes, size_t len, uint64_t seed)
{
	uint32_t i = q->n++;

	q->hashed[i] = bytes && !q->silent;
	if (q->hashed[i]) {
		q->hash[i] = hash128_seeded(bytes, len, seed);
		text_cache_soon(&q->cache, q->hash[i]);
	}
	return q->n < STACK_QUEUE || stack_queue_flush(q);
}

/* Gives the frames of an item, outermost first. The first `shared` are those of the previous path
 * (0 is always right), and n more follow. */
void stack_queue_path(struct stack_queue *q, size_t shared, const frame_id *frame, size_t n);

void stack_queue_release(struct stack_queue *q);

#endif
