/* project.h - the shape of what is shown: a map from stacks to nodes of a tree.
 *
 * Filters, hiding, collapsing, granularity and inversion are all this one map.  It
 * depends on the profile's stacks and on the lens's entries, granularity and direction,
 * not on time, tracks or metric, so it is made anew only when filters change.  O(stacks)
 * a filter entry; inversion costs the sum of the depths, up to PROJECT_NODES_MAX. */
#ifndef PNAV_MODEL_PROJECT_H
#define PNAV_MODEL_PROJECT_H

#include <stdbool.h>
#include <stdint.h>

#include "model/lens/lens.h"
#include "model/base/pace.h"
#include "model/profile/profile.h"

typedef uint32_t node_id;
#define NODE_ROOT ((node_id)0) /* all; its children are the root frames */
#define NODE_NONE UINT32_MAX

/* What a frame counts as, by the granularity: a function_id, a frame_id (that of the
 * first frame with its file, line and function, and with its address where those are told
 * apart), or a name_id (file, module). */
typedef uint32_t key_id;
#define KEY_NONE UINT32_MAX

#define PROJECT_NODES_MAX (1u << 24)

struct projection {
	uint64_t serial; /* no other projection of this process has it (serial.h) */
	unsigned refs;
	enum granularity by;
	bool inverted;
	uint32_t n;              /* nodes; a child's id is greater than its parent's */
	node_id *parent;         /* parent[0] is NODE_NONE */
	key_id *key;             /* key[0] is KEY_NONE */
	node_id *first_child;    /* NODE_NONE at leaves */
	node_id *next_sibling;   /* in order of appearance */
	uint8_t *outermost;      /* no ancestor has the same key */
	uint32_t n_stacks;       /* the stacks that were there when it was made */
	node_id *node_of;        /* [stack] where its cost goes; NODE_NONE: dropped.
				  * Inverted: the node of its root frame, a path's end */
	node_id *call_of;        /* [stack] where its calls go; NODE_NONE: nowhere */
	node_id *leaf_of;        /* [stack] the node of its leaf frame, dropped or not;
				  * NODE_NONE: it is not shown, or nothing below it is.
				  * Inverted: NULL */
	uint32_t n_keys;         /* keys are below this */
	uint32_t depth_cut;      /* inversion kept this many levels; 0: all */
	uint8_t *unmatched;      /* [entry of the lens] 1: it matched nothing */
	size_t n_entries;
	uint8_t *inlining;       /* [key] what its frames are: INLINING_ bits; NULL: none was */
};
#define INLINING_NOT 1u
#define INLINING_YES 2u

/* A new projection; never fails.  Free with projection_free().  For an inverted lens
 * `recorded` tells which stacks carry numbers ([stack], a tally's `present`): only their
 * paths are turned over, and of them as many levels as surely have no more than nodes_max
 * nodes, at least one.  Without inversion neither is used. */
struct projection *projection_new(const struct profile *p, const struct lens *l,
				  const uint8_t *recorded, uint32_t nodes_max);
/* The same with rests; NULL when the pace gives up. */
struct projection *projection_paced(const struct profile *p, const struct lens *l,
				    const uint8_t *recorded, uint32_t nodes_max,
				    struct pace *pace);
/* One more who has it: it goes when all have freed it. */
struct projection *projection_ref(struct projection *t);
void projection_free(struct projection *t);

/* Entry i of the lens, when the tree was made, matched nothing. */
static inline bool
projection_unmatched(const struct projection *t, size_t i)
{
	return i < t->n_entries && t->unmatched[i];
}

/* A walk from the root downwards, in which every node but the root is entered, then all
 * below it, and then left:
 *
 *	for (struct walk w = walk_begin(); walk_on(t, &w);)
 *		if (w.enters) ... w.node ...
 *		else ...
 */
struct walk {
	node_id node;
	bool enters; /* else it is left */
};

static inline struct walk
walk_begin(void)
{
	return (struct walk){NODE_ROOT, true};
}

/* The next step; false when the walk is over. */
static inline bool
walk_on(const struct projection *t, struct walk *w)
{
	node_id next = w->enters ? t->first_child[w->node] : t->next_sibling[w->node];

	if (next != NODE_NONE) {
		*w = (struct walk){next, true};
		return true;
	}
	/* a leaf is left next, after the last child its parent */
	if (!w->enters)
		w->node = t->parent[w->node];
	w->enters = false;
	return w->node != NODE_ROOT;
}

/* The first node of [from, end) with this key; `end` where none is.  To ask for all of them
 * takes a fraction of what looking at each node does. */
node_id projection_find(const struct projection *t, node_id from, node_id end, key_id key);

/* Are keys frames, with lines of their own? */
static inline bool
projection_tells_frames(const struct projection *t)
{
	return t->by == BY_LINE || t->by == BY_ADDRESS;
}

/* All that counts as this key was inlined into its callers. */
static inline bool
projection_key_inlined(const struct projection *t, key_id key)
{
	return t->inlining && t->inlining[key] == INLINING_YES;
}

/* What a key is called: the name to show, and the function behind it where there is
 * one (BY_FUNCTION, BY_LINE, BY_ADDRESS), else UINT32_MAX. */
name_id projection_key_name(const struct projection *t, const struct profile *p, key_id key);
function_id projection_key_function(const struct projection *t, const struct profile *p,
				    key_id key);
/* The line behind a key that is a frame; unknown for all others. */
struct line projection_key_line(const struct projection *t, const struct profile *p,
				key_id key);
/* The address of a key of BY_ADDRESS; ADDRESS_NONE for callers and all others. */
uint64_t projection_key_address(const struct projection *t, const struct profile *p,
				key_id key);

#endif
