/* perf.data, byte by byte: files are encoded here from the layouts of the documents
 * (linux/perf_event.h, perf.data-file-format.txt), decoded, and the profile is compared with
 * the encoder's data. */
#include "src/decode/decoder.h"

#include <check.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "model/base/buf.h"
#include "model/profile/profile.h"
#include "src/decode/perf/perfdata_order.h"
#include "src/decode/perf/perfdata_tasks.h"
#include "src/load.h"
#include "tests/lib/encode_perf.h"
#include "tests/lib/unit.h"

/* The whole sum of a metric. */
static int64_t
sum_of(const struct profile *p, const char *metric)
{
	int64_t sum = 0;
	for (uint32_t t = 0; t < p->n_tracks; t++)
		for (uint32_t i = 0; i < p->track[t].n_series; i++) {
			const struct series *s = p->track[t].series[i];
			for (unsigned m = 0; m < s->n_metrics; m++) {
				name_id name = p->metric[s->metric[m]].name;
				if (!strcmp(names_get(&p->names, name).at, metric))
					sum += s->sum[m];
			}
		}
	return sum;
}

/* ---- the tests ---- */

/* Fields that a profile does not need are between those that it needs. */
START_TEST(fields_between)
{
	struct perf_pipe e;
	perf_begin(&e, _i);
	perf_put_event(&e, 0,
		       PERF_IP | PERF_TID | PERF_TIME | PERF_PERIOD | PERF_CHAIN |
			       PERF_RAW | PERF_BRANCHES,
		       0, 1);
	size_t at = perf_begin_record(&e, 9, 2);
	perf_put(&e, 0x1234, 8);
	perf_put(&e, 5, 4);
	perf_put(&e, 6, 4);
	perf_put(&e, 777, 8);
	perf_put(&e, 4000, 8);
	perf_put(&e, 2, 8);
	perf_put(&e, (uint64_t)-512, 8);
	perf_put(&e, 0x1234, 8);
	perf_put(&e, 4, 4);
	perf_put(&e, 0xdeadbeef, 4);
	perf_put(&e, 1, 8);
	for (unsigned i = 0; i < 3; i++)
		perf_put(&e, i, 8);
	perf_end_record(&e, at);
	struct decoded l = perf_decoded(&e);
	ck_assert_msg(l.good, "%s", l.e.text);
	ck_assert_uint_eq(l.p->n_tracks, 1);
	ck_assert_str_eq(names_get(&l.p->names, l.p->track[0].name).at, ":6 6");
	ck_assert_int_eq(l.p->track[0].start, 777);
	ck_assert_int_eq(sum_of(l.p, "cpu-clock"), 4000);
	decoded_free(&l);
	buf_release(&e.out);
}
END_TEST

/* With sample_period and no PERIOD in the sample, each sample has the weight sample_period. */
START_TEST(constant_period)
{
	struct perf_pipe e;
	perf_begin(&e, false);
	perf_put_event(&e, 2, PERF_IP | PERF_TID | PERF_TIME, 0, 1);
	for (unsigned i = 0; i < 3; i++) {
		size_t at = perf_begin_record(&e, 9, 2);
		perf_put(&e, 0x10, 8);
		perf_put(&e, 5, 4);
		perf_put(&e, 5, 4);
		perf_put(&e, 100 - i, 8);
		perf_end_record(&e, at);
	}
	struct decoded l = perf_decoded(&e);
	ck_assert(l.good);
	ck_assert_int_eq(sum_of(l.p, "page-faults"), 3 * 17);
	ck_assert_int_eq(l.p->track[0].start, 98);
	ck_assert_int_eq(l.p->track[0].end, 100);
	decoded_free(&l);
	buf_release(&e.out);
}
END_TEST

/* A leader that reads its group: each value is a sample of its own event, as far as the
 * counter has come. */
START_TEST(groups)
{
	static const uint64_t values[3][2] = {{100, 7}, {250, 7}, {300, 20}};
	struct perf_pipe e;
	perf_begin(&e, _i);
	const uint64_t format = 4 | 8; /* id, group */
	perf_put_event(&e, 0, PERF_IP | PERF_TID | PERF_TIME | PERF_READ | PERF_ID,
		       format, 31);
	perf_put_event(&e, 2, PERF_IP | PERF_TID | PERF_TIME | PERF_READ | PERF_ID,
		       format, 32);
	for (unsigned i = 0; i < 3; i++) {
		size_t at = perf_begin_record(&e, 9, 2);
		perf_put(&e, 0x10, 8);
		perf_put(&e, 5, 4);
		perf_put(&e, 5, 4);
		perf_put(&e, 10 + i, 8);
		perf_put(&e, 31, 8);
		perf_put(&e, 2, 8);
		perf_put(&e, values[i][0], 8);
		perf_put(&e, 31, 8);
		perf_put(&e, values[i][1], 8);
		perf_put(&e, 32, 8);
		perf_end_record(&e, at);
	}
	struct decoded l = perf_decoded(&e);
	ck_assert_msg(l.good, "%s", l.e.text);
	ck_assert_int_eq(sum_of(l.p, "cpu-clock"), 300);
	ck_assert_int_eq(sum_of(l.p, "page-faults"), 20);
	/* The second value of page-faults did not move: no sample. */
	ck_assert_uint_eq(l.p->track[0].events, 5);
	decoded_free(&l);
	buf_release(&e.out);
}
END_TEST

/* A record that says it is shorter than its header, after a good sample and a round. */
START_TEST(impossible_size)
{
	struct perf_pipe e;
	perf_begin(&e, false);
	perf_put_event(&e, 0, PERF_IP | PERF_TID | PERF_TIME, 0, 1);
	size_t at = perf_begin_record(&e, 9, 2);
	perf_put(&e, 0x10, 8);
	perf_put(&e, 5, 4);
	perf_put(&e, 5, 4);
	perf_put(&e, 100, 8);
	perf_end_record(&e, at);
	perf_put_round(&e);
	size_t bad = e.out.len;
	perf_put(&e, 9, 4);
	perf_put(&e, 2, 2);
	perf_put(&e, 4, 2);
	struct decoded l = perf_decoded(&e);
	ck_assert(!l.good);
	ck_assert_int_eq(l.e.class, ERR_DAMAGED);
	ck_assert_uint_eq(l.e.offset, bad);
	ck_assert_uint_eq(l.p->events, 1);
	decoded_free(&l);
	buf_release(&e.out);
}
END_TEST

/* ---- a file that grows ---- */

static void
put_samples(struct perf_pipe *e, uint64_t first, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		size_t at = perf_begin_record(e, 9, 2);
		perf_put(e, 0x10, 8);
		perf_put(e, 5, 4);
		perf_put(e, 5, 4);
		perf_put(e, first + i, 8);
		perf_end_record(e, at);
	}
	perf_put_round(e);
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

/* Events of a finished round are shown before the rest of the file is written. */
START_TEST(grows)
{
	char path[] = "/tmp/pnav-perfdata-XXXXXX";
	const struct format_options options = {.follow = true};
	struct perf_pipe e;
	int fd = mkstemp(path);
	ck_assert_int_ge(fd, 0);
	perf_begin(&e, false);
	perf_put_event(&e, 0, PERF_IP | PERF_TID | PERF_TIME, 0, 1);
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
	uint64_t time[256]; /* or whatever replaces the record's offset */
	unsigned n;
	bool ended;
};

static bool
see(void *arg, const struct perfdata_record *rec)
{
	struct seen *s = arg;
	s->ended = !rec;
	if (rec)
		s->time[s->n++] = rec->offset;
	return true;
}

static void
add_at(struct perfdata_order *o, uint64_t time, uint64_t offset)
{
	uint8_t bytes[16] = {0};
	uint16_t size = sizeof bytes;
	memcpy(bytes + 6, &size, sizeof size);
	struct perfdata_record rec = {.size = sizeof bytes, .at = bytes, .offset = offset};
	perfdata_order_add(o, &rec, time);
}

static void
add(struct perfdata_order *o, uint64_t time)
{
	add_at(o, time, time);
}

/* Many records of few times, in runs that rise and some that do not: by time, those of one time as
 * they came. */
START_TEST(equal_times)
{
	struct perfdata_order o = {0};
	struct seen s = {0};
	uint64_t time[200], want[200];
	uint32_t seed = (uint32_t)_i + 1, n = 0;

	for (unsigned i = 0; i < 200; i++) {
		seed = seed * 1664525u + 1013904223u;
		time[i] = i && seed >> 28 ? time[i - 1] + (seed >> 20 & 1) : 1 + (seed >> 16) % 9;
		add_at(&o, time[i], i);
	}
	for (uint64_t t = 0; t < 300; t++)
		for (unsigned i = 0; i < 200; i++)
			if (time[i] == t)
				want[n++] = i;
	ck_assert(perfdata_order_all(&o, see, &s));
	ck_assert_uint_eq(s.n, 200);
	ck_assert(s.ended);
	ck_assert_mem_eq(s.time, want, sizeof want);
	perfdata_order_release(&o);
}
END_TEST

/* A round passes on records that are not younger than the previous round. */
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
	ck_assert(s.ended);
	add(&o, 55);
	ck_assert(perfdata_order_all(&o, see, &s));
	static const uint64_t want[] = {10, 40, 50, 55, 60};
	ck_assert_uint_eq(s.n, 5);
	ck_assert_mem_eq(s.time, want, sizeof want);
	ck_assert_uint_eq(o.late, 0);
	perfdata_order_release(&o);
}
END_TEST

#define LARGE 60000u

static bool
see_large(void *arg, const struct perfdata_record *rec)
{
	struct seen *s = arg;
	if (!rec)
		return true;
	ck_assert_uint_eq(rec->size, LARGE);
	ck_assert_uint_eq(rec->at[8], (uint8_t)rec->offset);
	ck_assert_mem_eq(rec->at + 8, rec->at + 9, LARGE - 9);
	s->time[s->n++] = rec->offset;
	return true;
}

/* Records keep their bytes while they wait, and the memory of those that were passed on serves
 * again. */
START_TEST(many_rounds)
{
	enum { ROUNDS = 20, EACH = 12 };
	struct perfdata_order o = {0};
	struct seen s = {0};
	uint8_t bytes[LARGE];
	uint16_t size = LARGE;
	memset(bytes, 0, 8);
	memcpy(bytes + 6, &size, sizeof size);
	for (uint64_t i = 0; i < ROUNDS * EACH; i++) {
		uint64_t time = 1 + (i ^ 3); /* backwards, four by four */
		memset(bytes + 8, (uint8_t)time, LARGE - 8);
		struct perfdata_record rec = {.size = LARGE, .at = bytes, .offset = time};
		perfdata_order_add(&o, &rec, time);
		if (i % EACH == EACH - 1)
			ck_assert(perfdata_order_round(&o, see_large, &s));
	}
	ck_assert_uint_eq(s.n, (ROUNDS - 1) * EACH);
	ck_assert_uint_le(o.block.n, 2 + 2 * EACH * LARGE / PERFDATA_BLOCK * 2);
	ck_assert(perfdata_order_all(&o, see_large, &s));
	ck_assert_uint_eq(s.n, ROUNDS * EACH);
	ck_assert_uint_eq(o.bytes, 0);
	for (unsigned i = 0; i < s.n; i++)
		ck_assert_uint_eq(s.time[i], i + 1);
	perfdata_order_release(&o);
}
END_TEST

/* ---- names ---- */

/* Code in memory of its own, of a process that left no map: addresses, in a module that
 * is not a file which does not exist. */
START_TEST(jit_without_map)
{
	struct perf_pipe e;
	perf_begin(&e, false);
	perf_put_event(&e, 0, PERF_IP | PERF_TID | PERF_TIME | PERF_PERIOD, 0, 0);
	size_t at = perf_begin_record(&e, 1, 2); /* MMAP, of user mode */
	perf_put(&e, 4194305, 4);                /* one more than any pid */
	perf_put(&e, 4194305, 4);
	perf_put(&e, 0x1000, 8);
	perf_put(&e, 0x1000, 8);
	perf_put(&e, 0, 8);
	buf_add(&e.out, "//anon\0", 8);
	perf_put(&e, 4194305, 4); /* sample_id_all */
	perf_put(&e, 4194305, 4);
	perf_put(&e, 50, 8);
	perf_end_record(&e, at);
	for (unsigned i = 0; i < 2; i++) {
		at = perf_begin_record(&e, 9, 2);
		perf_put(&e, 0x1234 + 0x10 * i, 8);
		perf_put(&e, 4194305, 4);
		perf_put(&e, 4194305, 4);
		perf_put(&e, 100 + i, 8);
		perf_put(&e, 1, 8);
		perf_end_record(&e, at);
	}
	struct decoded l = perf_decoded(&e);
	ck_assert(l.good);
	bool seen[2] = {false, false};
	for (function_id i = 0; i < l.p->frames.n_functions; i++) {
		struct function f = profile_function(l.p, i);
		seen[0] |= !strcmp(names_get(&l.p->names, f.name).at, "0x1234");
		seen[1] |= !strcmp(names_get(&l.p->names, f.name).at, "0x1244");
		ck_assert_str_eq(names_get(&l.p->names, f.module).at,
				 "[JIT] tid 4194305");
	}
	ck_assert(seen[0] && seen[1]);
	decoded_free(&l);
	buf_release(&e.out);
}
END_TEST

/* MMAP of user mode, of process 7. */
static void
put_map(struct perf_pipe *e, uint64_t time, uint64_t offset)
{
	size_t at = perf_begin_record(e, 1, 2);

	perf_put(e, 7, 4);
	perf_put(e, 7, 4);
	perf_put(e, 0x1000, 8);
	perf_put(e, 0x1000, 8);
	perf_put(e, offset, 8);
	buf_add(&e->out, "/no/file", 8);
	perf_put(e, 0, 8);
	perf_put(e, 7, 4); /* sample_id_all */
	perf_put(e, 7, 4);
	perf_put(e, time, 8);
	perf_end_record(e, at);
}

/* The same addresses again and again while other parts of a file are mapped there, after any
 * number of samples: each is named by the mapping at its time. */
START_TEST(mapped_anew)
{
	static const unsigned samples[] = {1, 40, 32, 31, 33, 64, 5, 100};
	enum { TIMES = sizeof samples / sizeof *samples };
	struct perf_pipe e;
	uint64_t time = 100;

	perf_begin(&e, _i);
	perf_put_event(&e, 0, PERF_IP | PERF_TID | PERF_TIME | PERF_CHAIN | PERF_PERIOD, 0, 0);
	for (unsigned k = 0; k < 2 * TIMES; k++) {
		put_map(&e, time++, 0x10000 * (1 + k % TIMES));
		for (unsigned i = 0; i < samples[k % TIMES]; i++) {
			size_t at = perf_begin_record(&e, 9, 2);
			uint64_t ip = 0x1010 + i % 3;
			perf_put(&e, ip, 8);
			perf_put(&e, 7, 4);
			perf_put(&e, 7, 4);
			perf_put(&e, time++, 8);
			perf_put(&e, 1, 8);
			perf_put(&e, 3 + i % 2, 8);
			perf_put(&e, (uint64_t)-512, 8);
			perf_put(&e, ip, 8);
			perf_put(&e, 0x1100, 8);
			if (i % 2)
				perf_put(&e, 0x1200, 8);
			perf_end_record(&e, at);
		}
	}
	struct decoded l = perf_decoded(&e);
	ck_assert_msg(l.good, "%s", l.e.text);
	for (unsigned k = 0; k < TIMES; k++) {
		int64_t self = 0;
		for (unsigned j = 0; j < 3; j++) {
			char name[32];
			snprintf(name, sizeof name, "0x%x", 0x10000 * (1 + k) + 0x10 + j);
			self += decoded_row(&l, "samples", name).self;
		}
		ck_assert_int_eq(self, 2 * samples[k]);
		char caller[32], root[32];
		snprintf(caller, sizeof caller, "0x%x", 0x10000 * (1 + k) + 0x100);
		snprintf(root, sizeof root, "0x%x", 0x10000 * (1 + k) + 0x200);
		ck_assert_int_eq(decoded_row(&l, "samples", caller).total, 2 * samples[k]);
		ck_assert_int_eq(decoded_row(&l, "samples", root).total, samples[k] / 2 * 2);
	}
	decoded_free(&l);
	buf_release(&e.out);
}
END_TEST

/* Words that are no code, after the first and the second caller of a chain, are shown as perf shows
 * them, but a chain that begins with one counts as one without callers. */
START_TEST(callers_outside_code)
{
	static const uint64_t chain[3][4] = {
		{0x1010, 0x300000003, 0x1200, 0x1300},
		{0x1020, 0x1100, 0x55ab6a75d3d0, 0x1300},
		{0x1020, 0x1100, 0x1200, 0x1300},
	};
	struct perf_pipe e;

	perf_begin(&e, _i);
	perf_put_event(&e, 0, PERF_IP | PERF_TID | PERF_TIME | PERF_CHAIN | PERF_PERIOD, 0, 0);
	put_map(&e, 99, 0x10000);
	for (unsigned i = 0; i < 300; i++) {
		const uint64_t *ip = chain[i % 3];
		size_t at = perf_begin_record(&e, 9, 2);
		perf_put(&e, ip[0], 8);
		perf_put(&e, 7, 4);
		perf_put(&e, 7, 4);
		perf_put(&e, 100 + i, 8);
		perf_put(&e, 1, 8);
		perf_put(&e, 5, 8);
		perf_put(&e, (uint64_t)-512, 8);
		for (unsigned j = 0; j < 4; j++)
			perf_put(&e, ip[j], 8);
		perf_end_record(&e, at);
	}
	struct decoded l = perf_decoded(&e);
	ck_assert_msg(l.good, "%s", l.e.text);
	ck_assert_uint_eq(l.p->frames.n_functions, 7);
	ck_assert_int_eq(decoded_row(&l, "samples", "0x10010").self, 100);
	ck_assert_int_eq(decoded_row(&l, "samples", "0x10100").total, 200);
	ck_assert_int_eq(decoded_row(&l, "samples", "0x10200").total, 200);
	ck_assert_int_eq(decoded_row(&l, "samples", "0x10300").total, 300);
	bool said = false;
	for (uint32_t i = 0; i < l.p->n_info; i++)
		said |= !strcmp(names_get(&l.p->names, l.p->info[i].value).at,
				"33.3 % of the samples in programs");
	ck_assert(said);
	decoded_free(&l);
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

UNIT(perfdata)
{
	Suite *s = suite_create("perfdata");
	TCase *c = tcase_create("perfdata");
	tcase_add_loop_test(c, fields_between, 0, 2);
	tcase_add_test(c, constant_period);
	tcase_add_loop_test(c, groups, 0, 2);
	tcase_add_test(c, impossible_size);
	tcase_add_test(c, grows);
	tcase_add_test(c, rounds);
	tcase_add_test(c, many_rounds);
	tcase_add_loop_test(c, equal_times, 0, 10);
	tcase_add_loop_test(c, mapped_anew, 0, 2);
	tcase_add_loop_test(c, callers_outside_code, 0, 2);
	tcase_add_test(c, jit_without_map);
	tcase_add_loop_test(c, maps_overlap, 0, 20);
	tcase_add_test(c, forks);
	suite_add_tcase(s, c);
	return s;
}
