/* Frames of CPython: tables of lines, written by hand after their documents, and memory that is
 * garbage.  The process reads its own memory as that of another one. */
#include "src/collect/cpython.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "src/collect/farmem.h"
#include "tests/lib/ownmem.h"
#include "tests/lib/unit.h"

static struct farmem memory;

static struct cpython
version(unsigned minor)
{
	struct cpython p;

	farmem_begin(&memory, getpid(), 1000);
	ck_assert(cpython_open(&p, &memory, 0, 3u << 24 | minor << 16));
	return p;
}

static uint32_t
line_at(unsigned minor, uint64_t position, const uint8_t *table, size_t len)
{
	struct cpython p = version(minor);
	struct interpreter_frame f = {.code = 4096, .position = position};

	if (minor >= 11)
		f.position += f.code + p.layout.start;
	return cpython_line(&p, &f, 100, table, len);
}

/* Objects/lnotab_notes.txt: line 100 up to byte 6, 101 up to 50, 350 at 50, 355 at 361 */
START_TEST(lnotab)
{
	static const uint8_t table[] = {6, 1, 44, 127, 0, 122, 255, 0, 56, 5, 4, 0xfe};

	ck_assert_uint_eq(line_at(8, 0, table, sizeof table), 100);
	ck_assert_uint_eq(line_at(8, 5, table, sizeof table), 100);
	ck_assert_uint_eq(line_at(8, 6, table, sizeof table), 101);
	ck_assert_uint_eq(line_at(9, 50, table, sizeof table), 350);
	ck_assert_uint_eq(line_at(9, 360, table, sizeof table), 350);
	ck_assert_uint_eq(line_at(9, 361, table, sizeof table), 355);
	ck_assert_uint_eq(line_at(9, 365, table, sizeof table), 353);
	ck_assert_uint_eq(line_at(9, UINT32_MAX, table, sizeof table), 100); /* has not begun */
}
END_TEST

/* PEP 626: 6 bytes of line 100, 4 of 105, 2 without a line, 8 of 103; positions in units of 2 */
START_TEST(linetable_of_310)
{
	static const uint8_t table[] = {6, 0, 4, 5, 2, 0x80, 8, 0xfe};

	ck_assert_uint_eq(line_at(10, 2, table, sizeof table), 100);
	ck_assert_uint_eq(line_at(10, 3, table, sizeof table), 105);
	ck_assert_uint_eq(line_at(10, 5, table, sizeof table), 0);
	ck_assert_uint_eq(line_at(10, 6, table, sizeof table), 103);
	ck_assert_uint_eq(line_at(10, 10, table, sizeof table), 0); /* behind the end */
}
END_TEST

/* Objects/locations.md: one entry of each kind, of one unit but the long one */
START_TEST(locations)
{
	static const uint8_t table[] = {
		0x80 | 3 << 3,  0x12,            /* short: the same line */
		0x80 | 10 << 3, 1,    2,         /* one line, +0 */
		0x80 | 12 << 3, 1,    2,         /* one line, +2 */
		0x80 | 13 << 3, 0x03,            /* no columns, -1 */
		0x80 | 15 << 3 | 1,              /* two units without a place */
		0x80 | 14 << 3, 0x40, 0x02, 0, 1, 1, /* long: +64 (2 << 6 >> 1) */
	};
	static const uint32_t lines[] = {100, 100, 102, 101, 0, 0, 165, 0};

	for (uint64_t i = 0; i < 8; i++)
		ck_assert_uint_eq(line_at(11, 2 * i, table, sizeof table), lines[i]);
	for (size_t len = 0; len < sizeof table; len++) /* cut anywhere */
		line_at(12, 12, table, len);
	ck_assert_uint_eq(line_at(13 - 1, (uint64_t)-2, table, sizeof table), 100);
}
END_TEST

/* Frames in a cycle, and one that leads nowhere. */
START_TEST(garbage_ends)
{
	static uint8_t thread[512], cframe[64], frame[2][128];
	struct cpython p = version(11);
	struct interpreter_frames frames = {0};

	own_put(thread + p.layout.frame, own_address(cframe));
	own_put(cframe + p.layout.within, own_address(frame[0]));
	for (int i = 0; i < 2; i++) {
		own_put(frame[i] + p.layout.code, 12345);
		own_put(frame[i] + p.layout.previous, own_address(frame[1 - i]));
	}
	cpython_walk(&p, &memory, own_address(thread), &frames);
	ck_assert_uint_eq(frames.at.n, 1024);
	ck_assert(frames.at.at[1023].ends && !frames.at.at[0].ends);
	own_put(frame[1] + p.layout.previous, 0xdead0000beefu);
	farmem_begin(&memory, getpid(), 1000);
	cpython_walk(&p, &memory, own_address(thread), &frames);
	ck_assert_uint_eq(frames.at.n, 2);
	own_put(frame[0] + p.layout.previous, own_address(frame[0]));
	farmem_begin(&memory, getpid(), 1000);
	cpython_walk(&p, &memory, own_address(thread), &frames);
	ck_assert_uint_eq(frames.at.n, 1);
	cpython_walk(&p, &memory, UINT64_MAX - 8, &frames);
	ck_assert_uint_eq(frames.at.n, 0);
	vec_release(&frames.at);
}
END_TEST

/* Interpreters and threads in cycles: the search ends, and finds what is there. */
START_TEST(lists_end)
{
	static uint8_t runtime[512], interpreter[512], thread[2][512];
	struct cpython p = version(12);
	uint64_t state = 0;

	p.runtime = own_address(runtime);
	own_put(runtime + p.layout.interpreters, own_address(interpreter));
	own_put(interpreter + p.layout.next_interpreter, own_address(interpreter));
	own_put(interpreter + p.layout.threads, own_address(thread[0]));
	for (int i = 0; i < 2; i++) {
		own_put(thread[i] + p.layout.next_thread, own_address(thread[1 - i]));
		own_put(thread[i] + p.layout.native_id, 70 + (uint64_t)i);
	}
	ck_assert(!cpython_thread(&p, &memory, 72, &state));
	ck_assert(cpython_thread(&p, &memory, 71, &state));
	ck_assert_uint_eq(state, own_address(thread[1]));
	state = 1; /* an old one that is gone */
	ck_assert(cpython_thread(&p, &memory, 70, &state));
	ck_assert_uint_eq(state, own_address(thread[0]));
}
END_TEST

/* A str of CPython: length at 16, state at 32; its characters after `head` bytes. */
static bool
text_of(uint64_t len, uint32_t state, unsigned head, const void *chars, size_t bytes,
	struct buf *out)
{
	static uint8_t object[8192];
	struct cpython p = version(11);

	memset(object, 0xff, sizeof object);
	own_put(object + 16, len);
	memcpy(object + 32, &state, sizeof state);
	memcpy(object + head, chars, bytes);
	buf_reset(out);
	return cpython_text(&p, &memory, own_address(object), out);
}

#define STATE(kind, compact, ascii) ((kind) << 2 | (compact) << 5 | (ascii) << 6)

START_TEST(texts)
{
	static const uint16_t wide[] = {'f', 0xe9, 0x4e2d, 0xd800};
	static const uint32_t widest[] = {0x1f600, 0x110000, '\n'};
	static uint8_t many[5000];
	struct buf b = BUF_INIT;

	ck_assert(text_of(4, STATE(1, 1, 1), 48, "main", 4, &b));
	ck_assert_str_eq(buf_str(&b), "main");
	ck_assert(text_of(2, STATE(1, 1, 0), 72, "f\xe9", 2, &b));
	ck_assert_str_eq(buf_str(&b), "f\u00e9");
	ck_assert(text_of(4, STATE(2, 1, 0), 72, wide, sizeof wide, &b));
	ck_assert_str_eq(buf_str(&b), "f\u00e9\u4e2d?");
	ck_assert(text_of(3, STATE(4, 1, 0), 72, widest, sizeof widest, &b));
	ck_assert_str_eq(buf_str(&b), "\U0001F600??");
	memset(many, 'x', sizeof many);
	ck_assert(text_of(5000, STATE(1, 1, 1), 48, many, sizeof many, &b));
	ck_assert_uint_eq(b.len, 1024);
	ck_assert(!text_of(4, STATE(1, 0, 1), 48, "main", 4, &b)); /* not compact */
	ck_assert(!text_of(4, STATE(3, 1, 1), 48, "main", 4, &b)); /* no such kind */
	ck_assert(!text_of(UINT64_MAX, STATE(1, 1, 1), 48, "main", 4, &b));
	buf_release(&b);
}
END_TEST

/* Reads stop at memory that is not there, and at their limit. */
START_TEST(reads_are_limited)
{
	uint8_t *at = mmap(NULL, 3 * FARMEM_PAGE, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), out[16];

	ck_assert(at != MAP_FAILED);
	munmap(at + FARMEM_PAGE, FARMEM_PAGE);
	memset(at, 7, FARMEM_PAGE);
	farmem_begin(&memory, getpid(), 2);
	ck_assert(farmem_read(&memory, own_address(at) + FARMEM_PAGE - 16, out, 16));
	ck_assert_uint_eq(out[15], 7);
	ck_assert(!farmem_read(&memory, own_address(at) + FARMEM_PAGE - 8, out, 16));
	ck_assert_uint_eq(out[0], 0);
	ck_assert(!farmem_read(&memory, own_address(at) + 2 * FARMEM_PAGE, out, 1)); /* the third */
	ck_assert_uint_eq(memory.reads, 2);
	ck_assert(farmem_read(&memory, own_address(at), out, 1)); /* known already */
	ck_assert(!farmem_read(&memory, UINT64_MAX - 4, out, 16));
	munmap(at, FARMEM_PAGE);
	munmap(at + 2 * FARMEM_PAGE, FARMEM_PAGE);
}
END_TEST

START_TEST(unknown_versions)
{
	static const uint32_t versions[] = {0, 2u << 24 | 7u << 16, 3u << 24 | 7u << 16,
					    3u << 24 | 14u << 16, 3u << 24 | 13u << 16, 4u << 24};
	struct cpython p;

	farmem_begin(&memory, getpid(), 1000);
	for (size_t i = 0; i < sizeof versions / sizeof *versions; i++)
		ck_assert(!cpython_open(&p, &memory, own_address(&memory), versions[i]));
}
END_TEST

UNIT(cpython)
{
	if (sizeof(void *) != 8) /* the layouts are those of 64-bit machines */
		return NULL;
	Suite *suite = suite_create("cpython");
	TCase *cases = tcase_create("cpython");

	tcase_add_test(cases, lnotab);
	tcase_add_test(cases, linetable_of_310);
	tcase_add_test(cases, locations);
	tcase_add_test(cases, garbage_ends);
	tcase_add_test(cases, lists_end);
	tcase_add_test(cases, texts);
	tcase_add_test(cases, reads_are_limited);
	tcase_add_test(cases, unknown_versions);
	suite_add_tcase(suite, cases);
	return suite;
}
