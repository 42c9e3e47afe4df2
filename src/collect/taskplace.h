/* taskplace.h - the place of a thread that is off its CPU, from /proc, without disturbing it.
 *
 * Needs only the right to trace the process. */
#ifndef PNAV_SRC_COLLECT_TASKPLACE_H
#define PNAV_SRC_COLLECT_TASKPLACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "model/base/buf.h"

struct taskplace {
	char text[256]; /* /proc/PID/task/TID/syscall, by which two places are compared */
	uint64_t sp, pc;
};

/* Returns false with errno if the place is not readable, with errno 0 if the thread is on a CPU
 * or ready to run. */
bool taskplace_read(struct taskplace *p, pid_t pid, pid_t tid);
/* Copies at most `size` bytes of a process's memory.  Returns their number, 0 if none is
 * readable. */
size_t taskplace_copy(pid_t pid, uint64_t from, void *to, size_t size);
/* Appends the parts REGS_USER and STACK_USER of a sample whose registers are those of
 * record_place_registers().  The copy begins at the stack pointer and is cut to whole words. */
void taskplace_put(const struct taskplace *p, const void *copy, size_t copied, struct buf *out);

#endif
