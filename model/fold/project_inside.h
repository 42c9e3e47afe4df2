/* project_inside.h - shared by the files that make a projection. */
#ifndef PNAV_MODEL_FOLD_PROJECT_INSIDE_H
#define PNAV_MODEL_FOLD_PROJECT_INSIDE_H

#include "model/base/map.h"
#include "model/base/slots.h"
#include "model/fold/project.h"
#include "model/lens/sieve.h"

/* Prefetch distance, in elements. */
#define PROJECT_AHEAD 24u
#define LOOKUP_STEPS 4u /* of a pace: a lookup misses the caches */

/* ---- project_grow.c: nodes ---- */

struct grower {
	struct projection *t;
	struct slots slots; /* of nodes other than parent + 1; a node's place is its id */
	struct pace *pace;
	uint32_t cap;
};

/* Makes room for `want` nodes. Columns are allocated at once where their size is known: only pages
 * that are written cost memory. */
void project_room(struct grower *g, uint32_t want);
/* Makes the root, and that room. */
void project_root(struct grower *g, uint32_t room);
/* Appends a node. */
static inline node_id
project_node(struct grower *g, node_id parent, key_id key)
{
	struct projection *t = g->t;
	node_id n = t->n;

	if (n == g->cap)
		project_room(g, n + 1);
	t->parent[n] = parent;
	t->key[n] = key;
	return t->n++;
}
/* Returns the child with this key, which is made if there is none. */
node_id project_child(struct grower *g, node_id parent, key_id key);

static inline uint32_t
project_bits(node_id parent, key_id key)
{
	return (uint32_t)(map_hash_pair(parent, key) >> 32);
}

/* ---- project_first.c ---- */

/* Adds to an inverted tree, which has only its root, what its first rows show. `recorded` is as for
 * projection_paced(). */
void project_first(struct grower *g, const struct sieve *v, const key_id *key_of_frame,
		   const struct tally *recorded, const struct first_rows *asks);

/* ---- project_links.c ---- */

/* Computes children, siblings and outermost nodes from the parents and keys of all nodes. If the
 * pace cancels, they are incomplete. */
void projection_link(struct projection *t, struct pace *pace);

#endif
