/* order.h - a lazily sorted sequence: only the positions that are read get sorted.
 *
 * A screen shows fifty rows of a table, and sorting two million for it takes seconds. Here the
 * items lie in pieces, and every item of a piece precedes every item of the next. Reading a
 * position splits its piece until it is small (quickselect). The first read costs about two
 * passes over all items, a read nearby nearly nothing. Reading all positions costs as much as
 * sorting.
 *
 *	order_begin(&o, n, &by);
 *	for (i = top; i < top + h; i++) thing = order_at(&o, i, &by);
 *
 * Items are numbers below n. The order must be total, and the same at every call. */
#ifndef PNAV_MODEL_FOLD_ORDER_H
#define PNAV_MODEL_FOLD_ORDER_H

#include <stdbool.h>
#include <stdint.h>

#include "model/base/pace.h"
#include "model/base/vec.h"

struct order_by {
	/* The primary sort key, ascending; compare() decides ties. */
	int64_t (*rank)(const void *of, uint32_t thing);
	int (*compare)(const void *of, uint32_t a, uint32_t b); /* < 0: a precedes b */
	const void *of;
	struct pace *pace; /* NULL: run to the end without yielding. If it cancels, call
			    * order_begin() again */
};

/* Packed, since there may be a million. */
struct order_item {
	int64_t rank;
	uint32_t thing;
} __attribute__((packed, aligned(4)));

struct order_piece {
	uint32_t from; /* up to the next piece's `from` */
	bool sorted;
};

struct order {
	uint32_t n, cap;
	struct order_item *item;
	VEC(struct order_piece) pieces;
};

void order_init(struct order *o);
void order_release(struct order *o);
/* Starts with the items 0 to n - 1, unsorted; reuses memory. */
void order_begin(struct order *o, uint32_t n, const struct order_by *by);
/* Returns the item at a position below n. After by's pace cancelled, returns any item at once. */
uint32_t order_at(struct order *o, uint32_t place, const struct order_by *by);
/* Returns the position of an item; 0 at once after by's pace cancelled. */
uint32_t order_place(struct order *o, uint32_t thing, const struct order_by *by);
/* Returns the position of the nearest wanted item after a position (dir < 0: before it); o->n
 * if there is none. Costs the items between, and sorting the position found. */
uint32_t order_seek(struct order *o, uint32_t place, int dir,
		    bool (*wanted)(const void *of, uint32_t thing), const void *of,
		    const struct order_by *by);
/* Returns the item at a position that was read before; at any other, some item. Sorts nothing. */
uint32_t order_get(const struct order *o, uint32_t place);

#endif
