/* late.h - libraries that few runs need, loaded when one does.
 *
 * Linked in the usual way, libcurl with its forty companions and capstone with its tables of
 * instructions would make every start four times as long: 8 ms instead of 2.  So the program
 * names them when it needs them; where one is not installed then, only that is refused. */
#ifndef PNAV_SRC_LATE_H
#define PNAV_SRC_LATE_H

#include <stddef.h>

#include "model/base/err.h"

/* Loads the library with this soname for the rest of the run, and writes the addresses of n
 * functions, by name, to table: a struct of n pointers to functions, in the same order.  False
 * with refusal in *e, the loader's words, where the library or a function is not there.  Once
 * is enough: who calls keeps the table.
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
