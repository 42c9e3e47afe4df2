/* layout_inside.h - shared by the files of the layout; no other file includes it.
 *
 * layout.c         blocks of events, columns, hits
 * layout_held.c    memory that is held
 * layout_hold.c    the duration of a sample
 * layout_slices.c  slices, and steps from one to the next
 */
#ifndef PNAV_MODEL_PICTURE_LAYOUT_INSIDE_H
#define PNAV_MODEL_PICTURE_LAYOUT_INSIDE_H

#include "model/picture/layout.h"

#define KEEP_ALL ((uint16_t)(UINT16_MAX - 1)) /* nothing is drawn: no slice ends */

/* Returns the node drawn for a stack; NODE_NONE if there is none. */
static inline node_id
node_of(const struct layout *l, uint32_t step)
{
	stack_id s = step & STEP_STACK;
	if (s == STACK_EMPTY || s >= l->t->n_stacks)
		return NODE_NONE;
	node_id n = l->t->node_of[s];
	return n == NODE_ROOT ? NODE_NONE : n;
}

/* Removes the flags of a step. Stacks of samples carry none, and may be any number below
 * STACK_MAX. */
static inline uint32_t
step_of(const struct series *s, uint32_t stack)
{
	return s->kind == SERIES_STEPS ? stack : stack & STEP_STACK;
}

/* Returns the key under which a node is drawn: all nameless frames of a module share one. */
static inline key_id
drawn_key(const struct layout *l, node_id n)
{
	key_id key = l->t->key[n];
	return key < l->n_same ? l->same[key] : key;
}

static inline bool
drawable(const struct series *s)
{
	return s->sorted && s->n &&
	       (s->kind == SERIES_STEPS || s->kind == SERIES_SAMPLES);
}

/* Returns true if a sample with duration `hold` continues as the next one, `gap` later. Clocks
 * are uneven: a missing time of up to half an interval does not count as a gap. */
static inline bool
goes_on_in_next(int64_t gap, int64_t hold)
{
	hold = hold > 1 ? hold : 1;
	return gap - hold <= hold / 2;
}

/* Returns the node drawn last before event i; NODE_NONE after a gap between samples. */
node_id layout_node_before(const struct layout *l, const struct layout_lane *lane, uint64_t i);
/* Fills keep, node, time and call with block b, unless they hold it already. */
void layout_load_block(struct layout *l, const struct layout_lane *lane, uint64_t b);

#endif
