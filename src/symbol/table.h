/* table.h - the functions of one module, sorted, found by binary search.
 *
 * Fill the table with symbol_table_add() in any order, then call symbol_table_sort(); afterwards
 * only look-ups are allowed. Names are borrowed, or copied by symbol_table_keep(). */
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
	uint32_t rank;   /* of symbols with equal starts the highest wins, whatever its name */
	uint32_t order;  /* the order in which it was added */
	uint8_t binding; /* enum symbol_binding */
	bool readable;   /* the name has been demangled if possible */
	bool sized;      /* its end is the file's, not the next symbol's start */
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
/* Returns a copy that lives as long as the table. */
const char *symbol_table_keep(struct symbol_table *t, const char *name, size_t len);
void symbol_table_sort(struct symbol_table *t);
/* Returns the symbol around an address, its name demangled; NULL if there is none. */
const struct symbol *symbol_table_at(struct symbol_table *t, uint64_t address);
/* Returns the first symbol with this demangled name; NULL if there is none. */
const struct symbol *symbol_table_named(struct symbol_table *t, const char *name);
/* Finds the range around an address: the part of the innermost symbol there, or the gap between two
 * symbols. Returns false for an empty table. */
bool symbol_table_span(struct symbol_table *t, uint64_t address, struct symbols_span *out);
/* Returns a name demangled without parameters, kept in t; or unchanged if it is not mangled, or
 * t->raw is set. */
const char *symbol_table_readable(struct symbol_table *t, const char *name);

#endif
