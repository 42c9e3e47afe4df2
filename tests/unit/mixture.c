/* mixture.c - the cells of a timeline against the program that they show: functions that take
 * turns, in periods that beat with the columns.  In each window of ten columns the area that a
 * function has on the screen is its share of the time. */
#include "ui/part/mixture.h"

#include <check.h>
#include <stdlib.h>

#include "tests/lib/made.h"
#include "tests/lib/unit.h"

#define SPAN 10000000 /* of the run */
#define WINDOW 10u    /* columns */
#define TURNS 3u

/* The turns of a period: `part[f]` thousandths of it are function f's; the period grows by
 * `drift` thousandths of itself over the run. */
struct program {
	unsigned part[TURNS];
	unsigned drift;
};

static const struct program programs[] = {
	{{500, 500, 0}, 0},   {{600, 400, 0}, 0},   {{800, 200, 0}, 0},
	{{950, 50, 0}, 0},    {{500, 500, 0}, 150}, {{700, 300, 0}, 40},
	{{334, 333, 333}, 0}, {{460, 460, 80}, 0}, {{600, 200, 200}, 80},
};
static const unsigned widths[] = {40, 57, 64, 80, 99, 120, 133, 150, 177, 200};
/* Columns a period, in thousandths. */
static const unsigned periods[] = {7, 301, 990, 1000, 1010, 1500, 2003, 3700, 9000, 23000};

/* Adds up how long each function runs in the columns [edge[0], edge[columns]). */
struct turns {
	VEC(int64_t) time;
	VEC(unsigned) function;
};

static void
play(struct made *m, const struct program *p, double period, struct turns *out)
{
	stack_id stack[TURNS];
	struct err err;
	double at = 0;

	err_init(&err);
	for (unsigned f = 0; f < TURNS; f++)
		stack[f] = made_stack(m, &(struct made_event){.depth = 1, .function = {0, f}});
	for (unsigned f = 0; at < SPAN; f = (f + 1) % TURNS) {
		double now = period * (1 + p->drift / 1000.0 * at / SPAN) * p->part[f] / 1000;
		if (now <= 0)
			continue;
		builder_step(m->b, m->s, (int64_t)at, stack[f], STEP_CALL, 0, &err);
		*vec_push(&out->time) = (int64_t)at;
		*vec_push(&out->function) = f;
		at += now < 1 ? 1 : now;
	}
	builder_step(m->b, m->s, SPAN, STACK_EMPTY, STEP_RETURN, 0, &err);
	*vec_push(&out->time) = SPAN;
	*vec_push(&out->function) = TURNS;
	made_look(m, false, 0);
}

static double
true_share(const struct turns *t, unsigned f, int64_t from, int64_t to)
{
	int64_t sum = 0;

	for (size_t i = 0; i + 1 < t->time.n; i++) {
		int64_t a = t->time.at[i] > from ? t->time.at[i] : from;
		int64_t b = t->time.at[i + 1] < to ? t->time.at[i + 1] : to;
		sum += t->function.at[i] == f && b > a ? b - a : 0;
	}
	return (double)sum / (double)(to - from);
}

/* The part of the canvas' columns [x, x + WINDOW) that has the colour of the function; false if
 * some of them are neutral. */
static bool
painted(const struct canvas *c, unsigned x, enum ink ink, double *out)
{
	double sum = 0;

	for (unsigned k = x; k < x + WINDOW; k++) {
		const struct cell *cell = canvas_cell(c, 0, (int)k);
		double lower = cell->lower ? (cell->ch[0] - 0x2580) / 8.0 : 0;
		if (cell->ink == theme_sparse(INK_HUE_REST))
			return false;
		sum += cell->ink == ink ? 1 - lower : 0;
		sum += cell->lower == ink ? lower : 0;
	}
	*out = sum / WINDOW;
	return true;
}

static const enum ink inks[TURNS] = {INK_HUE_1, INK_HUE_2, INK_HUE_3};

static unsigned
function_of(const struct made *m, node_id node)
{
	for (unsigned f = 0; f < TURNS; f++)
		if (node != NODE_NONE && m->fold->tree->key[node] == m->function[f])
			return f;
	return TURNS - 1;
}

static void
draw_columns(const struct made *m, const struct cells *cells, struct canvas *c)
{
	for (unsigned x = 0; x < cells->n; x++) {
		struct time_cell cell = cells_at(cells, x, 1);
		ck_assert_uint_eq(cell.fill, CELL_FULL);
		mixture_draw(c, 0, (int)x, &cell, inks[function_of(m, cell.node)],
			     inks[function_of(m, cell.second)]);
	}
}

/* A box of one function shows at least two thirds of that function. */
static void
check_boxes(const struct made *m, const struct cells *cells, const struct turns *t)
{
	size_t n;
	const struct cell_box *b = cells_boxes(cells, 1, &n);

	for (size_t i = 0; i < n; i++)
		if (b[i].mix == MIX_ONE)
			ck_assert(true_share(t, function_of(m, b[i].node),
					     (int64_t)SPAN * b[i].x / cells->n,
					     (int64_t)SPAN * (b[i].x + b[i].w) / cells->n) >=
				  0.66);
}

/* Functions that take turns are named: few boxes in a row are too narrow for a name. */
static void
check_names(const struct cells *cells)
{
	size_t n;
	int unnamed = 0;
	const struct cell_box *b = cells_boxes(cells, 1, &n);

	for (size_t i = 0; i < n; i++) {
		unnamed = b[i].w < 4 ? unnamed + b[i].w : 0;
		ck_assert_msg(unnamed < 16, "%u columns: no name at %d", cells->n, b[i].x);
	}
}

/* The windows compared. */
static unsigned
check_columns(struct made *m, const struct turns *t, unsigned n)
{
	struct cells cells;
	struct canvas c;
	unsigned compared = 0;

	cells_init(&cells);
	canvas_init(&c, (int)n, 1, false);
	cells_begin(&cells, NULL);
	made_columns(m, &cells, 0, SPAN, n);
	cells_join(&cells, &m->l);
	draw_columns(m, &cells, &c);
	check_boxes(m, &cells, t);
	check_names(&cells);
	for (unsigned x = 0; x + WINDOW <= n; x += WINDOW)
		for (unsigned f = 0; f < TURNS; f++) {
			double is = true_share(t, f, (int64_t)SPAN * x / n,
					       (int64_t)SPAN * (x + WINDOW) / n),
			       area;
			if (!painted(&c, x, inks[f], &area))
				continue;
			ck_assert_msg(area - is <= 0.1 && is - area <= 0.1,
				      "%u columns, from %u: function %u has %.2f, painted %.2f", n,
				      x, f, is, area);
			compared++;
		}
	canvas_release(&c);
	cells_release(&cells);
	return compared;
}

START_TEST(test_area)
{
	const struct program *p = &programs[_i];
	unsigned compared = 0;

	for (unsigned w = 0; w < sizeof widths / sizeof *widths; w++)
		for (unsigned k = 0; k < sizeof periods / sizeof *periods; k++) {
			struct made *m = made_new(true, false);
			struct turns t = {0};
			play(m, p, (double)SPAN / widths[w] * periods[k] / 1000, &t);
			compared += check_columns(m, &t, widths[w]);
			vec_release(&t.time);
			vec_release(&t.function);
			made_free(m);
		}
	ck_assert_uint_ge(compared, p->part[2] ? 300 : 3000);
}
END_TEST

/* The attributes of a box besides its first function. */
START_TEST(test_columns)
{
	struct time_cell cell = {.mix = MIX_TWO, .fill = CELL_HALF, .share = 75,
				 .second_share = 25};
	struct canvas c;
	unsigned second = 0;

	canvas_init(&c, 100, 2, false);
	for (int x = 0; x < 100; x++) {
		mixture_draw(&c, 0, x, &cell, INK_HUE_1, INK_HUE_2);
		second += canvas_cell(&c, 0, x)->ink == theme_sparse(INK_HUE_2);
	}
	/* dots of one function a column, each as often as its share */
	ck_assert_uint_eq(second, 25);
	canvas_release(&c);
	canvas_init(&c, 3, 1, true);
	cell.fill = CELL_FULL;
	mixture_draw(&c, 0, 0, &cell, INK_HUE_1, INK_HUE_2);
	cell.mix = MIX_MANY;
	mixture_draw(&c, 0, 1, &cell, INK_HUE_1, INK_HUE_2);
	cell.mix = MIX_ONE;
	mixture_draw(&c, 0, 2, &cell, INK_HUE_1, INK_HUE_2);
	ck_assert_uint_eq(canvas_cell(&c, 0, 0)->ch[0], '%');
	ck_assert_uint_eq(canvas_cell(&c, 0, 0)->lower, 0);
	ck_assert_uint_eq(canvas_cell(&c, 0, 1)->ch[0], '&');
	ck_assert_uint_eq(canvas_cell(&c, 0, 2)->ch[0], '#');
	canvas_release(&c);
}
END_TEST

/* With 256 colours a sparse cell of two functions has both colours in its shade, the smaller one
 * below, by eighths; a sparse cell of one is a ground of its shade; eight colours keep the dots. */
START_TEST(test_shades)
{
	struct time_cell cell = {.mix = MIX_TWO, .share = 75, .second_share = 25};
	struct canvas c;
	struct style s, first, second;

	canvas_init(&c, 100, 2, false);
	for (cell.fill = 1; cell.fill < CELL_FULL; cell.fill++) {
		cell.mix = MIX_TWO;
		ck_assert(theme_shade(NULL, INK_HUE_1, cell.fill, 256, &first));
		ck_assert(theme_shade(NULL, INK_HUE_4, cell.fill, 256, &second));
		for (int x = 0; x < 100; x++) {
			mixture_draw(&c, 0, x, &cell, INK_HUE_1, INK_HUE_4);
			uint32_t ch = canvas_look(canvas_cell(&c, 0, x), NULL, 256, &s);
			ck_assert_uint_eq(ch, 0x2582);
			if (first.bg != second.bg)
				ck_assert(s.bg == first.bg && s.fg == second.bg);
			ck_assert(s.bg != s.fg);
			ck_assert_uint_eq(canvas_look(canvas_cell(&c, 0, x), NULL, 8, &s), 0);
		}
		cell.mix = MIX_ONE;
		mixture_draw(&c, 1, 0, &cell, INK_HUE_1, INK_HUE_4);
		ck_assert_uint_eq(canvas_look(canvas_cell(&c, 1, 0), NULL, 256, &s), ' ');
		ck_assert_int_eq(s.bg, first.bg);
		ck_assert_uint_eq(canvas_look(canvas_cell(&c, 1, 0), NULL, 16, &s), 0);
	}
	canvas_release(&c);
}
END_TEST

UNIT(mixture)
{
	Suite *suite = suite_create("mixture");
	TCase *mixture = tcase_create("mixture");

	tcase_set_timeout(mixture, 240);
	tcase_add_loop_test(mixture, test_area, 0, sizeof programs / sizeof *programs);
	tcase_add_test(mixture, test_columns);
	tcase_add_test(mixture, test_shades);
	suite_add_tcase(suite, mixture);
	return suite;
}
