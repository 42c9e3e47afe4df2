/* The kernel's rings hold a quarter of a second of stack copies.  Beside many busy threads an
 * ordinary process waits longer than that for a CPU, and the ptrace sampler must run when its ticks
 * are due.  So the recorder takes the best nice value: root has -20, other users what `ulimit -e`
 * allows.  Since Linux 6.12 every user may also ask for a short time slice.  A thread with a
 * shorter slice than the running one preempts it at once when it wakes up, and its share of the CPU
 * stays the same.  Earlier kernels ignore the request.  Timers of ordinary threads are up to 50 us
 * late, in order to expire together with others, such as those of the sampled program.
 *
 * Rejected: SCHED_FIFO.  A recorder that compresses, or writes to a slow disk, would keep a CPU
 * from all other processes. */
#include "src/collect/priority.h"

#include <linux/sched/types.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#define BEST_NICE (-20)
#define SHORT_NS 100000u /* the shortest slice that the kernel allows */

/* Sets the time slice of the calling thread.  Returns the previous one; 0 if it has none. */
static uint64_t
set_slice(uint64_t ns)
{
	struct sched_attr a = {.size = sizeof a};

	/* the C library has no functions for these */
	if (syscall(SYS_sched_getattr, 0, &a, sizeof a, 0u) || a.sched_policy)
		return 0; /* a policy other than the usual one is the user's */
	uint64_t old = a.sched_runtime;
	a.sched_flags = 0;
	a.sched_runtime = ns;
	return syscall(SYS_sched_setattr, 0, &a, 0u) ? 0 : old;
}

struct priority
priority_raise(void)
{
	struct priority old = {.nice = getpriority(PRIO_PROCESS, 0)};
	struct rlimit may;
	int best;

	int slack_ns = prctl(PR_GET_TIMERSLACK);

	old.slack_ns = slack_ns > 0 ? (unsigned long)slack_ns : 0;
	prctl(PR_SET_TIMERSLACK, 1ul);
	old.slice_ns = set_slice(SHORT_NS);
	if (!setpriority(PRIO_PROCESS, 0, BEST_NICE) || getrlimit(RLIMIT_NICE, &may))
		return old;
	best = may.rlim_cur > 40 ? BEST_NICE : 20 - (int)may.rlim_cur;
	if (best < old.nice)
		setpriority(PRIO_PROCESS, 0, best);
	return old;
}

void
priority_restore(struct priority old)
{
	setpriority(PRIO_PROCESS, 0, old.nice);
	set_slice(old.slice_ns);
	prctl(PR_SET_TIMERSLACK, old.slack_ns);
}
