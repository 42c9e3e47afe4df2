/* chrono.c - the flame graph in order of time: with several tracks each column shows the track
 * that ran longest in it, row by row with its largest function; compared with plain loops over
 * the events (lib/made.h), filtered and not. */
#include "model/base/wide.h"
#include "ui/part/chrono.h"

#include <check.h>
#include <stdlib.h>

#include "model/base/mem.h"
#include "tests/lib/made.h"
#include "tests/lib/stage.h"
#include "tests/lib/unit.h"
#include "ui/part/show.h"

static struct made_callers callers;

#define TRACKS 3

/* How long anything runs, filtered or not. */
static int64_t
ran_in(const struct made *m, int64_t from, int64_t to)
{
	int64_t sum = 0;

	for (unsigned i = 0; i < m->n; i++) {
		const struct made_event *e = &m->event[i];
		int64_t a = e->time > from ? e->time : from, b = e->end < to ? e->end : to;
		sum += e->runs && b > a ? b - a : 0;
	}
	return sum;
}

/* Where sums of a column end is a matter of rounding: so much longer another may have run. */
#define ROUNDED 2

/* Returns true if column x of the picture is this track, or nothing. */
static bool
is_column_of(const struct stage *st, const struct cells *c, const struct made *m, unsigned x,
	     int64_t from, int64_t to)
{
	for (unsigned row = 1; row <= DEPTH; row++) {
		struct time_cell got = cells_at(c, x, row);
		struct made_cell_truth is = {.function = -1};
		if (m)
			is = made_cell(m, &callers, x, row, from, to);
		if ((got.node == NODE_NONE) != (is.function < 0))
			return false;
		if (is.function >= 0 &&
		    (st->fold->tree->key[got.node] != m->function[is.function] ||
		     got.astray != callers.astray[x]))
			return false;
	}
	return true;
}

/* The column is the track that ran longest in it, of those that show something. */
static bool
is_true_column(const struct stage *st, const struct cells *c, struct made *const *made,
	       unsigned x, int64_t from, int64_t to)
{
	int64_t ran[TRACKS], most = 0;

	for (unsigned t = 0; t < TRACKS; t++) {
		bool shows = made_most(made[t], NULL, 1, from, to).function >= 0;
		ran[t] = shows ? ran_in(made[t], from, to) : 0;
		most = ran[t] > most ? ran[t] : most;
	}
	if (most <= ROUNDED && is_column_of(st, c, NULL, x, from, to))
		return true;
	for (unsigned t = 0; t < TRACKS; t++)
		if (ran[t] + ROUNDED >= most && is_column_of(st, c, made[t], x, from, to))
			return true;
	return false;
}

static void
check_times(struct stage *st, struct made *const *made, unsigned n)
{
	struct chrono c;
	int64_t from, to;

	chrono_init(&c);
	show_range(&st->scene, &from, &to);
	ck_assert(chrono_look(&c, &st->scene, n, NULL));
	for (unsigned x = 0; x < n; x++) {
		int64_t a = wide_part(from, to, n, x), b = wide_part(from, to, n, x + 1);
		ck_assert(is_true_column(st, &c.cells, made, x, a, b > a ? b : a + 1));
	}
	/* boxes are runs of cells of one function, which may be the lesser one of a mixture, or of
	 * functions that take turns */
	for (unsigned row = 0; row < DEPTH; row++) {
		struct chrono_box box;
		const key_id *key = st->fold->tree->key;
		for (int x = 0, end = 0; chrono_box(&c, &st->scene, row, &x, &box);) {
			ck_assert_int_ge(box.x, end);
			end = box.x + box.w;
			int has = 0;
			for (int k = box.x; k < end; k++) {
				struct time_cell cell = cells_at(&c.cells, (unsigned)k, row + 1);
				has += key[box.node] == key[cell.node] ||
				       (cell.second != NODE_NONE &&
					key[box.node] == key[cell.second]);
			}
			ck_assert_int_ge(has, box.box->mix == MIX_ONE ? box.w : 1);
		}
	}
	chrono_release(&c);
}

START_TEST(test_times)
{
	struct made *made[TRACKS];
	struct stage st;
	uint64_t seed = (uint64_t)_i + 1;

	stage_init(&st, &flame_view);
	for (unsigned t = 0; t < TRACKS; t++) {
		made[t] = mem_zalloc(1, sizeof *made[t]);
		made[t]->p = st.p;
		made[t]->b = st.b;
		made_begin(made[t], (const char *[]){"one", "two", "three"}[t], true, false);
		made_steps(made[t], seed * TRACKS + t, 400, _i % 2);
	}
	if (_i % 2)
		made_filter(&st.lens, made, TRACKS, seed);
	stage_fold(&st);
	for (unsigned n = 1; n < COLUMNS; n = n * 3 + 1)
		check_times(&st, made, n);
	stage_release(&st);
	for (unsigned t = 0; t < TRACKS; t++)
		free(made[t]);
}
END_TEST

UNIT(chrono)
{
	Suite *suite = suite_create("chrono");
	TCase *tests = tcase_create("chrono");

	tcase_set_timeout(tests, 120);
	tcase_add_loop_test(tests, test_times, 0, 16);
	suite_add_tcase(suite, tests);
	return suite;
}
