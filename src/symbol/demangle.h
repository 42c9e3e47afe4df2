/* demangle.h - converts mangled C++ and Rust names to readable ones. */
#ifndef PNAV_SRC_SYMBOL_DEMANGLE_H
#define PNAV_SRC_SYMBOL_DEMANGLE_H

#include <stdbool.h>
#include <stddef.h>

struct buf;

/* Returns true if a name begins like a mangled C++ or Rust name: `_Z`, `_R`, and on macOS `__Z`,
 * `__R`. Reads only one byte of most other names. */
static inline bool
symbol_is_mangled(const char *name, size_t len)
{
	if (len < 3 || name[0] != '_')
		return false;
	char c = name[1] == '_' ? name[2] : name[1];
	return c == 'Z' || c == 'R';
}

/* Appends the name without its parameters; a trailing `@plt` stays. The name need not end with a
 * NUL. Returns false, and appends nothing, if the name is not mangled, if it is so long or refers
 * back to its parts so often that the output could have gigabytes, or if pnav was built without
 * libiberty. */
bool symbol_demangle(const char *name, size_t len, struct buf *out);

#endif
