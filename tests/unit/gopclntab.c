/* The table of Go's functions: every address of tables of each version, order of bytes, and size of
 * pointers, written here as Go's package debug/gosym describes them, against what was written. */
#include "src/symbol/gopclntab.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/buf.h"
#include "tests/lib/unit.h"

#define TEXT UINT64_C(0x401000)

/* A piece of code: its length in shortest instructions, file and line. */
struct piece {
	unsigned n, file, line;
};
static const struct {
	const char *name;
	unsigned first; /* line */
	struct piece piece[4];
} functions[] = {
	{"main.main", 7, {{3, 0, 7}, {20, 0, 9}, {200, 1, 40}, {4, 0, 8}}},
	{"main.(*T).Add", 90, {{1, 0, 91}, {2, 1, 3}}},
	{"strings.Index", 1000, {{9, 2, 1000}, {9, 2, 70000}}},
	{"runtime.goexit", 5, {{2, 1, 5}}},
};
static const char *const files[] = {"/src/main.go", "/go/src/runtime/asm.s",
				    "/go/src/strings/strings.go"};
#define FUNCTIONS 4u
#define FILES 3u

struct how {
	unsigned version, pointer, quantum;
	bool big_endian;
};

static void
put(struct buf *b, uint64_t value, unsigned bytes, bool big_endian)
{
	for (unsigned i = 0; i < bytes; i++) {
		unsigned place = big_endian ? bytes - 1 - i : i;
		buf_addc(b, (char)(place < sizeof value ? value >> 8 * place : 0));
	}
}

static void
put_at(struct buf *b, size_t at, uint64_t value, unsigned bytes, bool big_endian)
{
	for (unsigned i = 0; i < bytes; i++)
		b->at[at + i] = (char)(value >> 8 * (big_endian ? bytes - 1 - i : i));
}

static void
put_varint(struct buf *b, uint64_t v)
{
	for (; v > 127; v >>= 7)
		buf_addc(b, (char)(v | 128));
	buf_addc(b, (char)v);
}

/* Adds the numbers of files or lines of a function. */
static void
put_numbers(struct buf *b, unsigned f, bool lines, unsigned first_file)
{
	int64_t value = -1;
	uint64_t run = 0;
	const struct piece *p = functions[f].piece;

	for (unsigned i = 0; i < 4 && p[i].n; i += (unsigned)run) {
		int64_t now = lines ? p[i].line : p[i].file + first_file;
		uint64_t n = 0;
		for (run = 0; i + run < 4 && p[i + run].n &&
			      (lines ? p[i + run].line : p[i + run].file + first_file) == now;
		     run++)
			n += p[i + run].n;
		int64_t change = now - value;
		put_varint(b, change < 0 ? (uint64_t)(-change) * 2 - 1 : (uint64_t)change * 2);
		put_varint(b, n);
		value = now;
	}
	buf_addc(b, 0);
}

static uint64_t
begin_of(unsigned f, const struct how *h)
{
	uint64_t at = 0;

	for (unsigned i = 0; i < f; i++)
		for (unsigned k = 0; k < 4; k++)
			at += functions[i].piece[k].n;
	return at * h->quantum;
}

/* Writes a table. Offsets that a header of 1.2 does not have count from its beginning. */
static void
make(struct buf *b, const struct how *h)
{
	bool big = h->big_endian, new = h->version >= 16;
	unsigned word = h->version >= 18 ? 4 : h->pointer;
	uint32_t name[FUNCTIONS], file[FILES], units, numbers[FUNCTIONS][3];
	uint64_t text = h->version >= 18 ? 0 : TEXT;
	size_t head = 8, bases[5] = {0};

	put(b, h->version == 2 ? 0xfffffffb : h->version == 16 ? 0xfffffffa
	       : h->version == 18 ? 0xfffffff0 : 0xfffffff1, 4, big);
	put(b, 0, 2, big);
	buf_addc(b, (char)h->quantum);
	buf_addc(b, (char)h->pointer);
	put(b, FUNCTIONS, h->pointer, big);
	size_t index = b->len;
	if (new) {
		put(b, FILES, h->pointer, big);
		if (h->version >= 18)
			put(b, TEXT, h->pointer, big);
		head = b->len;
		put(b, 0, 4 * h->pointer, big);
		put(b, 0, h->pointer, big);
	} else {
		for (unsigned i = 0; i < (2 * FUNCTIONS + 1) * word + 4; i++)
			buf_addc(b, 0);
	}
	/* names */
	bases[0] = new ? b->len : 0;
	for (unsigned i = 0; i < FUNCTIONS; i++) {
		name[i] = (uint32_t)(b->len - bases[0]);
		buf_add(b, functions[i].name, strlen(functions[i].name) + 1);
	}
	/* a unit begins with two files that are none */
	bases[1] = b->len;
	units = 1;
	put(b, UINT32_MAX, 4, big);
	size_t unit_files = b->len;
	for (unsigned i = 0; i < FILES; i++)
		put(b, 0, 4, big);
	bases[2] = b->len;
	for (unsigned i = 0; i < FILES; i++) {
		file[i] = (uint32_t)(b->len - (new ? bases[2] : 0));
		buf_add(b, files[i], strlen(files[i]) + 1);
		put_at(b, unit_files + 4 * (size_t)i, file[i], 4, big);
	}
	if (!new) {
		put_at(b, index + (2 * FUNCTIONS + 1) * word, b->len, 4, big);
		put(b, FILES + 1, 4, big);
		for (unsigned i = 0; i < FILES; i++)
			put(b, file[i], 4, big);
	}
	bases[3] = new ? b->len : 0;
	buf_addc(b, 0);
	for (unsigned i = 0; i < FUNCTIONS; i++)
		for (unsigned lines = 0; lines < 2; lines++) {
			numbers[i][lines] = (uint32_t)(b->len - bases[3]);
			put_numbers(b, i, lines, new ? 0 : 1);
		}
	for (unsigned i = 0; i < FUNCTIONS; i++) { /* no frame, then one of 8 times its number */
		numbers[i][2] = (uint32_t)(b->len - bases[3]);
		put_varint(b, 2);
		put_varint(b, 1);
		put_varint(b, 2 * 8 * (uint64_t)i);
		put_varint(b, i ? 1000 : 0);
		buf_addc(b, 0);
	}
	bases[4] = new ? b->len : 0;
	if (new) {
		index = b->len;
		for (unsigned i = 0; i < (2 * FUNCTIONS + 1) * word; i++)
			buf_addc(b, 0);
		for (unsigned i = 0; i < 5; i++)
			put_at(b, head + i * (size_t)h->pointer, bases[i], h->pointer, big);
	}
	for (unsigned i = 0; i <= FUNCTIONS; i++)
		put_at(b, index + 2 * i * (size_t)word, text + begin_of(i, h), word, big);
	for (unsigned i = 0; i < FUNCTIONS; i++) {
		put_at(b, index + (2 * i + 1) * (size_t)word, b->len - bases[4], word, big);
		put(b, text + begin_of(i, h), word, big);
		put(b, name[i], 4, big);
		put(b, 0x77777777, 4, big);
		put(b, 0x77777777, 4, big);
		put(b, numbers[i][2], 4, big);
		put(b, numbers[i][0], 4, big);
		put(b, numbers[i][1], 4, big);
		put(b, 0, 4, big);
		if (new)
			put(b, units, 4, big);
		if (h->version >= 20)
			put(b, functions[i].first, 4, big);
	}
}

static void
check_function(const struct symbol_go *g, unsigned f, const struct how *h)
{
	struct symbol_go_function go;
	struct symbols_frame l;
	uint64_t at = TEXT + begin_of(f, h);
	const struct piece *p = functions[f].piece;

	ck_assert(symbol_go_function(g, f, &go));
	ck_assert_str_eq(go.name, functions[f].name);
	ck_assert_uint_eq(go.start, at);
	ck_assert_uint_eq(go.end, TEXT + begin_of(f + 1, h));
	for (unsigned i = 0; i < 4; i++)
		for (unsigned k = 0; k < p[i].n * h->quantum; k++, at++) {
			ck_assert(symbol_go_line_at(g, at, &l));
			ck_assert_str_eq(l.file, files[p[0].file]);
			ck_assert_uint_eq(l.line, p[i].file == p[0].file ? p[i].line : 0);
			ck_assert_uint_eq(l.definition,
					  h->version >= 20 ? functions[f].first : p[0].line);
			if (f)
				ck_assert_int_eq(symbol_go_frame_at(g, at),
						 at < go.start + h->quantum ? 0 : 8 * f);
		}
	ck_assert_uint_eq(at, go.end);
}

static const struct how hows[] = {
	{2, 8, 1, false},  {2, 4, 4, true},   {16, 8, 1, false}, {16, 8, 2, true},
	{16, 4, 4, false}, {18, 8, 1, false}, {18, 4, 1, false}, {18, 8, 2, true},
	{20, 8, 1, false}, {20, 8, 4, false}, {20, 4, 4, true},
};
#define HOWS (sizeof hows / sizeof *hows)

START_TEST(every_address)
{
	const struct how *h = &hows[_i];
	struct buf b = BUF_INIT;
	struct symbol_go g;
	struct symbol_go_function go;
	struct symbols_frame l;

	make(&b, h);
	ck_assert(symbol_go_read(&g, (const uint8_t *)b.at, b.len, 0));
	ck_assert_uint_eq(g.n, FUNCTIONS);
	for (unsigned f = 0; f < FUNCTIONS; f++)
		check_function(&g, f, h);
	ck_assert(!symbol_go_function(&g, FUNCTIONS, &go));
	ck_assert(!symbol_go_line_at(&g, TEXT - 1, &l));
	ck_assert(!symbol_go_line_at(&g, TEXT + begin_of(FUNCTIONS, h), &l));
	buf_release(&b);
}
END_TEST

/* Where the header leaves the address of the code to the loader, it is the section's. */
START_TEST(moved)
{
	struct buf b = BUF_INIT;
	struct symbol_go g;

	make(&b, &(struct how){20, 8, 1, false});
	put_at(&b, 24, 0, 8, false);
	ck_assert(symbol_go_read(&g, (const uint8_t *)b.at, b.len, TEXT));
	check_function(&g, 1, &(struct how){20, 8, 1, false});
	buf_release(&b);
}
END_TEST

/* Truncated and damaged tables: no read outside of the bytes. */
START_TEST(damaged)
{
	struct buf b = BUF_INIT;
	struct symbol_go g;
	struct symbol_go_function go;
	struct symbols_frame l;

	make(&b, &hows[_i]);
	for (size_t i = 0; i < 2 * b.len; i++) {
		size_t len = i < b.len ? i : b.len;
		uint8_t *at = malloc(len + !len);
		memcpy(at, b.at, len);
		if (i >= b.len)
			at[i - b.len] ^= 0xff;
		if (symbol_go_read(&g, at, len, TEXT)) {
			for (uint64_t f = 0; f < g.n && f < 2 * FUNCTIONS; f++)
				if (symbol_go_function(&g, f, &go))
					ck_assert_uint_gt(strlen(go.name), 0);
			for (uint64_t k = 0; k < 260; k += 13)
				symbol_go_line_at(&g, TEXT + k, &l);
		} else {
			ck_assert(!symbol_go_line_at(&g, TEXT, &l));
		}
		free(at);
	}
	buf_release(&b);
}
END_TEST

UNIT(gopclntab)
{
	Suite *s = suite_create("gopclntab");
	TCase *c = tcase_create("gopclntab");
	tcase_add_loop_test(c, every_address, 0, (int)HOWS);
	tcase_add_test(c, moved);
	tcase_add_loop_test(c, damaged, 0, (int)HOWS);
	suite_add_tcase(s, c);
	return s;
}
