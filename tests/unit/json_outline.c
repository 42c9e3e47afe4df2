#include "src/input/json_outline.h"

#include <check.h>
#include <string.h>

#include "model/base/mem.h"
#include "tests/lib/random_profile.h"
#include "tests/lib/unit.h"

/* Members at the top of a document, and texts that are no documents. json_leap() ends where
 * json_skip() does, whatever the value contains. */

static struct json_outline
outline_of(const char *text)
{
	struct input *in = input_open_bytes(text, strlen(text), "outline");
	struct json_outline o;

	json_outline_begin(&o, in);
	while (json_outline_more(&o))
		;
	input_close(in);
	return o;
}

static bool
has(const char *text, const char *paths)
{
	struct json_outline o = outline_of(text);
	bool found = o.is_json && json_outline_has(&o, paths);

	json_outline_release(&o);
	return found;
}

START_TEST(test_paths)
{
	const char *text =
		"\xEF\xBB\xBF {\"a\": {\"x\": [1, {\"deep\": 1}], \"y\": \"}\"}, \"b\": [3, 4],"
		" \"c\": [{\"u\": 1}, {\"v\": 2}], \"d\": [[{\"w\": 3}]], \"\\u0065\": 5}";

	ck_assert(has(text, "a a/x a/y b c c/u d e"));
	ck_assert(has(text, "*/u */x"));
	ck_assert(!has(text, "c/v") && !has(text, "x") && !has(text, "a/deep"));
	ck_assert(has(text, "x|a/y d") && has(text, "a e|x") && !has(text, "a x|b/a|d c/v"));
	ck_assert(!has(text, "b/a") && !has(text, "d/w") && !has(text, "a/") && !has(text, "/a"));
	ck_assert(has("[{\"ph\": \"X\", \"args\": {\"name\": 1}}, {\"ts\": 1}]", "/ph /args"));
	ck_assert(!has("[{\"ph\": \"X\"}, {\"ts\": 1}]", "/ts"));
	ck_assert(has("[[{\"id\": 1}], [{\"ts\": 1}]]", "[]/id"));
	ck_assert(!has("[[{\"id\": 1}], [{\"ts\": 1}]]", "/id|[]/ts"));
}
END_TEST

START_TEST(test_values)
{
	struct json_outline o = outline_of("{\"schema\": \"https:\\/\\/x.app\", \"n\": 4}");

	ck_assert(json_outline_says(&o, "schema", "//x.app"));
	ck_assert(!json_outline_says(&o, "schema", "y.app") && !json_outline_says(&o, "n", "4"));
	json_outline_release(&o);
}
END_TEST

/* Texts that begin like a document and are none: lines of other formats. */
START_TEST(test_others)
{
	static const char *const texts[] = {
		"[unknown];main 5\n", "{closure};main 5\n", "{main};{closure} 1\n",
		"[pid 7] read() = 0",
		"[{ \"<0.9.0>\", 3, undefined}].", "[vdso] 5", "[[vdso]];main 1", "", "text", "5",
		"\"a\"", "[1];main 1", "[ 12.5] x", "[\"a\"];b 1", "{\"a\";\"b\"} 4", "[New LWP 5]",
	};
	static const char *const documents[] = {
		"{}", "[]", "{\"a\"", "{\"a\":", "[{", "[{\"a\":1", "{", "[", "[[1,2],[3", "[{\"a",
	};

	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		struct json_outline o = outline_of(texts[i]);
		ck_assert_msg(!o.is_json, "%s", texts[i]);
		json_outline_release(&o);
	}
	for (size_t i = 0; i < sizeof documents / sizeof *documents; i++) {
		struct json_outline o = outline_of(documents[i]);
		ck_assert_msg(o.is_json, "%s", documents[i]);
		json_outline_release(&o);
	}
}
END_TEST

/* A value by chance: brackets, strings that hold them, backslashes, words. */
static void
any_value(struct chance *c, struct buf *out, int depth)
{
	static const char *const strings[] = {
		"\"\"",      "\"}\"",     "\"\\\"\"",          "\"\\\\\"",  "\"]]]]\"",
		"\"\\\\\\\"}\"", "\"plain\"", "\"{\\\"a\\\": [\"", "\"\\u007d\"", "\"\\\\\\\\\"",
	};
	unsigned kind = chance_below(c, depth ? 6 : 3), n;

	if (kind == 0) {
		buf_adds(out, strings[chance_below(c, sizeof strings / sizeof *strings)]);
	} else if (kind < 3) {
		buf_addf(out, "%u", chance_below(c, 1u << chance_below(c, 20)));
	} else if (kind < 5) {
		buf_addc(out, '[');
		for (n = chance_below(c, 5); n; n--) {
			any_value(c, out, depth - 1);
			buf_adds(out, n > 1 ? "," : "");
		}
		buf_addc(out, ']');
	} else {
		buf_addc(out, '{');
		for (n = chance_below(c, 4); n; n--) {
			buf_addf(out, "%s: ", strings[chance_below(c, 9)]);
			any_value(c, out, depth - 1);
			buf_adds(out, n > 1 ? " ,\n" : "");
		}
		buf_addc(out, '}');
	}
}

START_TEST(test_leap)
{
	struct chance c;

	chance_init(&c, 7);
	for (int i = 0; i < 20000; i++) {
		struct buf text = BUF_INIT;
		struct json_token t;
		struct json j;
		buf_adds(&text, "{\"one\": [");
		any_value(&c, &text, 6);
		for (unsigned n = chance_below(&c, 9); n; n--) {
			buf_addc(&text, ',');
			any_value(&c, &text, 3);
		}
		buf_adds(&text, "], \"two\": 2}");
		struct input *in = input_open_bytes(text.at, text.len, "leap");
		json_init(&j, in);
		ck_assert(json_next(&j, &t) && json_next(&j, &t) && json_next(&j, &t));
		ck_assert_msg(json_leap(&j) && json_next(&j, &t) && json_is(&t, "two"), "%s",
			      buf_str(&text));
		ck_assert(json_next(&j, &t) && json_is(&t, "2"));
		ck_assert(json_next(&j, &t) && t.kind == JSON_OBJECT_END && !json_next(&j, &t));
		ck_assert(!j.failed && !j.more);
		input_close(in);
		buf_release(&text);
	}
}
END_TEST

/* Cut anywhere, the end is missed and said to be. */
START_TEST(test_leap_cut)
{
	static const char text[] = "[{\"a\": \"}]\\\"\"}, [\"]\", {}], 17, \"\\\\\"";

	for (size_t n = 1; n < sizeof text; n++) {
		struct input *in = input_open_bytes(text, n, "cut");
		struct json_token t;
		struct json j;
		json_init(&j, in);
		ck_assert(json_next(&j, &t) && t.kind == JSON_ARRAY);
		ck_assert(!json_leap(&j) && j.failed && j.cut && !json_next(&j, &t));
		input_close(in);
	}
}
END_TEST

UNIT(json_outline)
{
	Suite *suite = suite_create("json_outline");
	TCase *cases = tcase_create("json_outline");

	tcase_set_timeout(cases, 60);
	tcase_add_test(cases, test_paths);
	tcase_add_test(cases, test_values);
	tcase_add_test(cases, test_others);
	tcase_add_test(cases, test_leap);
	tcase_add_test(cases, test_leap_cut);
	suite_add_tcase(suite, cases);
	return suite;
}
