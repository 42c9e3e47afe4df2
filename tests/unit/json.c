#include "src/input/json.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/mem.h"
#include "src/input/decimal.h"
#include "src/input/source.h"
#include "tests/lib/random_profile.h"
#include "tests/lib/second_json.h"
#include "tests/lib/unit.h"

/* The tokenizer: the tokens of documents written by hand; the same tokens if few bytes arrive
 * at a time; and the same as jansson's for documents that jansson accepts. */

/* ---- a source that gives a few bytes a read ---- */

struct dribble {
	struct source source;
	const char *at;
	size_t left;
	struct chance chance;
};

static size_t
dribble_read(struct source *s, void *out, size_t n)
{
	struct dribble *d = (struct dribble *)s;
	size_t give = 1 + chance_below(&d->chance, 7);

	give = give > n ? n : give;
	give = give > d->left ? d->left : give;
	memcpy(out, d->at, give);
	d->at += give;
	d->left -= give;
	return give;
}

static void
dribble_close(struct source *s)
{
	free(s);
}

static const struct source_ops dribble_ops = {.read = dribble_read, .close = dribble_close};

static struct input *
dribbled(const char *text, size_t len, uint64_t seed)
{
	struct dribble *d = mem_zalloc(1, sizeof *d);

	d->source.ops = &dribble_ops;
	d->at = text;
	d->left = len;
	chance_init(&d->chance, seed);
	return input_over(&d->source, "dribble", NULL, NULL);
}

/* ---- tokens as text ---- */

/* `{ "key": 1 ["x"] }` and, at a fault, `!offset why`. */
static void
write_tokens(struct input *in, struct buf *out, struct json *j)
{
	static const char *const word[] = {
		[JSON_OBJECT] = "{", [JSON_OBJECT_END] = "}", [JSON_ARRAY] = "[",
		[JSON_ARRAY_END] = "]", [JSON_TRUE] = "true", [JSON_FALSE] = "false",
		[JSON_NULL] = "null",
	};
	struct json_token t;

	json_init(j, in);
	while (json_next(j, &t)) {
		buf_adds(out, out->len ? " " : "");
		if (t.kind == JSON_KEY || t.kind == JSON_STRING) {
			buf_addc(out, '"');
			json_text(j, &t, out);
			buf_adds(out, t.kind == JSON_KEY ? "\":" : "\"");
		} else if (t.kind == JSON_NUMBER) {
			buf_add(out, t.at, t.len);
		} else {
			buf_adds(out, word[t.kind]);
		}
	}
	if (j->failed)
		buf_addf(out, "%s!%llu %s", out->len ? " " : "", (unsigned long long)j->where,
			 j->why);
	if (j->more)
		buf_adds(out, " ...");
}

static void
expect(const char *text, size_t len, const char *wanted)
{
	for (uint64_t seed = 0; seed < 20; seed++) {
		struct input *in = seed ? dribbled(text, len, seed)
					: input_open_bytes(text, len, "text");
		struct buf got = BUF_INIT;
		struct json j;
		write_tokens(in, &got, &j);
		ck_assert_str_eq(buf_str(&got), wanted);
		buf_release(&got);
		input_close(in);
	}
}

#define EXPECT(text, wanted) expect(text, sizeof text - 1, wanted)

START_TEST(test_documents)
{
	EXPECT("{}", "{ }");
	EXPECT(" [ ] \n", "[ ]");
	EXPECT("\xEF\xBB\xBF[1]", "[ 1 ]");
	EXPECT("{\"a\":1,\"b\" : [true,false , null],\"\":{\"c\":\"d\"}}",
	       "{ \"a\": 1 \"b\": [ true false null ] \"\": { \"c\": \"d\" } }");
	EXPECT("[-1.5e+3,0,12345678901234567890,.5,5.,1E5]",
	       "[ -1.5e+3 0 12345678901234567890 .5 5. 1E5 ]");
	EXPECT("\"top\"", "\"top\"");
	EXPECT("42", "42");
	EXPECT("null", "null");
}
END_TEST

START_TEST(test_strings)
{
	EXPECT("[\"a\\\"b\\\\c\\/d\\b\\f\\n\\r\\t\"]", "[ \"a\"b\\c/d\b\f\n\r\t\" ]");
	EXPECT("[\"\\u00e9\\u20AC\\ud83d\\ude00\"]",
	       "[ \"\303\251\342\202\254\360\237\230\200\" ]");
	/* halves of pairs, in any order, and invalid escapes */
	EXPECT("[\"\\ud83dx\\ude00\"]", "[ \"\357\277\275x\357\277\275\" ]");
	EXPECT("[\"\\u12g4\\q\"]", "[ \"u12g4q\" ]");
	EXPECT("[\"long enough for the words of eight, and raw \001 \t too\"]",
	       "[ \"long enough for the words of eight, and raw \001 \t too\" ]");
	EXPECT("{\"k\\u0065y\":\"v\"}", "{ \"key\": \"v\" }");
}
END_TEST

START_TEST(test_more_than_the_standard)
{
	EXPECT("[NaN,Infinity,-Infinity,nan]", "[ null null null null ]");
	EXPECT("[1,]", "[ 1 ]");
	EXPECT("{\"a\":1,}", "{ \"a\": 1 }");
	expect("[1]\0\0\0 \n", 8, "[ 1 ]");
	EXPECT("[1] [2]", "[ 1 ] ...");
	EXPECT("{}x", "{ } ...");
}
END_TEST

START_TEST(test_faults)
{
	EXPECT("", "!0 the document ends early");
	EXPECT("[1,2", "[ 1 !4 the document ends early");
	EXPECT("[1, 2 ", "[ 1 2 !6 the document ends early");
	EXPECT("{\"a\"", "{ !4 the document ends early");
	EXPECT("{\"a\":", "{ \"a\": !5 the document ends early");
	EXPECT("[\"abc", "[ !5 the document ends early");
	EXPECT("[tru", "[ !4 the document ends early");
	EXPECT("[trux]", "[ !1 an unknown word");
	EXPECT("[1 2]", "[ 1 !3 expected a comma between two values");
	EXPECT("{\"a\" 1}", "{ !5 expected a colon after the key");
	EXPECT("{1:2}", "{ !1 expected a key");
	EXPECT("{\"a\":}", "{ \"a\": !5 expected a value");
	EXPECT("[1}", "[ 1 !2 an unmatched closing bracket");
	EXPECT("[,]", "[ !1 expected a value");
	EXPECT("[1,,2]", "[ 1 !3 expected a value");
	EXPECT("[1.2.3]", "[ !1 a malformed number");
	EXPECT("[--1]", "[ !1 a malformed number");
	EXPECT("]", "!0 expected a value");
	EXPECT("[&]", "[ !1 expected a value");
}
END_TEST

START_TEST(test_depth)
{
	char text[2 * JSON_DEPTH_MAX + 2];
	struct json_token t;
	struct json j;
	size_t n = 0;

	memset(text, '[', JSON_DEPTH_MAX);
	memset(text + JSON_DEPTH_MAX, ']', JSON_DEPTH_MAX);
	struct input *in = input_open_bytes(text, (size_t)2 * JSON_DEPTH_MAX, "deep");
	json_init(&j, in);
	while (json_next(&j, &t))
		n++;
	ck_assert(!j.failed);
	ck_assert_uint_eq(n, 2 * JSON_DEPTH_MAX);
	input_close(in);

	memset(text, '[', sizeof text);
	in = input_open_bytes(text, sizeof text, "deeper");
	json_init(&j, in);
	while (json_next(&j, &t))
		;
	ck_assert(j.failed && !j.cut);
	ck_assert_uint_eq(j.where, JSON_DEPTH_MAX);
	input_close(in);
}
END_TEST

START_TEST(test_skip)
{
	static const char text[] = "{\"a\":[1,{\"b\":[2]}],\"c\":3,\"d\":{\"e\":4},\"f\":\"g\"}";
	struct input *in = input_open_bytes(text, sizeof text - 1, "skip");
	struct buf keys = BUF_INIT;
	struct json_token t;
	struct json j;

	json_init(&j, in);
	ck_assert(json_next(&j, &t) && t.kind == JSON_OBJECT);
	while (json_next(&j, &t) && t.kind == JSON_KEY) {
		buf_add(&keys, t.at, t.len);
		ck_assert(json_skip(&j, &t));
	}
	ck_assert_str_eq(buf_str(&keys), "acdf");
	ck_assert(t.kind == JSON_OBJECT_END && !json_next(&j, &t) && !j.failed && !j.more);
	buf_release(&keys);
	input_close(in);
}
END_TEST

/* The text of a key or string matters, not its escapes. */
START_TEST(test_escaped_words)
{
	static const char text[] = "{\"p\\u0068\":\"\\u0058\",\"p\\\\h\":\"\\/\"}";
	struct input *in = input_open_bytes(text, strlen(text), "escaped");
	struct json_token t;
	struct json j;

	json_init(&j, in);
	ck_assert(json_next(&j, &t) && json_next(&j, &t));
	ck_assert(json_is(&t, "ph") && !json_is(&t, "p"));
	ck_assert(json_next(&j, &t) && json_char(&t) == 'X' && json_is(&t, "X"));
	ck_assert(json_next(&j, &t) && json_is(&t, "p\\h"));
	ck_assert(json_next(&j, &t) && json_char(&t) == '/');
	input_close(in);
}
END_TEST

/* A value that is kept and read later has its original offsets, and its faults. */
START_TEST(test_kept)
{
	static const char good[] = "{\"a\":[1,{\"b\":\"]\"}],\"c\":2}",
			  bad[] = "{\"a\":[1,x],\"c\":2}";

	for (int i = 0; i < 2; i++) {
		const char *text = i ? bad : good;
		struct input *in = input_open_bytes(text, strlen(text), "kept");
		struct json_kept kept = {.text = BUF_INIT};
		struct json_token t;
		struct json j;
		json_init(&j, in);
		ck_assert(json_next(&j, &t) && json_next(&j, &t) && json_next(&j, &t));
		ck_assert(t.kind == JSON_ARRAY && json_keep(&j, &t, &kept));
		ck_assert(json_next(&j, &t) && json_is(&t, "c") && json_next(&j, &t));
		struct json outer = json_enter(&j, &kept);
		ck_assert(json_next(&j, &t) && t.kind == JSON_ARRAY && t.offset == 5);
		ck_assert(json_next(&j, &t) && t.kind == JSON_NUMBER && t.offset == 6);
		ck_assert(json_next(&j, &t) == !i);
		while (json_next(&j, &t))
			;
		json_return(&j, &outer, &kept);
		ck_assert(j.failed == i && (!i || j.where == 8));
		ck_assert(i || (json_next(&j, &t) && t.kind == JSON_OBJECT_END));
		input_close(in);
	}
}
END_TEST

START_TEST(test_counts)
{
	static const char text[] = "[\"\001\002\",NaN,\"\\ud800\",[1,],]";
	struct input *in = input_open_bytes(text, sizeof text - 1, "counts");
	struct buf out = BUF_INIT;
	struct json j;

	write_tokens(in, &out, &j);
	ck_assert(!j.failed);
	ck_assert_uint_eq(j.controls, 2);
	ck_assert_uint_eq(j.no_numbers, 1);
	ck_assert_uint_eq(j.halves, 1);
	ck_assert_uint_eq(j.commas, 2);
	buf_release(&out);
	input_close(in);
}
END_TEST

/* ---- documents by chance ---- */

static void
any_string(struct chance *c, struct buf *out)
{
	static const char *const part[] = {"a", "name",     "\\n",     "\\\"",           "\\\\",
					   " ", "\303\251", "\\u00e9", "\\ud83d\\ude00", "x y z",
					   "/", "main"};

	buf_addc(out, '"');
	for (unsigned n = chance_below(c, 6); n; n--)
		buf_adds(out, part[chance_below(c, sizeof part / sizeof *part)]);
	buf_addc(out, '"');
}

static void
any_blanks(struct chance *c, struct buf *out)
{
	while (chance_one_in(c, 3))
		buf_addc(out, " \n\t\r"[chance_below(c, 4)]);
}

static void
any_value(struct chance *c, struct buf *out, unsigned depth)
{
	static const char *const plain[] = {
		"0",     "-1",   "12.5",          "1e3",           "true",
		"false", "null", "1234567890123", "[5,-6,70,0,-8]"};
	unsigned kind = chance_below(c, depth ? 6 : 4), n = chance_below(c, 5);

	any_blanks(c, out);
	if (kind < 2) {
		buf_adds(out, plain[chance_below(c, sizeof plain / sizeof *plain)]);
	} else if (kind < 4) {
		any_string(c, out);
	} else {
		buf_addc(out, kind == 4 ? '[' : '{');
		for (unsigned i = 0; i < n; i++) {
			buf_adds(out, i ? "," : "");
			any_blanks(c, out);
			if (kind == 5) {
				any_string(c, out);
				any_blanks(c, out);
				buf_addc(out, ':');
			}
			any_value(c, out, depth - 1);
		}
		any_blanks(c, out);
		buf_addc(out, kind == 4 ? ']' : '}');
	}
	any_blanks(c, out);
}

/* A byte becomes another, or one goes. */
static void
damage(struct chance *c, struct buf *text)
{
	size_t at = chance_below(c, (uint32_t)text->len);

	if (chance_one_in(c, 2))
		text->at[at] = "\"\\{}[],:0e.-tn \001"[chance_below(c, 16)];
	else
		memmove(text->at + at, text->at + at + 1, --text->len - at);
}

static size_t runs; /* integers that came so */

/* Numbers as second_json() writes them; those that come in a run are taken as one. */
static void
write_values(const struct buf *text, struct buf *out, struct json *j)
{
	struct input *in = input_open_bytes(text->at, text->len, "random");
	struct json_token t;
	int64_t run[2];

	json_init(j, in);
	while (json_next(j, &t)) {
		static const char *const word[] = {
			[JSON_OBJECT] = "{", [JSON_OBJECT_END] = "}", [JSON_ARRAY] = "[",
			[JSON_ARRAY_END] = "]", [JSON_TRUE] = "true",
			[JSON_FALSE] = "false", [JSON_NULL] = "null",
		};
		if (t.kind == JSON_KEY || t.kind == JSON_STRING) {
			buf_addc(out, '"');
			json_text(j, &t, out);
			buf_adds(out, "\" ");
		} else if (t.kind == JSON_NUMBER) {
			char number[64];
			ck_assert(t.len < sizeof number);
			memcpy(number, t.at, t.len);
			number[t.len] = '\0';
			buf_addf(out, "%.17g ", strtod(number, NULL));
			for (size_t n; (n = json_column(j, 1, false, run, 2)); runs += n)
				for (size_t i = 0; i < n; i++) /* of tenths at most */
					buf_addf(out, "%.17g ", (double)run[i] / 10);
		} else {
			buf_addf(out, "%s ", word[t.kind]);
		}
	}
	input_close(in);
}

/* The tokenizer accepts what jansson accepts, with the same values; also if the text arrives in
 * pieces. */
START_TEST(test_by_chance)
{
	struct chance c;
	unsigned taken = 0;

	chance_init(&c, 90 + (uint64_t)_i);
	for (int round = 0; round < 3000; round++) {
		struct buf text = BUF_INIT, ours = BUF_INIT, theirs = BUF_INIT;
		struct json j;
		buf_addc(&text, '[');
		any_value(&c, &text, 5);
		buf_addc(&text, ']');
		if (chance_one_in(&c, 2))
			damage(&c, &text);
		write_values(&text, &ours, &j);
		if (second_json(text.at, text.len, &theirs)) {
			taken++;
			if (j.failed || j.more || strcmp(buf_str(&ours), buf_str(&theirs)))
				ck_abort_msg("%s\nours:   %s (%s)\ntheirs: %s", buf_str(&text),
					     buf_str(&ours), j.failed ? j.why : "taken",
					     buf_str(&theirs));
		}
		struct input *in = dribbled(text.at, text.len, (uint64_t)round + 1);
		struct input *whole = input_open_bytes(text.at, text.len, "whole");
		struct buf pieces = BUF_INIT, at_once = BUF_INIT;
		write_tokens(in, &pieces, &j);
		write_tokens(whole, &at_once, &j);
		ck_assert_str_eq(buf_str(&pieces), buf_str(&at_once));
		input_close(in);
		input_close(whole);
		buf_release(&pieces);
		buf_release(&at_once);
		buf_release(&text);
		buf_release(&ours);
		buf_release(&theirs);
	}
	ck_assert(taken > 1000 || !second_json_is_there());
	ck_assert_uint_gt(runs, 50);
}
END_TEST

/* ---- columns of numbers ---- */

/* Digits, perhaps with a point, of any length and sometimes malformed. */
static void
any_number(struct chance *c, struct buf *out)
{
	static const char *const odd[] = {
		"1e3",  "-0",   "1.50", "-0.0", "1E-2", "null", "NaN",	"-Infinity", ".5", "5.",
		"+5",   "007",  "nul",  "true", "\"7\"", "[8]",  "-",	"1.2.3",     "",   "{}",
		"9223372036854775807", "-9223372036854775808", "9223372036854775808",
		"999999999999999999",  "0.999999999999999999", "123456789012345.123",
		"99999999.99999999",   "1000000000000000",     "0.0000005",
	};

	if (chance_one_in(c, 40)) {
		buf_adds(out, odd[chance_below(c, sizeof odd / sizeof *odd)]);
		return;
	}
	if (chance_one_in(c, 20)) {
		buf_adds(out, "null");
		return;
	}
	buf_adds(out, chance_one_in(c, 6) ? "-" : "");
	for (unsigned n = 1 + chance_below(c, chance_one_in(c, 9) ? 19 : 7); n; n--)
		buf_addc(out, "0123456789"[chance_below(c, 10)]);
	if (!chance_one_in(c, 3))
		return;
	buf_addc(out, '.');
	for (unsigned n = 1 + chance_below(c, chance_one_in(c, 9) ? 19 : 6); n; n--)
		buf_addc(out, "0123456789"[chance_below(c, 10)]);
}

static size_t in_columns;

/* Writes the numbers of an array, its other values, and how it ends; if `most` is not 0, reads them
 * by json_column(), at most `most` at a time. */
static void
write_numbers(const struct buf *text, unsigned scale, bool nulls, size_t most, struct buf *out)
{
	struct input *in = input_open_bytes(text->at, text->len, "column");
	int64_t v[300];
	struct json_token t;
	struct json j;
	size_t n;

	json_init(&j, in);
	while (json_next(&j, &t)) {
		if (t.kind == JSON_NUMBER && decimal_scaled(t.at, t.len, (int)scale, v))
			buf_addf(out, "%lld ", (long long)v[0]);
		else if (t.kind == JSON_NULL && nulls)
			buf_addf(out, "%lld ", (long long)JSON_NO_NUMBER);
		else
			buf_addf(out, "%d@%llu ", t.kind, (unsigned long long)t.offset);
		while (most && (n = json_column(&j, scale, nulls, v, most))) {
			in_columns += n;
			for (size_t i = 0; i < n; i++)
				buf_addf(out, "%lld ", (long long)v[i]);
		}
	}
	buf_addf(out, "%s@%llu", j.failed ? j.why : "", (unsigned long long)j.where);
	input_close(in);
}

/* Columns yield the same numbers as single tokens. */
START_TEST(test_columns)
{
	struct chance c;

	chance_init(&c, 17 + (uint64_t)_i);
	for (int round = 0; round < 400; round++) {
		struct buf text = BUF_INIT, singly = BUF_INIT, columns = BUF_INIT;
		unsigned scale = chance_below(&c, 4) * 3 + chance_below(&c, 2) * 9;
		bool nulls = chance_one_in(&c, 2), blank = chance_one_in(&c, 4);
		buf_addc(&text, '[');
		for (unsigned i = chance_below(&c, 150); i; i--) {
			any_number(&c, &text);
			buf_adds(&text, i > 1 ? "," : "");
			if (blank)
				any_blanks(&c, &text);
		}
		buf_addc(&text, chance_one_in(&c, 9) ? '}' : ']');
		for (unsigned i = chance_below(&c, 60); i; i--)
			buf_addc(&text, ' ');
		write_numbers(&text, scale, nulls, 0, &singly);
		write_numbers(&text, scale, nulls, 1 + chance_below(&c, 300), &columns);
		if (strcmp(buf_str(&singly), buf_str(&columns)) != 0)
			ck_abort_msg("%s\nsingly:  %s\ncolumns: %s", buf_str(&text),
				     buf_str(&singly), buf_str(&columns));
		buf_release(&text);
		buf_release(&singly);
		buf_release(&columns);
	}
	ck_assert_uint_gt(in_columns, 5000);
}
END_TEST

UNIT(json)
{
	Suite *suite = suite_create("json");
	TCase *cases = tcase_create("json");

	tcase_set_timeout(cases, 120);
	tcase_add_test(cases, test_documents);
	tcase_add_test(cases, test_strings);
	tcase_add_test(cases, test_more_than_the_standard);
	tcase_add_test(cases, test_faults);
	tcase_add_test(cases, test_depth);
	tcase_add_test(cases, test_skip);
	tcase_add_test(cases, test_counts);
	tcase_add_test(cases, test_escaped_words);
	tcase_add_test(cases, test_kept);
	tcase_add_loop_test(cases, test_by_chance, 0, 4);
	tcase_add_loop_test(cases, test_columns, 0, 4);
	suite_add_tcase(suite, cases);
	return suite;
}
