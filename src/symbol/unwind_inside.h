/* unwind_inside.h - an unwinder, as the files of unwind.h see it. */
#ifndef PNAV_SRC_SYMBOL_UNWIND_INSIDE_H
#define PNAV_SRC_SYMBOL_UNWIND_INSIDE_H

#include "src/symbol/unwind.h"

#ifdef HAVE_LIBDW

#include <elfutils/libdwfl.h>
#include <elfutils/version.h>

#include "model/base/vec.h"

/* Modules lie where no program has memory, each in as much room as an address has bits. */
#define UNWIND_PLACES ((uint64_t)1 << 62)
#define UNWIND_PLACE_BITS 40u
#define UNWIND_MODULES ((uint32_t)1 << 21)

struct unwind_range {
	struct unwind_map map;
	uint64_t bias; /* from where it ran to where libdwfl has it */
	bool asked, there;
};

struct unwind_process {
	uint64_t key;
	size_t first, n; /* its ranges, rising */
	bool asked, there; /* one of them has a file here */
	bool narrow;
};

enum { UNWIND_NEW, UNWIND_TOLD, UNWIND_MISSING };

/* What libdwfl was told. */
struct unwind_told {
	Dwfl *dwfl; /* NULL: no module yet */
	bool attached;
	VEC(uint8_t) module; /* by its number: what libdwfl knows of it */
	unsigned n_modules;
};

struct unwinder {
	struct symbols *symbols;
	struct unwind_told told, aside; /* of 64-bit programs and of one of 32 bits */
	bool narrow;                    /* `told` is of the latter, with this key */
	uint64_t narrow_key;
	unsigned modules_max;
	VEC(struct unwind_process) process; /* by key */
	VEC(struct unwind_range) range;
	int current;
	uint64_t frames;

	/* the sample that is unwound */
	const struct unwind_state *state;
	uint64_t *out;
	unsigned n, max;
	bool beyond;               /* its stack goes on behind the copy */
	uint64_t given, pointer;   /* what stands in for an unknown register */
	uint64_t last_pc, last_sp; /* of the frame found last; moved; sp 0: not known */
};

/* The range that holds an address as it ran, or NULL. */
struct unwind_range *unwind_range_at(struct unwinder *u, uint64_t at);
/* Where libdwfl has it: the same address where that is in no file. */
uint64_t unwind_moved_in(struct unwinder *u, uint64_t at);
/* The range that was moved there, or NULL. */
const struct unwind_range *unwind_range_moved(const struct unwinder *u, uint64_t at);
/* Tells libdwfl of the module of a range; false: there is no file. */
bool unwind_tell(struct unwinder *u, const struct unwind_range *r);
/* Of a 32-bit program that stands in the vDSO: the state of who called it; false: it does not,
 * or nobody knows who. */
bool unwind_leave_call(struct unwinder *u, const struct unwind_state *s,
		       struct unwind_state *caller);
/* Unwinds u->state anew, into u->out. */
void unwind_once(struct unwinder *u, enum unwind_end *end);
/* The chain ended for want of the frame pointer: looks for it in the stack (x86-64). */
void unwind_by_pointer(struct unwinder *u, enum unwind_end *end);

#endif
#endif
