/* Data derived from records: hits of functions and areas, the layout of samples, the perf.data
 * file. The records are written by hand here, after linux/perf_event.h. */
#include "src/collect/buildid.h"
#include "src/collect/eventlist.h"
#include "src/collect/hits.h"
#include "src/collect/perfwriter.h"
#include "src/collect/record.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/command/record/profile_options.h"
#include "src/decode/perf/event_names.h"
#include "tests/lib/unit.h"

#define MS 1000000u

static const struct perf_event_header *
first(const struct buf *b)
{
	const void *at = b->at;
	return at;
}

static void
take(struct hits *h, struct buf *b)
{
	struct err e;
	err_init(&e);
	ck_assert_uint_eq(first(b)->size, b->len);
	ck_assert_uint_eq(b->len % 8, 0);
	ck_assert(hits_take(h, first(b), &e));
	buf_reset(b);
}

static void
map(struct hits *h, uint32_t pid, uint64_t time, uint64_t start, const char *path)
{
	struct buf b = BUF_INIT;
	struct record_map m = {
		.start = start, .len = 0x1000, .prot = PROT_EXEC, .path = path};
	record_mmap(&b, (struct record_task){pid, pid, time}, &m);
	take(h, &b);
	buf_release(&b);
}

static void
hit(struct hits *h, uint32_t pid, uint64_t time, uint64_t ip, uint64_t period)
{
	struct buf b = BUF_INIT;
	size_t at = record_begin(&b, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
	struct record_sample s = {
		.ip = ip, .pid = pid, .tid = pid, .time = time, .period = period};
	buf_add(&b, &s.id, sizeof s - sizeof s.header);
	record_end(&b, at);
	take(h, &b);
	buf_release(&b);
}

static uint64_t
hits_of(const struct hits *h, const char *name)
{
	for (size_t i = 0; i < h->areas.n; i++)
		if (!strcmp(h->areas.at[i].name, name))
			return h->areas.at[i].hits;
	return 0;
}

/* A sample belongs to the mapping at its time, in any order of the records. */
START_TEST(areas_follow_maps_forks_and_execs)
{
	struct functions f = {0};
	struct hits *h = hits_new("/program", &f, MS);
	struct buf b = BUF_INIT;

	/* a round's end is nothing but a header */
	size_t at = record_begin(&b, 68, 0);
	record_end(&b, at);
	take(h, &b);
	hit(h, 1, 50, 0x1010, MS);
	map(h, 1, 10, 0x1000, "/lib/libone.so");
	map(h, 1, 60, 0x1000, "/lib/libtwo.so");
	hit(h, 1, 70, 0x1010, 3 * MS);
	record_fork(&b, (struct record_task){2, 2, 80}, 1, 1);
	take(h, &b);
	hit(h, 2, 90, 0x1010, MS);
	record_comm(&b, (struct record_task){2, 2, 100}, "other", true);
	take(h, &b);
	hit(h, 2, 110, 0x1010, MS);
	map(h, 2, 120, 0x9000, "//anon");
	hit(h, 2, 130, 0x9fff, MS);
	hit(h, 2, 140, 0xa000, MS);
	hits_count(h);
	ck_assert_uint_eq(hits_of(h, "[libone.so]"), 1);
	ck_assert_uint_eq(hits_of(h, "[libtwo.so]"), 4);
	ck_assert_uint_eq(hits_of(h, "[anonymous memory]"), 1);
	ck_assert_uint_eq(hits_of(h, "[unknown]"), 2);
	ck_assert_uint_eq(h->total, 8);
	/* the next run begins with no maps */
	hit(h, 1, 150, 0x1010, MS);
	hits_count(h);
	ck_assert_uint_eq(hits_of(h, "[unknown]"), 3);
	buf_release(&b);
	hits_free(h);
}
END_TEST

START_TEST(functions_end_where_they_end)
{
	struct functions f = {0};
	*vec_push(&f.at) = (struct function_place){0x100, 0x110, "sized", 0};
	*vec_push(&f.at) = (struct function_place){0x200, 0x200, "open", 0};
	ck_assert_ptr_null(functions_find(&f, 0xff));
	ck_assert_str_eq(functions_find(&f, 0x10f)->name, "sized");
	ck_assert_ptr_null(functions_find(&f, 0x110));
	ck_assert_str_eq(functions_find(&f, 0x5000)->name, "open");
	vec_release(&f.at);
}
END_TEST

/* The unused part of a copied stack is removed; the used part stays, with its size. */
START_TEST(copies_of_stacks_are_trimmed)
{
	struct perf_event_attr attr = {
		.sample_type = RECORD_SAMPLE_TYPE | PERF_SAMPLE_CALLCHAIN |
			       PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER,
		.sample_regs_user = 3,
		.sample_stack_user = 64,
	};
	struct buf b = BUF_INIT;
	size_t at = record_begin(&b, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
	struct record_sample s = {.ip = 1};
	uint64_t rest[] = {1, 7, PERF_SAMPLE_REGS_ABI_64, 1, 2, 64};
	uint64_t stack[8] = {11, 12, 13}, used = 20, got[4];
	buf_add(&b, &s.id, sizeof s - sizeof s.header);
	buf_add(&b, rest, sizeof rest);
	buf_add(&b, stack, sizeof stack);
	buf_add(&b, &used, sizeof used);
	record_end(&b, at);
	size_t whole = b.len;
	void *rec = b.at;
	record_trim(rec, &attr);
	ck_assert_uint_eq(first(&b)->size, whole - 40);
	memcpy(got, b.at + first(&b)->size - 32, sizeof got);
	ck_assert_uint_eq(got[0], 11);
	ck_assert_uint_eq(got[1], 12);
	ck_assert_uint_eq(got[2], 13);
	ck_assert_uint_eq(got[3], 20);
	memcpy(got, b.at + first(&b)->size - 40, 8);
	ck_assert_uint_eq(got[0], 24);
	buf_release(&b);
}
END_TEST

static uint64_t
u64_at(FILE *f, long at)
{
	uint64_t v = 0;
	ck_assert_int_eq(fseek(f, at, SEEK_SET), 0);
	ck_assert_uint_eq(fread(&v, sizeof v, 1, f), 1);
	return v;
}

/* perf.data-file-format.txt: the header's fields, and a size of 0 until the end. */
/* Copies bytes of a file to another one; returns its inode. */
static uint64_t
copy_file(const char *from, const char *to)
{
	char part[65536];
	struct stat st;
	FILE *in = fopen(from, "re"), *out = fopen(to, "we");
	ck_assert(in && out);
	for (size_t n; (n = fread(part, 1, sizeof part, in)) > 0;)
		ck_assert_uint_eq(fwrite(part, 1, n, out), n);
	fclose(in);
	ck_assert_int_eq(fstat(fileno(out), &st), 0);
	fclose(out);
	return st.st_ino;
}

/* Two processes map one file: it is read for the first.  The second one's link to it leads
 * nowhere, and it still has the id. */
START_TEST(build_ids_are_read_once)
{
	char path[] = "/tmp/pnav-buildid-XXXXXX";
	uint8_t first[BUILDID_MAX] = {1}, second[BUILDID_MAX] = {2}, third[BUILDID_MAX];
	int fd = mkstemp(path);
	ck_assert_int_ge(fd, 0);
	close(fd);
	struct buildid_file file = {.inode = copy_file("/proc/self/exe", path), .path = path};
	struct buildids *ids = buildids_new();
	const char *reach = path;
	size_t len, again;
	ck_assert(buildids_get(ids, &file, &reach, 1, NULL, first, &len));
	unlink(path);
	ck_assert(buildids_get(ids, &file, &reach, 1, NULL, second, &again));
	ck_assert_uint_eq(again, len);
	ck_assert_mem_eq(first, second, len);
	ck_assert(!buildids_get(NULL, &file, &reach, 1, NULL, third, &again));
	ck_assert_uint_eq(again, 0);
	/* the inode of another subvolume */
	file.path = "/nowhere/else";
	ck_assert(!buildids_get(ids, &file, &file.path, 1, NULL, third, &again));
	buildids_free(ids);
	/* whether there is one is the linker's choice; this project's links have it */
	if (!len)
		fprintf(stderr, "this program has no build id\n");
}
END_TEST

START_TEST(file_is_complete_at_its_end)
{
	struct eventlist events = {VEC_INIT};
	const struct perf_event_attr attr = {.size = sizeof attr};
	const struct perf_event_header round = {.type = 68, .size = 8};
	char program[] = "program";
	char *line[] = {program, NULL};
	FILE *f = tmpfile();
	struct err e;
	err_init(&e);
	ck_assert(eventlist_add(&events, "task-clock,LLC-load-misses:u", &e));
	*vec_push(&events.at.at[1].ids) = 4711;
	struct perfwriter *w = perfwriter_new(fileno(f), &events, line,
					      (struct perfwriter_how){0});
	ck_assert(perfwriter_take(w, &round, &e));
	ck_assert(perfwriter_flush(w, &e));
	ck_assert_uint_eq(u64_at(f, 8), 104);
	ck_assert_uint_eq(u64_at(f, 16), sizeof attr + 16);
	ck_assert_uint_eq(u64_at(f, 48), 0);
	/* until then the features are records: type 80, the first is the host name, 3 */
	uint64_t entries = 2 * (sizeof attr + 16), front = 104 + entries + 8;
	ck_assert_uint_eq(u64_at(f, 32), entries);
	/* the second event: cache 2, read, miss; its id follows both entries */
	long second = 104 + (long)sizeof attr + 16;
	ck_assert_uint_eq((uint32_t)u64_at(f, second), PERF_TYPE_HW_CACHE);
	ck_assert_uint_eq(u64_at(f, second + 8), 0x10002);
	ck_assert_uint_eq(u64_at(f, second + (long)sizeof attr), 104 + entries);
	ck_assert_uint_eq(u64_at(f, second + (long)sizeof attr + 8), 8);
	ck_assert_uint_eq(u64_at(f, 104 + (long)entries), 4711);
	ck_assert_uint_eq(u64_at(f, 40), front);
	ck_assert_uint_eq((uint32_t)u64_at(f, (long)front), 80);
	ck_assert_uint_eq(u64_at(f, (long)front + 8), 3);
	ck_assert(perfwriter_finish(w, &e));
	fflush(f);
	uint64_t data = u64_at(f, 40);
	ck_assert_uint_gt(data, front);
	ck_assert_uint_eq(data % 8, 0);
	ck_assert_uint_eq(u64_at(f, 48), 8);
	ck_assert_uint_eq(u64_at(f, (long)data), 68 | 8ull << 48);
	/* host name, release, version, machine, CPUs, command line, events, time of day */
	ck_assert_uint_eq(u64_at(f, 72), 0x200018f8);
	ck_assert_uint_eq(u64_at(f, (long)data + 8), data + 8 + 8 * 16);
	perfwriter_free(w);
	eventlist_release(&events);
	fclose(f);
}
END_TEST

/* perf-list(1): names both ways, other names, endings. */
START_TEST(events_have_names)
{
	static const struct {
		const char *name, *called;
		uint32_t type;
		uint64_t config;
	} known[] = {
		{"cycles", "cycles", 0, 0},
		{"cpu-cycles", "cycles", 0, 0},
		{"ref-cycles", "ref-cycles", 0, 9},
		{"cpu-clock", "cpu-clock", 1, 0},
		{"cs", "context-switches", 1, 3},
		{"faults", "page-faults", 1, 2},
		{"L1-dcache-loads", "L1-dcache-loads", 3, 0},
		{"L1-dcache-load-misses", "L1-dcache-load-misses", 3, 0x10000},
		{"dTLB-store-misses", "dTLB-store-misses", 3, 0x10103},
		{"node-prefetches", "node-prefetches", 3, 0x206},
		{"r1a2", "raw 0x1a2", 4, 0x1a2},
	};
	struct buf text = BUF_INIT;

	for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
		uint32_t type = 99;
		uint64_t config = 99;
		ck_assert_msg(event_named(known[i].name, strlen(known[i].name), &type, &config),
			      "%s", known[i].name);
		ck_assert_uint_eq(type, known[i].type);
		ck_assert_uint_eq(config, known[i].config);
		buf_reset(&text);
		event_name(&text, type, config);
		ck_assert_str_eq(buf_str(&text), known[i].called);
	}
	buf_release(&text);
}
END_TEST

START_TEST(events_have_endings)
{
	static const char *const bad[] = {"",          "cycles,",  ",cycles", "rxyz", "r",
					  "cycles:uz", "a:../../b", "cycles:u:k"};
	struct eventlist l = {VEC_INIT};
	struct err e;

	err_init(&e);
	ck_assert(eventlist_add(&l, "cycles:u,branches:k,faults:ukpp", &e));
	ck_assert_uint_eq(l.at.n, 3);
	ck_assert(!l.at.at[0].attr.exclude_user && l.at.at[0].attr.exclude_kernel);
	ck_assert(l.at.at[1].attr.exclude_user && !l.at.at[1].attr.exclude_kernel);
	ck_assert(!l.at.at[2].attr.exclude_user && !l.at.at[2].attr.exclude_kernel);
	ck_assert_uint_eq(l.at.at[2].attr.precise_ip, 2);
	ck_assert_str_eq(l.at.at[1].name, "branches:k");
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		err_init(&e);
		ck_assert_msg(!eventlist_add(&l, bad[i], &e), "'%s'", bad[i]);
		ck_assert_int_eq(e.class, ERR_USAGE);
	}
	eventlist_release(&l);
}
END_TEST

START_TEST(options_stand_together)
{
	char words[][16] = {"profile", "-ad", "-0#3", "-mx.map", "-o",
			    "-",       "-I",  "a",    "cmd",     "-n"};
	char *argv[11] = {NULL};
	struct profile_options o;
	struct err e;
	err_init(&e);
	for (int i = 0; i < 10; i++)
		argv[i] = words[i];
	profile_options_init(&o);
	ck_assert(profile_options_read(&o, 10, argv, &e));
	ck_assert(o.by_address && o.areas && o.zero && !o.by_name && !o.intrinsics);
	ck_assert_uint_eq(o.runs, 3);
	ck_assert_str_eq(o.map, "x.map");
	ck_assert_str_eq(o.out, "-");
	ck_assert_uint_eq(o.filter.entries.n, 1);
	ck_assert_ptr_eq(o.argv, argv + 8);
	profile_options_release(&o);
}
END_TEST

UNIT(collect)
{
	Suite *suite = suite_create("collect");
	TCase *cases = tcase_create("collect");

	tcase_set_timeout(cases, 60);
	tcase_add_test(cases, areas_follow_maps_forks_and_execs);
	tcase_add_test(cases, functions_end_where_they_end);
	tcase_add_test(cases, copies_of_stacks_are_trimmed);
	tcase_add_test(cases, build_ids_are_read_once);
	tcase_add_test(cases, file_is_complete_at_its_end);
	tcase_add_test(cases, events_have_names);
	tcase_add_test(cases, events_have_endings);
	tcase_add_test(cases, options_stand_together);
	suite_add_tcase(suite, cases);
	return suite;
}
