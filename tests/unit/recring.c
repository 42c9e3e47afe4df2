/* The ring of the last records: what is dropped, and what outlives its time. */
#include "src/collect/recring.h"

#include <string.h>

#include "model/base/buf.h"
#include "src/collect/collect.h"
#include "src/collect/record.h"
#include "tests/lib/unit.h"

#define MS 1000000u

/* Sums of the records that the ring writes: samples by their ip, and names. */
struct written {
	uint64_t samples, first_ip, last_ip;
	uint64_t names, names_of_7;
	size_t bytes;
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
	struct perf_event_header h;

	for (size_t at = 0; at < b->len; at += h.size) {
		const void *rec = b->at + at;
		memcpy(&h, rec, sizeof h);
		recring_take(r, rec, now);
	}
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

/* The kernel's record of an end: pid, ppid, tid, ptid, time. */
static void
add_end(struct buf *b, uint32_t pid)
{
	uint32_t ids[4] = {pid, 1, pid, 1};
	uint64_t time = 0;
	size_t at = record_begin(b, PERF_RECORD_EXIT, 0);

	buf_add(b, ids, sizeof ids);
	buf_add(b, &time, sizeof time);
	record_end(b, at);
}

START_TEST(samples_of_the_last_seconds_stay)
{
	struct recring *r = recring_new(1000 * MS);
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
	struct recring *r = recring_new(1000 * MS);
	struct buf b = BUF_INIT;

	record_comm(&b, (struct record_task){7, 7, 0}, "seven", true);
	take_all(r, &b, 1);
	for (uint32_t i = 0; i < 100000; i++) {
		record_comm(&b, (struct record_task){1000 + i, 1000 + i, 0}, "short", true);
		add_end(&b, 1000 + i);
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

START_TEST(a_number_used_again_keeps_its_last_name)
{
	struct recring *r = recring_new(1000 * MS);
	struct buf b = BUF_INIT;

	for (uint32_t i = 0; i < 40000; i++) {
		record_comm(&b, (struct record_task){7, 7, 0}, "seven", true);
		if (i < 39000)
			add_end(&b, 7);
		take_all(r, &b, 1 + (uint64_t)i * MS / 10);
	}
	add_sample(&b, 1);
	take_all(r, &b, 100000u * (uint64_t)MS);
	struct written w = write_ring(r);
	ck_assert_uint_ge(w.names_of_7, 1000);
	ck_assert_uint_le(w.bytes, 2u << 20);
	recring_free(r);
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
	tcase_add_test(cases, a_number_used_again_keeps_its_last_name);
	suite_add_tcase(suite, cases);
	return suite;
}
