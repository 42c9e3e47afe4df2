/* jitdump.h - reads jit-PID.dump, in which JIT compilers describe their code for perf. The kernel's
 * tools/perf/Documentation/jitdump-specification.txt defines it. */
#ifndef PNAV_SRC_SYMBOL_JITDUMP_H
#define PNAV_SRC_SYMBOL_JITDUMP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/base/buf.h"
#include "model/base/vec.h"
#include "src/symbol/symbols_frame.h"

/* Returns true if the file's name is that of a dump. */
bool symbol_is_jitdump(const char *path, size_t len);
/* A source line that begins at an address. */
struct symbol_jit_line {
	uint64_t address;
	uint32_t line, file; /* offset of its name in `files`, which ends with a NUL */
};

/* Functions that do not overlap. */
struct symbol_jit_layer {
	struct buf text; /* lines of the form of a JIT's map, `start size name` in hexadecimal */
	struct buf files;
	VEC(struct symbol_jit_line) line; /* sorted by address */
};

/* Reads the functions of a dump into layers, at least one, which the caller releases. With `timed`,
 * code in reused memory goes into different layers by time. Without, everything is in the first
 * layer, in the order of the file, and the last entry for a place is valid. `own`: reads only a
 * file that the user or root owns. Returns false, without layers, if there is no readable dump. */
bool symbol_jitdump_read(const char *path, bool own, bool timed, struct symbol_jit_layer **layers,
			 struct symbol_jitdump *result);
void symbol_jit_layer_release(struct symbol_jit_layer *l);
/* Returns the line at an address of the function that begins at `start`, 0 if there is none; *file
 * is borrowed, NULL if unknown. */
uint32_t symbol_jit_line_at(const struct symbol_jit_layer *l, uint64_t start, uint64_t at,
			    const char **file);

#endif
