#include <check.h>
#include <stdlib.h>

#include "model/base/mem.h"
#include "src/decode/common/timed.h"
#include "tests/lib/unit.h"

/* Events by chance, in several orders, come back in the order that qsort() makes of them: in
 * blocks of processors, all at once, backwards, and with times at the limits. */

#define EVENTS 20000u
#define ORDERS 5

struct expected_event {
	int64_t time_ns;
	size_t place;
	uint32_t number[TIMED_NUMBERS];
};

static uint64_t
chance(uint64_t *state, uint64_t below)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return (*state >> 33) % below;
}

static int
compare_events(const void *a, const void *b)
{
	const struct expected_event *x = a, *y = b;

	if (x->time_ns != y->time_ns)
		return x->time_ns < y->time_ns ? -1 : 1;
	return x->place < y->place ? -1 : 1;
}

static int64_t
time_by_chance(int order, size_t i, uint64_t *state)
{
	switch (order) {
	case 0: /* in order, some at the same time */
		return (int64_t)(i / 3);
	case 1: /* blocks of four processors */
		return (int64_t)((i / 1200 * 300 + i % 300) * 10 + chance(state, 10));
	case 2: /* backwards */
		return 5 - (int64_t)i;
	case 3: /* few times */
		return (int64_t)chance(state, 20);
	}
	return chance(state, 2) ? INT64_MIN + (int64_t)chance(state, 9)
				: INT64_MAX - (int64_t)chance(state, 9);
}

START_TEST(events_come_in_order)
{
	struct timed_list t = {0};
	struct timed_reader r;
	struct expected_event *want = mem_alloc(EVENTS, sizeof *want);
	uint64_t state = 7;
	uint32_t number[TIMED_NUMBERS];
	int64_t time_ns;

	for (size_t i = 0; i < EVENTS; i++) {
		want[i] = (struct expected_event){
			.time_ns = time_by_chance(_i, i, &state),
			.place = i,
			.number = {(uint32_t)chance(&state, 300),
				   chance(&state, 9) ? 1 : UINT32_MAX,
				   (uint32_t)chance(&state, 1u << chance(&state, 31))},
		};
		timed_add(&t, want[i].time_ns, want[i].number);
	}
	qsort(want, EVENTS, sizeof *want, compare_events);
	timed_read(&r, &t);
	for (size_t i = 0; i < EVENTS; i++) {
		ck_assert(timed_next(&r, &time_ns, number));
		ck_assert_int_eq(time_ns, want[i].time_ns);
		for (int k = 0; k < TIMED_NUMBERS; k++)
			ck_assert_uint_eq(number[k], want[i].number[k]);
	}
	ck_assert(!timed_next(&r, &time_ns, number));
	timed_read_end(&r);
	timed_release(&t);
	free(want);
}
END_TEST

START_TEST(an_empty_list_has_no_event)
{
	struct timed_list t = {0};
	struct timed_reader r;
	uint32_t number[TIMED_NUMBERS];
	int64_t time_ns;

	timed_read(&r, &t);
	ck_assert(!timed_next(&r, &time_ns, number));
	timed_read_end(&r);
}
END_TEST

UNIT(timed)
{
	Suite *s = suite_create("timed");
	TCase *t = tcase_create("timed");

	tcase_add_loop_test(t, events_come_in_order, 0, ORDERS);
	tcase_add_test(t, an_empty_list_has_no_event);
	suite_add_tcase(s, t);
	return s;
}
