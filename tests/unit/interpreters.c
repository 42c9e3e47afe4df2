/* Frames of Ruby and PHP: tables of lines, encoded by hand after iseq.c, and memory that is
 * garbage.  The process reads its own memory as that of another one. */
#include "src/collect/interpreter.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "src/collect/farmem.h"
#include "tests/lib/ownmem.h"
#include "tests/lib/unit.h"

#define RUBY(minor) (3u << 24 | (minor) << 16)

static struct farmem memory;

static void *
interpreters_open(const struct interpreter *is, uint64_t symbol, uint32_t version)
{
	struct interpreter_binary b = {.symbol = {symbol}, .stated = version};
	uint32_t found;

	farmem_begin(&memory, getpid(), 1000);
	void *p = is->open(&memory, &b, &found);
	ck_assert_uint_eq(found, version);
	return p;
}

/* ---- versions ---- */

START_TEST(versions)
{
	static const uint32_t php[] = {0x0703, 0x0704, 0x0800, 0x0803, 0x0804, 0x0805};
	static uint64_t globals;

	for (unsigned minor = 0; minor < 6; minor++) {
		void *p = interpreters_open(&interpreter_ruby, own_address(&globals), RUBY(minor));
		ck_assert_int_eq(p != NULL, minor < 4);
		free(p);
	}
	ck_assert_ptr_null(interpreters_open(&interpreter_ruby, 1, 2u << 24 | 7u << 16));
	ck_assert_ptr_null(interpreters_open(&interpreter_ruby, 0, RUBY(1)));
	for (size_t i = 0; i < 6; i++) {
		void *p = interpreters_open(&interpreter_php, own_address(&globals), php[i] << 16);
		ck_assert_int_eq(p != NULL, i > 0 && i < 5);
		free(p);
	}
	/* with threads: the only symbol is the second one */
	ck_assert_ptr_null(interpreters_open(&interpreter_php, 0, 0x08020000));
}
END_TEST

/* ---- Ruby ---- */

#define COUNT 2000u /* instructions; 54, then blocks of 512 */
#define ENTRIES 700u

static uint8_t infos[32], table[48 + 4 * 80], entry[ENTRIES * 12];
static unsigned begins[ENTRIES]; /* instructions, ascending */

/* How succ_index_table_create() of iseq.c encodes the instructions at which entries begin. */
static void
encode_entries(void)
{
	unsigned rank = 0;

	memset(table, 0, sizeof table);
	for (unsigned at = 0; at < COUNT; at++) {
		bool is = rank < ENTRIES && begins[rank] == at;
		uint64_t word;
		uint8_t *block = table + 48 + (at - 54) / 512 * 80;
		unsigned bit = (at - 54) % 512;
		if (at >= 54 && !bit)
			memcpy(block, &rank, sizeof rank);
		if (at >= 54 && bit >= 64 && bit % 64 == 0) {
			uint32_t before;
			memcpy(&before, block, sizeof before);
			memcpy(&word, block + 8, sizeof word);
			own_put(block + 8, word | (uint64_t)(rank - before) << (bit / 64 - 1) * 9);
		}
		rank += is;
		uint8_t *at_word = at < 54 ? table + at / 9 * 8 : block + 16 + bit / 64 * 8;
		memcpy(&word, at_word, sizeof word);
		if (at < 54)
			word |= (uint64_t)rank << at % 9 * 7;
		else if (is)
			word |= UINT64_C(1) << bit % 64;
		own_put(at_word, word);
	}
}

/* Each instruction of a function has the line of the entry that began last. */
START_TEST(lines_of_ruby)
{
	struct interpreter_code c = {.lines = own_address(infos), .scope = 1 << 20, .count = COUNT};
	void *p = interpreters_open(&interpreter_ruby, 1, RUBY(1));
	struct buf b = BUF_INIT;
	unsigned seed = 1, at = 0;

	for (unsigned i = 0; i < ENTRIES; i++) {
		begins[i] = at;
		at += 1 + (seed = seed * 1103515245u + 12345u) / 65536u % 4;
		uint32_t line = 1000 + i * 7;
		memcpy(entry + i * 12, &line, sizeof line);
	}
	ck_assert_uint_lt(at, COUNT);
	encode_entries();
	own_put(infos, own_address(entry));
	own_put(infos + 16, ENTRIES);
	own_put(infos + 24, own_address(table));
	interpreter_ruby.lines(p, &memory, &c, &b);
	for (unsigned i = 0, now = 0; i < COUNT; i++) {
		struct interpreter_frame f = {.position = c.scope + (i + 1) * 8};
		while (now + 1 < ENTRIES && begins[now + 1] <= i)
			now++;
		ck_assert_uint_eq(interpreter_ruby.line(p, &f, &c, (uint8_t *)b.at, b.len),
				  1000 + now * 7);
		for (size_t len = 0; len < b.len; len += 37) /* cut anywhere */
			interpreter_ruby.line(p, &f, &c, (uint8_t *)b.at, len);
	}
	struct interpreter_frame far[] = {{.position = c.scope + (COUNT + 1) * 8},
					  {.position = c.scope - 8}, {.position = 0}};
	for (size_t i = 0; i < 3; i++)
		ck_assert_uint_eq(
			interpreter_ruby.line(p, &far[i], &c, (uint8_t *)b.at, b.len), 0);
	buf_reset(&b); /* more entries than instructions */
	own_put(infos + 16, COUNT + 1);
	farmem_begin(&memory, getpid(), 1000);
	interpreter_ruby.lines(p, &memory, &c, &b);
	ck_assert_uint_eq(b.len, 0);
	buf_release(&b);
	free(p);
}
END_TEST

/* A thread of Ruby 3.1 with a stack of control frames of 64 bytes. */
static struct {
	uint8_t vm[64], thread[2][128], ec[64], iseq[64], body[512];
	uint64_t vm_at, stack[64], flags;
} ruby;

static void
make_ruby(void)
{
	uint8_t *top = (uint8_t *)(ruby.stack + 64);

	memset(&ruby, 0, sizeof ruby);
	ruby.vm_at = own_address(ruby.vm);
	own_put(ruby.vm + 40, own_address(ruby.thread[0]));
	for (int i = 0; i < 2; i++) {
		own_put(ruby.thread[i], own_address(ruby.thread[1 - i]));
		own_put(ruby.thread[i] + 40, own_address(ruby.ec));
		own_put(ruby.thread[i] + 88, 70 + (uint64_t)i);
	}
	own_put(ruby.ec, own_address(ruby.stack));
	own_put(ruby.ec + 8, 64);
	own_put(ruby.ec + 16, own_address(top) - 4 * 64);
	ruby.flags = 0x20;
	own_put(ruby.iseq + 16, own_address(ruby.body));
	for (int i = 1; i <= 4; i++) { /* the second one from the top is one in C */
		own_put(top - i * 64, i == 3 ? 0 : own_address(ruby.body));
		own_put(top - i * 64 + 16, i == 3 ? 0 : own_address(ruby.iseq));
		own_put(top - i * 64 + 32, i == 4 ? own_address(&ruby.flags) : 0);
	}
}

static size_t
frames_of(const struct interpreter *is, const void *p, uint32_t tid, uint64_t *state,
	  struct interpreter_frames *out)
{
	struct interpreter_thread t = {tid, NULL, state};

	out->at.n = 0;
	farmem_begin(&memory, getpid(), 1000);
	is->walk(p, &memory, &t, out);
	return out->at.n;
}

START_TEST(frames_of_ruby)
{
	struct interpreter_frames frames = {0};
	uint64_t state = 0;

	make_ruby();
	void *p = interpreters_open(&interpreter_ruby, own_address(&ruby.vm_at), RUBY(1));
	ck_assert_uint_eq(frames_of(&interpreter_ruby, p, 71, &state, &frames), 2);
	ck_assert_uint_eq(state, own_address(ruby.thread[1]));
	ck_assert(frames.at.at[0].ends && frames.at.at[1].ends);
	ck_assert_uint_eq(frames.at.at[0].code, own_address(ruby.body));
	ck_assert_uint_eq(frames_of(&interpreter_ruby, p, 72, &state, &frames), 0);
	/* a stack of absurd size, frames outside and beside it, a circle of threads without it */
	static const uint64_t bad[][2] = {
		{8, UINT64_MAX / 8}, {8, 1}, {16, 0}, {16, 12345}, {0, 0}};
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		make_ruby();
		own_put(ruby.ec + bad[i][0], bad[i][1]);
		ck_assert_uint_eq(frames_of(&interpreter_ruby, p, 70, &state, &frames), 0);
	}
	make_ruby();
	own_put(ruby.ec + 16, own_address(ruby.stack + 64) - 65);
	ck_assert_uint_eq(frames_of(&interpreter_ruby, p, 70, &state, &frames), 0);
	own_put(ruby.thread[1], own_address(ruby.thread[1]));
	ck_assert_uint_eq(frames_of(&interpreter_ruby, p, 9, &state, &frames), 0);
	vec_release(&frames.at);
	free(p);
}
END_TEST

/* Strings and paths of each form; garbage instead of them. */
START_TEST(texts_of_ruby)
{
	static uint8_t label[64], path[64], list[64], real[64];
	static const char text[] = "/srv/a\tb.rb";
	struct interpreter_code c = {.name = own_address(label), .file = own_address(list)};
	struct buf name = BUF_INIT, file = BUF_INIT;
	void *p = interpreters_open(&interpreter_ruby, 1, RUBY(1));

	own_put(label, 5 | 4u << 14); /* a short one */
	memcpy(label + 16, "area", 4);
	own_put(list, 7 | 1u << 13); /* an array in place */
	own_put(list + 16, own_address(path));
	own_put(list + 24, own_address(real));
	own_put(real, 5 | 1u << 13); /* a long one */
	own_put(real + 16, sizeof text - 1);
	own_put(real + 24, own_address(text));
	ck_assert(interpreter_ruby.text(p, &memory, &c, &name, &file));
	ck_assert_str_eq(buf_str(&name), "area");
	ck_assert_str_eq(buf_str(&file), "/srv/a?b.rb");
	own_put(list + 24, 8); /* nil: no real path */
	own_put(path, 5 | 2u << 14);
	memcpy(path + 16, "-e", 2);
	buf_reset(&file);
	farmem_begin(&memory, getpid(), 1000);
	ck_assert(interpreter_ruby.text(p, &memory, &c, &name, &file));
	ck_assert_str_eq(buf_str(&file), "-e");
	free(p);
	p = interpreters_open(&interpreter_ruby, 1, RUBY(3));
	own_put(label, 5);
	own_put(label + 16, 3);
	memcpy(label + 24, "run", 3);
	buf_reset(&name);
	c.file = own_address(real);
	ck_assert(interpreter_ruby.text(p, &memory, &c, &name, &file));
	ck_assert_str_eq(buf_str(&name), "run");
	static const uint64_t bad[] = {0, 8, 0xdead0000beef, UINT64_MAX - 3};
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		c.name = bad[i];
		ck_assert(!interpreter_ruby.text(p, &memory, &c, &name, &file));
	}
	buf_release(&name);
	buf_release(&file);
	free(p);
}
END_TEST

/* ---- PHP ---- */

/* PHP 8.2: frames of 64 bytes, the innermost one of a function in C. */
static struct {
	uint8_t globals[512], frame[3][64], function[3][256], op[4][32];
} php;

static void
make_php(void)
{
	memset(&php, 0, sizeof php);
	own_put(php.globals + 488, own_address(php.frame[0]));
	for (int i = 0; i < 3; i++) {
		own_put(php.frame[i], own_address(php.op[0]));
		own_put(php.frame[i] + 24, own_address(php.function[i]));
		own_put(php.frame[i] + 48, i < 2 ? own_address(php.frame[i + 1]) : 0);
		php.function[i][0] = i ? 2 : 1;
		own_put(php.function[i] + 80, 4);
		own_put(php.function[i] + 88, own_address(php.op));
		own_put(php.function[i] + 152, 100 + (uint64_t)i);
	}
	own_put(php.frame[1] + 40, 1u << 17);
	for (unsigned i = 0; i < 4; i++)
		own_put(php.op[i] + 24, 10 + i);
}

START_TEST(frames_of_php)
{
	uint64_t registers[33] = {0}, state = 0;
	struct interpreter_thread t = {(uint32_t)getpid(), registers, &state};
	struct interpreter_frames frames = {0};
	void *p = interpreters_open(&interpreter_php, own_address(php.globals), 0x08020000);

	make_php();
	interpreter_php.walk(p, &memory, &t, &frames);
	ck_assert_uint_eq(frames.at.n, 2);
	ck_assert_uint_eq(frames.at.at[0].position, 10);
	ck_assert(frames.at.at[0].ends && frames.at.at[1].ends);
	ck_assert_uint_eq(frames_of(&interpreter_php, p, t.tid + 1, &state, &frames), 0);
	own_put(php.frame[2] + 48, own_address(php.frame[0])); /* a circle */
	ck_assert_uint_eq(frames_of(&interpreter_php, p, t.tid, &state, &frames), 1024);
	own_put(php.frame[2] + 48, 0xdead0000beef);
	ck_assert_uint_eq(frames_of(&interpreter_php, p, t.tid, &state, &frames), 2);
	own_put(php.globals + 488, UINT64_MAX - 8);
	ck_assert_uint_eq(frames_of(&interpreter_php, p, t.tid, &state, &frames), 0);
	vec_release(&frames.at);
	free(p);
}
END_TEST

#if defined(__x86_64__)
/* The register has the instruction, if it is one of the function of the frame in the other. */
START_TEST(instruction_of_php)
{
	uint64_t registers[33] = {0}, state = 0;
	struct interpreter_thread t = {(uint32_t)getpid(), registers, &state};
	struct interpreter_frames frames = {0};
	void *p = interpreters_open(&interpreter_php, own_address(php.globals), 0x08020000);
	const struct {
		uint64_t frame, op;
		unsigned line;
	} cases[] = {{1, 3 * 32, 13}, {2, 3 * 32, 10}, {1, 4 * 32, 10}, {1, 17, 10},
		     {1, UINT64_MAX, 10}};

	make_php();
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		registers[18] = own_address(php.frame[cases[i].frame]);
		registers[19] = own_address(php.op) + cases[i].op;
		frames.at.n = 0;
		interpreter_php.walk(p, &memory, &t, &frames);
		ck_assert_uint_eq(frames.at.at[0].position, cases[i].line);
	}
	vec_release(&frames.at);
	free(p);
}
END_TEST
#endif

START_TEST(version_in_a_file)
{
	char path[] = "/tmp/pnav-test.XXXXXX";
	static char zeros[65530]; /* the text lies across two parts */
	int fd = mkstemp(path);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, zeros, sizeof zeros), sizeof zeros);
	ck_assert_uint_eq(interpreter_php.stated(path), 0);
	ck_assert_int_eq(write(fd, "X-Powered-By: PHP/8.3.12", 25), 25);
	ck_assert_uint_eq(interpreter_php.stated(path), 0x08030000);
	close(fd);
	unlink(path);
	ck_assert_uint_eq(interpreter_php.stated(path), 0);
}
END_TEST

UNIT(interpreters)
{
	if (sizeof(void *) != 8) /* the layouts are those of 64-bit machines */
		return NULL;
	Suite *suite = suite_create("interpreters");
	TCase *cases = tcase_create("interpreters");

	tcase_add_test(cases, versions);
	tcase_add_test(cases, lines_of_ruby);
	tcase_add_test(cases, frames_of_ruby);
	tcase_add_test(cases, texts_of_ruby);
	tcase_add_test(cases, frames_of_php);
#if defined(__x86_64__)
	tcase_add_test(cases, instruction_of_php);
#endif
	tcase_add_test(cases, version_in_a_file);
	suite_add_tcase(suite, cases);
	return suite;
}
