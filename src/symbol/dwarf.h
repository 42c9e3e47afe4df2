/* dwarf.h - lines and inlined functions of one ELF file, read lazily.
 *
 * Nothing is read before the first look-up, and then only the compilation unit that the
 * address is in.  What is read counts against a budget that all modules share. */
#ifndef PNAV_SRC_SYMBOL_DWARF_H
#define PNAV_SRC_SYMBOL_DWARF_H

#include <stdbool.h>
#include <stdint.h>

#include "src/symbol/elf.h"
#include "src/symbol/symbols_frame.h"

/* What may still be read, in DIEs and rows of line tables.  Deterministic, unlike time:
 * the same profile gives the same result on a slow machine. */
struct symbol_budget {
	uint64_t left;
	bool spent; /* something was left out */
};
/* Some three seconds, and 200 MB. */
#define SYMBOL_BUDGET 16000000u

struct symbol_dwarf;

/* NULL when the file has no DWARF. */
struct symbol_dwarf *symbol_dwarf_new(struct symbol_elf *f, struct symbol_budget *budget);
void symbol_dwarf_free(struct symbol_dwarf *d);
/* The functions at an address, innermost first; the last is the one that the code belongs
 * to, the others are inlined.  Their names are the linkage names where they have one;
 * *qualified: the last one's is, or needs none, so that it is the whole name.
 * 0 when DWARF does not know the address. */
unsigned symbol_dwarf_at(struct symbol_dwarf *d, uint64_t address,
			 struct symbols_frame *out, unsigned max, bool *qualified);
/* What is known of this address was read before. */
bool symbol_dwarf_knows(const struct symbol_dwarf *d, uint64_t address);

#endif
