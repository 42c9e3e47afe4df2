#include "tests/fuzz/fuzz.h"

/* Files with the meaning of addresses, as hostile as a profile that names them: ELF with symbols,
 * DWARF and call frame information, maps of JIT compilers, lists of the kernel's symbols.  Bytes
 * that begin like ELF are tested as that; other bytes as both lists. Libelf and libdw do half of
 * the checks, but pnav promises that a bad file does not crash it. */

#include <stdlib.h>
#include <string.h>

#include "src/symbol/symbols.h"
#include "src/symbol/table.h"
#include "src/symbol/text.h"
#include "src/symbol/unwind.h"

#define FILE_NAME "module"
#define CODE_AT 0x400000u
#define CODE_SIZE 0x10000u
#define STACK_AT 0x7FFF0000u
#define STACK_SIZE 512u
#define CHAIN_MAX 64u
#define PROBES 96u

const size_t fuzz_choices = 0;

static void
check_string(const char *text, const char *what)
{
	/* Reads to its end, where a sanitizer sees it. */
	if (text && strlen(text) > (1u << 24))
		fuzz_broken(what, text, 16, 0);
}

/* Addresses all over the first 64 KB, and some outside of any file. */
static void
look_up(struct symbols *s, uint32_t module)
{
	struct symbols_frame f[SYMBOLS_DEPTH];
	static const uint64_t far[] = {UINT64_MAX, UINT64_MAX / 2, (uint64_t)1 << 32};

	for (unsigned i = 0; i < PROBES + sizeof far / sizeof *far; i++) {
		uint64_t at = i < PROBES ? i * (CODE_SIZE / PROBES) : far[i - PROBES];
		unsigned n = symbols_at(s, module, at, i % 8 != 0, f, SYMBOLS_DEPTH);

		if (n > SYMBOLS_DEPTH)
			fuzz_broken("more frames than there is room for", "", 0, 0);
		for (unsigned k = 0; k < n; k++) {
			check_string(f[k].name, "a name without end");
			check_string(f[k].file, "a file name without end");
			if (!f[k].name)
				fuzz_broken("a frame without a name", "", 0, 0);
		}
		symbols_address(s, module, at, &at);
	}
}

/* A stack of return addresses and of pointers into itself, so that rules of every kind lead
 * somewhere. */
static void
unwind(struct symbols *s, uint32_t module, uint8_t seed)
{
	struct unwind_map map = {CODE_AT, CODE_AT + CODE_SIZE, 0, module};
	struct unwinder *u = unwinder_new(s);
	uint64_t stack[STACK_SIZE / 8], out[CHAIN_MAX];

	for (size_t i = 0; i < STACK_SIZE / 8; i++)
		stack[i] = i % 3 ? CODE_AT + (i * 0x35u + seed) % CODE_SIZE
				 : STACK_AT + (i + 2) * 8;
	if (unwinder_maps(u, 1, &map, 1, false))
		for (uint64_t at = 0; at < CODE_SIZE; at += CODE_SIZE / PROBES) {
			struct unwind_state state = {
				.n_regs = 17,
				.pc = CODE_AT + at,
				.sp = STACK_AT,
				.stack = (const uint8_t *)stack,
				.stack_len = sizeof stack - seed % 16,
			};
			for (unsigned r = 0; r < 16; r++)
				state.reg[r] = STACK_AT + r * 8;
			state.reg[16] = state.pc;
			enum unwind_end end = UNWIND_ENDS;
			unsigned n = unwinder_run(u, &state, out, CHAIN_MAX, &end);
			if (n < 1 || n > CHAIN_MAX || out[0] != state.pc || end >= UNWIND_ENDS)
				fuzz_broken("a chain that does not begin at its leaf", "",
					    0, 0);
		}
	unwinder_free(u);
}

static void
try_module(enum symbols_kind kind, uint8_t seed)
{
	struct symbols *s = symbols_new();
	uint32_t module = symbols_add(s, &(struct symbols_module){
						 .kind = kind,
						 .path = FILE_NAME,
						 .path_len = strlen(FILE_NAME),
					 });

	look_up(s, module);
	if (kind == SYMBOLS_FILE)
		unwind(s, module, seed);
	symbols_free(s);
}

static void
try_kernel(uint64_t text)
{
	struct symbol_table t = {0};

	if (symbol_text_kernel(&t, FILE_NAME, text) && !t.symbol.n)
		fuzz_broken("a list that is used and empty", "", 0, 0);
	for (unsigned i = 0; i < PROBES; i++) {
		const struct symbol *at = symbol_table_at(&t, text + i * 64);
		if (at)
			check_string(symbol_table_readable(&t, at->name), "a name");
	}
	symbol_table_release(&t);
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	fuzz_enter();
	bool good = fuzz_write(FILE_NAME, bytes, len);

	if (good && len >= 4 && !memcmp(bytes, "\177ELF", 4)) {
		try_module(SYMBOLS_FILE, bytes[len - 1]);
	} else if (good) {
		try_module(SYMBOLS_JIT, 0);
		try_module(SYMBOLS_LIST, 0);
		try_kernel(0);
		try_kernel(0xFFFFFFFF81000000u);
	}
	fuzz_leave();
	return good ? 0 : -1;
}
