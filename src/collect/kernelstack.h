/* kernelstack.h - the kernel's functions in which a thread waits, from /proc/PID/task/TID/stack.
 *
 *	struct kernelstack *k = kernelstack_new();    -- NULL: not allowed
 *	kernelstack_read(k, pid, tid);
 *	kernelstack_put(k, &out);                     -- the chain of a sample
 *	kernelstack_free(k); */
#ifndef PNAV_SRC_COLLECT_KERNELSTACK_H
#define PNAV_SRC_COLLECT_KERNELSTACK_H

#include <sys/types.h>

struct buf;
struct kernelstack;

/* Returns NULL unless this user may read such stacks, and the kernel's addresses. */
struct kernelstack *kernelstack_new(void);
void kernelstack_free(struct kernelstack *k);
/* Reads the stack of a thread; it is empty if the thread runs or has ended.  `k` may be NULL. */
void kernelstack_read(struct kernelstack *k, pid_t pid, pid_t tid);
/* Appends the last stack as the call chain of a sample: u64 n, PERF_CONTEXT_KERNEL, addresses, the
 * leaf first; n is 0 without a stack, and if `k` is NULL. */
void kernelstack_put(const struct kernelstack *k, struct buf *out);

#endif
