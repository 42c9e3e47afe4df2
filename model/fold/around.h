/* around.h - what lies around one function in a fold: its callers and its callees.
 *
 * Two trees with the function at their roots.  Both count each stack once, at its frame of
 * the function that is nearest to the root: so the callers add up to the function's total,
 * and so do its callees with its self.  Where it calls itself, it is one of its callees.
 *
 *	struct around a;
 *	around_init(&a);
 *	around_look(&a, fold, profile, key);          -- after each fold
 *	for (around_id i = around_first(&a, AROUND_CALLERS); i != AROUND_NONE;
 *	     i = around_next(&a, i)) ...
 *
 * Children are made when they are asked for: a look costs the nodes of the fold, and what
 * is opened then, what it merges; of very many children only those are brought into their
 * order that are asked for.  The fold must not be turned over (inverted). */
#ifndef PNAV_MODEL_AROUND_H
#define PNAV_MODEL_AROUND_H

#include <stdbool.h>
#include <stdint.h>

#include "model/fold/fold.h"
#include "model/fold/order.h"
#include "model/base/pace.h"
#include "model/base/vec.h"

typedef uint32_t around_id;
#define AROUND_CALLERS ((around_id)0) /* the function, with its callers as children */
#define AROUND_CALLEES ((around_id)1) /* the function, with its callees as children */
#define AROUND_NONE UINT32_MAX

/* Of a caller, numbers are those of the function when it was called this way; of a
 * callee, its own when the function called it this way. */
struct around_node {
	key_id key; /* KEY_NONE among callers: nobody, the function was a root frame */
	around_id parent, first, last, next, prev;
	uint32_t depth; /* of the function itself: 0 */
	bool made;      /* first and last are set */
	bool caller;    /* a caller, or the function as the root of its callers */
	int64_t self, total;
	int64_t calls; /* -1 where not counted */
	int64_t base_self, base_total;
	size_t members, n_members; /* private */
	uint32_t place; /* private: 1 + where it stands among very many, once that is known */
	uint32_t wide;  /* private: 1 + the order of its children, where those are very many */
};

struct around_member {
	node_id at; /* the node that was merged here */
	node_id of; /* whose numbers it has: callers the function's, callees their own */
};

#define AROUND_WIDE 4096u /* children: of more, no more are sorted than are asked for */

/* Private: children [from, from + order.n), which lie as they were made. */
struct around_wide {
	around_id from;
	struct order order;
};

struct around {
	const struct fold *fold;
	const struct profile *profile;
	key_id key;
	struct pace *pace; /* for who asks for children in portions; NULL (as made): no rests.
			    * Where it gives up, nothing may be asked until the next look */
	VEC(struct around_node) nodes;
	VEC(struct around_member) members;
	VEC(struct around_wide) wide;
};

void around_init(struct around *a);
void around_release(struct around *a);
/* Looks at this key, which may be KEY_NONE; fold and profile are borrowed until the next
 * look.  False when the key does not occur in what is shown. */
bool around_look(struct around *a, const struct fold *f, const struct profile *p, key_id key);
/* The same with rests; false, and nothing may be asked, when the pace gave up. */
bool around_look_paced(struct around *a, const struct fold *f, const struct profile *p,
		       key_id key, struct pace *pace);

static inline const struct around_node *
around_get(const struct around *a, around_id i)
{
	return &a->nodes.at[i];
}

/* The heaviest and the lightest child. */
around_id around_first(struct around *a, around_id i);
around_id around_last(struct around *a, around_id i);
/* Whether there is one, without making them all. */
bool around_has(const struct around *a, around_id i);

/* Siblings. */
around_id around_next(struct around *a, around_id i);
around_id around_prev(struct around *a, around_id i);

/* Is it a caller, or the function as the root of its callers? */
static inline bool
around_is_caller(const struct around *a, around_id i)
{
	return a->nodes.at[i].caller;
}

#endif
