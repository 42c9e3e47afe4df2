/* cold.h - names the parts of functions in stripped files whose symbols are gone.
 *
 * GCC moves code that it takes for rare away from its function, to a part `NAME.cold` with a local
 * symbol, which `strip` removes. Such parts can be hot all the same: nearly the whole loop of
 * Debian's Python is one. */
#ifndef PNAV_SRC_SYMBOL_COLD_H
#define PNAV_SRC_SYMBOL_COLD_H

#include "src/symbol/elf.h"
#include "src/symbol/table.h"

struct symbol_cold_part {
	uint64_t start, end;
	const char *name; /* "NAME.cold" in the table's memory; NULL: it belongs to no function */
};

/* Zero-initialise it. */
struct symbol_cold {
	VEC(struct symbol_cold_part) part; /* those that were looked up, sorted */
	bool tried, usable; /* the file has what is needed */
	uint64_t index, n;  /* address and length of the table in .eh_frame_hdr */
};

void symbol_cold_release(struct symbol_cold *c);
/* Returns the name for an address without a symbol of `t`; NULL if none is known. */
const char *symbol_cold_at(struct symbol_cold *c, struct symbol_elf *f, struct symbol_table *t,
			   uint64_t address);

#endif
