/* alike.h - the same function in several files.
 *
 * Interning (frames.h) unifies two functions only if everything about them is equal. But two
 * builds of one program differ in definition lines and lie in different folders, and two
 * profilers may record different attributes. A comparison unifies two functions if these are
 * alike:
 *
 *	name     equal
 *	module   equal but for its folder and its version: /old/lib/libz.so.1.2.11 and
 *	         /new/lib/libz.so.1.3 are both libz.so; or unknown on one side
 *	file     the same last name; of several candidates the one with the longest common
 *	         tail of the path wins, then the nearest definition line; or unknown on one side
 *
 * A function of earlier files corresponds to at most one (module, file) of a later file: two
 * functions of one name in different modules or files stay two. Files that are merged, not
 * compared, keep functions apart whose definition lines differ. With profile.match_paths,
 * modules and files must be equal as a whole, and merged files are only interned. */
#ifndef PNAV_MODEL_COMPARE_ALIKE_H
#define PNAV_MODEL_COMPARE_ALIKE_H

#include "model/base/map.h"
#include "model/profile/profile.h"

struct alike {
	struct map map;    /* hash of the name -> the first function with that name */
	function_id *next; /* [function] the next one with that name */
	name_id *module;   /* [function] its module without folder and version */
	struct alike_claim {
		/* module and file of the later file's function; module UINT32_MAX: none yet */
		name_id module, file;
	} *claim;          /* [function] */
	uint32_t n;        /* functions of earlier files, which can be found */
	bool compares, paths;
};

/* Indexes the functions that `p` has now, for the next file. O(functions). */
void alike_init(struct alike *a, struct profile *p, bool compares);
void alike_release(struct alike *a);
/* Returns the function of earlier files that corresponds to f, or UINT32_MAX. */
function_id alike_find(struct alike *a, struct profile *p, struct function f);
/* Returns a module without folder and version: libz.so.1.2.11 -> libz.so, app-1.2.jar -> app.jar,
 * libc-2.31.so -> libc.so. Interns the result. */
name_id alike_module(struct names *names, name_id module);

#endif
