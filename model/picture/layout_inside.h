/* layout_inside.h - what the files of the layout share; nobody else includes it.
 *
 * layout.c         blocks of events, columns, hits
 * layout_hold.c    how long a sample lasts
 * layout_slices.c  slices, and steps from one to the next */
#ifndef PNAV_MODEL_LAYOUT_INSIDE_H
#define PNAV_MODEL_LAYOUT_INSIDE_H

#include "model/picture/layout.h"

#define KEEP_ALL ((uint16_t)(UINT16_MAX - 1)) /* nothing is drawn: no slice ends */

/* What is drawn for a stack; NODE_NONE where nothing is. */
static inline node_id
node_of(const struct layout *l, uint32_t step)
{
	stack_id s = step & STEP_STACK;
	if (s == STACK_EMPTY || s >= l->t->n_stacks)
		return NODE_NONE;
	node_id n = l->t->node_of[s];
	return n == NODE_ROOT ? NODE_NONE : n;
}

/* The stacks of samples carry no flags, and may be any number below STACK_MAX. */
static inline uint32_t
step_of(const struct series *s, uint32_t stack)
{
	return s->kind == SERIES_STEPS ? stack : stack & STEP_STACK;
}

/* What is drawn as one function: frames without a name are one a module. */
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

/* Whether a sample that lasts `hold` goes on as the next one, `gap` later.  Clocks are not
 * even: half an interval without a sample is none that is missing. */
static inline bool
goes_on_in_next(int64_t gap, int64_t hold)
{
	hold = hold > 1 ? hold : 1;
	return gap - hold <= hold / 2;
}

/* What was drawn last before event i; NODE_NONE after a gap of samples. */
node_id layout_node_before(const struct layout *l, const struct layout_lane *lane, uint64_t i);
/* Fills keep, node, time and call with block b, unless they hold it. */
void layout_load_block(struct layout *l, const struct layout_lane *lane, uint64_t b);

#endif
