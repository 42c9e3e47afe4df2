/* stacks.h - the prefix tree of all stacks.
 *
 * A stack is (parent stack, frame). Stack 0 is the empty stack, the parent of every root frame.
 * A child's id is always greater than its parent's. So one pass from the last id down adds self
 * up to totals, one pass up carries facts from the roots to the leaves, and nothing in the model
 * recurses. */
#ifndef PNAV_MODEL_PROFILE_STACKS_H
#define PNAV_MODEL_PROFILE_STACKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/base/slots.h"
#include "model/profile/frames.h"

typedef uint32_t stack_id;
#define STACK_EMPTY ((stack_id)0)
/* The maximum number of stacks: steps keep three flags beside a stack. */
#define STACK_MAX ((stack_id)0x1FFFFFFE)
#define STACK_NONE UINT32_MAX
/* The maximum depth; decoders refuse deeper stacks. Runaway recursion ends with the stack's 8
 * MB, after half a million frames of 16 bytes. A megabyte of a compressed file can claim a
 * thousand times as many. */
#define STACK_DEPTH_MAX (1u << 20)

struct stacks {
	stack_id *parent; /* parent[0] is STACK_NONE */
	frame_id *frame;  /* frame[0] is UINT32_MAX */
	uint32_t n, cap;
	struct slots slots; /* of stacks other than parent + 1; a stack's place is its id */
	bool appended; /* the slots lack stacks of stacks_append() */
};

void stacks_init(struct stacks *t);
void stacks_release(struct stacks *t);
void stacks_copy(struct stacks *to, const struct stacks *from); /* `to` is uninitialised */
/* Returns the stack `parent` with `frame` called from it; STACK_NONE if there are STACK_MAX
 * stacks. */
stack_id stacks_child(struct stacks *t, stack_id parent, frame_id frame);
/* Appends n stacks without a search for equal ones: stack i is parent[i] with frame[i]. Returns
 * false if they exceed STACK_MAX. For stacks that another profile interned. They get slots when the
 * next stack is searched: most profiles are only read. */
bool stacks_append(struct stacks *t, const stack_id *parent, const frame_id *frame, size_t n);
/* Joins the stacks of another table, from `first` on: id[s] becomes the stack of its parent's id
 * and of frame[its frame], as stacks_child() returns it. `distinct`: no two frames of the other
 * table have the same frame[]. STACK_MAX must not be reached. */
void stacks_join(struct stacks *t, const struct stacks *from, stack_id first,
		 const frame_id *frame, bool distinct, stack_id *id);
/* Adds n frames below `from`, outermost first: frame[0], frame[step], ... Sets each[i] to the
 * stack that ends with the i-th frame. Returns the number of stacks set; less than n only if
 * STACK_MAX is reached. */
size_t stacks_path(struct stacks *t, stack_id from, const frame_id *frame, size_t n, int step,
		   stack_id *each);
/* A path, walked as far as it exists. */
struct stacks_way {
	stack_id from;
	const frame_id *frame; /* outermost first */
	size_t n;
	stack_id *each; /* the stacks of the first `known` frames */
	size_t known;   /* initially 0 */
};

#define STACKS_WAYS 32u /* maximum n of stacks_known() */

/* Walks n paths in parallel, so that their cache misses overlap. A path ends early at stacks that
 * have no slots yet. */
void stacks_known(const struct stacks *t, struct stacks_way *way, size_t n);

/* Prefetches for stacks_child() or stacks_path(); `parent` may not exist yet. */
void stacks_soon(const struct stacks *t, stack_id parent, frame_id frame);

#endif
