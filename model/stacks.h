/* stacks.h - the prefix tree of all stacks.
 *
 * A stack is (parent stack, frame).  Stack 0 is the empty stack, the parent of every
 * root frame.  A child's id is always greater than its parent's: one pass from the
 * last id down adds self up to totals, one pass up carries facts from the roots to the
 * leaves, and nothing in the model recurses. */
#ifndef PNAV_MODEL_STACKS_H
#define PNAV_MODEL_STACKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/frames.h"
#include "model/slots.h"

typedef uint32_t stack_id;
#define STACK_EMPTY ((stack_id)0)
/* Steps keep three flags beside a stack: this many stacks are possible. */
#define STACK_MAX ((stack_id)0x1FFFFFFE)
#define STACK_NONE UINT32_MAX
/* No file is believed that has deeper ones.  Runaway recursion ends with the stack's 8 MB,
 * after half a million frames of 16 bytes; a megabyte of a compressed file can claim a
 * thousand times as many. */
#define STACK_DEPTH_MAX (1u << 20)

struct stacks {
	stack_id *parent; /* parent[0] is STACK_NONE */
	frame_id *frame;  /* frame[0] is UINT32_MAX */
	uint32_t *hash;   /* of all frames down to this one */
	uint32_t n, cap;
	struct slots slots; /* a stack's place is its id */
};

void stacks_init(struct stacks *t);
void stacks_release(struct stacks *t);
void stacks_copy(struct stacks *to, const struct stacks *from); /* `to` is uninitialised */
/* The stack `parent` with `frame` called from it; STACK_NONE when there are STACK_MAX. */
stack_id stacks_child(struct stacks *t, stack_id parent, frame_id frame);
/* n frames below `from`, the outermost first: frame[0], frame[step], ...  The stack that
 * ends with the i-th goes to each[i].  How many there are: less than n only where STACK_MAX
 * is reached. */
size_t stacks_path(struct stacks *t, stack_id from, const frame_id *frame, size_t n, int step,
		   stack_id *each);

#endif
