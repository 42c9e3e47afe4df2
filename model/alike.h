/* alike.h - the same function in two files that know different things of it.
 *
 * Interning (frames.h) takes two functions for one only when everything about them is
 * equal.  Two builds of one program, or two profilers, differ in definition lines, and one
 * of them may know no files or modules.  For a comparison these are one function. */
#ifndef PNAV_MODEL_ALIKE_H
#define PNAV_MODEL_ALIKE_H

#include "model/frames.h"
#include "model/map.h"

struct alike {
	struct map map; /* hash of the name -> the first function of that name */
	function_id *next; /* [function] another of that name */
	uint32_t n;     /* functions that can be found: those that were there */
};

/* Of the functions that `t` has now. */
void alike_init(struct alike *a, const struct frames *t);
void alike_release(struct alike *a);
/* The function of those that stands for f: the same name and module, the same file where
 * both know theirs; UINT32_MAX when there is none. */
function_id alike_find(const struct alike *a, const struct frames *t, struct function f);

#endif
