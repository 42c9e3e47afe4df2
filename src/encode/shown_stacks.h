/* shown_stacks.h - the stacks that a lens shows, for tables in which a stack is a number.
 *
 * A sample's stack is what the lens makes of the recorded one: without hidden frames, runs that
 * are collapsed as one frame, below its new root; with `--by file` or `module`, a stack of
 * these.  Such a stack goes by the number of the first recorded stack that is shown so, and a
 * frame or function by that of the first one: a number means the same wherever it is used, and
 * a parent's is smaller than its children's.
 *
 * Lines, addresses and what is inlined stay apart, as finely as they were recorded.  Where the
 * lens reshapes nothing, stacks are the recorded ones, and nothing is made. */
#ifndef PNAV_SRC_ENCODE_SHOWN_STACKS_H
#define PNAV_SRC_ENCODE_SHOWN_STACKS_H

#include <stdbool.h>
#include <stdint.h>

#include "src/encode/shown.h"

struct shown_stacks {
	const struct profile *p;
	struct projection *tree; /* whose nodes are the stacks that are shown */
	/* private */
	stack_id *of;       /* [node] its number; NULL: stacks are as recorded */
	bool whole;         /* frames are files or modules */
	frame_id *frame_of; /* [key] of these: the first frame with it; UINT32_MAX: none */
	uint8_t *frame, *function; /* [id] 1: it is shown; NULL: all are */
};

/* Does the lens leave each stack that it shows as it was recorded, lines and addresses too? */
bool shown_stacks_kept(const struct lens *l);

/* Of what `s` shows, whose lens does not invert.  O(stacks).  False without an error when the
 * pace of its job gave up; nothing is to be released then. */
bool shown_stacks_open(struct shown_stacks *x, const struct shown *s);
void shown_stacks_release(struct shown_stacks *x);

/* The stack of this node of x->tree, where a cost of the recorded `stack` went. */
static inline stack_id
shown_stacks_at(const struct shown_stacks *x, node_id node, stack_id stack)
{
	return x->of ? x->of[node] : stack;
}

/* What is shown of the recorded stack's own frame, counted or not; STACK_EMPTY: nothing. */
stack_id shown_stacks_leaf(const struct shown_stacks *x, stack_id stack);
/* Is this the number of a stack that is shown? */
bool shown_stacks_has(const struct shown_stacks *x, stack_id stack);
/* Of a stack that is shown: its caller, STACK_EMPTY for a root; its frame; the function of that. */
stack_id shown_stacks_parent(const struct shown_stacks *x, stack_id stack);
frame_id shown_stacks_frame(const struct shown_stacks *x, stack_id stack);
function_id shown_stacks_function(const struct shown_stacks *x, stack_id stack);

/* Are these the numbers of a frame, of a function that is shown? */
bool shown_stacks_has_frame(const struct shown_stacks *x, frame_id frame);
bool shown_stacks_has_function(const struct shown_stacks *x, function_id function);

/* What is known of them: 0, NAME_EMPTY, ADDRESS_NONE, NULL for what is not.  Of a file or module
 * as a whole its name, which is the function's, too. */
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

#endif
