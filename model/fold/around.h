/* around.h - the callers and the callees of one function in a fold.
 *
 * Two trees with the function as their roots. Both count each stack once, at the function's
 * frame that is nearest to the root. So the callers add up to the function's total, and so do
 * its callees with its self there. If the function calls itself, it is one of its callees, and what
 * it takes itself below that is the callee's: views show the whole self of the function instead.
 *
 *	struct around a;
 *	around_init(&a);
 *	around_look(&a, fold, profile, key, pace);    -- after each fold
 *	for (around_id i = around_first(&a, AROUND_CALLERS); i != AROUND_NONE;
 *	     i = around_next(&a, i)) ...
 *
 * Children are made lazily. around_look() costs the nodes of the fold; opening a node costs the
 * nodes that it merges. Very many children are sorted only as far as they are read. The fold
 * must not be inverted. */
#ifndef PNAV_MODEL_FOLD_AROUND_H
#define PNAV_MODEL_FOLD_AROUND_H

#include <stdbool.h>
#include <stdint.h>

#include "model/base/pace.h"
#include "model/base/vec.h"
#include "model/fold/fold.h"
#include "model/fold/order.h"

typedef uint32_t around_id;
#define AROUND_CALLERS ((around_id)0) /* the function, with its callers as children */
#define AROUND_CALLEES ((around_id)1) /* the function, with its callees as children */
#define AROUND_NONE UINT32_MAX

/* The numbers of a caller are those of the function when called through it. The numbers of a
 * callee are its own when the function called it. */
struct around_node {
	key_id key; /* KEY_NONE among callers: none, the function was a root frame */
	around_id parent, first, last, next, prev;
	uint32_t depth; /* 0 for the function itself */
	bool made;      /* first and last are set */
	bool caller;    /* a caller, or the function as the root of its callers */
	int64_t self, total;
	int64_t area;  /* for pictures: the total, or the sum of sizes if some are below 0 */
	int64_t calls; /* -1 if not counted */
	int64_t base_self, base_total;
	struct sides exact_self, exact_total; /* not rounded */
	size_t members, n_members; /* private */
	uint32_t place; /* private: 1 + its position among very many siblings, once known */
	uint32_t wide;  /* private: 1 + the index of its children's order, if they are very many */
};

struct around_member {
	node_id at; /* the node merged here */
	node_id of; /* the node of its numbers: for callers the function's, for callees its own */
};

#define AROUND_WIDE 4096u /* if a node has more children, they are sorted only as far as they are
			   * read */

/* Private: children [from, from + order.n), in the order of creation. */
struct around_wide {
	around_id from;
	struct order order;
};

struct around {
	const struct fold *fold;
	const struct profile *profile;
	key_id key;
	struct pace *pace; /* set by callers that read children in portions; NULL (initial): no
			    * yielding. If it cancels, read nothing until the next around_look() */
	VEC(struct around_node) nodes;
	VEC(struct around_member) members;
	VEC(struct around_wide) wide;
};

void around_init(struct around *a);
void around_release(struct around *a);
/* Prepares the trees of this key, which may be KEY_NONE. Borrows fold and profile until the next
 * call. Returns false if the fold does not show the key; also, and nothing may be read, if the pace
 * cancels (NULL: runs to the end). */
bool around_look(struct around *a, const struct fold *f, const struct profile *p, key_id key,
		 struct pace *pace);

static inline const struct around_node *
around_get(const struct around *a, around_id i)
{
	return &a->nodes.at[i];
}

/* Return the child with the largest and the smallest total. */
around_id around_first(struct around *a, around_id i);
around_id around_last(struct around *a, around_id i);
/* Returns true if there is a child, without making them all. */
bool around_has(const struct around *a, around_id i);

/* Return the next and previous sibling. */
around_id around_next(struct around *a, around_id i);
around_id around_prev(struct around *a, around_id i);

/* Returns true for a caller, and for the function as the root of its callers. */
static inline bool
around_is_caller(const struct around *a, around_id i)
{
	return a->nodes.at[i].caller;
}

#endif
