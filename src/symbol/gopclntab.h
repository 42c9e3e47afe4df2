/* gopclntab.h - the table that Go's runtime keeps of its functions: names, files and lines. It is
 * part of every Go program, also of those without symbols and DWARF (-ldflags='-s -w').
 *
 *	struct symbol_go g;
 *	if (symbol_go_open(&g, elf) && symbol_go_function(&g, i, &f)) ...
 *
 * Texts are in the bytes of the file. */
#ifndef PNAV_SRC_SYMBOL_GOPCLNTAB_H
#define PNAV_SRC_SYMBOL_GOPCLNTAB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/symbol/elf.h"

/* An offset of 0 is that of the whole table. */
struct symbol_go {
	const uint8_t *at; /* NULL: there is no table */
	size_t len;
	bool big_endian;
	unsigned version; /* of Go: 2, 16, 18, 20 for 1.2, ... */
	unsigned pointer, quantum; /* bytes of a pointer; of the shortest instruction */
	uint64_t n;                /* number of functions */
	uint64_t text;             /* where the code begins; 0: addresses are absolute */
	uint64_t names, units, files, numbers, functions, index; /* offsets in the table */
};

struct symbol_go_function {
	uint64_t start, end; /* end 0: unknown */
	const char *name;
};

/* Reads the header of a table. `text` is the address of Go's code, for programs whose header leaves
 * that to the loader. Returns false if it is no such table. */
bool symbol_go_read(struct symbol_go *g, const uint8_t *at, size_t len, uint64_t text);
/* Returns the i-th function in *out, by address; false if there are no more, or its entry is
 * damaged. */
bool symbol_go_function(const struct symbol_go *g, uint64_t i, struct symbol_go_function *out);
/* Finds file, line and definition of an address, without a name. The line is 0 in code inlined from
 * another file. Returns the number of frames, 0 if the address is unknown. */
unsigned symbol_go_line_at(const struct symbol_go *g, uint64_t address, struct symbols_frame *out);
/* Returns how many bytes of the function at an address are on the stack there, below its return
 * address; -1: unknown. */
int64_t symbol_go_frame_at(const struct symbol_go *g, uint64_t address);
/* Reads the table of a file, which stays open. Returns false if it has none. */
bool symbol_go_open(struct symbol_go *g, struct symbol_elf *f);
/* Adds the functions of a Go program without symbols; call it before symbol_elf_symbols(). */
void symbol_go_add(struct symbol_elf *f, struct symbol_table *t);

#endif
