/* text.h - reads symbols from text: /proc/kallsyms, maps of JIT compilers, and lists in
 * recordings. */
#ifndef PNAV_SRC_SYMBOL_TEXT_H
#define PNAV_SRC_SYMBOL_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/symbol/table.h"

/* Reads `address type name [module]` lines. If `text` is not 0, each address moves by `text` minus
 * the listed address of _text, and modules, which move by other distances, are omitted. Returns
 * false if the file is missing, or hides its addresses. */
bool symbol_text_kernel(struct symbol_table *t, const char *path, uint64_t text);
/* Reads the build id of the running kernel, at most max bytes. Returns false if it is
 * unavailable. */
bool symbol_kernel_build_id(uint8_t *out, size_t *len, size_t max);
/* Reads `start size name` lines in hexadecimal, perf's interface for JIT compilers. A name extends
 * to the end of the line. Later lines replace earlier ones, since code is moved and replaced. */
bool symbol_text_jit(struct symbol_table *t, const char *path);
/* The same from memory, which is not modified. */
bool symbol_text_jit_kept(struct symbol_table *t, const char *text, size_t len);

/* Reads `address [size] type name` lines of functions, as nm prints and uftrace stores them. Type
 * '?' marks the end of their list, a symbol without a name. */
bool symbol_text_list(struct symbol_table *t, const char *path);

#endif
