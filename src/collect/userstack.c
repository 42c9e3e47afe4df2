/* userstack.c - see userstack.h. */
#include "src/collect/userstack.h"

#include <linux/perf_event.h>
#include <string.h>
#include <sys/uio.h>

#include "src/collect/registers.h"
#include "src/collect/sampler.h"
#include "src/collect/taskplace.h"

#define STACK_BYTES 65000u /* a record of 64 KB must hold the rest as well */

/* Follows frame pointers: each frame begins with the caller's frame pointer and the return
 * address. */
void
userstack_chain(pid_t pid, const struct registers *r, struct buf *out)
{
	uint64_t chain[TRACER_CHAIN_MAX + 2] = {(uint64_t)PERF_CONTEXT_USER, r->pc};
	uint64_t n = 2, at = r->n ? r->fp : 0; /* the marker is no address */
	bool narrow = r->abi == PERF_SAMPLE_REGS_ABI_32;
	size_t word = narrow ? sizeof(uint32_t) : sizeof(uint64_t);
	while (n < TRACER_CHAIN_MAX + 1 && at >= r->sp && at % word == 0 && at) {
		uint64_t frame[2];
		uint32_t small[2];
		struct iovec here = {narrow ? (void *)small : frame, 2 * word},
			     there = {(void *)(uintptr_t)at, 2 * word};
		if (process_vm_readv(pid, &here, 1, &there, 1, 0) != (ssize_t)(2 * word))
			break;
		for (int i = 0; narrow && i < 2; i++)
			frame[i] = small[i];
		if (!frame[1])
			break;
		chain[n++] = frame[1];
		if (frame[0] <= at)
			break;
		at = frame[0];
	}
	buf_add(out, &n, sizeof n);
	buf_add(out, chain, (size_t)n * sizeof *chain);
}

void
userstack_copy(pid_t pid, const struct registers *r, size_t size, struct buf *out)
{
	uint8_t copy[STACK_BYTES];
	uint64_t used = 0;

	buf_add(out, &r->abi, sizeof r->abi);
	if (r->n) {
		used = taskplace_copy(pid, r->sp, copy, size < sizeof copy ? size : sizeof copy);
		used &= ~(uint64_t)7;
		buf_add(out, r->value, r->n * sizeof *r->value);
	}
	buf_add(out, &used, sizeof used);
	if (used) {
		buf_add(out, copy, (size_t)used);
		buf_add(out, &used, sizeof used);
	}
}
