/* The kernel's rings hold a quarter of a second of stack copies.  Beside many busy threads an
 * ordinary process waits longer than that for a CPU.  So the recorder takes the best nice value:
 * root has -20, other users what `ulimit -e` allows.
 *
 * Rejected: SCHED_FIFO.  A recorder that compresses, or writes to a slow disk, would keep a CPU
 * from all other processes. */
#include "src/collect/priority.h"

#include <sys/resource.h>

#define BEST_NICE (-20)

int
priority_raise(void)
{
	int old = getpriority(PRIO_PROCESS, 0), best;
	struct rlimit may;

	if (!setpriority(PRIO_PROCESS, 0, BEST_NICE) || getrlimit(RLIMIT_NICE, &may))
		return old;
	best = may.rlim_cur > 40 ? BEST_NICE : 20 - (int)may.rlim_cur;
	if (best < old)
		setpriority(PRIO_PROCESS, 0, best);
	return old;
}

void
priority_restore(int nice)
{
	setpriority(PRIO_PROCESS, 0, nice);
}
