/* cells.c - every cell, shade, box and count of a picture against plain loops over the events that
 * the profile was made from (lib/made.h), filtered and not. */
#include "model/picture/cells.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/mem.h"
#include "tests/lib/made.h"
#include "tests/lib/random_profile.h"
#include "tests/lib/unit.h"

#define PLAIN 12 /* number of pictures without filters; the others have some */

/* The calls at a row that are visible in [from, to) and counted in the cell; for row 0 of
 * steps, the calls at any row that begin there. */
static uint64_t
true_calls(const struct made *m, unsigned row, const struct made_cell_truth *is, int64_t from,
	   int64_t to)
{
	bool leaves = !row && m->s->kind == SERIES_STEPS;
	uint8_t *seen = mem_zalloc(MADE * 2, 1);
	uint64_t n = 0;

	for (unsigned i = 0; i < m->n; i++) {
		const struct made_event *e = &m->event[i];
		for (unsigned d = leaves ? 1 : row; d <= (leaves ? e->depth : row); d++) {
			unsigned f = made_function(e, d), call;
			if (e->depth < d || !e->depth)
				continue;
			call = e->call[d ? d : e->depth];
			if (!seen[call] && made_seen(e, from, to) && (!leaves || e->time >= from))
				n += is->mix == MIX_MANY || (int)f == is->function ||
				     (is->mix == MIX_TWO && (int)f == is->second);
			seen[call] |= made_seen(e, from, to) || leaves;
		}
	}
	free(seen);
	return n;
}

/* ---- comparing ---- */

static int64_t edge[COLUMNS + 1];
static struct made_callers callers;

static int
true_share(const struct made_cell_truth *is, int function)
{
	return function < 0 ? 0
			    : (int)(100 * (double)is->sum[function] / (double)is->whole + 0.5);
}

static bool
is_alike(const struct made_cell_truth *a, const struct made_cell_truth *b)
{
	if (a->mix != b->mix || (a->mix == MIX_ONE && a->function != b->function))
		return false;
	for (int f = 0; f < FUNCTIONS && a->mix != MIX_ONE; f++) {
		bool told = f == a->function || f == a->second || f == b->function ||
			    f == b->second;
		int apart = true_share(a, f) - true_share(b, f);
		if (told && (apart > 15 || apart < -15))
			return false;
	}
	return true;
}

static bool
is_beside(const struct made_cell_truth *is, const size_t *above, unsigned n, unsigned x,
	  unsigned at)
{
	return at < n && above[at] == above[x] && is[at].function >= 0;
}

/* Where the box ends that begins at column x. */
static unsigned
true_end(const struct made_cell_truth *is, const size_t *above, unsigned n, unsigned x)
{
	unsigned end = x + 1, odd = 0;

	while (is_beside(is, above, n, x, end)) {
		if (callers.astray[end] == callers.astray[x] && is_alike(&is[x], &is[end])) {
			end++;
			continue;
		}
		if ((odd + 1) * 8 > end + 2 - x || !true_share(&is[end], is[x].function) ||
		    !is_beside(is, above, n, x, end + 1) ||
		    callers.astray[end + 1] != callers.astray[x] || !is_alike(&is[x], &is[end + 1]))
			break;
		odd++;
		end += 2;
	}
	return end;
}

/* ---- functions that take turns ---- */

struct plain_box {
	unsigned x, w;
	enum mix mix;
	int first, second;
	bool astray;
};

/* The functions of some columns, in percent of a column, summed up. */
struct plain_turns {
	bool has[FUNCTIONS];
	int sum[FUNCTIONS], boxes[FUNCTIONS], functions, columns;
};

static bool
add_function(struct plain_turns *t, const struct made_cell_truth *is, int f)
{
	if (f < 0 || t->has[f] || true_share(is, f) < 12)
		return false;
	t->functions++;
	return t->has[f] = true;
}

static bool
add_any(struct plain_turns *t, const struct made_cell_truth *is)
{
	bool added = false;

	for (int f = 0; f < FUNCTIONS && is->mix == MIX_MANY; f++)
		added = added || add_function(t, is, f);
	return added;
}

static bool
add_box(struct plain_turns *t, const struct made_cell_truth *is, const struct plain_box *b)
{
	int own[FUNCTIONS] = {0}, w = (int)b->w;

	for (unsigned x = b->x; x < b->x + b->w; x++)
		for (int whole = 0; whole < 85;) {
			whole = 0;
			for (int f = 0; f < FUNCTIONS; f++)
				whole += t->has[f] ? true_share(&is[x], f) : 0;
			if (whole < 85 && !add_function(t, &is[x], is[x].function) &&
			    !add_function(t, &is[x], is[x].second) && !add_any(t, &is[x]))
				return false;
		}
	for (int f = 0; f < FUNCTIONS; f++)
		for (unsigned x = b->x; x < b->x + b->w && t->has[f]; x++)
			own[f] += true_share(&is[x], f);
	for (int f = 0; f < FUNCTIONS; f++)
		if (w >= 4 && t->columns && t->has[f] &&
		    abs(own[f] / w - t->sum[f] / t->columns) > 15)
			return false;
	for (int f = 0; f < FUNCTIONS; f++) {
		t->sum[f] += own[f];
		t->boxes[f] += t->has[f] && own[f] >= 12 * w;
	}
	t->columns += w;
	return w < 4 || b->mix != MIX_ONE;
}

/* Makes the boxes from `box` on that are of functions that take turns one; returns how many. */
static unsigned
join_turns(const struct made_cell_truth *is, const size_t *above, struct plain_box *box, unsigned n)
{
	struct plain_turns t = {0}, next = {0};
	unsigned i = 0;

	for (; i < n && !box[i].astray && above[box[i].x] == above[box->x]; i++) {
		if (i && box[i].x != box[i - 1].x + box[i - 1].w)
			break;
		if (!add_box(&next, is, &box[i]))
			break;
		t = next;
	}
	if (t.columns < 16 || t.functions < 2)
		return 1;
	for (int f = 0; f < FUNCTIONS; f++)
		if (t.has[f] && t.boxes[f] < 3)
			return 1;
	box->w = (unsigned)t.columns;
	box->mix = t.functions > 2 ? MIX_MANY : MIX_TWO;
	box->first = box->second = -1;
	for (int f = 0; f < FUNCTIONS; f++)
		if (t.has[f] && (box->first < 0 || t.sum[f] > t.sum[box->first]))
			box->first = f;
	for (int f = 0; f < FUNCTIONS; f++)
		if (t.has[f] && f != box->first)
			box->second = f;
	return i;
}

/* Fills box with the true boxes of a row; returns their number. */
static unsigned
true_boxes(const struct made_cell_truth *is, const size_t *above, unsigned n,
	   struct plain_box *box)
{
	unsigned boxes = 0, to = 0;

	for (unsigned x = 0, end; x < n; x = end) {
		end = x + 1;
		if (is[x].function < 0)
			continue;
		end = true_end(is, above, n, x);
		box[boxes++] = (struct plain_box){x,		  end - x,	is[x].mix,
						  is[x].function, is[x].second, callers.astray[x]};
	}
	for (unsigned i = 0, n_joined; i < boxes; i += n_joined) {
		n_joined = join_turns(is, above, &box[i], boxes - i);
		box[to++] = box[i];
	}
	return to;
}

static void
check_cell(const struct made *m, const struct time_cell *got, const struct made_cell_truth *is,
	   bool astray)
{
	const key_id *key = m->fold->tree->key;

	ck_assert((got->node == NODE_NONE) == (is->function < 0));
	if (is->function < 0)
		return;
	ck_assert_uint_eq(key[got->node], m->function[is->function]);
	ck_assert((got->second == NODE_NONE) == (is->second < 0));
	if (is->second >= 0)
		ck_assert_uint_eq(key[got->second], m->function[is->second]);
	ck_assert_int_eq((int)got->mix, (int)is->mix);
	ck_assert_int_eq(got->share, true_share(is, is->function));
	ck_assert_int_eq(got->second_share, true_share(is, is->second));
	ck_assert_uint_eq(got->fill, is->fill);
	ck_assert(got->astray == astray);
}

static void
check_row(struct made *m, const struct cells *c, unsigned n, unsigned row, size_t *above)
{
	struct made_cell_truth is[COLUMNS];
	struct plain_box want[COLUMNS];
	size_t boxes, now[COLUMNS];
	const struct cell_box *box = cells_boxes(c, row, &boxes);

	for (unsigned x = 0; x < n; x++) {
		struct time_cell got = cells_at(c, x, row);
		is[x] = made_cell(m, &callers, x, row, edge[x], edge[x + 1]);
		check_cell(m, &got, &is[x], callers.astray[x]);
	}
	unsigned plain = true_boxes(is, above, n, want);
	ck_assert_uint_eq(plain, boxes);
	for (unsigned x = 0; x < n; x++)
		now[x] = SIZE_MAX;
	for (unsigned at = 0; at < plain; at++) {
		struct plain_box *b = &want[at];
		struct made_cell_truth of = is[b->x];
		of.mix = b->mix;
		of.function = b->first;
		of.second = b->second;
		ck_assert_int_eq(box[at].x, (int)b->x);
		ck_assert_int_eq(box[at].w, (int)b->w);
		ck_assert_int_eq((int)box[at].mix, (int)b->mix);
		ck_assert(!box[at].about);
		ck_assert_uint_eq(box[at].calls,
				  true_calls(m, row, &of, edge[b->x], edge[b->x + b->w]));
		for (unsigned k = b->x; k < b->x + b->w; k++)
			now[k] = at;
	}
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
			struct time_cell is = {.node = NODE_NONE};
			if (k < c->n)
				is = cells_at(c, k, row);
			ck_assert(got.node == is.node && got.fill == is.fill &&
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
		made_columns(m, &c, from, from + span, n);
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
	made_columns(m, &c, 0, beats * 1000, 50);
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
			ck_assert_uint_lt(cells_at(&c, x, row).fill, CELL_HALF);
	}
	ck_assert_uint_eq(c.rows, 2);
	cells_release(&c);
	made_free(m);
}
END_TEST

/* Half a run is full, half of it runs 60 %: both shades say so, and the largest function of
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
		made_columns(m, &c, i ? half : 0, i ? t : half, 40);
		cells_join(&c, &m->l);
		for (unsigned x = 0; x < 40; x++) {
			struct time_cell cell = cells_at(&c, x, 1);
			ck_assert_uint_eq(m->fold->tree->key[cell.node], m->function[0]);
			ck_assert_uint_ge(cell.fill, i ? CELL_HALF : CELL_FULL);
			ck_assert(!i || cell.fill < CELL_FULL);
		}
	}
	cells_release(&c);
	made_free(m);
}
END_TEST

UNIT(cells)
{
	Suite *suite = suite_create("cells");
	TCase *cells = tcase_create("cells");

	tcase_set_timeout(cells, 120);
	tcase_add_loop_test(cells, test_steps, 0, PLAIN + 20);
	tcase_add_loop_test(cells, test_samples, 0, PLAIN + 12);
	tcase_add_test(cells, test_many);
	tcase_add_test(cells, test_many_shades);
	suite_add_tcase(suite, cells);
	return suite;
}
