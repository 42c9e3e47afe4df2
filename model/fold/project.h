/* project.h - the shape of the displayed tree: a map from stacks to nodes.
 *
 * Filters, hiding, collapsing, granularity and inversion are all this one map. It depends on the
 * profile's stacks and on the lens's entries, granularity and direction. It does not depend on
 * time, tracks or metric, so only changed filters make a new one. Cost: O(stacks) per filter
 * entry; inversion costs the sum of the depths, up to PROJECT_NODES_MAX. */
#ifndef PNAV_MODEL_FOLD_PROJECT_H
#define PNAV_MODEL_FOLD_PROJECT_H

#include <stdbool.h>
#include <stdint.h>

#include "model/base/pace.h"
#include "model/fold/tally.h"
#include "model/lens/lens.h"
#include "model/profile/profile.h"

typedef uint32_t node_id;
#define NODE_ROOT ((node_id)0) /* the whole; its children are the root frames */
#define NODE_NONE UINT32_MAX

/* The identity of a frame at the chosen granularity: a function_id, a frame_id, or a name_id
 * (file, module). A frame_id is that of the first frame with the same file, line and function,
 * and with the same address if the granularity is by address. */
typedef uint32_t key_id;
#define KEY_NONE UINT32_MAX

#define PROJECT_NODES_MAX (1u << 24)

struct projection {
	uint64_t serial; /* unique among the projections of this process (serial.h) */
	unsigned refs;
	enum granularity by;
	bool inverted;
	uint32_t n;              /* number of nodes; a child's id is greater than its parent's */
	node_id *parent;         /* parent[0] is NODE_NONE */
	key_id *key;             /* key[0] is KEY_NONE */
	node_id *first_child;    /* NODE_NONE at leaves */
	node_id *next_sibling;   /* siblings are in order of appearance */
	uint8_t *outermost;      /* 1 if no ancestor has the same key */
	uint32_t n_stacks;       /* number of stacks when it was made */
	/* Upright and without a filter, these three are one column. */
	node_id *node_of;        /* [stack] the node that gets its cost; NODE_NONE: dropped.
				  * Inverted: the node of its root frame, the end of a path */
	node_id *call_of;        /* [stack] the node that gets its calls; NODE_NONE: none */
	node_id *leaf_of;        /* [stack] the node of its leaf frame, dropped or not;
				  * NODE_NONE: it is not shown, or nothing below it is. Inverted:
				  * NULL */
	uint32_t n_keys;         /* all keys are below this */
	uint32_t depth_cut;      /* number of levels that the inversion kept; 0: all */
	bool few;                /* inverted: it has only the nodes of the first rows */
	uint32_t n_shown;        /* of these, if counted: the nodes that the whole tree shows */
	uint8_t *unmatched;      /* [entry of the lens] 1: it matched nothing */
	size_t n_entries;
	uint8_t *inlining;       /* [key] INLINING_ bits of its frames; NULL: none was inlined */
};
#define INLINING_NOT 1u
#define INLINING_YES 2u

/* The first rows of an inverted tree, when no others are displayed: in preorder, siblings by
 * falling value, then by key. */
struct first_rows {
	uint32_t rows;
	bool counts; /* computes n_shown, too: costs the time of inverting all, not its memory */
	const struct tally *shown; /* the values */
	bool metric_is_calls; /* as for numbers_make() */
};

/* Returns a new projection; NULL if the pace, which may be NULL, cancels. Free it with
 * projection_free(). For an inverted lens, `recorded` says which stacks have numbers: only their
 * paths are inverted. Of these, it makes as many levels as surely have at most nodes_max nodes, and
 * at least one; if `first` is not NULL, the whole first level, and below it only what those rows
 * show. Without inversion, all three are ignored. */
struct projection *projection_paced(const struct profile *p, const struct lens *l,
				    const struct tally *recorded, uint32_t nodes_max,
				    const struct first_rows *first, struct pace *pace);
/* Takes a reference and returns t; the last projection_free() frees it. */
struct projection *projection_ref(struct projection *t);
void projection_free(struct projection *t);

/* Returns true if entry i of the lens matched nothing when the tree was made. */
static inline bool
projection_unmatched(const struct projection *t, size_t i)
{
	return i < t->n_entries && t->unmatched[i];
}

/* A depth-first walk. It enters every node but the root, then everything below it, and then
 * leaves it:
 *
 *	for (struct walk w = walk_begin(); walk_on(t, &w);)
 *		if (w.enters) ... w.node ...
 *		else ...
 */
struct walk {
	node_id node;
	bool enters; /* else the walk leaves the node */
};

static inline struct walk
walk_begin(void)
{
	return (struct walk){NODE_ROOT, true};
}

/* Advances the walk; returns false at its end. */
static inline bool
walk_on(const struct projection *t, struct walk *w)
{
	node_id next = w->enters ? t->first_child[w->node] : t->next_sibling[w->node];

	if (next != NODE_NONE) {
		*w = (struct walk){next, true};
		return true;
	}
	/* leave a leaf next, and the parent after its last child */
	if (!w->enters)
		w->node = t->parent[w->node];
	w->enters = false;
	return w->node != NODE_ROOT;
}

/* Returns the first node of [from, end) with this key; `end` if there is none. Finding all of
 * them in this way costs a fraction of reading each node. */
node_id projection_find(const struct projection *t, node_id from, node_id end, key_id key);

/* Returns true if keys are frames, which have lines of their own. */
static inline bool
projection_has_frames(const struct projection *t)
{
	return t->by == BY_LINE || t->by == BY_ADDRESS;
}

/* Returns true if every frame with this key was inlined into its caller. */
static inline bool
projection_key_inlined(const struct projection *t, key_id key)
{
	return t->inlining && t->inlining[key] == INLINING_YES;
}

/* Return the name of a key, and its function if it has one (BY_FUNCTION, BY_LINE, BY_ADDRESS),
 * else UINT32_MAX. */
name_id projection_key_name(const struct projection *t, const struct profile *p, key_id key);
function_id projection_key_function(const struct projection *t, const struct profile *p,
				    key_id key);
/* Returns the line of a key that is a frame; unknown for all others. */
struct line projection_key_line(const struct projection *t, const struct profile *p,
				key_id key);
/* Returns the address of a key of BY_ADDRESS; ADDRESS_NONE for callers and all others. */
uint64_t projection_key_address(const struct projection *t, const struct profile *p,
				key_id key);

/* Compares two keys by name (bytes as interned), file, line, module; with `by_file` by file,
 * line, name. A total order in which an unknown line comes first. */
int projection_compare_keys(const struct projection *t, const struct profile *p, key_id a, key_id b,
			    bool by_file);

#endif
