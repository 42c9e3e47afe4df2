/* registers.h - the registers of a stopped thread, in the order that samples have. */
#ifndef PNAV_SRC_COLLECT_REGISTERS_H
#define PNAV_SRC_COLLECT_REGISTERS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define REGISTERS_MAX 33u

struct registers {
	bool in_call; /* it stands in a system call */
	uint64_t pc, sp, fp;
	uint64_t value[REGISTERS_MAX]; /* as record_registers() numbers them */
	unsigned n;                    /* 0: of a 32-bit program whose registers differ */
	uint64_t abi;                  /* PERF_SAMPLE_REGS_ABI_64, _32; _NONE where n is 0 */
};

/* False where this machine's registers are not known, or the thread is not stopped. */
bool registers_read(struct registers *r, pid_t tid);
/* Whether registers_read() can work here at all. */
bool registers_known(void);

#endif
