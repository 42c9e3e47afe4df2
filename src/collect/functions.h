/* functions.h - all functions of the program under test, sorted by address.
 *
 * They come from a linker map, or from the ELF file's own symbols.  Addresses are as the
 * linker counts them. */
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

/* Opens the program; its symbols become the functions, if there are any. */
void functions_open(struct functions *f, const char *program);
/* The functions of a map instead.  False with *e for what is no map of a linker that is
 * known, or has no functions. */
bool functions_read_map(struct functions *f, const char *path, struct err *e);
/* The linker's address of an offset in the program's file. */
bool functions_address(const struct functions *f, uint64_t offset, uint64_t *address);
/* The function around an address, or NULL. */
struct function_place *functions_find(struct functions *f, uint64_t address);
void functions_close(struct functions *f);

#endif
