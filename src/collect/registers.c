/* Registers are the only part of sampling that differs between machines.  Samples store them in the
 * order of the kernel's enum perf_event_x86_regs and perf_event_arm_regs (asm/perf_regs.h); ptrace
 * returns them in the order of user_regs.
 *
 * A 32-bit program on a 64-bit machine has a smaller set.  On x86 its registers have the same
 * places in a sample.  On arm64 the program counter suffices for a leaf, and the stack is not
 * copied. */
#include "src/collect/registers.h"

#include <elf.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>

#if defined(__x86_64__) || defined(__aarch64__)

#if defined(__x86_64__)
#define SHORT_PC 12   /* eip in the 32-bit set */
#define SHORT_CALL 11 /* orig_eax */
#define SHORT_WORDS 17
/* The number of the system call; -1 after other entries from user space. */
static bool
stands_in_call(pid_t tid, const struct user_regs_struct *u)
{
	(void)tid;
	return (int64_t)u->orig_rax >= 0;
}

static void
put_in_order(struct registers *r, const struct user_regs_struct *u)
{
	const uint64_t order[] = {
		u->rax, u->rbx, u->rcx,    u->rdx, u->rsi, u->rdi, u->rbp,
		u->rsp, u->rip, u->eflags, u->cs,  u->ss,  u->r8,  u->r9,
		u->r10, u->r11, u->r12,    u->r13, u->r14, u->r15,
	};
	memcpy(r->value, order, sizeof order);
	r->n = sizeof order / sizeof *order;
	r->pc = u->rip;
	r->sp = u->rsp;
	r->fp = u->rbp;
}

/* Stores the set of a 32-bit program (user_regs_struct there). */
static void
put_short(struct registers *r, const uint32_t u[SHORT_WORDS])
{
	enum { BX, CX, DX, SI, DI, BP, AX, FLAGS = 14, CS = 13, SP = 15, SS };
	const uint64_t order[20] = {u[AX], u[BX], u[CX],       u[DX],    u[SI], u[DI],
				    u[BP], u[SP], u[SHORT_PC], u[FLAGS], u[CS], u[SS]};
	memcpy(r->value, order, sizeof order);
	r->n = sizeof order / sizeof *order;
	r->abi = PERF_SAMPLE_REGS_ABI_32;
	r->sp = u[SP];
	r->fp = u[BP];
}
#else
#define SHORT_PC 15
#define SHORT_CALL 17 /* orig_r0 */
#define SHORT_WORDS 18
static bool
stands_in_call(pid_t tid, const struct user_regs_struct *u)
{
	int number = -1;
	struct iovec v = {&number, sizeof number};
	(void)u;
	return !ptrace(PTRACE_GETREGSET, tid, (void *)(uintptr_t)NT_ARM_SYSTEM_CALL, &v) &&
	       number >= 0;
}

static void
put_in_order(struct registers *r, const struct user_regs_struct *u)
{
	for (unsigned i = 0; i < 31; i++)
		r->value[i] = u->regs[i];
	r->value[31] = u->sp;
	r->value[32] = u->pc;
	r->n = 33;
	r->pc = u->pc;
	r->sp = u->sp;
	r->fp = u->regs[29];
}

static void
put_short(struct registers *r, const uint32_t u[SHORT_WORDS])
{
	(void)r;
	(void)u;
}
#endif

bool
registers_read(struct registers *r, pid_t tid)
{
	struct user_regs_struct u;
	struct iovec v = {&u, sizeof u};
	memset(r, 0, sizeof *r);
	if (ptrace(PTRACE_GETREGSET, tid, (void *)(uintptr_t)NT_PRSTATUS, &v))
		return false;
	if (v.iov_len == sizeof u) {
		put_in_order(r, &u);
		r->abi = PERF_SAMPLE_REGS_ABI_64;
		r->in_call = stands_in_call(tid, &u);
		return true;
	}
	uint32_t narrow[SHORT_WORDS];
	if (v.iov_len < sizeof narrow)
		return false;
	memcpy(narrow, &u, sizeof narrow);
	put_short(r, narrow);
	r->pc = narrow[SHORT_PC];
	r->in_call = (int32_t)narrow[SHORT_CALL] >= 0;
	return true;
}

bool
registers_known(void)
{
	return true;
}

#else

bool
registers_read(struct registers *r, pid_t tid)
{
	(void)r;
	(void)tid;
	return false;
}

bool
registers_known(void)
{
	return false;
}

#endif
