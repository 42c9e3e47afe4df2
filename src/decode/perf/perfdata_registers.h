/* perfdata_registers.h - converts the registers of a sample for unwinding. */
#ifndef PNAV_SRC_DECODE_PERF_PERFDATA_REGISTERS_H
#define PNAV_SRC_DECODE_PERF_PERFDATA_REGISTERS_H

#include "src/decode/perf/perfdata_read.h"
#include "src/symbol/unwind.h"

enum perfdata_machine_kind {
	PERFDATA_NO_MACHINE, /* unknown */
	PERFDATA_X86_64,
	PERFDATA_AARCH64,
	PERFDATA_OTHER_MACHINE,
};

/* The machine of the registers; all zero: unknown. */
struct perfdata_machine {
	enum perfdata_machine_kind kind;
	bool assumed; /* the machine was needed, but the file does not state it */
};

/* Returns the machine for uname's name of it. */
enum perfdata_machine_kind perfdata_machine_named(const char *at, size_t len);
/* Takes the registers of a sample that `mask` selects (attr.sample_regs_user), and its copy of the
 * stack, which the sample owns. Returns false if they do not suffice to unwind it. */
bool perfdata_registers(struct perfdata_machine *machine, const struct perfdata_sample *s,
			uint64_t mask, bool big_endian, struct unwind_state *out);

#endif
