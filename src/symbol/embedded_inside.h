/* embedded_inside.h - definitions shared by the writer and the reader of embedded symbols. */
#ifndef PNAV_SRC_SYMBOL_EMBEDDED_INSIDE_H
#define PNAV_SRC_SYMBOL_EMBEDDED_INSIDE_H

#include <string.h>

#include "src/symbol/symbols_frame.h"

#define EMBEDDED_ID_MAX 32u
#define EMBEDDED_PART 8u /* bytes before a part: u32 tag, u32 length, little-endian */

enum { EMBEDDED_TEXTS = 1, EMBEDDED_MODULES = 2, EMBEDDED_STACKS = 3, EMBEDDED_CODE = 4 };
/* Flags of a module's code. */
enum { EMBEDDED_WIDE = 1, EMBEDDED_BIG_ENDIAN = 2, EMBEDDED_FLAGS = 4 };

/* The end of a chain is stored as the number of an enum unwind_end, so append new values only. */
#define EMBEDDED_ENDS ((unsigned)UNWIND_ENDS)
#define EMBEDDED_DEEP ((unsigned)UNWIND_DEEP)

/* perf pads ids of 16 bytes to 20 with zeros. */
static inline size_t
embedded_id_len(const struct symbols_module *m)
{
	size_t len = m->build_id_len < EMBEDDED_ID_MAX ? m->build_id_len : EMBEDDED_ID_MAX;

	while (len > 16 && len <= 20 && !m->build_id[len - 1])
		len--;
	return len;
}

/* Returns true if both are the same module. For files the build id decides; memory of the kernel
 * and of JIT compilers also needs equal names. */
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
