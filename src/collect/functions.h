/* functions.h - all functions of the program under test, sorted by address.
 *
 * They come from a linker map, or from the ELF file's own symbols.  Addresses are those of the
 * linker. */
#ifndef PNAV_SRC_COLLECT_FUNCTIONS_H
#define PNAV_SRC_COLLECT_FUNCTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/base/err.h"
#include "model/base/vec.h"
#include "src/decode/prf/linkmap.h"
#include "src/symbol/elf.h"
#include "src/symbol/table.h"

struct function_place {
	uint64_t start, end; /* end == start: up to the next one */
	const char *name;
	uint64_t hits;
};

struct functions {
	VEC(struct function_place) at;
	struct symbol_elf elf;
	bool has_elf;
	struct symbol_table table;
	struct linkmap map;
};

/* Opens the program and reads its symbols, if there are any. */
void functions_open(struct functions *f, const char *program);
/* Reads the functions of a map instead.  Returns false with *e for an unknown form of map, or one
 * without functions. */
bool functions_read_map(struct functions *f, const char *path, struct err *e);
/* Converts an offset in the program's file to the linker's address. */
bool functions_address(const struct functions *f, uint64_t offset, uint64_t *address);
/* Returns the function around an address, or NULL. */
struct function_place *functions_find(struct functions *f, uint64_t address);
void functions_close(struct functions *f);

#endif
