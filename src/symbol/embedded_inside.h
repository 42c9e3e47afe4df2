/* embedded_inside.h - what the writer and the reader of embedded names agree on. */
#ifndef PNAV_SRC_SYMBOL_EMBEDDED_INSIDE_H
#define PNAV_SRC_SYMBOL_EMBEDDED_INSIDE_H

#include <string.h>

#include "src/symbol/symbols_frame.h"

#define EMBEDDED_ID_MAX 32u
#define EMBEDDED_PART 8u /* bytes in front of a part: u32 tag, u32 length, little-endian */

enum { EMBEDDED_TEXTS = 1, EMBEDDED_MODULES = 2, EMBEDDED_STACKS = 3, EMBEDDED_CODE = 4 };
/* Flags of a module's code. */
enum { EMBEDDED_WIDE = 1, EMBEDDED_BIG_ENDIAN = 2, EMBEDDED_FLAGS = 4 };

/* How a chain ends is stored as the number of an enum unwind_end: new ones are added behind. */
#define EMBEDDED_ENDS ((unsigned)UNWIND_ENDS)
#define EMBEDDED_DEEP ((unsigned)UNWIND_DEEP)

/* perf fills an id of 16 bytes up to 20 with zeros. */
static inline size_t
embedded_id_len(const struct symbols_module *m)
{
	size_t len = m->build_id_len < EMBEDDED_ID_MAX ? m->build_id_len : EMBEDDED_ID_MAX;

	while (len > 16 && len <= 20 && !m->build_id[len - 1])
		len--;
	return len;
}

/* Are both the same module?  The build id decides for files.  Memory of the kernel and of JIT
 * compilers is told apart by its name as well. */
static inline bool
embedded_same(const struct symbols_module *a, const struct symbols_module *b)
{
	bool named = a->path_len == b->path_len && !memcmp(a->path, b->path, a->path_len);
	size_t len = embedded_id_len(a);

	if (a->kind != b->kind || len != embedded_id_len(b) ||
	    (len && memcmp(a->build_id, b->build_id, len) != 0))
		return false;
	return named || (len && (a->kind == SYMBOLS_FILE || a->kind == SYMBOLS_VDSO));
}

#endif
