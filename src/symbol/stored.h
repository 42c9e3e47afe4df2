/* stored.h - functions of frames that a store has without one: build id, module and address. */
#ifndef PNAV_SRC_SYMBOL_STORED_H
#define PNAV_SRC_SYMBOL_STORED_H

#include <stdbool.h>
#include <stdint.h>

#include "src/symbol/symbols.h"

/* Adds a module with its path and its build id in hexadecimal digits, and returns its number.  Add
 * equal modules only once. */
uint32_t symbols_stored_module(struct symbols *s, const char *path, const char *build);
/* Finds the function at an offset in the file; `call`: of a caller, whose address is that of the
 * instruction after the call.  Returns false if it is unknown. */
bool symbols_stored_frame(struct symbols *s, uint32_t module, uint64_t at, bool call,
			  struct symbols_frame *out);

#endif
