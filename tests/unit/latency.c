/* Slow calls by samples of probes: in any order of arrival, recursive, left without a return. */
#include "src/collect/latency.h"

#include <string.h>

#include "src/collect/eventlist.h"
#include "src/collect/record.h"
#include "tests/lib/unit.h"

#define LIMIT 1000u

enum { BEGINS = 1, RETURNS, OTHER, ELSE_BEGINS, ELSE_RETURNS };

static struct eventlist list;

static struct latency *
latency_of_two(void)
{
	struct latency *l = latency_new(LIMIT);

	for (uint64_t id = BEGINS; id <= ELSE_RETURNS; id++) {
		struct collect_event *v = eventlist_push(&list);
		*vec_push(&v->ids) = id;
	}
	latency_add(l, &list.at.at[0], &list.at.at[1]);
	latency_add(l, &list.at.at[3], &list.at.at[4]);
	return l;
}

static void
latency_done(struct latency *l)
{
	latency_free(l);
	eventlist_release(&list);
}

/* Times before the first round's end, which is the monotonic clock's. */
static void
latency_sample(struct latency *l, uint64_t id, uint32_t tid, uint64_t time)
{
	struct record_sample s = {.id = id, .tid = tid, .time = time};

	s.header = (struct perf_event_header){.type = PERF_RECORD_SAMPLE, .size = sizeof s};
	latency_take(l, &s.header);
}

static void
latency_round(struct latency *l)
{
	const struct perf_event_header round = {.type = 68, .size = sizeof round};

	latency_take(l, &round);
}

static bool
latency_after_rounds(struct latency *l)
{
	latency_round(l);
	latency_round(l);
	return latency_took(l);
}

START_TEST(returns)
{
	struct latency *l = latency_of_two();

	latency_round(l);
	uint64_t t = record_now();
	latency_sample(l, BEGINS, 7, t - 10 * LIMIT);
	latency_sample(l, RETURNS, 7, t - 9 * LIMIT); /* not longer */
	ck_assert(!latency_after_rounds(l));
	latency_sample(l, RETURNS, 7, t - 5 * LIMIT + 1); /* arrives before its begin */
	latency_sample(l, BEGINS, 7, t - 6 * LIMIT);
	ck_assert(latency_after_rounds(l));
	ck_assert(!latency_took(l));
	/* of another thread, of another event, of no begin */
	latency_sample(l, BEGINS, 7, t - 4 * LIMIT);
	latency_sample(l, RETURNS, 8, t - 2 * LIMIT);
	latency_sample(l, OTHER, 7, t - 2 * LIMIT);
	latency_sample(l, RETURNS, 7, t - 4 * LIMIT + 1);
	latency_sample(l, RETURNS, 7, t - LIMIT);
	ck_assert(!latency_after_rounds(l));
	/* its return may be lost */
	const struct perf_event_header lost = {.type = PERF_RECORD_LOST, .size = sizeof lost};
	latency_sample(l, BEGINS, 7, t - 4 * LIMIT);
	latency_take(l, &lost);
	ck_assert(!latency_after_rounds(l));
	latency_done(l);
}
END_TEST

START_TEST(still_runs)
{
	struct latency *l = latency_of_two();

	latency_sample(l, BEGINS, 7, record_now() - 10 * LIMIT);
	latency_round(l);
	ck_assert(!latency_took(l)); /* its return may still arrive */
	latency_round(l);
	ck_assert(latency_took(l));
	latency_round(l);
	ck_assert(!latency_took(l)); /* once */
	latency_sample(l, RETURNS, 7, record_now());
	ck_assert(!latency_after_rounds(l));
	/* a thread that ended */
	struct {
		struct perf_event_header header;
		uint32_t id[4];
		uint64_t time;
	} gone = {{.type = PERF_RECORD_EXIT, .size = sizeof gone}, {7, 1, 7, 1}, 0};
	latency_sample(l, BEGINS, 7, record_now());
	latency_round(l);
	latency_round(l);
	latency_took(l);
	latency_take(l, &gone.header);
	ck_assert(!latency_after_rounds(l));
	latency_done(l);
}
END_TEST

/* A call inside of another one, and one that was left by an exception. */
START_TEST(nested)
{
	struct latency *l = latency_of_two();
	uint64_t t = record_now() - 100 * LIMIT;

	latency_sample(l, BEGINS, 7, t);
	latency_sample(l, ELSE_BEGINS, 7, t + 1);
	latency_sample(l, BEGINS, 7, t + 2);
	latency_sample(l, RETURNS, 7, t + 3);
	latency_sample(l, RETURNS, 7, t + 4); /* ELSE ended without a return */
	latency_sample(l, ELSE_RETURNS, 7, t + 50 * LIMIT);
	ck_assert(!latency_after_rounds(l));
	for (unsigned i = 0; i < 1000; i++) /* deeper than the stack */
		latency_sample(l, BEGINS, 7, t + 60 * LIMIT + i / 10);
	for (unsigned i = 0; i < 1000; i++)
		latency_sample(l, RETURNS, 7, t + 60 * LIMIT + 200 + i / 10);
	ck_assert(!latency_after_rounds(l));
	latency_done(l);
}
END_TEST

START_TEST(short_records)
{
	struct latency *l = latency_of_two();
	struct record_sample s = {.id = BEGINS};

	for (uint16_t size = sizeof s.header; size < sizeof s; size++)
		for (uint32_t type = 1; type < 70; type++) {
			s.header = (struct perf_event_header){.type = type, .size = size};
			latency_take(l, &s.header);
		}
	ck_assert(!latency_took(l));
	latency_done(l);
}
END_TEST

UNIT(latency)
{
	Suite *suite = suite_create("latency");
	TCase *cases = tcase_create("latency");

	tcase_add_test(cases, returns);
	tcase_add_test(cases, still_runs);
	tcase_add_test(cases, nested);
	tcase_add_test(cases, short_records);
	suite_add_tcase(suite, cases);
	return suite;
}
