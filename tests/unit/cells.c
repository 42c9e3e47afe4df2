/* cells.c - every cell, shade, box and count of a picture against plain loops over the events that
 * the profile was made from (lib/made.h), filtered and not. */
#include "model/picture/cells.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/mem.h"
#include "tests/lib/made.h"
#include "tests/lib/random_profile.h"
#include "tests/lib/run_suite.h"

#define PLAIN 12 /* so many pictures without filters, then those with some */

static uint64_t
true_calls(const struct made *m, unsigned row, int function, int64_t from, int64_t to)
{
	uint8_t *seen = mem_zalloc(MADE * 2, 1);
	uint64_t n = 0;

	for (unsigned i = 0; i < m->n; i++) {
		const struct made_event *e = &m->event[i];
		if (!made_seen(e, from, to) || e->depth < row ||
		    made_function(e, row) != (unsigned)function)
			continue;
		unsigned call = e->call[row ? row : e->depth];
		n += !seen[call];
		seen[call] = 1;
	}
	free(seen);
	return n;
}

/* ---- comparing ---- */

static int64_t edge[COLUMNS + 1];
static struct made_callers callers;

static void
check_row(struct made *m, const struct cells *c, unsigned n, unsigned row, size_t *above)
{
	struct made_cell_truth is[COLUMNS];
	size_t boxes, at = 0, now[COLUMNS];
	const struct cell_box *box = cells_boxes(c, row, &boxes);

	for (unsigned x = 0; x < n; x++) {
		struct time_cell got = cells_at(c, x, row);
		is[x] = made_cell(m, &callers, x, row, edge[x], edge[x + 1]);
		ck_assert((got.node == NODE_NONE) == (is[x].function < 0));
		if (is[x].function < 0)
			continue;
		ck_assert_uint_eq(m->fold->tree->key[got.node], m->function[is[x].function]);
		ck_assert_int_eq((int)got.shade, (int)is[x].shade);
		ck_assert(got.astray == callers.astray[x]);
	}
	for (unsigned x = 0, end; x < n; x = end) {
		end = x + 1;
		now[x] = SIZE_MAX;
		if (is[x].function < 0)
			continue;
		for (bool more = true; more;) {
			more = false;
			for (unsigned odd = 0; odd < 2 && !more; odd++)
				more = end + odd < n && above[end + odd] == above[x] &&
				       above[end] == above[x] && is[end].function >= 0 &&
				       is[end + odd].function == is[x].function &&
				       callers.astray[end + odd] == callers.astray[x] &&
				       (end += odd + 1);
		}
		ck_assert_uint_lt(at, boxes);
		ck_assert_int_eq(box[at].x, (int)x);
		ck_assert_int_eq(box[at].w, (int)(end - x));
		ck_assert(!box[at].about);
		if (row || m->s->kind == SERIES_SAMPLES)
			ck_assert_uint_eq(box[at].calls, true_calls(m, row, is[x].function,
								    edge[x], edge[end]));
		else
			ck_assert_uint_eq(box[at].calls, 0);
		for (unsigned k = x; k < end; k++)
			now[k] = at;
		at++;
	}
	ck_assert_uint_eq(at, boxes);
	if (row)
		memcpy(above, now, n * sizeof *above);
}

/* A first look at another window: each column is the one of `c` that its middle is in. */
static void
check_stretch(struct made *m, const struct cells *c, int64_t from, int64_t to,
	      struct chance *chance)
{
	unsigned n = 1 + chance_below(chance, COLUMNS);
	int64_t a = from + (int64_t)chance_below(chance, (uint32_t)(to - from) * 2) - (to - from);
	int64_t span = n + (int64_t)chance_below(chance, (uint32_t)(to - from) * 2);
	struct cells s;
	size_t boxes;

	cells_init(&s);
	cells_begin(&s, NULL);
	cells_stretch(&s, c, from, to, a, a + span, n);
	cells_join(&s, &m->l);
	ck_assert_uint_eq(s.n, n);
	for (unsigned x = 0; x < n; x++) {
		int64_t begin = a + span * x / n, end = a + span * (x + 1) / n;
		int64_t middle = begin + (end - begin) / 2;
		unsigned k = 0;
		while (k < c->n && !(edge[k] <= middle && middle < edge[k + 1]))
			k++;
		for (unsigned row = 0; row <= DEPTH; row++) {
			struct time_cell got = cells_at(&s, x, row);
			struct time_cell is = {NODE_NONE, SHADE_NONE, false};
			if (k < c->n)
				is = cells_at(c, k, row);
			ck_assert(got.node == is.node && got.shade == is.shade &&
				  got.astray == is.astray);
		}
	}
	const struct cell_box *box = cells_boxes(&s, 1, &boxes);
	for (size_t i = 0; i < boxes; i++)
		ck_assert_uint_eq(box[i].calls, 0);
	cells_release(&s);
}

static void
check_pictures(struct made *m, uint64_t seed)
{
	int64_t end = m->event[m->n - 1].end;
	struct cells c;
	struct chance chance;

	cells_init(&c);
	chance_init(&chance, seed);
	for (unsigned k = 0; k < 12; k++) {
		/* from the whole run down to single units */
		unsigned n = 1 + chance_below(&chance, COLUMNS);
		int64_t span = 1 + (end + 40) / (1 << chance_below(&chance, 12));
		int64_t from = (int64_t)chance_below(&chance, (uint32_t)end) - 20;
		size_t above[COLUMNS] = {0};
		if (!k) {
			from = -20;
			span = end + 40;
		}
		if (span < n)
			span = n;
		for (unsigned x = 0; x <= n; x++)
			edge[x] = from + span * x / n;
		cells_begin(&c, NULL);
		cells_lane(&c, &m->l, &m->lane, from, from + span, n);
		cells_join(&c, &m->l);
		for (unsigned row = 0; row <= DEPTH; row++)
			check_row(m, &c, n, row, above);
		check_stretch(m, &c, from, from + span, &chance);
	}
	cells_release(&c);
}

START_TEST(test_steps)
{
	struct made *m = made_by_steps((uint64_t)_i + 1, _i % 2 ? 300 : 1500, _i >= PLAIN);
	check_pictures(m, (uint64_t)_i + 1);
	made_free(m);
}
END_TEST

START_TEST(test_samples)
{
	struct made *m = made_by_samples((uint64_t)_i + 1, _i % 3 ? 300 : 1500, _i >= PLAIN);
	check_pictures(m, (uint64_t)_i + 1);
	made_free(m);
}
END_TEST

/* ---- more events than are read ---- */

/* A task that runs an eighth of the time, with a beat that no sampling may fall into: of each
 * 1000 units 120, in calls of a that call b for a third of it. */
START_TEST(test_many)
{
	struct made *m = made_new(true, false);
	struct made_event a = {.depth = 1}, b = {.depth = 2};
	struct err err;
	struct cells c;
	size_t n;
	const int64_t beats = 100000;

	b.function[2] = 1;
	err_init(&err);
	stack_id sa = made_stack(m, &a), sb = made_stack(m, &b);
	for (int64_t t = 0; t < beats * 1000; t += 1000) {
		builder_step(m->b, m->s, t, sa, STEP_CALL, 0, &err);
		builder_step(m->b, m->s, t + 40, sb, STEP_CALL, 0, &err);
		builder_step(m->b, m->s, t + 80, sa, STEP_RETURN, 0, &err);
		builder_step(m->b, m->s, t + 120, STACK_EMPTY, STEP_RETURN, 0, &err);
	}
	made_look(m, false, 0);
	cells_init(&c);
	cells_begin(&c, NULL);
	cells_lane(&c, &m->l, &m->lane, 0, beats * 1000, 50);
	cells_join(&c, &m->l);
	for (unsigned row = 1; row <= 2; row++) {
		const struct cell_box *box = cells_boxes(&c, row, &n);
		ck_assert_uint_eq(n, 1);
		ck_assert_int_eq(box->w, 50);
		ck_assert(box->about);
		ck_assert_uint_eq(m->fold->tree->key[box->node], m->function[row - 1]);
		ck_assert(box->calls > (uint64_t)beats * 97 / 100 &&
			  box->calls < (uint64_t)beats * 103 / 100);
		for (unsigned x = 0; x < 50; x++)
			ck_assert_int_eq(cells_at(&c, x, row).shade, SHADE_LIGHT);
	}
	ck_assert_uint_eq(c.rows, 2);
	cells_release(&c);
	made_free(m);
}
END_TEST

/* Half a run is full, half of it runs 60 %: so say the shades of both, and what has most of
 * every block is shown. */
START_TEST(test_many_shades)
{
	struct made *m = made_new(true, false);
	struct made_event e[2] = {{.depth = 1}, {.depth = 1, .function = {0, 1}}};
	struct err err;
	struct cells c;
	stack_id stack[2];
	struct chance chance;
	int64_t t = 0, half = 0;

	err_init(&err);
	chance_init(&chance, 4);
	for (int i = 0; i < 2; i++)
		stack[i] = made_stack(m, &e[i]);
	for (int i = 0; i < 400000; i++) {
		bool idle = i >= 200000;
		builder_step(m->b, m->s, t, stack[0], STEP_CALL, 0, &err);
		t += 40 + chance_below(&chance, 6);
		builder_step(m->b, m->s, t, stack[1], STEP_CALL, 0, &err);
		t += 16 + chance_below(&chance, 6);
		if (idle) {
			builder_step(m->b, m->s, t, STACK_EMPTY, STEP_RETURN, 0, &err);
			t += 38 + chance_below(&chance, 6);
		}
		half = i == 199999 ? t : half;
	}
	made_look(m, false, 0);
	cells_init(&c);
	for (int i = 0; i < 2; i++) {
		cells_begin(&c, NULL);
		cells_lane(&c, &m->l, &m->lane, i ? half : 0, i ? t : half, 40);
		cells_join(&c, &m->l);
		for (unsigned x = 0; x < 40; x++) {
			struct time_cell cell = cells_at(&c, x, 1);
			ck_assert_uint_eq(m->fold->tree->key[cell.node], m->function[0]);
			ck_assert_int_eq(cell.shade, i ? SHADE_HALF : SHADE_FULL);
		}
	}
	cells_release(&c);
	made_free(m);
}
END_TEST

int
main(void)
{
	Suite *suite = suite_create("cells");
	TCase *cells = tcase_create("cells");

	tcase_set_timeout(cells, 120);
	tcase_add_loop_test(cells, test_steps, 0, PLAIN + 20);
	tcase_add_loop_test(cells, test_samples, 0, PLAIN + 12);
	tcase_add_test(cells, test_many);
	tcase_add_test(cells, test_many_shades);
	suite_add_tcase(suite, cells);
	return run_suite(suite);
}
