/* row_queue.h - the items of a file (lines, samples) that each change a row of a large table.
 *
 * Where the table exceeds the cache of the processor, each item waits for memory. So some items are
 * read before the first one changes its row, and the rows of all of them are fetched meanwhile:
 *
 *	struct row_queue q = {0};
 *	while (row_queue_has_room(&q) && the next item is there)
 *		row_queue_add(&q, row, &table[row], sizeof *table, note);
 *	for (uint32_t i = 0; i < q.n; i++)
 *		...change row q.item[i].row...
 *
 * Items that name the same row, and rows that do not change after all, are right, too. */
#ifndef PNAV_SRC_DECODE_COMMON_ROW_QUEUE_H
#define PNAV_SRC_DECODE_COMMON_ROW_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ROW_QUEUE 32u /* about as many as memory accesses in parallel */

struct row_queue {
	uint32_t n;
	struct row_item {
		uint32_t row;
		uint32_t note; /* of the decoder */
	} item[ROW_QUEUE];
};

static inline bool
row_queue_has_room(const struct row_queue *q)
{
	return q->n < ROW_QUEUE;
}

/* Adds an item; its row, of `size` bytes, is at `at`. */
static inline void
row_queue_add(struct row_queue *q, uint32_t row, const void *at, size_t size, uint32_t note)
{
	__builtin_prefetch(at, 1);
	__builtin_prefetch((const char *)at + size - 1, 1);
	q->item[q->n++] = (struct row_item){row, note};
}

#endif
