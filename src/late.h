/* late.h - loads rarely needed libraries at their first use.
 *
 * Linked in the usual way, libcurl with its forty dependencies and capstone with its tables of
 * instructions would make every start four times as long: 8 ms instead of 2. So the program loads
 * them on demand. If one is not installed, only the feature that needs it is refused. */
#ifndef PNAV_SRC_LATE_H
#define PNAV_SRC_LATE_H

#include <stddef.h>

#include "model/base/err.h"

/* Loads the library with this soname for the rest of the run, and writes the addresses of n
 * functions, by name, to table: a struct of n pointers to functions, in the same order. Returns
 * false with the loader's message in *e if the library or a function is missing. Call it once; the
 * caller keeps the table.
 *
 *	#define FUNCTIONS(F) F(open) F(close)
 *	static struct {
 *	#define F(name) __typeof__(zip_##name) *name;
 *		FUNCTIONS(F)
 *	#undef F
 *	} zip;
 *	static const char *const names[] = {
 *	#define F(name) "zip_" #name,
 *		FUNCTIONS(F)
 *	#undef F
 *	}; */
bool late_load(const char *soname, const char *const *names, size_t n, void *table,
	       struct err *e);

#endif
