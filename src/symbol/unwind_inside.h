/* unwind_inside.h - an unwinder, for the files of unwind.h. */
#ifndef PNAV_SRC_SYMBOL_UNWIND_INSIDE_H
#define PNAV_SRC_SYMBOL_UNWIND_INSIDE_H

#include "src/symbol/unwind.h"

#ifdef HAVE_LIBDW

#include <elfutils/libdwfl.h>
#include <elfutils/version.h>

#include "model/base/vec.h"

/* Modules are placed at addresses that no program uses, each in a space as large as an address
 * allows. */
#define UNWIND_PLACES ((uint64_t)1 << 62)
#define UNWIND_PLACE_BITS 40u
#define UNWIND_MODULES ((uint32_t)1 << 21)

#define UNWIND_REGISTERS_X86 17u
#define UNWIND_KEPT 7u

struct unwind_range {
	struct unwind_map map;
	uint64_t bias; /* the distance from its run-time address to its address in libdwfl */
	bool asked, there;
};

struct unwind_process {
	uint64_t key;
	size_t first, n; /* its ranges, sorted */
	bool asked, there; /* asked: `there` is known; there: one of them has a file here */
	bool narrow;
};

enum { UNWIND_NEW, UNWIND_REPORTED, UNWIND_MISSING };

/* A libdwfl process and the modules reported to it. */
struct unwind_modules {
	Dwfl *dwfl; /* NULL: no module yet */
	bool attached;
	VEC(uint8_t) module; /* by module number: the state of the report to libdwfl */
	unsigned n_modules;
};

struct unwinder {
	struct symbols *symbols;
	struct unwind_modules modules,
		aside;                  /* one for all 64-bit programs, one for a 32-bit program */
	bool narrow;                    /* `told` is that of the 32-bit program with this key */
	uint64_t narrow_key;
	unsigned modules_max;
	VEC(struct unwind_process) process; /* sorted by key */
	VEC(struct unwind_range) range;
	int current;
	uint64_t frames;

	/* the sample being unwound */
	const struct unwind_state *state;
	uint64_t *out;
	unsigned n, max;
	bool beyond;               /* its stack continues beyond the copy */
	uint64_t given, pointer;   /* the assumed value of an unknown register */
	uint64_t last_pc, last_sp; /* of the last frame, moved; sp 0: unknown */
	/* registers of the last frame if it is a caller in generated code; bits of those known */
	uint64_t kept[UNWIND_KEPT];
	unsigned kept_known;
};

/* DWARF's numbers of x86-64's registers that a call keeps; the first one is the stack pointer. */
static const uint8_t unwind_kept[UNWIND_KEPT] = {7, 6, 3, 12, 13, 14, 15};

/* Returns the range that contains a run-time address, or NULL. */
struct unwind_range *unwind_range_at(struct unwinder *u, uint64_t at);
/* Returns the address in libdwfl; the same address if it belongs to no file. */
uint64_t unwind_moved_in(struct unwinder *u, uint64_t at);
/* Returns the range that was moved to this address, or NULL. */
const struct unwind_range *unwind_range_moved(const struct unwinder *u, uint64_t at);
/* Reports the module of a range to libdwfl. Returns false if it has no file. */
bool unwind_report_module(struct unwinder *u, const struct unwind_range *r);
/* For a 32-bit program in the vDSO, and for code without a frame: gets the state of its caller.
 * Returns false if it is elsewhere, or the caller is unknown. */
bool unwind_leave_call(struct unwinder *u, const struct unwind_state *s,
		       struct unwind_state *caller);
/* Returns true if the last frame is a trampoline in generated code (x86-64), and stores the state
 * of its caller unless `caller` is NULL. */
bool unwind_in_trampoline(struct unwinder *u, struct unwind_state *caller);
/* Unwinds u->state from the start into u->out. */
void unwind_once(struct unwinder *u, enum unwind_end *end);
/* Continues a chain that lacks the frame pointer: searches it in the stack (x86-64). */
void unwind_by_pointer(struct unwinder *u, enum unwind_end *end);

#endif
#endif
