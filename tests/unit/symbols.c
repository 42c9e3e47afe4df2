/* Symbols: the sorted table against a search through all, the lists that are text, and
 * this program's own functions, whose names and lines the test knows. */
#include "src/symbol/symbols.h"

#include <check.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "model/base/buf.h"
#include "src/symbol/table.h"
#include "src/symbol/text.h"
#include "src/symbol/unwind.h"
#include "tests/lib/unit.h"

/* ---- the table ---- */

/* The innermost of nested symbols; nothing between them. */
START_TEST(nested)
{
	struct symbol_table t = {0};
	symbol_table_add(&t, 100, 50, "outer", SYMBOL_GLOBAL);
	symbol_table_add(&t, 110, 10, "inner", SYMBOL_LOCAL);
	symbol_table_add(&t, 130, 5, "second", SYMBOL_LOCAL);
	symbol_table_add(&t, 200, 0, "open", SYMBOL_LOCAL);
	symbol_table_add(&t, 300, 8, "last", SYMBOL_LOCAL);
	symbol_table_sort(&t);
	static const struct {
		uint64_t at;
		const char *name;
	} want[] = {{99, NULL},     {100, "outer"},  {110, "inner"}, {119, "inner"},
		    {120, "outer"}, {134, "second"}, {135, "outer"}, {149, "outer"},
		    {150, NULL},    {299, "open"},   {300, "last"},  {308, NULL}};
	for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
		const struct symbol *s = symbol_table_at(&t, want[i].at);
		if (want[i].name)
			ck_assert_str_eq(s ? s->name : "nothing", want[i].name);
		else
			ck_assert_ptr_null(s);
	}
	symbol_table_release(&t);
}
END_TEST

/* If several names have one address, the choice of perf. */
START_TEST(aliases)
{
	struct symbol_table t = {0};
	symbol_table_add(&t, 16, 8, "weak_and_much_longer", SYMBOL_WEAK);
	symbol_table_add(&t, 16, 8, "_local", SYMBOL_LOCAL);
	symbol_table_add(&t, 16, 8, "__global", SYMBOL_GLOBAL);
	symbol_table_add(&t, 16, 8, "glob", SYMBOL_GLOBAL);
	symbol_table_add(&t, 16, 8, "global", SYMBOL_GLOBAL);
	symbol_table_add(&t, 16, 0, "unsized_global", SYMBOL_GLOBAL);
	symbol_table_sort(&t);
	ck_assert_uint_eq(t.symbol.n, 1);
	ck_assert_str_eq(symbol_table_at(&t, 20)->name, "global");
	symbol_table_release(&t);
}
END_TEST

START_TEST(readable)
{
	struct symbol_table t = {0};
	ck_assert_str_eq(symbol_table_readable(&t, "main"), "main");
	ck_assert_str_eq(symbol_table_readable(&t, "_Zwrong"), "_Zwrong");
#ifdef HAVE_LIBIBERTY
	ck_assert_str_eq(symbol_table_readable(&t, "_ZN3app3Box4openEib"),
			 "app::Box::open");
	ck_assert_str_eq(
		symbol_table_readable(&t, "_ZN3std2io5print17h0123456789abcdefE"),
		"std::io::print");
	ck_assert_str_eq(symbol_table_readable(&t, "_RNvC7mycrate3foo"), "mycrate::foo");
#endif
	symbol_table_release(&t);
}
END_TEST

/* `S_` is the first part of a name that can be referred to, `S0_` the second, in base 36. */
static void
put_reference(struct buf *out, unsigned part)
{
	static const char digit[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";

	ck_assert_uint_lt(part, 36 * 36);
	buf_addc(out, 'S');
	if (part > 36)
		buf_addc(out, digit[(part - 1) / 36]);
	if (part > 0)
		buf_addc(out, digit[(part - 1) % 36]);
	buf_addc(out, '_');
}

/* `f<B<int, int>, B<B<int, int>, B<int, int>>, ...>`: each argument is twice as long as the one
 * before it. */
static void
put_doubling(struct buf *out, unsigned times)
{
	buf_adds(out, "_Z1fI1BIiiE");
	for (unsigned i = 1; i < times; i++) {
		buf_addf(out, "1%cI", 'A' + (int)(i % 26));
		put_reference(out, 2 * i);
		put_reference(out, 2 * i);
		buf_addc(out, 'E');
	}
	buf_adds(out, "EvT_");
}

/* A name of a few hundred bytes that would print terabytes stays as it is; a long one that prints
 * little is read, however often it refers to its parts. */
START_TEST(readable_bounded)
{
	struct symbol_table t = {0};
	struct buf name = BUF_INIT, text = BUF_INIT;

	put_doubling(&name, 40);
	ck_assert_str_eq(symbol_table_readable(&t, buf_str(&name)), buf_str(&name));
	buf_reset(&name);
	buf_adds(&name, "_Z1fI1BIiE");
	buf_adds(&text, "f<B<int>");
	for (unsigned i = 0; i < 60; i++) {
		buf_adds(&name, "S1_");
		buf_adds(&text, ", B<int>");
	}
	buf_adds(&name, "EvT_");
	buf_adds(&text, " >");
#ifdef HAVE_LIBIBERTY
	ck_assert_str_eq(symbol_table_readable(&t, buf_str(&name)), buf_str(&text));
#endif
	buf_reset(&name);
	buf_adds(&name, "_RNvC7mycrate3foo");
	for (unsigned i = 0; i < 20000; i++)
		buf_addc(&name, '0');
	ck_assert_str_eq(symbol_table_readable(&t, buf_str(&name)), buf_str(&name));
	buf_release(&name);
	buf_release(&text);
	symbol_table_release(&t);
}
END_TEST

/* ---- lists that are text ---- */

static void
write_list(char *path, const char *text)
{
	int fd = mkstemp(path);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	close(fd);
}

/* Replaced code: the last entry is valid. */
START_TEST(jit_list)
{
	char path[] = "/tmp/pnav-symbols-XXXXXX";
	struct symbol_table t = {0};
	write_list(path, "1000 20 LazyCompile:*first app.js:1\n"
			 "zz\n"
			 "1000 20 second\n"
			 "2000 0 empty\n"
			 "3000 10 third\r\n");
	ck_assert(symbol_text_jit(&t, path));
	ck_assert_str_eq(symbol_table_at(&t, 0x101f)->name, "second");
	ck_assert_str_eq(symbol_table_at(&t, 0x3000)->name, "third");
	ck_assert_ptr_null(symbol_table_at(&t, 0x2000));
	symbol_table_release(&t);
	unlink(path);
}
END_TEST

/* A line without an end is ignored, and so is a file of another user, because any user may
 * write into /tmp. */
START_TEST(jit_list_of_others)
{
	char path[] = "/tmp/pnav-symbols-XXXXXX";
	struct symbol_table t = {0};
	struct buf text = BUF_INIT;
	buf_adds(&text, "1000 20 ");
	for (int i = 0; i < 100000; i++)
		buf_addc(&text, 'x');
	buf_adds(&text, "\n2000 20 second\n");
	write_list(path, buf_str(&text));
	buf_release(&text);
	ck_assert(symbol_text_jit(&t, path));
	ck_assert_uint_eq(t.symbol.n, 2);
	ck_assert_uint_eq(strlen(symbol_table_at(&t, 0x1000)->name), 100000);
	ck_assert_str_eq(symbol_table_at(&t, 0x2000)->name, "second");
	symbol_table_release(&t);
	t = (struct symbol_table){0};
	/* only root can give files away, and root trusts no other user */
	if (!geteuid() && !chown(path, 4242, 4242))
		ck_assert(!symbol_text_jit(&t, path));
	symbol_table_release(&t);
	unlink(path);
}
END_TEST

/* With and without sizes; data are ignored, and addresses after the last function have no name. */
START_TEST(list)
{
	char path[] = "/tmp/pnav-symbols-XXXXXX";
	struct symbol_table t = {0};
	write_list(path, "# symbols: 5\n"
			 "0000000000001000 T first\n"
			 "0000000000001040 d table\n"
			 "0000000000001100 0000000000000010 t second one\n"
			 "0000000000001200 W third\n"
			 "0000000000001300 ? __sym_end\n"
			 "nonsense\n");
	ck_assert(symbol_text_list(&t, path));
	ck_assert_str_eq(symbol_table_at(&t, 0x10ff)->name, "first");
	ck_assert_str_eq(symbol_table_at(&t, 0x110f)->name, "second one");
	ck_assert_ptr_null(symbol_table_at(&t, 0x1110));
	ck_assert_str_eq(symbol_table_at(&t, 0x12ff)->name, "third");
	ck_assert_str_eq(symbol_table_at(&t, 0x1350)->name, "");
	symbol_table_release(&t);
	unlink(path);
}
END_TEST

static const char kernel_list[] = "ffffffff81000000 T _text\n"
				  "ffffffff81000040 t do_work\n"
				  "ffffffff81000080 D data\n"
				  "ffffffff81000100 T end_work\n"
				  "ffffffffc0000000 t in_module\t[xfs]\n";

/* A kernel that lies elsewhere moves as a whole, its modules do not. */
START_TEST(kernel_moved)
{
	char path[] = "/tmp/pnav-symbols-XXXXXX";
	struct symbol_table t = {0};
	write_list(path, kernel_list);
	ck_assert(symbol_text_kernel(&t, path, 0xffffffff91000000));
	ck_assert_str_eq(symbol_table_at(&t, 0xffffffff910000ff)->name, "do_work");
	ck_assert_ptr_null(symbol_table_at(&t, 0xffffffffc0000000));
	ck_assert_ptr_null(symbol_table_at(&t, 0xffffffff81000040));
	symbol_table_release(&t);
	t = (struct symbol_table){0};
	ck_assert(symbol_text_kernel(&t, path, 0xffffffff81000000));
	ck_assert_str_eq(symbol_table_at(&t, 0xffffffffc0000010)->name, "in_module");
	symbol_table_release(&t);
	unlink(path);
}
END_TEST

/* Without the right to see them all addresses are 0. */
START_TEST(kernel_hidden)
{
	char path[] = "/tmp/pnav-symbols-XXXXXX";
	struct symbol_table t = {0};
	write_list(path, "0000000000000000 T _text\n0000000000000000 t do_work\n");
	ck_assert(!symbol_text_kernel(&t, path, 0));
	symbol_table_release(&t);
	unlink(path);
}
END_TEST

/* ---- this program ---- */

#ifdef HAVE_LIBDW

enum { INLINED_LINE = __LINE__ + 4 };
static inline __attribute__((always_inline)) void
inlined_part(void)
{
	__asm__ volatile("nop; nop; nop; nop");
}

enum { WHOLE_LINE = __LINE__ + 2 };
static __attribute__((noinline)) void
whole_function(void)
{
	inlined_part();
	__asm__ volatile("" : : : "memory");
}

static int
first_object(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct dl_phdr_info *out = arg;
	(void)size;
	*out = *info;
	return 1;
}

/* From an address of this process to the offset in its file. */
static uint64_t
file_offset(const void *address)
{
	struct dl_phdr_info info;
	dl_iterate_phdr(first_object, &info);
	uint64_t at = (uint64_t)(uintptr_t)address - info.dlpi_addr;
	for (unsigned i = 0; i < info.dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info.dlpi_phdr[i];
		if (p->p_type == PT_LOAD && at >= p->p_vaddr &&
		    at - p->p_vaddr < p->p_memsz)
			return at - p->p_vaddr + p->p_offset;
	}
	ck_abort_msg("not in a segment");
	return 0;
}

static uint32_t
add_this_program(struct symbols *s, char *path, size_t size)
{
	ssize_t len = readlink("/proc/self/exe", path, size - 1);
	ck_assert_int_gt(len, 0);
	path[len] = 0;
	return symbols_add(s, &(struct symbols_module){.kind = SYMBOLS_FILE,
						       .path = path,
						       .path_len = (size_t)len});
}

START_TEST(own_function)
{
	char path[4096];
	struct symbols *s = symbols_new();
	struct symbols_frame f[SYMBOLS_DEPTH];
	whole_function();
	uint32_t m = add_this_program(s, path, sizeof path);
	uint64_t at = file_offset((const void *)(uintptr_t)whole_function);
	ck_assert_uint_eq(symbols_at(s, m, at, false, f, SYMBOLS_DEPTH), 1);
	ck_assert_str_eq(f[0].name, "whole_function");
	ck_assert(!f[0].inlined);
	ck_assert_str_eq(symbols_file(s, m), path);
	/* A build without debug information has no lines. */
	if (f[0].file) {
		ck_assert_ptr_nonnull(strstr(f[0].file, "symbols.c"));
		ck_assert_uint_eq(f[0].definition, WHOLE_LINE);
	}
	ck_assert_uint_eq(symbols_at(s, m, UINT64_MAX, false, f, SYMBOLS_DEPTH), 0);
	symbols_free(s);
}
END_TEST

static void
leave(void *ctx)
{
	int *calls = ctx;

	ck_assert_int_eq(calls[0]++, calls[1]); /* not while it is away already */
}

static void
back(void *ctx)
{
	int *calls = ctx;

	ck_assert_int_eq(calls[0], ++calls[1]);
}

/* The callbacks run when files are opened and read, whatever the first look-up is. */
START_TEST(own_aside)
{
	struct symbols_frame f[SYMBOLS_DEPTH];
	uint64_t at = file_offset((const void *)(uintptr_t)whole_function), other;
	char path[4096];

	for (unsigned way = 0; way < 3; way++) {
		struct symbols *s = symbols_new();
		int calls[2] = {0};
		symbols_aside(s, leave, back, calls);
		uint32_t m = add_this_program(s, path, sizeof path);
		ck_assert_int_eq(calls[0], 0);
		ck_assert(way != 0 || symbols_there(s, m));
		ck_assert(way != 1 || symbols_address(s, m, at, &other));
		ck_assert_uint_eq(symbols_at(s, m, at, false, f, SYMBOLS_DEPTH), 1);
		ck_assert_str_eq(f[0].name, "whole_function");
		ck_assert_int_eq(calls[0], way < 2 ? 2 : 1);
		ck_assert(symbols_there(s, m)); /* it is open: nothing to wait for */
		ck_assert_int_eq(calls[0], way < 2 ? 2 : 1);
		ck_assert_int_eq(calls[0], calls[1]);
		symbols_free(s);
	}
}
END_TEST

/* An address in inlined code, as the compiler placed it. */
START_TEST(own_inlined)
{
	char path[4096];
	struct symbols *s = symbols_new();
	struct symbols_frame f[SYMBOLS_DEPTH];
	uint32_t m = add_this_program(s, path, sizeof path);
	uint64_t at = file_offset((const void *)(uintptr_t)whole_function);
	unsigned most = 0;
	bool body = false;
	for (unsigned i = 0; i < 64; i++) {
		unsigned n = symbols_at(s, m, at + i, true, f, SYMBOLS_DEPTH);
		if (n < 2 || strcmp(f[n - 1].name, "whole_function") != 0)
			continue;
		most = n;
		ck_assert_str_eq(f[0].name, "inlined_part");
		ck_assert(f[0].inlined);
		/* its closing brace may have code of its own, without optimisation */
		ck_assert(f[0].line == INLINED_LINE || f[0].line == INLINED_LINE + 1);
		body |= f[0].line == INLINED_LINE;
		ck_assert_uint_eq(f[1].line, WHOLE_LINE + 2);
	}
	ck_assert(body == (most > 0));
	/* A build without debug information knows no inlined calls. */
	symbols_at(s, m, at, false, f, 1);
	ck_assert_uint_eq(most, f[0].file ? 2 : 0);
	symbols_free(s);
}
END_TEST

/* Another build id: not the file that ran. */
START_TEST(wrong_build_id)
{
	static const uint8_t id[20] = {1, 2, 3};
	struct symbols *s = symbols_new();
	struct symbols_frame f;
	uint32_t m = symbols_add(s, &(struct symbols_module){.kind = SYMBOLS_FILE,
							     .path = "/proc/self/exe",
							     .path_len = 14,
							     .build_id = id,
							     .build_id_len = sizeof id});
	ck_assert_ptr_null(symbols_file(s, m));
	ck_assert_uint_eq(symbols_at(s, m, 0x1000, true, &f, 1), 0);
	symbols_free(s);
}
END_TEST

/* Devices, folders and files other than ELF are not opened, and no file for another machine
 * without a build id. */
START_TEST(not_a_file)
{
	static const char *const paths[] = {"/dev/zero", "/tmp", "/proc/self/maps",
					    "/none"};
	struct symbols *s = symbols_new();
	for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
		struct symbols_module m = {.kind = SYMBOLS_FILE,
					   .path = paths[i],
					   .path_len = strlen(paths[i])};
		ck_assert_ptr_null(symbols_file(s, symbols_add(s, &m)));
	}
	symbols_local(s, false);
	struct symbols_module self = {
		.kind = SYMBOLS_FILE, .path = "/proc/self/exe", .path_len = 14};
	ck_assert_ptr_null(symbols_file(s, symbols_add(s, &self)));
	symbols_free(s);
}
END_TEST

#endif

/* Without maps there is the address alone. */
START_TEST(nothing_to_unwind)
{
	struct symbols *s = symbols_new();
	struct unwinder *u = unwinder_new(s);
	struct unwind_state state = {.pc = 0x1234, .sp = 0x7000, .n_regs = 17};
	uint64_t out[4];
	ck_assert(!unwinder_maps(u, 1, NULL, 0, false));
	enum unwind_end end;
	ck_assert_uint_eq(unwinder_run(u, &state, out, 4, &end), 1);
	ck_assert_int_ne(end, UNWIND_WHOLE);
	ck_assert_uint_eq(out[0], 0x1234);
	unwinder_free(u);
	symbols_free(s);
}
END_TEST
/* A module is reported only after a failed look-up, with the places searched. */
START_TEST(told)
{
	static const uint8_t id[] = {0x1f, 0x2e, 0x00, 0xff, 1, 2, 3, 4};
	static const char path[] = "/no/such/libz.so";
	static const struct {
		size_t id_len;
		bool local;
		const char *says;
	} want[] = {
		{8, true, "build id 1f2e00ff01020304: no file with it at its path, "},
		{0, true, "no build id: no readable file at its path"},
		{0, false, "no build id: made on another machine, so no file can be trusted"},
	};
	struct symbols_frame f;
	for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
		struct symbols *s = symbols_new();
		struct buf text = BUF_INIT;
		symbols_local(s, want[i].local);
		uint32_t m = symbols_add(s, &(struct symbols_module){
						    .kind = SYMBOLS_FILE,
						    .path = path,
						    .path_len = sizeof path - 1,
						    .build_id = id,
						    .build_id_len = want[i].id_len});
		symbols_say(s, m, &text);
		ck_assert_uint_eq(text.len, 0);
		ck_assert_uint_eq(symbols_at(s, m, 16, false, &f, 1), 0);
		symbols_say(s, m, &text);
		ck_assert_int_eq(strncmp(buf_str(&text), want[i].says, strlen(want[i].says)), 0);
		buf_release(&text);
		symbols_free(s);
	}
}
END_TEST


UNIT(symbols)
{
	Suite *s = suite_create("symbols");
	TCase *c = tcase_create("symbols");
	tcase_add_test(c, nested);
	tcase_add_test(c, aliases);
	tcase_add_test(c, readable);
	tcase_add_test(c, readable_bounded);
	tcase_add_test(c, jit_list);
	tcase_add_test(c, jit_list_of_others);
	tcase_add_test(c, list);
	tcase_add_test(c, kernel_moved);
	tcase_add_test(c, told);
	tcase_add_test(c, kernel_hidden);
#ifdef HAVE_LIBDW
	tcase_add_test(c, own_function);
	tcase_add_test(c, own_aside);
	tcase_add_test(c, own_inlined);
	tcase_add_test(c, wrong_build_id);
	tcase_add_test(c, not_a_file);
#endif
	tcase_add_test(c, nothing_to_unwind);
	suite_add_tcase(s, c);
	return s;
}
