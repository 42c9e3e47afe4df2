/* table.h - the functions of one module, sorted, found by binary search.
 *
 * Fill with symbol_table_add() in any order, then symbol_table_sort(); after that only
 * look-ups.  Names are borrowed, or kept by symbol_table_keep(). */
#ifndef PNAV_SRC_SYMBOL_TABLE_H
#define PNAV_SRC_SYMBOL_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/base/vec.h"
#include "src/symbol/symbols_frame.h"

enum symbol_binding { SYMBOL_WEAK, SYMBOL_LOCAL, SYMBOL_GLOBAL };

struct symbol {
	uint64_t start, end; /* end == start: up to the next symbol */
	const char *name;
	uint32_t rank;   /* of equal starts the highest stays, whatever its name */
	uint32_t order;  /* in which it was added */
	uint8_t binding; /* enum symbol_binding */
	bool readable;   /* the name has been demangled where it can be */
};

struct symbol_table {
	VEC(struct symbol) symbol;
	VEC(uint32_t)
	outer; /* [i]: the nearest earlier symbol that reaches past i, + 1 */
	VEC(char *) kept;
	size_t kept_used; /* bytes of the last block */
	bool raw;         /* names stay mangled */
};

/* A zero-initialised list is empty. */
void symbol_table_release(struct symbol_table *t);
void symbol_table_add(struct symbol_table *t, uint64_t start, uint64_t size,
		      const char *name, enum symbol_binding binding);
/* A copy that lives as long as the table. */
const char *symbol_table_keep(struct symbol_table *t, const char *name, size_t len);
void symbol_table_sort(struct symbol_table *t);
/* The symbol around an address, its name readable; NULL where there is none. */
const struct symbol *symbol_table_at(struct symbol_table *t, uint64_t address);
/* The first symbol with this name, as people read it; NULL where there is none. */
const struct symbol *symbol_table_named(struct symbol_table *t, const char *name);
/* What lies around an address: the part of the innermost symbol there, or the gap between two.
 * False of an empty table. */
bool symbol_table_span(struct symbol_table *t, uint64_t address, struct symbols_span *out);
/* A name as people read it: demangled without parameters, kept in t; or itself, as where t->raw. */
const char *symbol_table_readable(struct symbol_table *t, const char *name);

#endif
