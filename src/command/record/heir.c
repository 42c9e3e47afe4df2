/* heir.c - see heir.h.
 *
 * The kernel takes a tenth of a second for each gigabyte that a process gives back, and
 * whoever waits for its end waits for that: a shell shows no prompt.  Memory goes with the
 * last of those that share it.  So, before the end, there is one more that shares it: it does
 * nothing, has nothing open but what tells it of its parent, and ends when no thread of that
 * is left, behind whoever was waiting.
 *
 * It runs on a small stack of its own and makes but a few system calls, without the C
 * library, of which it shares all state with its parent. */
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

#define WORTH_KB (64 * 1024) /* what less memory needs, nobody sees */
#define STACK_BYTES (64u << 10)

static int
wait_for_the_end(void *parent)
{
	pid_t of = (pid_t)(intptr_t)parent;

	/* what waits for the end of a pipe or of a terminal waits for all that have it open */
	if (syscall(SYS_close_range, 0u, ~0u, 0u) ||
	    syscall(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0))
		syscall(SYS_exit, 0);
	/* its death would be told with that of its first thread: others share the memory still */
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
