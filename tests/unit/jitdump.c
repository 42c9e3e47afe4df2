/* Dumps of JIT compilers beside a perf.data file: encoded here from jitdump-specification.txt,
 * with records that name functions moved, overwritten and loaded while samples are taken. */
#include "src/decode/decoder.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "model/base/buf.h"
#include "model/profile/profile.h"
#include "tests/lib/encode_perf.h"
#include "tests/lib/unit.h"

#define JIT_PID 4194306u /* more than any pid */

static size_t
begin_dump(struct perf_pipe *e, uint32_t id, uint64_t index)
{
	size_t at = e->out.len;
	perf_put(e, id, 4);
	perf_put(e, 0, 4); /* how long it is: end_dump() */
	perf_put(e, 1000 + index, 8);
	return at;
}

static void
end_dump(struct perf_pipe *e, size_t at)
{
	struct perf_pipe size = {.swap = e->swap};
	perf_put(&size, e->out.len - at, 4);
	memcpy(e->out.at + at + 4, size.out.at, 4);
	buf_release(&size.out);
}

static void
put_load(struct perf_pipe *e, uint64_t index, uint64_t code, uint64_t size,
	 const char *name)
{
	size_t at = begin_dump(e, 0, index);
	perf_put(e, JIT_PID, 4);
	perf_put(e, JIT_PID, 4);
	perf_put(e, code, 8);
	perf_put(e, code, 8);
	perf_put(e, size, 8);
	perf_put(e, index, 8);
	buf_add(&e->out, name, strlen(name) + 1);
	for (uint64_t i = 0; i < size; i++)
		buf_addc(&e->out, (char)0x90);
	end_dump(e, at);
}

/* Two functions, lines that are stepped over, the first moved, a third over where it was; then
 * the beginning of one more. */
static void
put_dump(struct perf_pipe *e)
{
	perf_put(e, 0x4A695444, 4);
	perf_put(e, 1, 4);
	perf_put(e, 48, 4); /* a header that is longer than today's */
	perf_put(e, 62, 4);
	perf_put(e, 0, 4);
	perf_put(e, JIT_PID, 4);
	perf_put(e, 999, 8);
	perf_put(e, 0, 8);
	perf_put(e, 0, 8);
	size_t at = begin_dump(e, 2, 0);
	perf_put(e, 0x1000, 8);
	perf_put(e, 1, 8);
	perf_put(e, 0x1000, 8);
	perf_put(e, 12, 4);
	perf_put(e, 0, 4);
	buf_add(&e->out, "loop.js", 8);
	end_dump(e, at);
	put_load(e, 1, 0x1000, 0x100, "loop in\nloop.js");
	put_load(e, 2, 0x1100, 0x80, "Other<int>");
	at = begin_dump(e, 1, 0);
	perf_put(e, JIT_PID, 4);
	perf_put(e, JIT_PID, 4);
	perf_put(e, 0x1800, 8);
	perf_put(e, 0x1000, 8);
	perf_put(e, 0x1800, 8);
	perf_put(e, 0x100, 8);
	perf_put(e, 1, 8);
	end_dump(e, at);
	put_load(e, 3, 0x1000, 0x40, "third");
	at = e->out.len;
	put_load(e, 4, 0x1a00, 0x40, "cut off");
	e->out.len = at + 60;
}

static void
put_jit_map(struct perf_pipe *e, uint64_t start, uint64_t size, const char *path)
{
	size_t at = perf_begin_record(e, 1, 2); /* MMAP, of user mode */
	perf_put(e, JIT_PID, 4);
	perf_put(e, JIT_PID, 4);
	perf_put(e, start, 8);
	perf_put(e, size, 8);
	perf_put(e, 0, 8);
	buf_add(&e->out, path, strlen(path) + 1);
	while ((e->out.len - at) % 8)
		buf_addc(&e->out, 0);
	perf_put(e, JIT_PID, 4); /* sample_id_all */
	perf_put(e, JIT_PID, 4);
	perf_put(e, 50, 8);
	perf_end_record(e, at);
}

static void
write_dump(const char *path, bool swap)
{
	struct perf_pipe dump = {.swap = swap};
	put_dump(&dump);
	FILE *f = fopen(path, "wb");
	ck_assert(f != NULL);
	ck_assert_uint_eq(fwrite(dump.out.at, 1, dump.out.len, f), dump.out.len);
	ck_assert_int_eq(fclose(f), 0);
	buf_release(&dump.out);
}

/* The last entry for a place is valid: at the place of the loop before its move, only the third
 * entry counts. */
START_TEST(jit_dump)
{
	static const uint64_t ips[] = {0x1050, 0x1110, 0x1810, 0x1010, 0x1a10};
	static const char *const names[] = {"0x1050", "Other<int>", "loop in loop.js",
					    "third", "0x1a10"};
	char folder[] = "/tmp/pnav-jit-XXXXXX", path[64];
	struct perf_pipe e;
	ck_assert(mkdtemp(folder) != NULL);
	snprintf(path, sizeof path, "%s/jit-%u.dump", folder, JIT_PID);
	write_dump(path, _i & 1);
	perf_begin(&e, _i & 1);
	perf_put_event(&e, 0, PERF_IP | PERF_TID | PERF_TIME | PERF_PERIOD, 0, 0);
	put_jit_map(&e, 0x80000, 0x1000, path);
	put_jit_map(&e, 0x1000, 0x1000, "//anon");
	for (unsigned i = 0; i < 5; i++) {
		size_t at = perf_begin_record(&e, 9, 2);
		perf_put(&e, ips[i], 8);
		perf_put(&e, JIT_PID, 4);
		perf_put(&e, JIT_PID, 4);
		perf_put(&e, 100 + i, 8);
		perf_put(&e, 1, 8);
		perf_end_record(&e, at);
	}
	struct decoded l = perf_decoded(&e);
	unlink(path);
	rmdir(folder);
	ck_assert(l.good);
	const struct series *s = l.p->track[0].series[0];
	ck_assert_uint_eq(s->n, 5);
	for (unsigned i = 0; i < 5; i++) {
		struct event event;
		ck_assert(series_event(s, i, &event));
		frame_id frame = l.p->stacks.frame[event.stack];
		struct function f =
			profile_function(l.p, l.p->frames.frame.function[frame]);
		ck_assert_str_eq(names_get(&l.p->names, f.name).at, names[i]);
	}
	ck_assert_uint_eq(l.p->n_warnings, 1); /* it is cut */
	decoded_free(&l);
	buf_release(&e.out);
}
END_TEST

/* CODE_DEBUG_INFO: lines of the function that is loaded next. */
static void
put_lines(struct perf_pipe *e, uint64_t code, uint64_t shift, unsigned line,
	  const char *file)
{
	size_t at = begin_dump(e, 2, 0);
	perf_put(e, code, 8);
	perf_put(e, 2, 8);
	perf_put(e, code + shift, 8);
	perf_put(e, line, 4);
	perf_put(e, 0, 4);
	buf_add(&e->out, file, strlen(file) + 1);
	perf_put(e, code + shift + 0x10, 8);
	perf_put(e, line + 1, 4);
	perf_put(e, 0, 4);
	buf_add(&e->out, "\377", 2); /* the same file */
	end_dump(e, at);
}

/* One place has three functions, one after the other; another one has one; a record of the
 * dump is made at 1000 and its index. */
static void
write_reused(const char *path, bool swap)
{
	struct perf_pipe e = {.swap = swap};
	perf_put(&e, 0x4A695444, 4);
	perf_put(&e, 1, 4);
	perf_put(&e, 40, 4);
	perf_put(&e, 62, 4);
	perf_put(&e, 0, 4);
	perf_put(&e, JIT_PID, 4);
	perf_put(&e, 999, 8);
	perf_put(&e, 0, 8);
	put_lines(&e, 0x1000, 0, 10, "a.js");
	put_load(&e, 1, 0x1000, 0x100, "first");
	put_load(&e, 2, 0x1800, 0x40, "alone");
	put_lines(&e, 0x1080, 64, 70, "b.js"); /* from an ELF header on, as V8 has it */
	put_load(&e, 5, 0x1080, 0x40, "second");
	put_load(&e, 9, 0x1000, 0x100, "third");
	FILE *f = fopen(path, "wb");
	ck_assert(f != NULL);
	ck_assert_uint_eq(fwrite(e.out.at, 1, e.out.len, f), e.out.len);
	ck_assert_int_eq(fclose(f), 0);
	buf_release(&e.out);
}

/* The clock is CLOCK_MONOTONIC. */
static void
put_clocked_event(struct perf_pipe *e, uint64_t sample_type)
{
	size_t at = perf_begin_record(e, 64, 0);
	perf_put(e, 1, 4);
	perf_put(e, 96, 4);
	perf_put(e, 0, 8);
	perf_put(e, 17, 8);
	perf_put(e, sample_type, 8);
	perf_put(e, 0, 8);
	perf_put_flags(e, 1u << 18 | 1u << 25);
	for (unsigned i = 0; i < 5; i++)
		perf_put(e, 0, 8);
	perf_put(e, 0, 4);
	perf_put(e, 1, 4);
	perf_put(e, 0, 8);
	perf_end_record(e, at);
}

START_TEST(jit_reuse)
{
	static const struct {
		uint64_t time, ip;
		const char *name, *file;
		unsigned line;
	} truth[] = {
		{1002, 0x1085, "first", "a.js", 11},
		{1003, 0x1810, "alone", "", 0},
		{1004, 0x1008, "first", "a.js", 10},
		{1006, 0x1085, "second", "b.js", 70},
		{1007, 0x1095, "second", "b.js", 71},
		{1008, 0x1008, "first", "a.js", 10},
		{1010, 0x1085, "third", "", 0},
		{1011, 0x1010, "third", "", 0},
		{1012, 0x1810, "alone", "", 0},
	};
	char folder[] = "/tmp/pnav-jit-XXXXXX", path[64];
	struct perf_pipe e;
	ck_assert(mkdtemp(folder) != NULL);
	snprintf(path, sizeof path, "%s/jit-%u.dump", folder, JIT_PID);
	write_reused(path, _i & 1);
	perf_begin(&e, _i & 1);
	put_clocked_event(&e, PERF_IP | PERF_TID | PERF_TIME | PERF_PERIOD);
	put_jit_map(&e, 0x80000, 0x1000, path);
	put_jit_map(&e, 0x1000, 0x1000, "//anon");
	for (unsigned i = 0; i < sizeof truth / sizeof *truth; i++) {
		size_t at = perf_begin_record(&e, 9, 2);
		perf_put(&e, truth[i].ip, 8);
		perf_put(&e, JIT_PID, 4);
		perf_put(&e, JIT_PID, 4);
		perf_put(&e, truth[i].time, 8);
		perf_put(&e, 1, 8);
		perf_end_record(&e, at);
	}
	struct decoded l = perf_decoded(&e);
	unlink(path);
	rmdir(folder);
	ck_assert(l.good);
	const struct series *s = l.p->track[0].series[0];
	ck_assert_uint_eq(s->n, sizeof truth / sizeof *truth);
	for (unsigned i = 0; i < s->n; i++) {
		struct event event;
		ck_assert(series_event(s, i, &event));
		struct frame frame = profile_frame(l.p, l.p->stacks.frame[event.stack]);
		struct function f = profile_function(l.p, frame.function);
		ck_assert_str_eq(names_get(&l.p->names, f.name).at, truth[i].name);
		ck_assert_str_eq(names_get(&l.p->names, f.file).at, truth[i].file);
		ck_assert_uint_eq(frame.line.number, truth[i].line);
	}
	decoded_free(&l);
	buf_release(&e.out);
}
END_TEST

UNIT(jitdump)
{
	Suite *s = suite_create("jitdump");
	TCase *c = tcase_create("jitdump");
	tcase_add_loop_test(c, jit_dump, 0, 2);
	tcase_add_loop_test(c, jit_reuse, 0, 2);
	suite_add_tcase(s, c);
	return s;
}
