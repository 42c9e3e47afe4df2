#include "model/table/columns.h"

#include <check.h>
#include <string.h>

#include "model/build/builder.h"
#include "tests/lib/naive.h"
#include "tests/lib/random_profile.h"
#include "tests/lib/unit.h"

/* Conditions on every row of the table of columns: a name has one meaning for each kind of rows,
 * and a column has something to print and to sort by. */

static bool
same(const char *a, const char *b)
{
	return a && b && !strcmp(a, b);
}

START_TEST(test_names)
{
	for (unsigned i = 0; i < n_table_columns; i++) {
		const struct table_column *a = &table_columns[i];
		ck_assert_ptr_eq(column_find(a->name, strlen(a->name), a->rows), a);
		if (a->alias)
			ck_assert_ptr_eq(column_find(a->alias, strlen(a->alias), a->rows), a);
		for (unsigned k = 0; k < i; k++) {
			const struct table_column *b = &table_columns[k];
			if (!(a->rows & b->rows))
				continue;
			ck_assert_msg(!same(a->name, b->name) && !same(a->alias, b->name) &&
					      !same(a->name, b->alias) &&
					      !same(a->alias, b->alias),
				      "%s is there twice", a->name);
		}
	}
	ck_assert_ptr_null(column_find("sel", 3, ROWS_FOLD));
	ck_assert_ptr_null(column_find("depth", 5, ROWS_FOLD));
	ck_assert_ptr_nonnull(column_find("depth", 5, ROWS_TREE));
}
END_TEST

START_TEST(test_contents)
{
	for (unsigned i = 0; i < n_table_columns; i++) {
		const struct table_column *c = &table_columns[i];
		ck_assert_msg(c->rows != 0, "%s is of no rows", c->name);
		ck_assert_msg(c->number || c->plain, "%s says nothing", c->name);
		ck_assert_msg(c->unit != COLUMN_WORDS || c->plain, "%s has no words", c->name);
		ck_assert_msg(!c->changes || (c->compared && c->part != PART_NONE),
			      "%s changes, but what?", c->name);
		ck_assert_msg(!c->title || (c->rows &
					    (ROWS_FOLD | ROWS_TREE | ROWS_SLICES | ROWS_CALLS |
					     ROWS_TIMES)),
			      "%s is on no screen", c->name);
		/* settings keep a set of these in 64 bits */
		ck_assert_msg(!(c->rows & ROWS_FOLD) || column_bit(c) < 64, "%s comes too late",
			      c->name);
	}
}
END_TEST

START_TEST(test_lists)
{
	struct column_list list = {0};
	size_t len = 0;

	ck_assert_ptr_null(column_list_read(&list, "self,total=with callees,change", ROWS_FOLD,
					    &len));
	ck_assert_uint_eq(list.all.n, 3);
	ck_assert_str_eq(list.all.at[0].column->name, "self");
	ck_assert_uint_eq(list.all.at[0].heading_len, 4);
	ck_assert_str_eq(list.all.at[1].column->name, "total");
	ck_assert_uint_eq(list.all.at[1].heading_len, 12);
	ck_assert_int_eq(memcmp(list.all.at[1].heading, "with callees", 12), 0);
	ck_assert_str_eq(list.all.at[2].column->name, "change");
	const char *bad = column_list_read(&list, "self,depth,calls", ROWS_FOLD, &len);
	ck_assert_ptr_nonnull(bad);
	ck_assert_uint_eq(len, 5);
	ck_assert_int_eq(memcmp(bad, "depth", 5), 0);
	column_list_release(&list);
}
END_TEST

/* A comparison by hand: 30 was 40; bases of percentages 200, 60 and 40. */
START_TEST(test_cells)
{
	struct metric samples = {.unit = UNIT_SAMPLES};
	struct look l = {.metric = &samples, .compares = true, .whole = 200, .shown = 60};
	struct row r = {.self = 30, .total = 50, .calls = -1, .base_self = 40};
	row_scale(&r, 1, 1);
	static const struct {
		const char *name, *plain, *text;
		enum cell_kind kind;
	} of[] = {
		{"self", "30", "30", CELL_NUMBER},
		{"delta_self", "-10", "-10", CELL_NUMBER},
		{"delta_total", "50", "+50", CELL_NUMBER},
		{"change%", "-25.0%", "-25.0%", CELL_WORDS},
		{"total-change%", "new", "new", CELL_WORDS},
		{"share", "15", "15.00", CELL_NUMBER},
		{"disp", "50", "50.00", CELL_NUMBER},
		{"total%", "25", "25.00", CELL_NUMBER},
		{"calls", "", "", CELL_EMPTY},
		{"call_max", "", "", CELL_EMPTY},
	};

	for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
		const struct table_column *c =
			column_find(of[i].name, strlen(of[i].name), ROWS_FOLD);
		struct buf plain = BUF_INIT, text = BUF_INIT;
		ck_assert_int_eq(column_plain(c, &l, &r, &plain), of[i].kind);
		column_text(c, &l, &r, &text);
		ck_assert_str_eq(buf_str(&plain), of[i].plain);
		ck_assert_str_eq(buf_str(&text), of[i].text);
		buf_release(&plain);
		buf_release(&text);
	}
}
END_TEST

/* Values of both signs: their sum may be next to nothing beside one of them. */
START_TEST(test_large_share)
{
	struct look l = {.whole = 1};
	struct row large = {.self = INT64_MAX}, small = {.self = INT64_MIN + 1};
	const struct table_column *c = column_find("share", 5, ROWS_FOLD);

	ck_assert_int_gt(c->number(&l, &large).whole, 0);
	ck_assert_int_lt(c->number(&l, &small).whole, 0);
}
END_TEST

/* Checks that rows of smaller rank precede the others; returns how many pairs the rank decided. */
static unsigned
check_ranks(const struct look *look, const struct rows *rows)
{
	unsigned told = 0;

	for (unsigned c = 0; c < n_table_columns; c++) {
		const struct table_column *col = &table_columns[c];
		if (!(col->rows & ROWS_FOLD) || !column_is_there(col, look))
			continue;
		for (uint32_t i = 0; i < rows->n; i++)
			for (uint32_t k = 0; k < rows->n; k++) {
				struct row a = rows_get(rows, i), b = rows_get(rows, k);
				if (column_rank(col, look, &a) >= column_rank(col, look, &b))
					continue;
				told++;
				ck_assert_msg(column_compare(col, look, &a, &b) < 0, "%s",
					      col->name);
			}
	}
	return told;
}

START_TEST(test_ranks)
{
	unsigned told = 0;

	for (uint64_t seed = 0; seed < 150; seed++) {
		struct random_profile *r = random_profile_new(seed);
		struct fold *f = fold_new();
		struct naive_lens ignored;
		struct lens now, base;
		struct rows rows = {0};
		struct look look;
		struct err e;
		err_init(&e);
		random_profile_grow(r, 60);
		random_profile_finish(r);
		random_lens(r, &ignored, &now);
		lens_copy(&base, &now);
		if (base.to.kind != MOMENT_OPEN)
			base.to.value /= 2;
		ck_assert(fold_update(f, r->model, &now, seed % 2 ? &base : NULL, &e));
		fold_rows(f, &rows);
		look_init(&look, r->model, f);
		look.shown = look.user = look.whole;
		told += check_ranks(&look, &rows);
		rows_release(&rows);
		lens_release(&now);
		lens_release(&base);
		fold_free(f);
		random_profile_free(r);
	}
	ck_assert_uint_gt(told, 2000);
}
END_TEST

UNIT(columns)
{
	Suite *suite = suite_create("columns");
	TCase *cases = tcase_create("columns");

	tcase_add_test(cases, test_names);
	tcase_add_test(cases, test_contents);
	tcase_add_test(cases, test_lists);
	tcase_add_test(cases, test_cells);
	tcase_add_test(cases, test_large_share);
	tcase_add_test(cases, test_ranks);
	suite_add_tcase(suite, cases);
	return suite;
}
