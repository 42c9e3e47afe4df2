/* gmon_pe.h - functions by address in programs of Windows. For gmon_program.c alone. */
#ifndef PNAV_SRC_DECODE_GMON_GMON_PE_H
#define PNAV_SRC_DECODE_GMON_GMON_PE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/base/buf.h"
#include "model/base/vec.h"

struct gmon_pe_symbol {
	uint64_t start, end;
	size_t name; /* offset in `names` */
	bool local;
};

struct gmon_pe_span {
	uint64_t start, end;
	const char *name; /* NULL: none */
};

/* Zero-initialise it. */
struct gmon_pe {
	VEC(struct gmon_pe_symbol) symbol; /* sorted, one of each address */
	struct buf names;                  /* each ends with NUL */
};

/* Reads the symbols of code of a PE file in memory. Damaged parts have no symbols. */
void gmon_pe_read(struct gmon_pe *p, const uint8_t *bytes, size_t len);
/* Returns the function whose code holds the address; without one, the code from 0 to the next
 * function, with `end` 0 if there is none. */
struct gmon_pe_span gmon_pe_at(const struct gmon_pe *p, uint64_t address);
void gmon_pe_release(struct gmon_pe *p);

#endif
