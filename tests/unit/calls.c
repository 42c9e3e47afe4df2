/* calls.c - the view of calls while it reads: it reads in portions, handles keys between them, and
 * Esc cancels. calllist.c and callstats_fold.c test the numbers. */
#include <check.h>
#include <string.h>

#include "model/build/builder_load.h"
#include "tests/lib/stage.h"
#include "tests/lib/unit.h"

#define CALLS 120000u /* some portions */

/* `work` is called again and again, for 1, 2, ... 100 ns, 10 ns apart. */
static void
record(struct stage *st)
{
	struct err e;
	bool good = true;
	err_init(&e);
	builder_metric(st->b, "time", UNIT_NS, ROLE_TIME);
	struct series *s = builder_steps(st->b, builder_track(st->b, "main", 4, TRACK_THREAD));
	function_id f = builder_function_named(st->b, "work", 4);
	stack_id work = builder_child(st->b, STACK_EMPTY,
				      builder_frame(st->b, f, line_unknown()));
	int64_t now = 0;
	for (unsigned i = 0; i < CALLS; i++) {
		good &= builder_step(st->b, s, now, work, STEP_CALL, 0, &e);
		now += 1 + i % 100;
		good &= builder_step(st->b, s, now, STACK_EMPTY, STEP_RETURN, 0, &e);
		now += 10;
	}
	builder_settle(st->b);
	ck_assert(good);
}

static bool
shows(const struct stage *st, const char *words)
{
	struct buf text = BUF_INIT;
	stage_draw(st, &text);
	bool found = strstr(buf_str(&text), words) != NULL;
	buf_release(&text);
	return found;
}

static void
begin(struct stage *st)
{
	stage_init(st, &calls_view);
	record(st);
	stage_fold(st);
	st->ops->arrange(st->view, &st->scene, stage_screen);
}

static void
portion(struct stage *st)
{
	st->scene.again = false;
	st->ops->arrange(st->view, &st->scene, stage_screen);
}

/* Esc during reading belongs to the view: it keeps the calls read so far and stops.  A second
 * Esc belongs to the application. */
static void
breaks_off(struct stage *st)
{
	ck_assert(st->scene.again);
	ck_assert_int_eq(st->ops->act(st->view, &st->scene, ACTION_CANCEL), REPLY_DONE);
	portion(st);
	ck_assert(!st->scene.again);
	ck_assert(shows(st, "cancelled after"));
	ck_assert(!shows(st, "120,000 calls"));
	ck_assert_int_eq(st->ops->act(st->view, &st->scene, ACTION_CANCEL), REPLY_PASS);
}

START_TEST(test_numbers)
{
	struct stage st;
	begin(&st);
	ck_assert(shows(&st, "so far"));
	stage_arrange(&st);
	ck_assert(shows(&st, "120,000 calls"));
	ck_assert(!shows(&st, "so far"));
	stage_release(&st);
	begin(&st);
	breaks_off(&st);
	stage_release(&st);
}
END_TEST

START_TEST(test_list)
{
	struct stage st;
	begin(&st);
	stage_arrange(&st);
	st.ops->act(st.view, &st.scene, ACTION_CALLS_HALF);
	stage_arrange(&st);
	ck_assert(shows(&st, "120,000 calls"));
	ck_assert(shows(&st, "the first 10,000 are listed"));
	stage_release(&st);
	begin(&st);
	st.ops->act(st.view, &st.scene, ACTION_CALLS_HALF);
	portion(&st);
	ck_assert(shows(&st, "working"));
	breaks_off(&st);
	stage_release(&st);
}
END_TEST

/* A key that is another order, or another list, begins anew after that. */
START_TEST(test_again)
{
	struct stage st;
	begin(&st);
	st.ops->act(st.view, &st.scene, ACTION_CALLS_HALF);
	portion(&st);
	breaks_off(&st);
	st.ops->act(st.view, &st.scene, ACTION_CALLS_ALL);
	stage_arrange(&st);
	ck_assert(shows(&st, "all functions · 120,000 calls"));
	stage_release(&st);
}
END_TEST

/* Converts a selection of the list to words and back; refuses invalid words. */
START_TEST(test_words)
{
	static const char *const good[] = {"", " self", " reversed", " all", " over 0",
					   " start reversed all over 3000000",
					   " all unfinished over 3"};
	static const char *const bad[] = {" ",     " lenght",     " over", " over x", "self",
					  " over -1", " over 3 all", " all reversed", "  all",
					  " unfinished all"};
	struct slowest_wish wish;
	for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
		struct buf words = BUF_INIT;
		ck_assert(slowest_read(&wish, good[i]));
		slowest_write(&wish, &words);
		ck_assert_str_eq(buf_str(&words), good[i]);
		buf_release(&words);
	}
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		ck_assert_msg(!slowest_read(&wish, bad[i]), "'%s'", bad[i]);
}
END_TEST

UNIT(calls)
{
	Suite *suite = suite_create("calls");
	TCase *t = tcase_create("calls");
	tcase_add_test(t, test_numbers);
	tcase_add_test(t, test_list);
	tcase_add_test(t, test_again);
	tcase_add_test(t, test_words);
	suite_add_tcase(suite, t);
	return suite;
}
