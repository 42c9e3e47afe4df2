/* shown_stacks.h - the stacks that a lens shows, for tables in which a stack is a number.
 *
 * The lens changes a sample's stack: it omits hidden frames, collapses runs of frames to one,
 * starts at a new root; with `--by file` or `module` it yields a stack of these. The changed stack
 * has the number of the first recorded stack with this result; frames and functions are numbered in
 * the same way. So a number means the same wherever it is used, and a parent's number is smaller
 * than its children's.
 *
 * Lines, addresses and inlined frames stay distinct, as they were recorded. If the lens changes no
 * stack, the recorded stacks are used, and nothing is computed. */
#ifndef PNAV_SRC_ENCODE_SHOWN_STACKS_H
#define PNAV_SRC_ENCODE_SHOWN_STACKS_H

#include <stdbool.h>
#include <stdint.h>

#include "src/encode/shown.h"

struct shown_stacks {
	const struct profile *p;
	struct projection *tree; /* its nodes are the stacks shown */
	/* private */
	stack_id *of;       /* [node] its number; NULL: as recorded */
	bool whole;         /* frames are files or modules */
	frame_id *frame_of; /* [key] the first frame with this file or module; UINT32_MAX: none */
	uint8_t *frame, *function; /* [id] 1 if it is shown; NULL: all are */
};

/* Returns true if the lens leaves all shown stacks as recorded, including lines and addresses. */
bool shown_stacks_kept(const struct lens *l);

/* Numbers the stacks of `s`, whose lens must not invert. O(stacks). Returns false without an error
 * if the job's pace cancelled; nothing needs to be released then. */
bool shown_stacks_open(struct shown_stacks *x, const struct shown *s);
void shown_stacks_release(struct shown_stacks *x);

/* Returns the number of this node's stack; `stack` is the recorded one that the cost came from. */
static inline stack_id
shown_stacks_at(const struct shown_stacks *x, node_id node, stack_id stack)
{
	return x->of ? x->of[node] : stack;
}

/* Returns the shown stack that ends in the leaf of the recorded stack, whether it counts or not;
 * STACK_EMPTY if there is none. */
stack_id shown_stacks_leaf(const struct shown_stacks *x, stack_id stack);
/* Returns true if this is the number of a shown stack. */
bool shown_stacks_has(const struct shown_stacks *x, stack_id stack);
/* For a shown stack: return its caller, STACK_EMPTY for a root; its frame; the frame's function. */
stack_id shown_stacks_parent(const struct shown_stacks *x, stack_id stack);
frame_id shown_stacks_frame(const struct shown_stacks *x, stack_id stack);
function_id shown_stacks_function(const struct shown_stacks *x, stack_id stack);

/* Return true if these are the numbers of a shown frame, of a shown function. */
bool shown_stacks_has_frame(const struct shown_stacks *x, frame_id frame);
bool shown_stacks_has_function(const struct shown_stacks *x, function_id function);

/* The attributes of a frame; 0, NAME_EMPTY, ADDRESS_NONE, NULL if unknown. A whole file or module
 * has its name also as the function's. */
struct shown_stacks_frame {
	function_id function;
	struct line line;
	uint64_t address;
	bool inlined;
};
struct shown_stacks_frame shown_stacks_frame_of(const struct shown_stacks *x, frame_id frame);
struct shown_stacks_function {
	name_id name, file, module;
	uint32_t line; /* of the definition */
	const char *kind;
};
struct shown_stacks_function shown_stacks_function_of(const struct shown_stacks *x,
						      function_id function);

/* Returns the number of a slice in tables: that of the step that begins it, counted over the series
 * of steps of all tracks in their order, and its depth. */
#define SHOWN_SLICE_BITS 21 /* of the depth: more than STACK_DEPTH_MAX and the frames of labels */
static inline int64_t
shown_slice_id(uint64_t step, size_t depth)
{
	return (int64_t)((step + 1) << SHOWN_SLICE_BITS | depth);
}

#endif
