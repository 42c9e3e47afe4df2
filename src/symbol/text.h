/* text.h - symbols from lists that are text: /proc/kallsyms, what JITs leave, and
 * what recordings keep. */
#ifndef PNAV_SRC_SYMBOL_TEXT_H
#define PNAV_SRC_SYMBOL_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/symbol/table.h"

/* `address type name [module]` lines.  Each address moves by `text` minus where the list
 * has _text, when `text` is not 0; then only what moves with it, not the modules, is
 * taken.  False when there is no such file, or it hides its addresses. */
bool symbol_text_kernel(struct symbol_table *t, const char *path, uint64_t text);
/* The build id of the running kernel, max bytes of it; false where it tells none. */
bool symbol_kernel_build_id(uint8_t *out, size_t *len, size_t max);
/* `start size name` lines in hexadecimal: the interface of perf for JIT compilers.  A
 * name reaches to the end of the line.  Later lines win: code is moved and replaced. */
bool symbol_text_jit(struct symbol_table *t, const char *path);
/* The same from memory, which is left as it is. */
bool symbol_text_jit_kept(struct symbol_table *t, const char *text, size_t len);

/* `address [size] type name` lines, as nm prints and uftrace keeps, of functions.  Where their
 * list ends, type '?', is a symbol without a name. */
bool symbol_text_list(struct symbol_table *t, const char *path);

#endif
