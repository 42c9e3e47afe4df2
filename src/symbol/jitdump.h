/* jitdump.h - what a JIT compiler writes of its code for perf: jit-PID.dump, as the kernel's
 * tools/perf/Documentation/jitdump-specification.txt has it. */
#ifndef PNAV_SRC_SYMBOL_JITDUMP_H
#define PNAV_SRC_SYMBOL_JITDUMP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/buf.h"
#include "src/symbol/symbols_frame.h"

/* Is a file called like one? */
bool symbol_is_jitdump(const char *path, size_t len);
/* Appends the functions of a dump as lines of a JIT's map, `start size name` in hexadecimal: in
 * the order of the file, so that what is told later of a place is what holds.  `own`: only a
 * file of the user's own or of root's.  False where there is none that can be read. */
bool symbol_jitdump_read(const char *path, bool own, struct buf *lines,
			 struct symbol_jitdump *told);

#endif
