/* Names embedded in a recording: they are read as they were written, and damaged bytes are
 * never used unchecked. */
#include "src/symbol/embedded.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/buf.h"
#include "model/base/mem.h"
#include "src/input/hash.h"
#include "tests/lib/unit.h"

#define MODULES 5u
#define ADDRESSES 60u
#define STACKS 40u
#define FUNCTIONS 16u

static const uint8_t ids[MODULES][20] = {{1}, {2}, {3, 3}, {4}, {5}};

static struct symbols_module
module(unsigned i)
{
	static const char *const paths[MODULES] = {"/a", "/b", "/a", "[vdso]", "[kernel.kallsyms]"};
	static const enum symbols_kind kinds[MODULES] = {SYMBOLS_FILE, SYMBOLS_FILE, SYMBOLS_FILE,
							 SYMBOLS_VDSO, SYMBOLS_KERNEL};

	return (struct symbols_module){.kind = kinds[i],
				       .path = paths[i],
				       .path_len = strlen(paths[i]),
				       .build_id = ids[i],
				       .build_id_len = i == 1 ? 0 : 20};
}

/* Returns the answer for the k-th address of module i; every third address has an empty one. */
static struct symbols_answer
answer(unsigned i, unsigned k)
{
	static const char *const names[] = {"main", "work", "_ZN1a1bEv", "", "main"};
	struct symbols_answer a = {.symbol = k % 3 ? names[(i + k) % 3] : NULL,
				   .n = k % 3 ? k % 5 : 0};

	a.qualified = k % 2 && a.n;
	for (unsigned n = 0; n < a.n; n++)
		a.frame[n] = (struct symbols_frame){.name = names[n % 3],
						    .file = n % 2 ? "/src/a.c" : NULL,
						    .line = k * 1000 + n,
						    .definition = n ? UINT32_MAX : k,
						    .inlined = n + 1 < a.n};
	return a;
}

static uint64_t
address(unsigned i, unsigned k)
{
	return i == 4 ? 0xFFFFFFFF81000000u + k * 16 : (uint64_t)k * 4099 % 8000;
}

static unsigned
chain(unsigned i, uint64_t out[64])
{
	for (unsigned k = 0; k < 1 + i % 20; k++)
		out[k] = k % 2 ? UINT64_MAX - i % 7 - k : (uint64_t)(i % 3) << 40 | k;
	return 1 + i % 20;
}

/* The k-th function of module i: there are none of module 0, gaps between those of the others. */
static struct embedded_code
function(unsigned i, unsigned k)
{
	static const uint8_t bytes[] = "\x55\x48\x89\xe5\0\xff\x80\xc3";

	return (struct embedded_code){.start = 4096 + 64 * k,
				      .end = 4096 + 64 * k + 40,
				      .name = k % 2 ? "work" : "_ZN1a1bEv",
				      .machine = (uint16_t)(62 + i),
				      .wide = i % 2,
				      .big_endian = i == 3,
				      .at = bytes + i,
				      .len = 8 - i};
}

static void
add_functions(struct embedding *e)
{
	for (unsigned k = FUNCTIONS; k-- > 0;)
		for (uint32_t i = 1; i < 4; i++) {
			struct embedded_code c = function(i, (k * 7) % FUNCTIONS), over = c;
			ck_assert(!embedding_has_code(e, i, c.start));
			embedding_code(e, i, &c);
			over.start += 8, over.end += 8;
			embedding_code(e, i, &over);
			ck_assert(embedding_has_code(e, i, c.end - 1));
			ck_assert(!embedding_has_code(e, i, c.end));
		}
}

static struct buf
written(void)
{
	struct embedding *e = embedding_new(0);
	struct buf out = BUF_INIT;
	uint64_t ip[64];
	bool whole;

	for (unsigned k = 0; k < 2 * ADDRESSES; k++)
		for (unsigned i = 0; i < MODULES; i++) {
			struct symbols_module m = module(i);
			uint32_t number = embedding_module(e, &m, NULL);
			struct symbols_answer a = answer(i, k % ADDRESSES);
			ck_assert_uint_eq(number, i);
			for (unsigned g = 0; !k && g < i; g++)
				embedding_segment(
					e, number,
					&(struct symbol_segment){g << 20, 4096, g << 21});
			embedding_note(e, number, address(i, k % ADDRESSES), &a);
		}
	for (unsigned i = 0; i < STACKS; i++)
		embedding_stack(e, (uint64_t)i * 0x9E3779B97F4A7C15u, ip, chain(i, ip), i % 4);
	add_functions(e);
	ck_assert(embedding_write(e, &out, &whole) && whole);
	embedding_free(e);
	return out;
}

static void
same_text(const char *a, const char *b)
{
	ck_assert_str_eq(a ? a : "", b ? b : "");
}

static void
check_answer(const struct embedded *e, unsigned i, unsigned k)
{
	struct symbols_module m = module(i);
	struct symbols_answer got, want = answer(i, k);
	const struct embedded_module *in = embedded_module(e, &m);

	ck_assert_ptr_nonnull(in);
	ck_assert(embedded_at(e, in, address(i, k), &got));
	same_text(got.symbol, want.symbol);
	ck_assert_uint_eq(got.n, want.n);
	ck_assert(got.qualified == want.qualified);
	for (unsigned n = 0; n < got.n; n++) {
		same_text(got.frame[n].name, want.frame[n].name);
		same_text(got.frame[n].file, want.frame[n].file);
		ck_assert_uint_eq(got.frame[n].line, want.frame[n].line);
		ck_assert_uint_eq(got.frame[n].definition, want.frame[n].definition);
		ck_assert(got.frame[n].inlined == want.frame[n].inlined);
	}
	ck_assert(!embedded_at(e, in, 8001, &got));
}

static struct embedded *
read_all(const struct buf *b)
{
	struct err why;

	err_init(&why);
	struct embedded *e = embedded_read((const uint8_t *)b->at, b->len, &why);
	ck_assert_msg(e, "%s", why.text);
	return e;
}

START_TEST(reads_what_was_noted)
{
	struct buf b = written();
	struct embedded *e = read_all(&b);
	struct symbols_module m = module(3);
	uint64_t at, want[64], got[64];
	unsigned end;

	for (unsigned i = 0; i < MODULES; i++)
		for (unsigned k = 0; k < ADDRESSES; k++)
			check_answer(e, i, k);
	ck_assert(embedded_address(e, embedded_module(e, &m), (1u << 20) + 5, &at));
	ck_assert_uint_eq(at, (1u << 21) + 5);
	ck_assert(embedded_offset(e, embedded_module(e, &m), (2u << 21) + 7, &at));
	ck_assert_uint_eq(at, (2u << 20) + 7);
	ck_assert(!embedded_address(e, embedded_module(e, &m), 4096, &at));
	for (unsigned i = 0; i < STACKS; i++) {
		unsigned n = chain(i, want);
		ck_assert_uint_eq(
			embedded_stack(e, (uint64_t)i * 0x9E3779B97F4A7C15u, got, 64, &end), n);
		ck_assert_mem_eq(got, want, n * sizeof *got);
		ck_assert_uint_eq(end, i % 4);
	}
	ck_assert_uint_eq(embedded_stack(e, 12345, got, 64, &end), 0);
	ck_assert_uint_eq(embedded_sizes(e).addresses, MODULES * ADDRESSES);
	embedded_free(e);
	buf_release(&b);
}
END_TEST

START_TEST(reads_code)
{
	struct buf b = written();
	struct embedded *e = read_all(&b);
	struct embedded_code got;

	for (unsigned i = 0; i < MODULES; i++) {
		struct symbols_module m = module(i);
		const struct embedded_module *in = embedded_module(e, &m);
		ck_assert(embedded_code(e, in, 0, &got) == (i > 0 && i < 4));
		for (unsigned k = 0; i > 0 && i < 4 && k < FUNCTIONS; k++) {
			struct embedded_code want = function(i, k);
			ck_assert(embedded_code_at(e, in, want.start + 39, &got));
			ck_assert_uint_eq(got.start, want.start);
			ck_assert_uint_eq(got.end, want.end);
			ck_assert_str_eq(got.name, want.name);
			ck_assert_uint_eq(got.machine, want.machine);
			ck_assert(got.wide == want.wide && got.big_endian == want.big_endian);
			ck_assert_uint_eq(got.len, want.len);
			ck_assert_mem_eq(got.at, want.at, want.len);
			ck_assert(!embedded_code_at(e, in, want.end, &got));
		}
		ck_assert(!embedded_code_at(e, in, 4095, &got));
	}
	ck_assert_uint_eq(embedded_sizes(e).functions, 3 * FUNCTIONS);
	embedded_free(e);
	buf_release(&b);
}
END_TEST

/* A build id decides; without one the path; other bytes of an id are another file. */
START_TEST(knows_modules)
{
	struct buf b = written();
	struct embedded *e = read_all(&b);
	struct symbols_module m = module(0), nameless = module(1), kernel = module(4);

	m.path = "/moved", m.path_len = 6;
	struct symbols_module in_place = {.kind = SYMBOLS_FILE,
					  .path = "/a",
					  .path_len = 2,
					  .build_id = ids[0],
					  .build_id_len = 20};
	ck_assert_ptr_eq(embedded_module(e, &m), embedded_module(e, &in_place));
	m.build_id = (const uint8_t *)"another build of that";
	ck_assert_ptr_null(embedded_module(e, &m));
	nameless.path = "/c";
	ck_assert_ptr_null(embedded_module(e, &nameless));
	kernel.path = "[nf_tables]", kernel.path_len = 11;
	ck_assert_ptr_null(embedded_module(e, &kernel));
	embedded_free(e);
	buf_release(&b);
}
END_TEST

/* Whatever the bytes are, there is no answer, or one that can be read. */
static void
look(const uint8_t *at, size_t len)
{
	uint8_t *copy = mem_copy(at, len, 1); /* so that a sanitizer sees where it ends */
	struct symbols_answer a;
	uint64_t ip[64];
	unsigned end = 0;
	struct err why;

	err_init(&why);
	struct embedded *e = embedded_read(copy, len, &why);
	free(copy);
	ck_assert(e || why.offset <= len);
	for (unsigned i = 0; e && i < MODULES; i++) {
		struct symbols_module m = module(i);
		const struct embedded_module *in = embedded_module(e, &m);
		for (unsigned k = 0; in && k < ADDRESSES; k++)
			for (unsigned n = 0; embedded_at(e, in, address(i, k), &a) && n < a.n; n++)
				ck_assert(!a.frame[n].name || strlen(a.frame[n].name) < len);
		struct embedded_code c;
		for (unsigned k = 0; in && embedded_code(e, in, k, &c); k++)
			ck_assert(c.len < len && c.len <= c.end - c.start &&
				  (!c.name || strlen(c.name) < len) &&
				  hash64(c.at, c.len));
	}
	for (unsigned i = 0; e && i < STACKS; i++)
		ck_assert(embedded_stack(e, i * UINT64_C(0x9E3779B97F4A7C15), ip, 64, &end) <= 64 &&
			  end < 4);
	embedded_free(e);
}

START_TEST(damage_is_harmless)
{
	struct buf b = written();
	uint32_t seed = 1;

	for (size_t len = 0; len < b.len; len++)
		look((const uint8_t *)b.at, len);
	for (unsigned i = 0; i < 3000; i++) {
		struct buf bad = BUF_INIT;
		buf_add(&bad, b.at, b.len);
		for (unsigned k = 0; k < 1 + i % 3; k++) {
			seed = seed * 1103515245 + 12345;
			bad.at[(seed >> 8) % bad.len] = i % 2 ? (char)(seed >> 3) : (char)0xFF;
		}
		look((const uint8_t *)bad.at, bad.len);
		buf_release(&bad);
	}
	buf_release(&b);
}
END_TEST

/* Counts far beyond the bytes that there are. */
START_TEST(counts_are_checked)
{
	static const char modules[] = "\2\0\0\0\17\0\0\0\0\0\0\0"
				      "\377\377\377\377\377\377\377\377\377\1";
	static const char stacks[] = "\3\0\0\0\12\0\0\0\377\377\377\377\377\377\377\377\377\1";
	struct err e;

	err_init(&e);
	ck_assert_ptr_null(embedded_read((const uint8_t *)modules, sizeof modules - 1, &e));
	err_init(&e);
	ck_assert_ptr_null(embedded_read((const uint8_t *)stacks, sizeof stacks - 1, &e));
}
END_TEST

UNIT(embedded)
{
	Suite *s = suite_create("embedded");
	TCase *c = tcase_create("embedded");

	tcase_set_timeout(c, 120);
	tcase_add_test(c, reads_what_was_noted);
	tcase_add_test(c, reads_code);
	tcase_add_test(c, knows_modules);
	tcase_add_test(c, damage_is_harmless);
	tcase_add_test(c, counts_are_checked);
	suite_add_tcase(s, c);
	return s;
}
