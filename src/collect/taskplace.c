#include "src/collect/taskplace.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

/* Reads "running", or `NR ARGUMENTS... SP PC`; outside a system call `-1 SP PC`. */
bool
taskplace_read(struct taskplace *p, pid_t pid, pid_t tid)
{
	char path[64];

	snprintf(path, sizeof path, "/proc/%d/task/%d/syscall", (int)pid, (int)tid);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	p->text[0] = '\0';
	if (fd < 0)
		return false;
	ssize_t n = read(fd, p->text, sizeof p->text - 1);
	int fault = errno;
	close(fd);
	errno = n < 0 ? fault : 0;
	p->text[n > 0 ? n : 0] = '\0';
	char *last = strrchr(p->text, ' ');
	if (n <= 0 || !last || p->text[0] == 'r')
		return false;
	p->pc = strtoull(last, NULL, 16);
	*last = '\0';
	char *before = strrchr(p->text, ' ');
	p->sp = before ? strtoull(before, NULL, 16) : 0;
	*last = ' ';
	return p->pc && p->sp;
}

size_t
taskplace_copy(pid_t pid, uint64_t from, void *to, size_t size)
{
	struct iovec here = {to, size}, there = {(void *)(uintptr_t)from, size};

	ssize_t n = process_vm_readv(pid, &here, 1, &there, 1, 0);
	return n > 0 ? (size_t)n : 0;
}

/* Converts those of a 32-bit program: on arm64 they mean something else. */
static uint64_t
taskplace_narrow_registers(void)
{
#ifdef __x86_64__
	return PERF_SAMPLE_REGS_ABI_32;
#else
	return PERF_SAMPLE_REGS_ABI_NONE;
#endif
}

/* On x86-64 and arm64 the stack pointer has the smaller number, so it comes first. */
void
taskplace_put(const struct taskplace *p, const void *copy, size_t copied, struct buf *out)
{
	uint64_t abi = PERF_SAMPLE_REGS_ABI_64, used = copied & ~(size_t)7;
	uint64_t value[2] = {p->sp, p->pc};

	if (p->sp <= UINT32_MAX) /* of a 32-bit program */
		abi = taskplace_narrow_registers();
	if (!abi)
		used = 0;
	buf_add(out, &abi, sizeof abi);
	if (abi)
		buf_add(out, value, sizeof value);
	buf_add(out, &used, sizeof used);
	if (!used)
		return;
	buf_add(out, copy, (size_t)used);
	buf_add(out, &used, sizeof used);
}
