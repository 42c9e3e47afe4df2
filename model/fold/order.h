/* order.h - things in an order of which only what somebody looks at is worked out.
 *
 * A screen shows fifty rows of a table, and to sort two million for that takes seconds.
 * Here the things lie in pieces: all of a piece stand before all of the next.  Asking for a
 * place cuts the piece that has it until it is small, which costs about as much as looking at
 * all things twice, the next place nearby nearly nothing, and all of them together what
 * sorting them would.
 *
 *	order_begin(&o, n, &by);
 *	for (i = top; i < top + h; i++) thing = order_at(&o, i, &by);
 *
 * Things are numbers below n.  The order must be total, and the same at every call. */
#ifndef PNAV_MODEL_ORDER_H
#define PNAV_MODEL_ORDER_H

#include <stdbool.h>
#include <stdint.h>

#include "model/base/pace.h"
#include "model/base/vec.h"

struct order_by {
	/* Of what must stand first the smaller one; where it is equal, compare() tells. */
	int64_t (*rank)(const void *of, uint32_t thing);
	int (*compare)(const void *of, uint32_t a, uint32_t b); /* < 0: a stands first */
	const void *of;
	struct pace *pace; /* NULL: nobody rests.  Given up, the order is to be begun anew */
};

struct order_item {
	int64_t rank;
	uint32_t thing;
};

struct order_piece {
	uint32_t from; /* up to that of the next one */
	bool sorted;
};

struct order {
	uint32_t n, cap;
	struct order_item *item;
	VEC(struct order_piece) pieces;
};

void order_init(struct order *o);
void order_release(struct order *o);
/* The things 0 to n - 1, none of them in its place yet; memory is kept. */
void order_begin(struct order *o, uint32_t n, const struct order_by *by);
/* What stands at a place below n; any thing, and soon, once by's pace has given up. */
uint32_t order_at(struct order *o, uint32_t place, const struct order_by *by);
/* Where a thing stands; 0, and soon, once by's pace has given up. */
uint32_t order_place(struct order *o, uint32_t thing, const struct order_by *by);
/* Where the nearest thing stands that is wanted, behind a place (dir < 0: before it); o->n
 * where none is.  It costs what lies between, and the place of what is found. */
uint32_t order_seek(struct order *o, uint32_t place, int dir,
		    bool (*wanted)(const void *of, uint32_t thing), const void *of,
		    const struct order_by *by);
/* What stands at a place that was asked for before; of any other, one of the things.  Nothing
 * is worked out. */
uint32_t order_get(const struct order *o, uint32_t place);
/* < 0: a stands before b; needs no places. */
int order_compare(const struct order_by *by, uint32_t a, uint32_t b);

#endif
