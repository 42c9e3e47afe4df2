/* taskrun.h - whether and where a thread runs, from /proc.
 *
 *	struct taskrun run;
 *	taskrun_open(&run, pid, tid);
 *	if (taskrun_runs(&run)) ...
 *	taskrun_close(&run); */
#ifndef PNAV_SRC_COLLECT_TASKRUN_H
#define PNAV_SRC_COLLECT_TASKRUN_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct taskrun {
	pid_t pid, tid;
	int call, usage, sched; /* its files syscall, schedstat and, once read, sched; or -1 */
};

/* The kernel's counts for a thread: nanoseconds on a CPU, times on a CPU, nanoseconds ready to run.
 * slices: 0 if unknown. */
struct taskrun_usage {
	uint64_t cpu_ns, slices, waited_ns;
};

void taskrun_open(struct taskrun *run, pid_t pid, pid_t tid);
void taskrun_close(struct taskrun *run);
/* All counts are 0 for a thread that is gone.  Kernels without schedstat count ticks of 10 ms. */
struct taskrun_usage taskrun_usage(const struct taskrun *run);
/* Returns true if the thread is ready or on a CPU. */
bool taskrun_runs(const struct taskrun *run);
/* Returns the CPU on which the thread was last; -1 if unknown. */
int taskrun_cpu(const struct taskrun *run);
/* Returns when the thread last left its CPU or, if it is on one, last had its time counted, in
 * nanoseconds of that CPU's own clock: if one thread took the CPU of another one, both have the
 * same moment.  Returns 0 if the kernel does not say. */
uint64_t taskrun_left(struct taskrun *run);
/* Returns a number of /proc/TID/status: "Tgid", "PPid"; 0 if there is none. */
pid_t taskrun_status(pid_t tid, const char *key);

#endif
