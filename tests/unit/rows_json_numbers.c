#include "src/input/rows_json.h"

#include <check.h>
#include <stdio.h>

#include "src/input/decimal.h"
#include "tests/lib/unit.h"

/* Numbers that members store without a token are those of decimal_scaled(). */

struct scaled {
	int64_t n, short_n;
	bool has_n, has_short;
	struct buf text;
};

static bool
long_take(struct rows_json *r, void *to, const struct json_value *v)
{
	struct scaled *x = r->context;

	(void)to;
	x->has_short = json_value_scaled(v, r->scale, false, &x->short_n);
	return true;
}

static void *
scaled_begin(struct rows_json *r, void *parent, void *own)
{
	struct scaled *x = r->context;

	(void)parent;
	(void)own;
	x->has_n = x->has_short = false;
	return x;
}

/* Both members have the number that decimal_scaled() makes of the text, or none has. */
static bool
scaled_take(struct rows_json *r, void *parent, void *element)
{
	const struct scaled *x = element;
	int64_t wanted;
	bool is = decimal_scaled(buf_str(&x->text), x->text.len, r->scale, &wanted);

	(*(unsigned *)parent)++;
	ck_assert_msg(is == x->has_n && is == x->has_short, "%s", buf_str(&x->text));
	ck_assert_msg(!is || (x->n == wanted && x->short_n == wanted), "%s: %lld %lld, not %lld",
		      buf_str(&x->text), (long long)x->n, (long long)x->short_n,
		      (long long)wanted);
	return true;
}

static const struct json_row scaled_rows[] = {
	{"t", ROW_TEXT(struct scaled, text)},
	{"n", ROW_NUMBER(struct scaled, n), .scale = ROW_SCALE, ROW_HAS(struct scaled, has_n)},
	{"s", ROW_SHORT(struct scaled, short_n, long_take), .scale = ROW_SCALE,
	 ROW_HAS(struct scaled, has_short)},
	{0},
};
static const struct json_list scaled_list = {
	.rows = scaled_rows, .begin = scaled_begin, .end = scaled_take};
static const struct json_row scaled_document[] = {{"list", ROW_LIST(&scaled_list)}, {0}};

/* Numbers of all lengths on both sides of the point, in objects that look alike. */
START_TEST(test_numbers)
{
	static const char digits[] = "90817263549081726354", *const ends[] = {"", "e1", "E-2"};
	static const int scales[] = {0, 2, 3, 9, 11, 12, -1};
	struct scaled x = {.text = BUF_INIT};
	struct buf document = BUF_INIT;
	struct rows_json r;
	unsigned n = 0, met = 0;
	struct err e;

	buf_adds(&document, "{\"list\":[");
	for (int whole = 1; whole <= 19; whole++)
		for (int behind = 0; behind <= 19; behind++)
			for (unsigned k = 0; k < 6; k++, n++) {
				char text[64];
				snprintf(text, sizeof text, "%s%.*s%s%.*s%s", k % 2 ? "-" : "",
					 whole, digits, behind ? "." : "", behind, digits + 1,
					 ends[k / 2]);
				buf_addf(&document, "%s{\"t\":\"%s\",\"n\":%s,\"s\":%s}",
					 n ? "," : "", text, text, text);
			}
	buf_adds(&document, "]}");
	err_init(&e);
	struct input *in = input_open_bytes(buf_str(&document), document.len, "numbers");
	rows_json_init(&r, in, &e);
	r.context = &x;
	r.scale = scales[_i];
	ck_assert(rows_json_document(&r, scaled_document, &met, "nothing"));
	ck_assert_uint_eq(met, n);
	rows_json_release(&r);
	input_close(in);
	buf_release_all(&document, &x.text);
}
END_TEST

UNIT(rows_json_numbers)
{
	Suite *suite = suite_create("rows_json_numbers");
	TCase *cases = tcase_create("rows_json_numbers");

	tcase_add_loop_test(cases, test_numbers, 0, 7);
	suite_add_tcase(suite, cases);
	return suite;
}
