/* linecost.c - the costs of the lines of a file, counted by hand. */
#include "model/fold/linecost.h"

#include <check.h>
#include <string.h>

#include "model/build/builder.h"
#include "tests/lib/unit.h"

struct written {
	struct profile *p;
	struct builder *b;
	struct series *s;
	name_id file, other;
};

static frame_id
frame(struct written *w, const char *name, name_id file, uint32_t defined, uint32_t line)
{
	struct function fn = {.name = builder_name(w->b, name, strlen(name)),
			      .file = file,
			      .line = defined,
			      .kind = KIND_USER};
	return builder_frame(w->b, builder_function(w->b, fn),
			     line ? line_plain(line) : line_unknown());
}

static void
add(struct written *w, const frame_id *frames, unsigned n, int64_t value)
{
	stack_id stack = STACK_EMPTY;
	struct err e;
	err_init(&e);
	for (unsigned i = 0; i < n; i++)
		stack = builder_child(w->b, stack, frames[i]);
	ck_assert(builder_total(w->b, w->s, stack, &value, 0, &e));
}

static void
check_cost(const struct linecosts *c, uint32_t line, int64_t self, int64_t total, bool whole)
{
	size_t i = linecosts_at(c, line);
	ck_assert_msg(i != LINECOST_NONE, "line %u is not there", line);
	ck_assert_int_eq(c->all.at[i].self, self);
	ck_assert_int_eq(c->all.at[i].total, total);
	ck_assert_int_eq(c->all.at[i].whole, whole);
}

START_TEST(test_lines)
{
	struct written w = {.p = profile_new()};
	struct fold *f = fold_new();
	struct linecosts c = {0};
	struct lens l;
	struct err e;
	err_init(&e);
	lens_init(&l);
	w.b = builder_new(w.p, "lines", "test");
	metric_id m = builder_metric(w.b, "bytes", UNIT_BYTES, ROLE_VALUE);
	w.s = builder_totals(w.b, builder_track(w.b, "main", 4, TRACK_THREAD), &m, 1);
	w.file = builder_name(w.b, "a.c", 3);
	w.other = builder_name(w.b, "b.c", 3);
	frame_id main7 = frame(&w, "main", w.file, 5, 7), main8 = frame(&w, "main", w.file, 5, 8);
	frame_id helper = frame(&w, "helper", w.other, 1, 7);
	/* inlined on line 8 of main, and said to be there */
	frame_id inlined = frame(&w, "inlined", w.file, 2, 8);
	/* its lines are not known */
	frame_id vague = frame(&w, "vague", w.file, 20, 0);
	/* neither a line nor a definition */
	frame_id lost = frame(&w, "lost", w.file, 0, 0);
	add(&w, (frame_id[]){main7}, 1, 1);
	add(&w, (frame_id[]){main7, helper}, 2, 2);
	add(&w, (frame_id[]){main8, inlined}, 2, 4);
	add(&w, (frame_id[]){main8, helper, main7, main8}, 4, 8);
	add(&w, (frame_id[]){main7, vague, vague}, 3, 16);
	add(&w, (frame_id[]){lost}, 1, 32);
	builder_finish(w.b, &e);
	builder_free(w.b);
	l.by = BY_LINE;
	ck_assert(fold_update(f, w.p, &l, NULL, &e));
	linecosts_make(&c, f, w.p, w.file, NULL);
	ck_assert_uint_eq(c.all.n, 3);
	/* 7: itself 1; on the stacks of 1, 2, 8 and 16 */
	check_cost(&c, 7, 1, 27, false);
	/* 8: inlined 4 and the recursive main 8; each stack once: 4 + 8 */
	check_cost(&c, 8, 12, 12, false);
	/* 20: the definition of vague, which calls itself: 16 once */
	check_cost(&c, 20, 16, 16, true);
	ck_assert_uint_eq(linecosts_at(&c, 5), LINECOST_NONE);
	ck_assert_uint_eq(linecosts_from(&c, 9), 2);
	ck_assert_uint_eq(linecosts_from(&c, 21), 3);
	linecosts_make(&c, f, w.p, w.other, NULL);
	ck_assert_uint_eq(c.all.n, 1);
	check_cost(&c, 7, 2, 10, false);
	linecosts_make(&c, f, w.p, NAME_EMPTY, NULL);
	ck_assert_uint_eq(c.all.n, 0);
	linecosts_release(&c);
	lens_release(&l);
	fold_free(f);
	profile_free(w.p);
}
END_TEST

UNIT(linecost)
{
	Suite *suite = suite_create("linecost");
	TCase *t = tcase_create("linecost");
	tcase_add_test(t, test_lines);
	suite_add_tcase(suite, t);
	return suite;
}
