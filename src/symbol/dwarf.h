/* dwarf.h - lines and inlined functions of one ELF file, read lazily.
 *
 * The first look-up in a compilation unit reads that unit, and no other. All reading counts against
 * a budget that all modules share. */
#ifndef PNAV_SRC_SYMBOL_DWARF_H
#define PNAV_SRC_SYMBOL_DWARF_H

#include <stdbool.h>
#include <stdint.h>

#include "src/symbol/elf.h"
#include "src/symbol/symbols_frame.h"

/* The remaining budget, in DIEs and rows of line tables. Unlike time it is deterministic: the same
 * profile gives the same result on a slow machine. */
struct symbol_budget {
	uint64_t left;
	bool spent; /* something was left out */
};
/* About three seconds, and 200 MB. */
#define SYMBOL_BUDGET 16000000u

struct symbol_dwarf;

/* Returns NULL if the file has no DWARF. */
struct symbol_dwarf *symbol_dwarf_new(struct symbol_elf *f, struct symbol_budget *budget);
void symbol_dwarf_free(struct symbol_dwarf *d);
/* Looks up the functions at an address, innermost first: the last one owns the code, the others are
 * inlined into it. Names are linkage names if there are any. Sets *qualified if the last name is
 * one, or needs none, so that it is the whole name. Returns their number; 0 if DWARF does not cover
 * the address. */
unsigned symbol_dwarf_at(struct symbol_dwarf *d, uint64_t address,
			 struct symbols_frame *out, unsigned max, bool *qualified);
/* Returns true if the unit of this address has been read. */
bool symbol_dwarf_knows(const struct symbol_dwarf *d, uint64_t address);

#endif
