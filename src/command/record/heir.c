/* heir.c - see heir.h.
 *
 * The kernel takes a tenth of a second for each gigabyte that a process frees at its end, and a
 * parent that waits for the process (such as a shell before its prompt) waits for this.  The memory
 * is freed with the last process that shares it.  So, before the end, pnav starts one more process
 * that shares it.  It does nothing, has nothing open except a descriptor of its parent, and ends
 * when no thread of the parent is left, after the parent's parent has continued.
 *
 * It runs on a small stack of its own and makes only a few system calls, without the C library,
 * whose state it shares with its parent. */
#include "src/command/record/heir.h"

#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#define WORTH_KB (64 * 1024) /* the time for less memory is not noticeable */
#define STACK_BYTES (64u << 10)

static int
wait_for_the_end(void *parent)
{
	pid_t of = (pid_t)(intptr_t)parent;

	/* readers of a pipe or a terminal wait until every process has closed it */
	if (syscall(SYS_close_range, 0u, ~0u, 0u) ||
	    syscall(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0))
		syscall(SYS_exit, 0);
	/* the exit of its first thread would report its death while other threads still use the
	 * memory */
	struct pollfd end = {.fd = (int)syscall(SYS_pidfd_open, of, 0), .events = POLLIN};
	if (end.fd >= 0)
		syscall(SYS_prctl, PR_SET_PDEATHSIG, 0, 0, 0, 0);
	while (syscall(SYS_getppid) == of && !end.revents)
		syscall(SYS_ppoll, &end, end.fd >= 0 ? 1ul : 0ul, NULL, NULL, 0ul);
	syscall(SYS_exit, 0);
	return 0;
}

void
heir_take_memory(void)
{
	static char stack[STACK_BYTES] __attribute__((aligned(64)));
	struct rusage used;

	if (getrusage(RUSAGE_SELF, &used) || used.ru_maxrss < WORTH_KB)
		return;
	(void)!clone(wait_for_the_end, stack + sizeof stack, CLONE_VM,
		     (void *)(intptr_t)getpid());
}
