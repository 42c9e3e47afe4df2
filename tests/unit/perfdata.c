/* perf.data, byte by byte: files are encoded here from the layouts of the documents
 * (linux/perf_event.h, perf.data-file-format.txt), decoded, and what the profile holds is
 * compared with what the encoder knew. */
#include "src/decode/decoder.h"

#include <check.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "model/buf.h"
#include "model/profile.h"
#include "src/decode/perf/perfdata_order.h"
#include "src/decode/perf/perfdata_tasks.h"
#include "src/load.h"
#include "tests/lib/run_suite.h"

/* ---- an encoder of pipes ---- */

struct encoder {
	struct buf out;
	bool swap;
};

static void
put(struct encoder *e, uint64_t v, size_t n)
{
	char bytes[8];
	for (size_t i = 0; i < n; i++)
		bytes[i] = (char)(v >> 8 * (e->swap ? n - 1 - i : i));
	buf_add(&e->out, bytes, n);
}

/* Where a record begins, to give to end_record(). */
static size_t
begin_record(struct encoder *e, uint32_t type, uint16_t misc)
{
	size_t at = e->out.len;
	put(e, type, 4);
	put(e, misc, 2);
	put(e, 0, 2);
	return at;
}

static void
end_record(struct encoder *e, size_t at)
{
	size_t size = e->out.len - at;
	e->out.at[at + 6] = (char)(e->swap ? size >> 8 : size);
	e->out.at[at + 7] = (char)(e->swap ? size : size >> 8);
}

#define IP (1u << 0)
#define TID (1u << 1)
#define TIME (1u << 2)
#define READ (1u << 4)
#define CHAIN (1u << 5)
#define ID (1u << 6)
#define PERIOD (1u << 8)
#define RAW (1u << 10)
#define BRANCHES (1u << 11)

/* Bit n of flags as a compiler of that byte order lays it out. */
static void
put_flags(struct encoder *e, uint64_t flags)
{
	for (unsigned byte = 0; byte < 8; byte++) {
		unsigned v = flags >> 8 * byte & 0xff, reversed = 0;
		for (unsigned i = 0; i < 8; i++)
			reversed |= (v >> i & 1) << (7 - i);
		buf_addc(&e->out, (char)(e->swap ? reversed : v));
	}
}

static void
begin_pipe(struct encoder *e, bool swap)
{
	*e = (struct encoder){.swap = swap};
	buf_adds(&e->out, swap ? "2ELIFREP" : "PERFILE2");
	put(e, 16, 8);
}

static void
put_event(struct encoder *e, uint64_t config, uint64_t sample_type, uint64_t read_format,
	  uint64_t id)
{
	size_t at = begin_record(e, 64, 0);
	put(e, 1, 4);
	put(e, 80, 4);
	put(e, config, 8);
	put(e, 17, 8);
	put(e, sample_type, 8);
	put(e, read_format, 8);
	put_flags(e, 1u << 18);
	for (unsigned i = 0; i < 4; i++)
		put(e, 0, 8);
	put(e, id, 8);
	end_record(e, at);
}

static void
put_round(struct encoder *e)
{
	end_record(e, begin_record(e, 68, 0));
}

/* ---- loading ---- */

struct loaded {
	struct profile *p;
	struct err e;
	bool ok;
};

static struct loaded
load_bytes(const struct encoder *e)
{
	struct loaded l = {.p = profile_new()};
	const struct decoder *d = decoder_named("perfdata");
	struct builder *b = builder_new(l.p, "x", d->name);
	struct input *in = input_open_bytes(e->out.at, e->out.len, "x");
	struct err check;
	err_init(&l.e);
	err_init(&check);
	l.ok = d->decode(in, b, &l.e);
	builder_finish(b, &l.e);
	builder_free(b);
	input_close(in);
	ck_assert_msg(profile_check(l.p, &check), "%s", check.text);
	return l;
}

static struct name
text_of(const struct profile *p, name_id id)
{
	return names_get(&p->names, id);
}

/* The whole sum of a metric. */
static int64_t
sum_of(const struct profile *p, const char *metric)
{
	int64_t sum = 0;
	for (uint32_t t = 0; t < p->n_tracks; t++)
		for (uint32_t i = 0; i < p->track[t].n_series; i++) {
			const struct series *s = p->track[t].series[i];
			for (unsigned m = 0; m < s->n_metrics; m++)
				if (!strcmp(text_of(p, p->metric[s->metric[m]].name).at,
					    metric))
					sum += s->sum[m];
		}
	return sum;
}

/* ---- the tests ---- */

/* Fields that a profile does not need stand between those that it does. */
START_TEST(fields_between)
{
	struct encoder e;
	begin_pipe(&e, _i);
	put_event(&e, 0, IP | TID | TIME | PERIOD | CHAIN | RAW | BRANCHES, 0, 1);
	size_t at = begin_record(&e, 9, 2);
	put(&e, 0x1234, 8);
	put(&e, 5, 4);
	put(&e, 6, 4);
	put(&e, 777, 8);
	put(&e, 4000, 8);
	put(&e, 2, 8);
	put(&e, (uint64_t)-512, 8);
	put(&e, 0x1234, 8);
	put(&e, 4, 4);
	put(&e, 0xdeadbeef, 4);
	put(&e, 1, 8);
	for (unsigned i = 0; i < 3; i++)
		put(&e, i, 8);
	end_record(&e, at);
	struct loaded l = load_bytes(&e);
	ck_assert_msg(l.ok, "%s", l.e.text);
	ck_assert_uint_eq(l.p->n_tracks, 1);
	ck_assert_str_eq(text_of(l.p, l.p->track[0].name).at, ":6 6");
	ck_assert_int_eq(l.p->track[0].start, 777);
	ck_assert_int_eq(sum_of(l.p, "cpu-clock"), 4000);
	profile_free(l.p);
	buf_release(&e.out);
}
END_TEST

/* With sample_period and no PERIOD in the sample, each stands for as much. */
START_TEST(constant_period)
{
	struct encoder e;
	begin_pipe(&e, false);
	put_event(&e, 2, IP | TID | TIME, 0, 1);
	for (unsigned i = 0; i < 3; i++) {
		size_t at = begin_record(&e, 9, 2);
		put(&e, 0x10, 8);
		put(&e, 5, 4);
		put(&e, 5, 4);
		put(&e, 100 - i, 8);
		end_record(&e, at);
	}
	struct loaded l = load_bytes(&e);
	ck_assert(l.ok);
	ck_assert_int_eq(sum_of(l.p, "page-faults"), 3 * 17);
	ck_assert_int_eq(l.p->track[0].start, 98);
	ck_assert_int_eq(l.p->track[0].end, 100);
	profile_free(l.p);
	buf_release(&e.out);
}
END_TEST

/* A leader that reads its group: each value is a sample of its own event, as far as the
 * counter has come. */
START_TEST(groups)
{
	static const uint64_t values[3][2] = {{100, 7}, {250, 7}, {300, 20}};
	struct encoder e;
	begin_pipe(&e, _i);
	const uint64_t format = 4 | 8; /* id, group */
	put_event(&e, 0, IP | TID | TIME | READ | ID, format, 31);
	put_event(&e, 2, IP | TID | TIME | READ | ID, format, 32);
	for (unsigned i = 0; i < 3; i++) {
		size_t at = begin_record(&e, 9, 2);
		put(&e, 0x10, 8);
		put(&e, 5, 4);
		put(&e, 5, 4);
		put(&e, 10 + i, 8);
		put(&e, 31, 8);
		put(&e, 2, 8);
		put(&e, values[i][0], 8);
		put(&e, 31, 8);
		put(&e, values[i][1], 8);
		put(&e, 32, 8);
		end_record(&e, at);
	}
	struct loaded l = load_bytes(&e);
	ck_assert_msg(l.ok, "%s", l.e.text);
	ck_assert_int_eq(sum_of(l.p, "cpu-clock"), 300);
	ck_assert_int_eq(sum_of(l.p, "page-faults"), 20);
	/* The second value of page-faults did not move: no sample. */
	ck_assert_uint_eq(l.p->track[0].events, 5);
	profile_free(l.p);
	buf_release(&e.out);
}
END_TEST

/* A record that says it is shorter than its header, after a good sample and a round. */
START_TEST(impossible_size)
{
	struct encoder e;
	begin_pipe(&e, false);
	put_event(&e, 0, IP | TID | TIME, 0, 1);
	size_t at = begin_record(&e, 9, 2);
	put(&e, 0x10, 8);
	put(&e, 5, 4);
	put(&e, 5, 4);
	put(&e, 100, 8);
	end_record(&e, at);
	put_round(&e);
	size_t bad = e.out.len;
	put(&e, 9, 4);
	put(&e, 2, 2);
	put(&e, 4, 2);
	struct loaded l = load_bytes(&e);
	ck_assert(!l.ok);
	ck_assert_int_eq(l.e.class, ERR_DAMAGED);
	ck_assert_uint_eq(l.e.offset, bad);
	ck_assert_uint_eq(l.p->events, 1);
	profile_free(l.p);
	buf_release(&e.out);
}
END_TEST

/* ---- a file that grows ---- */

static void
put_samples(struct encoder *e, uint64_t first, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		size_t at = begin_record(e, 9, 2);
		put(e, 0x10, 8);
		put(e, 5, 4);
		put(e, 5, 4);
		put(e, first + i, 8);
		end_record(e, at);
	}
	put_round(e);
}

static bool
reaches(struct load *l, const struct profile *p, uint64_t events)
{
	for (unsigned i = 0; i < 500; i++) {
		load_lock(l);
		uint64_t have = p->events;
		load_unlock(l);
		if (have >= events)
			return have == events;
		usleep(10000);
	}
	return false;
}

/* What a round is over for is shown while the rest is still to be written. */
START_TEST(grows)
{
	char path[] = "/tmp/pnav-perfdata-XXXXXX";
	const struct format_options options = {.follow = true};
	struct encoder e;
	int fd = mkstemp(path);
	ck_assert_int_ge(fd, 0);
	begin_pipe(&e, false);
	put_event(&e, 0, IP | TID | TIME, 0, 1);
	put_samples(&e, 100, 3);
	put_samples(&e, 200, 4);
	ck_assert_int_eq(write(fd, e.out.at, e.out.len), (ssize_t)e.out.len);
	struct profile *p = profile_new();
	struct load *l = load_start(p, path, -1, &options);
	ck_assert(reaches(l, p, 3));
	buf_reset(&e.out);
	put_samples(&e, 300, 5);
	/* Cut within a record, as a write may be. */
	ck_assert_int_eq(write(fd, e.out.at, 40), 40);
	ck_assert_int_eq(write(fd, e.out.at + 40, e.out.len - 40),
			 (ssize_t)e.out.len - 40);
	ck_assert(reaches(l, p, 7));
	load_stop(l);
	ck_assert(load_wait(l, 5000));
	struct err err = load_file_error(l, 0);
	ck_assert(!err_is_set(&err));
	ck_assert_uint_eq(p->events, 12);
	load_free(l);
	profile_free(p);
	buf_release(&e.out);
	close(fd);
	unlink(path);
}
END_TEST

/* ---- order ---- */

struct seen {
	uint64_t time[16];
	unsigned n;
};

static bool
see(void *arg, const struct perfdata_record *rec)
{
	struct seen *s = arg;
	s->time[s->n++] = rec->offset;
	return true;
}

static void
add(struct perfdata_order *o, uint64_t time)
{
	uint8_t bytes[16] = {0};
	uint16_t size = sizeof bytes;
	memcpy(bytes + 6, &size, sizeof size);
	struct perfdata_record rec = {.size = sizeof bytes, .at = bytes, .offset = time};
	perfdata_order_add(o, &rec, time);
}

/* A round gives out what is not younger than the round before. */
START_TEST(rounds)
{
	struct perfdata_order o = {0};
	struct seen s = {0};
	add(&o, 50);
	add(&o, 10);
	ck_assert(perfdata_order_round(&o, see, &s));
	ck_assert_uint_eq(s.n, 0);
	add(&o, 60);
	add(&o, 40);
	ck_assert(perfdata_order_round(&o, see, &s));
	ck_assert_uint_eq(s.n, 3);
	add(&o, 55);
	ck_assert(perfdata_order_all(&o, see, &s));
	static const uint64_t want[] = {10, 40, 50, 55, 60};
	ck_assert_uint_eq(s.n, 5);
	ck_assert_mem_eq(s.time, want, sizeof want);
	ck_assert_uint_eq(o.late, 0);
	perfdata_order_release(&o);
}
END_TEST

/* ---- names ---- */

/* Code in memory of its own, of a process that left no map: addresses, in a module that
 * is not a file which does not exist. */
START_TEST(jit_without_map)
{
	struct encoder e;
	begin_pipe(&e, false);
	put_event(&e, 0, IP | TID | TIME | PERIOD, 0, 0);
	size_t at = begin_record(&e, 1, 2); /* MMAP, of user mode */
	put(&e, 4194305, 4);                /* one more than any pid */
	put(&e, 4194305, 4);
	put(&e, 0x1000, 8);
	put(&e, 0x1000, 8);
	put(&e, 0, 8);
	buf_add(&e.out, "//anon\0", 8);
	put(&e, 4194305, 4); /* sample_id_all */
	put(&e, 4194305, 4);
	put(&e, 50, 8);
	end_record(&e, at);
	for (unsigned i = 0; i < 2; i++) {
		at = begin_record(&e, 9, 2);
		put(&e, 0x1234 + 0x10 * i, 8);
		put(&e, 4194305, 4);
		put(&e, 4194305, 4);
		put(&e, 100 + i, 8);
		put(&e, 1, 8);
		end_record(&e, at);
	}
	struct loaded l = load_bytes(&e);
	ck_assert(l.ok);
	bool seen[2] = {false, false};
	for (function_id i = 0; i < l.p->frames.n_functions; i++) {
		struct function f = l.p->frames.function[i];
		seen[0] |= !strcmp(text_of(l.p, f.name).at, "0x1234");
		seen[1] |= !strcmp(text_of(l.p, f.name).at, "0x1244");
		ck_assert_str_eq(text_of(l.p, f.module).at, "[JIT] tid 4194305");
	}
	ck_assert(seen[0] && seen[1]);
	profile_free(l.p);
	buf_release(&e.out);
}
END_TEST

/* ---- dumps of JIT compilers, from jitdump-specification.txt ---- */

#define JIT_PID 4194306u /* more than any pid */

static size_t
begin_dump(struct encoder *e, uint32_t id, uint64_t index)
{
	size_t at = e->out.len;
	put(e, id, 4);
	put(e, 0, 4); /* how long it is: end_dump() */
	put(e, 1000 + index, 8);
	return at;
}

static void
end_dump(struct encoder *e, size_t at)
{
	struct encoder size = {.swap = e->swap};
	put(&size, e->out.len - at, 4);
	memcpy(e->out.at + at + 4, size.out.at, 4);
	buf_release(&size.out);
}

static void
put_load(struct encoder *e, uint64_t index, uint64_t code, uint64_t size, const char *name)
{
	size_t at = begin_dump(e, 0, index);
	put(e, JIT_PID, 4);
	put(e, JIT_PID, 4);
	put(e, code, 8);
	put(e, code, 8);
	put(e, size, 8);
	put(e, index, 8);
	buf_add(&e->out, name, strlen(name) + 1);
	for (uint64_t i = 0; i < size; i++)
		buf_addc(&e->out, (char)0x90);
	end_dump(e, at);
}

/* Two functions, lines that are stepped over, the first moved, a third over where it was; then
 * the beginning of one more. */
static void
put_dump(struct encoder *e)
{
	put(e, 0x4A695444, 4);
	put(e, 1, 4);
	put(e, 48, 4); /* a header that is longer than today's */
	put(e, 62, 4);
	put(e, 0, 4);
	put(e, JIT_PID, 4);
	put(e, 999, 8);
	put(e, 0, 8);
	put(e, 0, 8);
	size_t at = begin_dump(e, 2, 0);
	put(e, 0x1000, 8);
	put(e, 1, 8);
	put(e, 0x1000, 8);
	put(e, 12, 4);
	put(e, 0, 4);
	buf_add(&e->out, "loop.js", 8);
	end_dump(e, at);
	put_load(e, 1, 0x1000, 0x100, "loop in\nloop.js");
	put_load(e, 2, 0x1100, 0x80, "Other<int>");
	at = begin_dump(e, 1, 0);
	put(e, JIT_PID, 4);
	put(e, JIT_PID, 4);
	put(e, 0x1800, 8);
	put(e, 0x1000, 8);
	put(e, 0x1800, 8);
	put(e, 0x100, 8);
	put(e, 1, 8);
	end_dump(e, at);
	put_load(e, 3, 0x1000, 0x40, "third");
	at = e->out.len;
	put_load(e, 4, 0x1a00, 0x40, "cut off");
	e->out.len = at + 60;
}

static void
put_jit_map(struct encoder *e, uint64_t start, uint64_t size, const char *path)
{
	size_t at = begin_record(e, 1, 2); /* MMAP, of user mode */
	put(e, JIT_PID, 4);
	put(e, JIT_PID, 4);
	put(e, start, 8);
	put(e, size, 8);
	put(e, 0, 8);
	buf_add(&e->out, path, strlen(path) + 1);
	while ((e->out.len - at) % 8)
		buf_addc(&e->out, 0);
	put(e, JIT_PID, 4); /* sample_id_all */
	put(e, JIT_PID, 4);
	put(e, 50, 8);
	end_record(e, at);
}

static void
write_dump(const char *path, bool swap)
{
	struct encoder dump = {.swap = swap};
	put_dump(&dump);
	FILE *f = fopen(path, "wb");
	ck_assert(f != NULL);
	ck_assert_uint_eq(fwrite(dump.out.at, 1, dump.out.len, f), dump.out.len);
	ck_assert_int_eq(fclose(f), 0);
	buf_release(&dump.out);
}

/* What is told last of a place holds: where the loop was before it moved there is only the third. */
START_TEST(jit_dump)
{
	static const uint64_t ips[] = {0x1050, 0x1110, 0x1810, 0x1010, 0x1a10};
	static const char *const names[] = {"0x1050", "Other<int>", "loop in loop.js",
					    "third", "0x1a10"};
	char folder[] = "/tmp/pnav-jit-XXXXXX", path[64];
	struct encoder e;
	ck_assert(mkdtemp(folder) != NULL);
	snprintf(path, sizeof path, "%s/jit-%u.dump", folder, JIT_PID);
	write_dump(path, _i & 1);
	begin_pipe(&e, _i & 1);
	put_event(&e, 0, IP | TID | TIME | PERIOD, 0, 0);
	put_jit_map(&e, 0x80000, 0x1000, path);
	put_jit_map(&e, 0x1000, 0x1000, "//anon");
	for (unsigned i = 0; i < 5; i++) {
		size_t at = begin_record(&e, 9, 2);
		put(&e, ips[i], 8);
		put(&e, JIT_PID, 4);
		put(&e, JIT_PID, 4);
		put(&e, 100 + i, 8);
		put(&e, 1, 8);
		end_record(&e, at);
	}
	struct loaded l = load_bytes(&e);
	unlink(path);
	rmdir(folder);
	ck_assert(l.ok);
	const struct series *s = l.p->track[0].series[0];
	ck_assert_uint_eq(s->n, 5);
	for (unsigned i = 0; i < 5; i++) {
		struct event event;
		ck_assert(series_event(s, i, &event));
		frame_id frame = l.p->stacks.frame[event.stack];
		struct function f =
			l.p->frames.function[l.p->frames.frame[frame].function];
		ck_assert_str_eq(text_of(l.p, f.name).at, names[i]);
	}
	ck_assert_uint_eq(l.p->n_warnings, 1); /* it is cut */
	profile_free(l.p);
	buf_release(&e.out);
}
END_TEST

/* CODE_DEBUG_INFO: lines of the function that is loaded next. */
static void
put_lines(struct encoder *e, uint64_t code, uint64_t shift, unsigned line, const char *file)
{
	size_t at = begin_dump(e, 2, 0);
	put(e, code, 8);
	put(e, 2, 8);
	put(e, code + shift, 8);
	put(e, line, 4);
	put(e, 0, 4);
	buf_add(&e->out, file, strlen(file) + 1);
	put(e, code + shift + 0x10, 8);
	put(e, line + 1, 4);
	put(e, 0, 4);
	buf_add(&e->out, "\377", 2); /* the same file */
	end_dump(e, at);
}

/* One place has three functions, one after the other; another one has one; a record of the
 * dump is made at 1000 and its index. */
static void
write_reused(const char *path, bool swap)
{
	struct encoder e = {.swap = swap};
	put(&e, 0x4A695444, 4);
	put(&e, 1, 4);
	put(&e, 40, 4);
	put(&e, 62, 4);
	put(&e, 0, 4);
	put(&e, JIT_PID, 4);
	put(&e, 999, 8);
	put(&e, 0, 8);
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
put_clocked_event(struct encoder *e, uint64_t sample_type)
{
	size_t at = begin_record(e, 64, 0);
	put(e, 1, 4);
	put(e, 96, 4);
	put(e, 0, 8);
	put(e, 17, 8);
	put(e, sample_type, 8);
	put(e, 0, 8);
	put_flags(e, 1u << 18 | 1u << 25);
	for (unsigned i = 0; i < 5; i++)
		put(e, 0, 8);
	put(e, 0, 4);
	put(e, 1, 4);
	put(e, 0, 8);
	end_record(e, at);
}

START_TEST(jit_reuse)
{
	static const struct {
		uint64_t time, ip;
		const char *name, *file;
		unsigned line;
	} truth[] = {
		{1002, 0x1085, "first", "a.js", 11},   {1003, 0x1810, "alone", "", 0},
		{1004, 0x1008, "first", "a.js", 10},   {1006, 0x1085, "second", "b.js", 70},
		{1007, 0x1095, "second", "b.js", 71},  {1008, 0x1008, "first", "a.js", 10},
		{1010, 0x1085, "third", "", 0},	       {1011, 0x1010, "third", "", 0},
		{1012, 0x1810, "alone", "", 0},
	};
	char folder[] = "/tmp/pnav-jit-XXXXXX", path[64];
	struct encoder e;
	ck_assert(mkdtemp(folder) != NULL);
	snprintf(path, sizeof path, "%s/jit-%u.dump", folder, JIT_PID);
	write_reused(path, _i & 1);
	begin_pipe(&e, _i & 1);
	put_clocked_event(&e, IP | TID | TIME | PERIOD);
	put_jit_map(&e, 0x80000, 0x1000, path);
	put_jit_map(&e, 0x1000, 0x1000, "//anon");
	for (unsigned i = 0; i < sizeof truth / sizeof *truth; i++) {
		size_t at = begin_record(&e, 9, 2);
		put(&e, truth[i].ip, 8);
		put(&e, JIT_PID, 4);
		put(&e, JIT_PID, 4);
		put(&e, truth[i].time, 8);
		put(&e, 1, 8);
		end_record(&e, at);
	}
	struct loaded l = load_bytes(&e);
	unlink(path);
	rmdir(folder);
	ck_assert(l.ok);
	const struct series *s = l.p->track[0].series[0];
	ck_assert_uint_eq(s->n, sizeof truth / sizeof *truth);
	for (unsigned i = 0; i < s->n; i++) {
		struct event event;
		ck_assert(series_event(s, i, &event));
		struct frame frame = l.p->frames.frame[l.p->stacks.frame[event.stack]];
		struct function f = l.p->frames.function[frame.function];
		ck_assert_str_eq(text_of(l.p, f.name).at, truth[i].name);
		ck_assert_str_eq(text_of(l.p, f.file).at, truth[i].file);
		ck_assert_uint_eq(frame.line.number, truth[i].line);
	}
	profile_free(l.p);
	buf_release(&e.out);
}
END_TEST

/* ---- tasks ---- */

/* Against a table of every address. */
START_TEST(maps_overlap)
{
	uint32_t truth[64], seed = (uint32_t)_i + 1;
	struct perfdata_tasks t = {0};
	uint32_t process = perfdata_process(&t, 9);
	memset(truth, 0xff, sizeof truth);
	for (uint32_t i = 0; i < 40; i++) {
		seed = seed * 1664525u + 1013904223u;
		uint32_t start = seed >> 8 & 63, len = (seed >> 16 & 15) + 1;
		uint32_t end = start + len < 64 ? start + len : 64;
		perfdata_map(&t, process,
			     (struct perfdata_map){.start = start,
						   .end = end,
						   .offset = 1000 * i + start,
						   .module = i});
		for (uint32_t a = start; a < end; a++)
			truth[a] = i;
		for (uint32_t a = 0; a < 64; a++) {
			const struct perfdata_map *m = perfdata_find(&t, process, a);
			ck_assert_uint_eq(m ? m->module : UINT32_MAX, truth[a]);
			if (m)
				ck_assert_uint_eq(a - m->start + m->offset,
						  1000 * truth[a] + a);
		}
	}
	perfdata_tasks_release(&t);
}
END_TEST

/* A child has its parent's maps until one of the two changes them. */
START_TEST(forks)
{
	struct perfdata_tasks t = {0};
	uint32_t parent = perfdata_process(&t, 1);
	perfdata_map(&t, parent,
		     (struct perfdata_map){.start = 0, .end = 10, .module = 1});
	perfdata_fork(&t, 2, 2, 1, 1, true);
	uint32_t child = perfdata_process(&t, 2);
	ck_assert_ptr_eq(t.process.at[parent].maps, t.process.at[child].maps);
	perfdata_map(&t, child,
		     (struct perfdata_map){.start = 5, .end = 10, .module = 2});
	ck_assert_uint_eq(perfdata_find(&t, parent, 7)->module, 1);
	ck_assert_uint_eq(perfdata_find(&t, child, 7)->module, 2);
	ck_assert_uint_eq(perfdata_find(&t, child, 3)->module, 1);
	/* While exec has not returned, where it was called from is still known. */
	perfdata_exec(&t, 2);
	perfdata_map(&t, child, (struct perfdata_map){.start = 5, .end = 6, .module = 3});
	ck_assert_uint_eq(perfdata_find(&t, child, 5)->module, 3);
	ck_assert_uint_eq(perfdata_find(&t, child, 7)->module, 2);
	perfdata_exit(&t, 2, 2);
	ck_assert_ptr_null(perfdata_find(&t, child, 5));
	ck_assert_uint_eq(perfdata_find(&t, parent, 5)->module, 1);
	perfdata_tasks_release(&t);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("perfdata");
	TCase *c = tcase_create("perfdata");
	tcase_add_loop_test(c, fields_between, 0, 2);
	tcase_add_test(c, constant_period);
	tcase_add_loop_test(c, groups, 0, 2);
	tcase_add_test(c, impossible_size);
	tcase_add_test(c, grows);
	tcase_add_test(c, rounds);
	tcase_add_test(c, jit_without_map);
	tcase_add_loop_test(c, jit_dump, 0, 2);
	tcase_add_loop_test(c, jit_reuse, 0, 2);
	tcase_add_loop_test(c, maps_overlap, 0, 20);
	tcase_add_test(c, forks);
	suite_add_tcase(s, c);
	return run_suite(s);
}
