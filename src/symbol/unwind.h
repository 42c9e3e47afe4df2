/* unwind.h - from registers and a copy of the stack to the calls that led there.
 *
 * Call frame information of the modules (libdw) tells how to go from a function to its
 * caller.  It is read from files of this machine, so that a module without one that can
 * be trusted (symbols.h) ends the chain. */
#ifndef PNAV_SRC_SYMBOL_UNWIND_H
#define PNAV_SRC_SYMBOL_UNWIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/symbol/symbols.h"

/* Executable memory that a file is mapped to. */
struct unwind_map {
	uint64_t start, end, offset; /* offset: in the file, of start */
	uint32_t module;             /* symbols_add(), or UNWIND_NO_MODULE */
};
#define UNWIND_NO_MODULE UINT32_MAX /* the 32-bit vDSO, which is in no file */

#define UNWIND_REGISTERS 33u

struct unwind_state {
	uint64_t reg[UNWIND_REGISTERS]; /* by DWARF's numbers */
	unsigned n_regs;
	uint64_t unknown; /* bits of those that were not recorded; pc and sp always are */
	bool narrow;      /* of a 32-bit x86 program */
	uint64_t pc, sp;
	const uint8_t *stack; /* what lay at sp; borrowed */
	size_t stack_len;
};

struct unwinder;

struct unwinder *unwinder_new(struct symbols *s);
void unwinder_free(struct unwinder *u);
/* Whether maps with this key are known, which then are the ones to unwind in; *there as below. */
bool unwinder_knows(struct unwinder *u, uint64_t key, bool *there);
/* The maps of a process, rising, without overlaps; copied.  Equal keys are equal maps.  False
 * when none of them has a file here.  `narrow`: its program is one of 32 bits. */
bool unwinder_maps(struct unwinder *u, uint64_t key, const struct unwind_map *map,
		   size_t n, bool narrow);
/* The addresses of the frames in the maps given last, leaf first, those of callers within
 * the call and not behind it.  At least pc itself. */
unsigned unwinder_run(struct unwinder *u, const struct unwind_state *state, uint64_t *out,
		      unsigned max, enum unwind_end *end);
/* Too much was unwound already: unwinder_run() gives pc alone. */
bool unwinder_spent(const struct unwinder *u);

#endif
