/* alike.h - the same function in several files.
 *
 * Interning (frames.h) takes two functions for one only when everything about them is
 * equal.  But two builds of one program differ in definition lines, lie in different folders,
 * and two profilers may not know the same of them.  For a comparison these are one function:
 *
 *	name     equal
 *	module   equal but for its folder and its version: /old/lib/libz.so.1.2.11 and
 *	         /new/lib/libz.so.1.3 are both libz.so; or unknown on one side
 *	file     the same last name; of several candidates the one with the longest common
 *	         tail of the path wins, then the nearest definition line; or unknown on one side
 *
 * A function of the earlier files stands for one (module, file) of a later file at most: two
 * namesakes in different modules or files stay two.  Files that are merged, not compared, keep
 * functions apart whose definition lines differ.  With profile.match_paths, modules and files
 * have to be equal as a whole, and merged files are only interned. */
#ifndef PNAV_MODEL_ALIKE_H
#define PNAV_MODEL_ALIKE_H

#include "model/base/map.h"
#include "model/profile/profile.h"

struct alike {
	struct map map;    /* hash of the name -> the first function of that name */
	function_id *next; /* [function] another of that name */
	name_id *module;   /* [function] its module without folder and version */
	struct alike_claim {
		/* of the later file's function; module UINT32_MAX: none yet */
		name_id module, file;
	} *claim;          /* [function] */
	uint32_t n;        /* functions that can be found: those that were there */
	bool compares, paths;
};

/* Of the functions that `p` has now; for the file that comes.  O(functions). */
void alike_init(struct alike *a, struct profile *p, bool compares);
void alike_release(struct alike *a);
/* The function of those that stands for f, or UINT32_MAX. */
function_id alike_find(struct alike *a, struct profile *p, struct function f);

#endif
