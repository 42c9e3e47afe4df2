/* jitdump.h - what a JIT compiler writes of its code for perf: jit-PID.dump, as the kernel's
 * tools/perf/Documentation/jitdump-specification.txt has it. */
#ifndef PNAV_SRC_SYMBOL_JITDUMP_H
#define PNAV_SRC_SYMBOL_JITDUMP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/base/buf.h"
#include "model/base/vec.h"
#include "src/symbol/symbols_frame.h"

/* Is a file called like one? */
bool symbol_is_jitdump(const char *path, size_t len);
/* A line of a source file, from an address on. */
struct symbol_jit_line {
	uint64_t address;
	uint32_t line, file; /* where its name begins in `files`, with a NUL behind it */
};

/* Functions that do not overlap. */
struct symbol_jit_layer {
	struct buf text; /* lines of a JIT's map, `start size name` in hexadecimal */
	struct buf files;
	VEC(struct symbol_jit_line) line; /* by address */
};

/* Reads the functions of a dump into layers, at least one, the caller's to release.  With `timed`
 * memory that was used again is told by time; without, all are in the first layer, in the order
 * of the file, so that what is told later of a place is what holds.  `own`: only a file of the
 * user's own or of root's.  False where there is none that can be read; then there is none. */
bool symbol_jitdump_read(const char *path, bool own, bool timed, struct symbol_jit_layer **layers,
			 struct symbol_jitdump *told);
void symbol_jit_layer_release(struct symbol_jit_layer *l);
/* The line at an address of the function that begins at `start`; *file is borrowed, NULL where
 * it is not known.  0: none. */
uint32_t symbol_jit_line_at(const struct symbol_jit_layer *l, uint64_t start, uint64_t at,
			    const char **file);

#endif
