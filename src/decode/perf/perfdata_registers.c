/* The registers of a sample.  perf numbers them by machine
 * (arch/ARCH/include/uapi/asm/perf_regs.h), unwinding uses the numbers of DWARF.  32-bit
 * programs of x86-64 have the positions of the long registers and the numbers of another
 * machine. */
#include "src/decode/perf/perfdata_registers.h"

#include <string.h>
#include <sys/utsname.h>

/* Bits of sample_regs_user that no register of x86-64 has (asm/perf_regs.h). */
#define X86_NONE 0xff000000u

enum perfdata_machine_kind
perfdata_machine_named(const char *at, size_t len)
{
	if (len == 6 && !memcmp(at, "x86_64", len))
		return PERFDATA_X86_64;
	return len == 7 && !memcmp(at, "aarch64", len) ? PERFDATA_AARCH64 : PERFDATA_OTHER_MACHINE;
}

/* An unfinished file has not named its machine yet: this machine is assumed, unless it does not
 * have these registers. */
static enum perfdata_machine_kind
machine_of(struct perfdata_machine *m, uint64_t registers)
{
	struct utsname u;
	if (m->kind == PERFDATA_NO_MACHINE) {
		const char *name = uname(&u) ? "" : u.machine;
		m->kind = perfdata_machine_named(name, strlen(name));
		m->assumed = true;
	}
	if (m->assumed && m->kind == PERFDATA_X86_64 && registers & X86_NONE)
		return PERFDATA_OTHER_MACHINE;
	return m->kind;
}

/* perf's numbers of registers (arch/ARCH/include/uapi/asm/perf_regs.h) by DWARF's. */
bool
perfdata_registers(struct perfdata_machine *m, const struct perfdata_sample *s,
		   uint64_t mask, bool big_endian, struct unwind_state *out)
{
	static const uint8_t x86[] = {0,  3,  2,  1,  4,  5,  6,  7, 16,
				      17, 18, 19, 20, 21, 22, 23, 8},
			     x86_32[] = {0, 2, 3, 1, 7, 6, 4, 5, 8};
	enum perfdata_machine_kind machine = machine_of(m, mask);
	bool is_x86 = machine == PERFDATA_X86_64;
	unsigned sp = is_x86 ? 7 : 31, pc = is_x86 ? 8 : 32;
	uint64_t value[64] = {0};
	unsigned n = 0;
	for (unsigned i = 0; i < 64; i++)
		if (mask >> i & 1)
			value[i] = perfdata_word(s->user.registers, n++, big_endian);
	/* In a 32-bit program (abi 1) of arm64, registers have other meanings. */
	out->narrow = s->user.abi == 1;
	if (machine == PERFDATA_OTHER_MACHINE || (s->user.abi != 2 && !(out->narrow && is_x86)) ||
	    !(mask >> sp & 1) || !(mask >> pc & 1))
		return false;
	const uint8_t *order = !is_x86 ? NULL : out->narrow ? x86_32 : x86;
	out->n_regs = !is_x86 ? 32 : out->narrow ? sizeof x86_32 : sizeof x86;
	for (unsigned i = 0; i < out->n_regs; i++) {
		unsigned k = order ? order[i] : i;
		out->reg[i] = value[k];
		out->unknown |= (uint64_t)!(mask >> k & 1) << i;
	}
	out->sp = value[sp];
	out->pc = value[pc];
	out->stack = s->user.stack;
	out->stack_len = s->user.stack_len;
	return true;
}
