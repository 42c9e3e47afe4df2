#include <limits.h>
#include <semaphore.h>

#include "src/apart.h"
#include "tests/lib/unit.h"

/* A call continues after its caller has cancelled the wait, and the next call waits for its end. */

struct job {
	sem_t may_end;
	int begun, ended;
};

static void
do_job(void *ctx)
{
	struct job *j = ctx;

	j->begun++;
	while (sem_wait(&j->may_end))
		;
	j->ended++;
}

/* Rests so often, then gives up. */
struct patience {
	struct pace pace; /* first: rests get a pointer to it */
	int rests;
};

static bool
rest(struct pace *p)
{
	return --((struct patience *)p)->rests > 0;
}

static struct patience
patient(int rests)
{
	return (struct patience){{.rest = rest, .every = 1}, rests};
}

START_TEST(test_without_pace)
{
	struct apart a = {.runs = false};
	struct job j = {.begun = 0};

	sem_init(&j.may_end, 0, 1);
	ck_assert(apart_call(&a, do_job, &j, NULL));
	ck_assert_int_eq(j.ended, 1);
	ck_assert(apart_wait(&a, NULL));
	sem_destroy(&j.may_end);
}
END_TEST

START_TEST(test_gives_up)
{
	struct apart a = {.runs = false};
	struct job j = {.begun = 0}, next = {.begun = 0};
	struct patience soon = patient(3), never = patient(2), other = patient(INT_MAX);

	sem_init(&j.may_end, 0, 0);
	sem_init(&next.may_end, 0, 1);
	ck_assert(!apart_call(&a, do_job, &j, &soon.pace));
	/* another is not begun before the first has ended */
	ck_assert(!apart_call(&a, do_job, &next, &never.pace));
	ck_assert_int_eq(next.begun, 0);
	sem_post(&j.may_end);
	ck_assert(apart_wait(&a, &other.pace));
	ck_assert_int_eq(j.ended, 1);
	ck_assert(apart_call(&a, do_job, &next, &other.pace));
	ck_assert_int_eq(next.ended, 1);
	sem_destroy(&j.may_end);
	sem_destroy(&next.may_end);
}
END_TEST

START_TEST(test_waits)
{
	struct apart a = {.runs = false};
	struct job j = {.begun = 0};
	struct patience soon = patient(3);

	sem_init(&j.may_end, 0, 0);
	ck_assert(!apart_call(&a, do_job, &j, &soon.pace));
	sem_post(&j.may_end);
	ck_assert(apart_wait(&a, NULL));
	ck_assert_int_eq(j.ended, 1);
	sem_destroy(&j.may_end);
}
END_TEST

UNIT(apart)
{
	Suite *suite = suite_create("apart");
	TCase *cases = tcase_create("apart");

	tcase_add_test(cases, test_without_pace);
	tcase_add_test(cases, test_gives_up);
	tcase_add_test(cases, test_waits);
	suite_add_tcase(suite, cases);
	return suite;
}
