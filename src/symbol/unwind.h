/* unwind.h - finds the callers from registers and a copy of the stack.
 *
 * Call frame information (libdw) describes how to get from a function to its caller. It is read
 * from files of this machine, so a module without a trusted file (symbols.h) ends the chain. */
#ifndef PNAV_SRC_SYMBOL_UNWIND_H
#define PNAV_SRC_SYMBOL_UNWIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/symbol/symbols.h"

/* Executable memory that maps a file. */
struct unwind_map {
	uint64_t start, end, offset; /* offset: position of `start` in the file */
	uint32_t module;             /* symbols_add(), or UNWIND_NO_MODULE */
};
#define UNWIND_NO_MODULE UINT32_MAX /* the 32-bit vDSO, which has no file */

#define UNWIND_REGISTERS 33u

struct unwind_state {
	uint64_t reg[UNWIND_REGISTERS]; /* indexed by DWARF's numbers */
	unsigned n_regs;
	uint64_t unknown; /* bits of registers that were not recorded; pc and sp always are */
	bool narrow;      /* of a 32-bit x86 program */
	uint64_t pc, sp;
	const uint8_t *stack; /* the memory at sp; borrowed */
	size_t stack_len;
};

struct unwinder;

struct unwinder *unwinder_new(struct symbols *s);
void unwinder_free(struct unwinder *u);
/* Returns true if maps with this key are known, and selects them; *there as below. */
bool unwinder_knows(struct unwinder *u, uint64_t key, bool *there);
/* Sets the maps of a process, sorted, without overlaps; copied. Equal keys mean equal maps. Returns
 * false if no map has a file on this machine. `narrow`: a program of 32 bits. */
bool unwinder_maps(struct unwinder *u, uint64_t key, const struct unwind_map *map,
		   size_t n, bool narrow);
/* Unwinds in the selected maps. Returns the number of addresses, leaf first and at least pc
 * itself. An address of a caller lies within the call instruction, not after it. */
unsigned unwinder_run(struct unwinder *u, const struct unwind_state *state, uint64_t *out,
		      unsigned max, enum unwind_end *end);
/* Returns true if the budget is spent: unwinder_run() then returns only pc. */
bool unwinder_spent(const struct unwinder *u);

#endif
