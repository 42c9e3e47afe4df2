/* work.c - works and the lock of the data that they read: no work rests or runs without it. */
#include "ui/part/work.h"

#include <check.h>
#include <stdlib.h>

#include "model/base/mem.h"
#include "tests/lib/unit.h"

/* Data that the work reads: a reader while `locked` is false sees freed memory. */
struct read {
	int *at; /* NULL while another may write */
	unsigned taken, given;
};

static void
take(void *ctx)
{
	struct read *r = ctx;
	r->at = mem_zalloc(64, sizeof *r->at);
	r->taken++;
}

static void
give(void *ctx)
{
	struct read *r = ctx;
	free(r->at);
	r->at = NULL;
	r->given++;
}

struct reader {
	struct read *read;
	long sum, rounds;
	bool gave_up, whole;
};

/* A long work: it rests many times, and reads after each rest. */
static void
read_all(void *ctx, struct pace *pace)
{
	struct reader *x = ctx;
	int *at = x->read->at;
	x->rounds++;
	for (unsigned i = 0; i < 400000; i++) {
		ck_assert_ptr_eq(at, x->read->at);
		x->sum += at[i % 64];
		if (!pace_on(pace, 1)) {
			x->gave_up = true;
			return;
		}
	}
	x->whole = true;
}

START_TEST(letting_go_drops_what_rests)
{
	struct read r = {0};
	struct works all;
	struct works_lock lock = {&r, take, give};
	works_init(&all, &lock);
	all.every = 7;
	struct work *a = work_new(&all), *b = work_new(&all);
	const unsigned rounds = unit_rounds(50);
	for (unsigned i = 0; i < rounds; i++) {
		struct reader x = {.read = &r}, y = {.read = &r};
		works_hold(&all);
		work_begin(a, read_all, &x);
		work_begin(b, read_all, &y);
		ck_assert(!work_on(a, i % 2 ? 1 : 100000));
		if (i % 3)
			work_on(b, 1);
		works_let_go(&all);
		ck_assert(!works_busy(&all));
		ck_assert(!x.whole && x.gave_up);
		ck_assert_int_eq(y.rounds, i % 3 ? 1 : 0);
	}
	ck_assert_uint_eq(r.taken, rounds);
	ck_assert_uint_eq(r.given, rounds);
	/* and begun again it ends */
	struct reader z = {.read = &r};
	works_hold(&all);
	work_begin(a, read_all, &z);
	while (!work_on(a, 1000000))
		;
	ck_assert(z.whole && !z.gave_up);
	works_let_go(&all);
	work_free(a);
	work_free(b);
	works_release(&all);
}
END_TEST

UNIT(work)
{
	Suite *suite = suite_create("work");
	TCase *tests = tcase_create("work");
	tcase_add_test(tests, letting_go_drops_what_rests);
	suite_add_tcase(suite, tests);
	return suite;
}
