/* The ring of the last records: what is dropped, and what outlives its time. */
#include "src/collect/recring.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "model/base/buf.h"
#include "src/collect/cgroup.h"
#include "src/collect/collect.h"
#include "src/collect/record.h"
#include "tests/lib/unit.h"

#define MS 1000000u

/* Sums of the records that the ring writes: samples by their ip, and names. */
struct written {
	uint64_t samples, first_ip, last_ip;
	uint64_t names, names_of_7;
	size_t bytes;
	uint64_t maps, maps_of_7, maps_of_kernel;
	uint64_t groups, first_group, last_group;
	char name_of_7[16]; /* the last one */
	bool seven_before; /* a name of process 7 came before the first sample */
};

static bool
written_take(void *ctx, const struct perf_event_header *h, struct err *e)
{
	struct written *w = ctx;
	struct record_sample s;
	uint32_t pid = 0;

	(void)e;
	w->bytes += h->size;
	if (h->size > sizeof *h)
		memcpy(&pid, h + 1, sizeof pid);
	if (h->type == PERF_RECORD_SAMPLE) {
		memcpy(&s, h, sizeof s);
		w->first_ip = w->samples ? w->first_ip : s.ip;
		w->last_ip = s.ip;
		w->samples++;
	} else if (h->type == PERF_RECORD_COMM) {
		w->names++;
		w->names_of_7 += pid == 7;
		w->seven_before |= pid == 7 && !w->samples;
		if (pid == 7)
			snprintf(w->name_of_7, sizeof w->name_of_7, "%s", (const char *)h + 16);
	} else if (h->type == PERF_RECORD_MMAP2 || h->type == PERF_RECORD_MMAP) {
		w->maps++;
		w->maps_of_7 += pid == 7;
		w->maps_of_kernel += pid == UINT32_MAX;
	} else if (h->type == PERF_RECORD_CGROUP) {
		memcpy(&w->last_group, h + 1, sizeof w->last_group);
		w->first_group = w->groups++ ? w->first_group : w->last_group;
	}
	return true;
}

static struct written
write_ring(const struct recring *r)
{
	struct written w = {0};
	struct err e;

	err_init(&e);
	ck_assert(recring_write(r, &(struct collect_sink){written_take, &w}, &e));
	return w;
}

static void
take_all(struct recring *r, struct buf *b, uint64_t now)
{
	const struct perf_event_header round = {.type = 68, .size = sizeof round};
	struct perf_event_header h;

	for (size_t at = 0; at < b->len; at += h.size) {
		const void *rec = b->at + at;
		memcpy(&h, rec, sizeof h);
		recring_take(r, rec, now);
	}
	recring_take(r, &round, now);
	buf_reset(b);
}

static void
add_sample(struct buf *b, uint64_t ip)
{
	size_t at = record_begin(b, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
	struct record_sample s = {.ip = ip, .pid = 7, .tid = 7, .period = 1};

	buf_add(b, &s.id, sizeof s - sizeof s.header);
	record_end(b, at);
}

/* The kernel's record of a begin or an end: pid, ppid, tid, ptid, time. */
static void
add_task(struct buf *b, uint32_t type, const uint32_t ids[4], uint64_t time)
{
	size_t at = record_begin(b, type, 0);
	struct record_tail tail = {.pid = ids[0], .tid = ids[2], .time = time};

	buf_add(b, ids, 4 * sizeof *ids);
	buf_add(b, &time, sizeof time);
	buf_add(b, &tail, sizeof tail);
	record_end(b, at);
}

static void
add_end(struct buf *b, uint32_t pid, uint32_t tid, uint64_t time)
{
	add_task(b, PERF_RECORD_EXIT, (uint32_t[]){pid, 1, tid, 1}, time);
}

START_TEST(samples_of_the_last_seconds_stay)
{
	struct recring *r = recring_new(1000 * MS, 0);
	struct buf b = BUF_INIT;

	record_comm(&b, (struct record_task){7, 7, 0}, "seven", true);
	take_all(r, &b, 1);
	for (uint64_t i = 0; i < 10000; i++) { /* one a millisecond, for ten seconds */
		add_sample(&b, i);
		record_switch(&b, (struct record_task){7, 7, i}, true);
		take_all(r, &b, 1 + i * MS);
	}
	struct written w = write_ring(r);
	ck_assert_uint_eq(w.last_ip, 9999);
	/* blocks are dropped whole: a thirty-second of the time more or less */
	ck_assert_uint_ge(w.samples, 1000);
	ck_assert_uint_le(w.samples, 1000 + 2 * 1000 / 32 + 2);
	ck_assert_uint_eq(w.first_ip + w.samples - 1, w.last_ip);
	ck_assert_uint_eq(w.samples, recring_samples(r));
	ck_assert_uint_eq(w.names_of_7, 1);
	ck_assert(w.seven_before);
	ck_assert_uint_eq(write_ring(r).samples, w.samples); /* writing changes nothing */
	recring_free(r);
	buf_release(&b);
}
END_TEST

START_TEST(ended_processes_are_forgotten)
{
	struct recring *r = recring_new(1000 * MS, 0);
	struct buf b = BUF_INIT;

	record_comm(&b, (struct record_task){7, 7, 0}, "seven", true);
	take_all(r, &b, 1);
	for (uint32_t i = 0; i < 100000; i++) {
		record_comm(&b, (struct record_task){1000 + i, 1000 + i, 0}, "short", true);
		add_end(&b, 1000 + i, 1000 + i, (uint64_t)i * MS);
		take_all(r, &b, 1 + (uint64_t)i * MS);
	}
	/* 100,000 processes have 13 MB of records */
	struct written w = write_ring(r);
	ck_assert_uint_le(w.bytes, 2u << 20);
	ck_assert_uint_eq(w.names_of_7, 1);
	ck_assert_uint_ge(w.names, 1000);
	recring_free(r);
	buf_release(&b);
}
END_TEST

START_TEST(a_number_used_again_has_its_last_name)
{
	struct recring *r = recring_new(1000 * MS, 0);
	struct buf b = BUF_INIT;
	char name[16];

	for (uint32_t i = 0; i < 40000; i++) {
		snprintf(name, sizeof name, "seven%u", i);
		record_comm(&b, (struct record_task){7, 7, 0}, name, true);
		if (i < 39000)
			add_end(&b, 7, 7, 0);
		take_all(r, &b, 1 + (uint64_t)i * MS / 10);
	}
	add_sample(&b, 1);
	take_all(r, &b, 100000u * (uint64_t)MS);
	struct written w = write_ring(r);
	ck_assert_uint_eq(w.names_of_7, 1);
	ck_assert_str_eq(w.name_of_7, "seven39999");
	recring_free(r);
	buf_release(&b);
}
END_TEST

static void
add_fork(struct buf *b, uint32_t pid, uint32_t ppid, uint32_t tid, uint32_t ptid, uint64_t time)
{
	add_task(b, PERF_RECORD_FORK, (uint32_t[]){pid, ppid, tid, ptid}, time);
}

static void
add_map(struct buf *b, uint32_t pid, uint64_t start, uint64_t time, const char *path)
{
	struct record_map m = {.start = start, .len = 4096, .prot = 4, .path = path};

	record_mmap(b, (struct record_task){pid, pid, time}, &m);
}

/* Lets the ring drop all that came before, and forget what had ended then. */
static struct written
after_its_time(struct recring *r, struct buf *b, uint64_t now)
{
	for (unsigned i = 1; i <= 3; i++) {
		uint64_t at = now + i * 5000 * (uint64_t)MS;
		record_comm(b, (struct record_task){9, 9, at}, "nine", false);
		take_all(r, b, at);
	}
	return write_ring(r);
}

START_TEST(a_child_has_the_maps_of_a_parent_that_ended)
{
	struct recring *r = recring_new(1000 * MS, 0);
	struct buf b = BUF_INIT;

	/* the other CPU's records arrive first */
	add_map(&b, 6, 0x9000, 5, "/bin/later");
	add_end(&b, 6, 6, 6);
	record_comm(&b, (struct record_task){6, 6, 1}, "parent", true);
	add_map(&b, 6, 0x1000, 2, "/bin/first");
	add_map(&b, 6, 0x5000, 2, "/bin/second");
	add_map(&b, 6, 0x1000, 3, "/bin/instead"); /* of the first */
	add_fork(&b, 7, 6, 7, 6, 4);
	take_all(r, &b, 1);
	struct written w = after_its_time(r, &b, 1);
	ck_assert_uint_eq(w.names_of_7, 1);
	ck_assert_str_eq(w.name_of_7, "parent");
	ck_assert_uint_eq(w.maps, 2);
	ck_assert_uint_eq(w.maps_of_7, 2);
	/* another program */
	uint64_t now = 20000 * (uint64_t)MS;
	record_comm(&b, (struct record_task){7, 7, now}, "child", true);
	add_map(&b, 7, 0x2000, now, "/bin/child");
	take_all(r, &b, now);
	w = after_its_time(r, &b, now);
	ck_assert_str_eq(w.name_of_7, "child");
	ck_assert_uint_eq(w.maps_of_7, 1);
	recring_free(r);
	buf_release(&b);
}
END_TEST

START_TEST(threads_that_ended_are_forgotten)
{
	struct recring *r = recring_new(1000 * MS, 0);
	struct buf b = BUF_INIT;
	uint64_t now = 1;

	record_comm(&b, (struct record_task){7, 7, 0}, "seven", true);
	for (uint32_t i = 0; i < 100000; i++) {
		now = 1 + (uint64_t)i * MS;
		add_fork(&b, 7, 7, 1000 + i, 7, now);
		record_comm(&b, (struct record_task){7, 1000 + i, now}, "worker", false);
		add_end(&b, 7, 1000 + i, now);
		take_all(r, &b, now);
	}
	/* numbers of a thread may come after its end, so the last seconds' are kept */
	struct written w = write_ring(r);
	ck_assert_uint_ge(w.names_of_7, 3000);
	ck_assert_uint_le(w.names_of_7, 6000);
	w = after_its_time(r, &b, now);
	ck_assert_uint_eq(w.names_of_7, 1);
	ck_assert_uint_le(w.bytes, 4096);
	recring_free(r);
	buf_release(&b);
}
END_TEST

/* main() may end its thread alone; the process lives as long as its last one. */
START_TEST(a_process_outlives_its_first_thread)
{
	struct recring *r = recring_new(1000 * MS, 0);
	struct buf b = BUF_INIT;
	uint64_t now = 30000 * (uint64_t)MS;

	record_comm(&b, (struct record_task){7, 7, 1}, "first", true);
	add_map(&b, 7, 0x1000, 2, "/bin/program");
	add_fork(&b, 7, 7, 8, 7, 3);
	add_fork(&b, 7, 7, 10, 7, 3);
	add_end(&b, 7, 7, 4);
	take_all(r, &b, 1);
	struct written w = after_its_time(r, &b, 1);
	ck_assert_uint_eq(w.maps_of_7, 1);
	ck_assert_uint_eq(w.names_of_7, 3); /* the first one is the name of the process, too */
	add_end(&b, 7, 8, now);
	take_all(r, &b, now);
	w = after_its_time(r, &b, now);
	ck_assert_uint_eq(w.maps_of_7, 1);
	ck_assert_uint_eq(w.names_of_7, 2);
	now *= 2;
	add_end(&b, 7, 10, now);
	take_all(r, &b, now);
	w = after_its_time(r, &b, now);
	ck_assert_uint_eq(w.maps_of_7, 0);
	ck_assert_uint_eq(w.names_of_7, 0);
	recring_free(r);
	buf_release(&b);
}
END_TEST

/* A thread that begins a program gets the number of the first one, and has no end of its own. */
START_TEST(a_program_ends_all_other_threads)
{
	struct recring *r = recring_new(1000 * MS, 0);
	struct buf b = BUF_INIT;
	uint64_t now = 30000 * (uint64_t)MS;

	record_comm(&b, (struct record_task){7, 7, 1}, "first", true);
	add_fork(&b, 7, 7, 8, 7, 3);
	add_end(&b, 7, 7, 4);
	record_comm(&b, (struct record_task){7, 7, 5}, "program", true);
	add_map(&b, 7, 0x1000, 6, "/bin/program");
	take_all(r, &b, 1);
	struct written w = after_its_time(r, &b, 1);
	ck_assert_uint_eq(w.maps_of_7, 1);
	ck_assert_uint_eq(w.names_of_7, 1);
	ck_assert_str_eq(w.name_of_7, "program");
	add_end(&b, 7, 7, now);
	take_all(r, &b, now);
	w = after_its_time(r, &b, now);
	ck_assert_uint_eq(w.maps_of_7, 0);
	ck_assert_uint_eq(w.names_of_7, 0);
	recring_free(r);
	buf_release(&b);
}
END_TEST

/* A host makes a control group for each job; the kernel and its modules are as before. */
START_TEST(old_control_groups_are_forgotten)
{
	struct recring *r = recring_new(1000 * MS, 0);
	struct buf b = BUF_INIT;
	char path[64];
	struct buf top = BUF_INIT;

	add_map(&b, UINT32_MAX, 0xffffffff81000000, 0, "[kernel.kallsyms]_text");
	add_map(&b, UINT32_MAX, 0xffffffffc0000000, 0, "module");
	record_cgroup(&b, 0, "/"); /* which lives, as far as the system says that */
	for (uint64_t i = 1; i <= 200000; i++) {
		snprintf(path, sizeof path, "/jobs/%lu", (unsigned long)i);
		record_cgroup(&b, i, path);
		if (i == 100)
			add_map(&b, UINT32_MAX, 0xffffffffc0010000, i, "later");
		if (i % 100 == 0)
			take_all(r, &b, 1 + i * MS);
	}
	struct written w = after_its_time(r, &b, 200000 * (uint64_t)MS);
	ck_assert_uint_eq(w.maps_of_kernel, 3);
	ck_assert_uint_eq(w.last_group, 200000);
	if (cgroup_top(&top))
		ck_assert_uint_eq(w.first_group, 0);
	buf_release(&top);
	ck_assert_uint_ge(w.groups, 20000);
	ck_assert_uint_le(w.bytes, 4u << 20); /* all have 13 MB */
	recring_free(r);
	buf_release(&b);
}
END_TEST

START_TEST(a_map_replaces_those_inside_it)
{
	struct recring *r = recring_new(1000 * MS, 0);
	struct buf b = BUF_INIT;
	struct record_map over = {.start = 0x100000, .len = 0x3000, .prot = 4, .path = "/over"};

	add_map(&b, 7, 0x0ff000, 1, "/before");
	add_map(&b, 7, 0x103000, 1, "/after");
	for (unsigned i = 0; i < 3; i++)
		add_map(&b, 7, 0x100000 + i * 0x1000, 1, "/inside");
	record_mmap(&b, (struct record_task){7, 7, 2}, &over);
	take_all(r, &b, 1);
	struct written w = after_its_time(r, &b, 1);
	ck_assert_uint_eq(w.maps_of_7, 3);
	/* one that begins before its end is none of them */
	over.start = 0x0ff800;
	over.len = 0x800 + 0x3000 + 0x800;
	record_mmap(&b, (struct record_task){7, 7, 20000 * (uint64_t)MS}, &over);
	take_all(r, &b, 20000 * (uint64_t)MS);
	w = after_its_time(r, &b, 20000 * (uint64_t)MS);
	ck_assert_uint_eq(w.maps_of_7, 3);
	recring_free(r);
	buf_release(&b);
}
END_TEST

START_TEST(large_records_shorten_the_time)
{
	struct recring *r = recring_new(1000 * MS, 20000);
	struct buf b = BUF_INIT;

	for (uint64_t i = 0; i < 1000; i++) {
		add_sample(&b, i);
		take_all(r, &b, 1 + i * MS);
	}
	struct written w = write_ring(r);
	ck_assert_uint_eq(w.last_ip, 999);
	ck_assert_uint_le(w.bytes, 20000 + 8);
	ck_assert_uint_ge(w.bytes, 20000 - 40 * 64);
	recring_free(r);
	buf_release(&b);
}
END_TEST

/* Samples of one second, of a day that may be kept. */
START_TEST(a_long_time_is_kept_up_to_its_bytes)
{
	const uint64_t day = 86400000 * (uint64_t)MS;
	struct recring *r = recring_new(day, 20000);
	struct buf b = BUF_INIT;

	for (uint64_t i = 0; i < 1000; i++) {
		add_sample(&b, i);
		take_all(r, &b, 1 + i * MS);
	}
	struct written w = write_ring(r);
	ck_assert_uint_eq(w.last_ip, 999);
	ck_assert_uint_le(w.bytes, 20000 + 8);
	ck_assert_uint_ge(w.bytes, 20000 - 2 * 20000 / 32);
	/* from the first of them, or the end of the round before */
	ck_assert_uint_ge(recring_span(r, 1 + 1000 * MS), (1000 - w.first_ip) * MS);
	ck_assert_uint_le(recring_span(r, 1 + 1000 * MS), (1001 - w.first_ip) * MS);
	ck_assert_uint_eq(recring_samples(r), w.samples);
	recring_free(r);
	buf_release(&b);
}
END_TEST

static void *
stay(void *arg)
{
	pause();
	return arg;
}

/* The first thread of a process may have ended before the recording: it has no maps then. */
START_TEST(maps_are_those_of_a_thread_that_lives)
{
	struct buf b = BUF_INIT;
	struct perf_event_header h;
	unsigned maps = 0;
	pthread_t thread;
	int ends[2];
	char byte;

	ck_assert_int_eq(pipe(ends), 0);
	pid_t pid = fork();
	if (!pid) {
		pthread_create(&thread, NULL, stay, NULL);
		close(ends[0]);
		if (write(ends[1], "", 1) != 1)
			_exit(1);
		pthread_exit(NULL);
	}
	close(ends[1]);
	ck_assert_int_eq(read(ends[0], &byte, 1), 1);
	usleep(200000); /* it ends now */
	ck_assert(record_process(&b, (struct record_task){(uint32_t)pid, (uint32_t)pid, 0}, NULL,
				 NULL));
	for (size_t at = 0; at < b.len; at += h.size) {
		memcpy(&h, b.at + at, sizeof h);
		maps += h.type == PERF_RECORD_MMAP2;
	}
	ck_assert_uint_ge(maps, 2);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	close(ends[0]);
	buf_release(&b);
}
END_TEST

UNIT(recring)
{
	Suite *suite = suite_create("recring");
	TCase *cases = tcase_create("recring");

	tcase_set_timeout(cases, 60);
	tcase_add_test(cases, samples_of_the_last_seconds_stay);
	tcase_add_test(cases, ended_processes_are_forgotten);
	tcase_add_test(cases, a_number_used_again_has_its_last_name);
	tcase_add_test(cases, a_child_has_the_maps_of_a_parent_that_ended);
	tcase_add_test(cases, threads_that_ended_are_forgotten);
	tcase_add_test(cases, a_process_outlives_its_first_thread);
	tcase_add_test(cases, a_program_ends_all_other_threads);
	tcase_add_test(cases, old_control_groups_are_forgotten);
	tcase_add_test(cases, a_map_replaces_those_inside_it);
	tcase_add_test(cases, large_records_shorten_the_time);
	tcase_add_test(cases, a_long_time_is_kept_up_to_its_bytes);
	tcase_add_test(cases, maps_are_those_of_a_thread_that_lives);
	suite_add_tcase(suite, cases);
	return suite;
}
