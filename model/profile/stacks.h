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

#include "model/profile/frames.h"
#include "model/base/slots.h"

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
	uint32_t n, cap;
	struct slots slots; /* of those that are not parent + 1; a stack's place is its id */
};

void stacks_init(struct stacks *t);
void stacks_release(struct stacks *t);
void stacks_copy(struct stacks *to, const struct stacks *from); /* `to` is uninitialised */
/* The stack `parent` with `frame` called from it; STACK_NONE when there are STACK_MAX. */
stack_id stacks_child(struct stacks *t, stack_id parent, frame_id frame);
/* It will be asked for soon. */
void stacks_soon(const struct stacks *t, stack_id parent, frame_id frame);
/* n frames below `from`, the outermost first: frame[0], frame[step], ...  The stack that
 * ends with the i-th goes to each[i].  How many there are: less than n only where STACK_MAX
 * is reached. */
size_t stacks_path(struct stacks *t, stack_id from, const frame_id *frame, size_t n, int step,
		   stack_id *each);
/* A path that is gone down as far as it is known. */
struct stacks_way {
	stack_id from;
	const frame_id *frame; /* the outermost first */
	size_t n;
	stack_id *each; /* the stacks of the first `known` frames */
	size_t known;   /* 0 at first */
};

#define STACKS_WAYS 32u /* at most so many of them */

/* Goes down n ways all at once: none waits for memory alone. */
void stacks_known(const struct stacks *t, struct stacks_way *way, size_t n);

#endif
