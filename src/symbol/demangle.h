/* demangle.h - names of C++ and Rust as people read them. */
#ifndef PNAV_SRC_SYMBOL_DEMANGLE_H
#define PNAV_SRC_SYMBOL_DEMANGLE_H

#include <stdbool.h>
#include <stddef.h>

struct buf;

/* Whether a name begins as compilers mangle those of C++ and Rust: `_Z`, `_R`, and on macOS `__Z`,
 * `__R`.  One byte of most others is read. */
static inline bool
symbol_is_mangled(const char *name, size_t len)
{
	if (len < 3 || name[0] != '_')
		return false;
	char c = name[1] == '_' ? name[2] : name[1];
	return c == 'Z' || c == 'R';
}

/* Appends the name without its parameters; `@plt` behind it stays.  The name need not end with a
 * NUL.  False, and nothing appended, where it is not mangled, where it is long or refers back to
 * its parts so often that it could print gigabytes, or without libiberty. */
bool symbol_demangle(const char *name, size_t len, struct buf *out);

#endif
