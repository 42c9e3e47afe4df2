/* Unwinds without a recorded frame pointer: for waiting threads only the program counter and the
 * stack pointer are known (src/collect/waits.c).
 *
 * Functions without a frame pointer either keep that register or save it, so the function that ends
 * the chain still has it: it was compiled with a frame pointer, and its frame begins with `push
 * %rbp; mov %rsp, %rbp`.  So somewhere above its stack pointer lies the caller's frame pointer and,
 * above that, an address after a call.  Such pairs are tried from the lowest on.  Leftovers of
 * finished calls look the same, so the call has to lead to the function: a direct one to its
 * beginning, or through a stub to its name.  The target of an indirect call is unknown, so it
 * counts only if no other pair is found.  A pair is rejected if the stack cannot be unwound beyond
 * it.
 *
 * 32-bit programs enter the kernel in the vDSO, which has no file here.  Its frame has three saved
 * registers (%ecx, %edx, %ebp).  libc calls it through a pointer.
 *
 * Rejected: deriving the frame's size from the function's first instructions (this needs an
 * instruction decoder for each processor, and prologues vary). */
#include "src/symbol/unwind_inside.h"

#include <stdlib.h>
#include <string.h>

#ifdef HAVE_LIBDW

#include <dwarf.h>

#include "model/base/bytes.h"

#define POINTER_X86 6u
#define STACK_POINTER_X86 7u
#define PC_X86 16u
#define PAIRS_MAX 4096u /* 32 KB above the stack pointer */
#define TRIES_MAX 24u

/* True if the last frame was found by the frame pointer.  libdwfl ends a chain as if it were
 * complete if it needs a register that is missing. */
static bool
needs_pointer(struct unwinder *u)
{
	Dwfl_Module *module = dwfl_addrmodule(u->modules.dwfl, u->last_pc);
	Dwarf_Frame *frame = NULL;
	Dwarf_Op *op;
	Dwarf_Addr bias;
	size_t n = 0;

	Dwarf_CFI *cfi = module ? dwfl_module_eh_cfi(module, &bias) : NULL;
	if (!cfi || dwarf_cfi_addrframe(cfi, u->last_pc - bias, &frame))
		return false;
	bool needs = !dwarf_frame_cfa(frame, &op, &n) && n == 1 &&
		     (op->atom == DW_OP_breg0 + POINTER_X86 ||
		      (op->atom == DW_OP_bregx && op->number == POINTER_X86));
	free(frame);
	return needs;
}

enum called { CALLED_NOT, CALLED_SOMETHING, CALLED_IT };

/* Returns the file's bytes before a run-time address; NULL if there are fewer than n. */
static const uint8_t *
code_before(struct unwinder *u, uint64_t at, size_t n)
{
	const struct unwind_range *r = unwind_range_at(u, at);
	GElf_Addr bias;
	size_t size = 0;

	if (!r || at - r->map.start < n)
		return NULL;
	Dwfl_Module *module = dwfl_addrmodule(u->modules.dwfl, unwind_moved_in(u, at));
	Elf *elf = module ? dwfl_module_getelf(module, &bias) : NULL;
	const char *file = elf ? elf_rawfile(elf, &size) : NULL;
	uint64_t offset = at - r->map.start + r->map.offset;
	return file && offset <= size ? (const uint8_t *)file + offset - n : NULL;
}

/* call *REGISTER, *(REGISTER), *DISTANCE(REGISTER), perhaps with a prefix; *DISTANCE(%rip) */
static bool
is_indirect(const uint8_t code[7])
{
	for (unsigned len = 2; len <= 7; len++) {
		const uint8_t *at = code + 7 - len;
		unsigned prefix = (at[0] & 0xf0) == 0x40;
		if (at[prefix] != 0xff || len < 2 + prefix || (at[prefix + 1] >> 3 & 7) != 2)
			continue;
		unsigned mode = at[prefix + 1] >> 6, rest = at[prefix + 1] & 7;
		unsigned want = 2 + (mode != 3 && rest == 4) +
				(mode == 1 ? 1 : mode == 2 || (!mode && rest == 5) ? 4 : 0);
		if (want == len - prefix)
			return true;
	}
	return false;
}

/* "read@plt" leads to read, which may also be named __read. */
static bool
is_stub_of(const char *stub, const char *name)
{
	const char *end = strstr(stub, "@plt");

	return end && (!name || strstr(name, "@plt") == NULL);
}

/* True if the call to `target`, moved, leads to the function at the end of the chain. */
static enum called
leads_to(struct unwinder *u, uint64_t target)
{
	uint64_t room = ((uint64_t)1 << UNWIND_PLACE_BITS) - 1;
	struct symbols_span at, here;
	const struct unwind_range *into = unwind_range_moved(u, target),
				  *from = unwind_range_moved(u, u->last_pc);

	if (!into || !from)
		return CALLED_SOMETHING;
	uint32_t to = into->map.module, in = from->map.module;
	bool known = symbols_span(u->symbols, to, target & room, &at) && at.name;
	bool own = symbols_span(u->symbols, in, u->last_pc & room, &here) && here.name;
	if (to == in && own && here.start == (target & room))
		return CALLED_IT;
	if (known && is_stub_of(at.name, own ? here.name : NULL))
		return to == in ? CALLED_SOMETHING : CALLED_IT;
	return known && own ? CALLED_NOT : CALLED_SOMETHING;
}

/* True if a call of the function ends before this address. */
static enum called
calls(struct unwinder *u, uint64_t back)
{
	const uint8_t *code = code_before(u, back, 7);

	if (!code)
		return CALLED_NOT;
	if (code[2] == 0xe8) {
		int32_t distance = (int32_t)bytes_u32(code + 3, false);
		enum called c = leads_to(u, unwind_moved_in(u, back) + (uint64_t)(int64_t)distance);
		if (c != CALLED_NOT)
			return c;
	}
	return is_indirect(code) ? CALLED_SOMETHING : CALLED_NOT;
}

/* True if there is a frame at sp + at. */
static enum called
frame_at(struct unwinder *u, size_t at)
{
	const struct unwind_state *s = u->state;
	uint64_t pair[2];

	memcpy(pair, s->stack + at, sizeof pair);
	const struct unwind_range *r = unwind_range_at(u, pair[1]);
	return r && r->map.module != UINT32_MAX ? calls(u, pair[1]) : CALLED_NOT;
}

/* Keeps the pair if it is better than the previous one. */
static bool
try_pointer(struct unwinder *u, uint64_t pointer, enum unwind_end *end)
{
	unsigned before = u->n;

	u->given = (uint64_t)1 << POINTER_X86;
	u->pointer = pointer;
	unwind_once(u, end);
	return u->n > before + 1 || *end == UNWIND_COPY || (u->n > before && !needs_pointer(u));
}

void
unwind_by_pointer(struct unwinder *u, enum unwind_end *end)
{
	const struct unwind_state *s = u->state;
	uint64_t from = u->last_sp;
	unsigned tries = 0;

	if (from < s->sp || !(s->unknown >> POINTER_X86 & 1) || !needs_pointer(u))
		return;
	for (enum called want = CALLED_IT; want >= CALLED_SOMETHING; want--)
		for (size_t i = 0, at = (size_t)(from - s->sp) & ~(size_t)7;
		     i < PAIRS_MAX && s->stack_len >= 16 && at <= s->stack_len - 16;
		     i++, at += 8)
			if (frame_at(u, at) == want &&
			    (try_pointer(u, s->sp + at, end) || ++tries == TRIES_MAX))
				return;
	u->given = 0;
	unwind_once(u, end);
}

/* ---- 32-bit programs, and code without a frame ---- */

/* Leaves code without a frame; the frame pointer is that of the caller. */
static bool
leave_frameless(struct unwinder *u, const struct unwind_state *s, struct unwind_state *caller)
{
	const struct unwind_range *r = unwind_range_at(u, s->pc);
	uint64_t back;

	if (!r || r->map.module == UNWIND_NO_MODULE || s->n_regs != UNWIND_REGISTERS_X86 ||
	    s->stack_len < sizeof back || !unwind_report_module(u, r) ||
	    !symbols_frameless(u->symbols, r->map.module, s->pc - r->map.start + r->map.offset))
		return false;
	memcpy(&back, s->stack, sizeof back);
	r = unwind_range_at(u, back);
	if (!r || r->map.module == UNWIND_NO_MODULE || !unwind_report_module(u, r))
		return false;
	*caller = *s;
	caller->sp = caller->reg[STACK_POINTER_X86] = s->sp + sizeof back;
	caller->pc = caller->reg[PC_X86] = back;
	caller->stack += sizeof back;
	caller->stack_len -= sizeof back;
	return true;
}

bool
unwind_leave_call(struct unwinder *u, const struct unwind_state *s, struct unwind_state *caller)
{
	const struct unwind_range *r = s->narrow ? unwind_range_at(u, s->pc) : NULL;
	uint32_t saved[4]; /* and the return address */

	if (!s->narrow)
		return leave_frameless(u, s, caller);
	if (!r || r->map.module != UNWIND_NO_MODULE || s->stack_len < sizeof saved)
		return false;
	memcpy(saved, s->stack, sizeof saved);
	r = unwind_range_at(u, saved[3]);
	if (!r || !unwind_report_module(u, r))
		return false;
	const uint8_t *code = code_before(u, saved[3], 6);
	if (!code || code[0] != 0xff || code[1] != 0x15) /* call *ADDRESS, perhaps of %gs */
		return false;
	*caller = *s;
	caller->sp = s->sp + sizeof saved;
	caller->pc = saved[3];
	caller->stack += sizeof saved;
	caller->stack_len -= sizeof saved;
	const uint64_t now[] = {saved[2], saved[1], caller->sp, saved[0], saved[3]};
	static const uint8_t number[] = {1, 2, 4, 5, 8};
	for (size_t i = 0; i < sizeof number; i++) {
		caller->reg[number[i]] = now[i];
		caller->unknown &= ~((uint64_t)1 << number[i]);
	}
	return true;
}

/* ---- trampolines ----
 *
 * Generated code has no call frame information, so a chain ends there.  CPython with -X perf calls
 * each Python function through a copy of one routine
 * (Python/asm_trampoline.S), which keeps all registers:
 *
 *	sub $8, %rsp; call *%rcx; add $8, %rsp; ret	(before 3.13 and, without the JIT, since)
 *
 * So while its callee runs, the stack pointer is 8 below the return address:
 *
 *	sp + 16	| frame of the caller
 *	sp + 8	| return address
 *	sp	| (alignment)
 *
 * The interpreter calls the routine through a pointer.  The rule applies only if an indirect call
 * ends before that address: frames of other generated code hardly ever have such a word there. */

#define TRAMPOLINE_FRAME 16u

bool
unwind_in_trampoline(struct unwinder *u, struct unwind_state *caller)
{
	const struct unwind_state *s = u->state;
	uint64_t sp = u->kept[0], back;
	const uint8_t *code;

	if (!(u->kept_known & 1) || s->narrow || s->n_regs != UNWIND_REGISTERS_X86 || sp % 8 ||
	    sp < s->sp || sp - s->sp > s->stack_len ||
	    s->stack_len - (sp - s->sp) < TRAMPOLINE_FRAME)
		return false;
	memcpy(&back, s->stack + (sp - s->sp) + TRAMPOLINE_FRAME / 2, sizeof back);
	const struct unwind_range *r = unwind_range_at(u, back);
	if (!r || r->map.module == UNWIND_NO_MODULE || !unwind_report_module(u, r) ||
	    !(code = code_before(u, back, 7)) || !is_indirect(code))
		return false;
	if (!caller)
		return true;
	struct unwind_state next = *s; /* *caller may be *s */
	next.unknown = ~(uint64_t)0;
	for (unsigned i = 0; i < UNWIND_KEPT; i++) {
		next.reg[unwind_kept[i]] = u->kept[i];
		if (u->kept_known >> i & 1)
			next.unknown &= ~((uint64_t)1 << unwind_kept[i]);
	}
	next.sp = next.reg[STACK_POINTER_X86] = sp + TRAMPOLINE_FRAME;
	next.pc = next.reg[PC_X86] = back;
	next.unknown &= ~((uint64_t)1 << PC_X86);
	next.stack += next.sp - s->sp;
	next.stack_len -= (size_t)(next.sp - s->sp);
	*caller = next;
	return true;
}

#endif
