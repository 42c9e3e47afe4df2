/* registers.h - the registers of a stopped thread, in the order of samples. */
#ifndef PNAV_SRC_COLLECT_REGISTERS_H
#define PNAV_SRC_COLLECT_REGISTERS_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define REGISTERS_MAX 33u

struct registers {
	bool in_call; /* the thread is in a system call */
	uint64_t pc, sp, fp;
	uint64_t value[REGISTERS_MAX]; /* as record_registers() numbers them */
	unsigned n;                    /* 0: of a 32-bit program whose registers differ */
	uint64_t abi;                  /* PERF_SAMPLE_REGS_ABI_64, _32; _NONE if n is 0 */
};

/* Returns false if this machine's registers are unknown, or the thread is not stopped. */
bool registers_read(struct registers *r, pid_t tid);
/* Returns the values of a 64-bit program, NULL of others. */
static inline const uint64_t *
registers_wide(const struct registers *r)
{
	return r->n && r->abi == PERF_SAMPLE_REGS_ABI_64 ? r->value : NULL;
}
/* True if registers_read() can work on this machine. */
bool registers_known(void);

#endif
