#include "src/input/rows_json.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

#include "src/input/decimal.h"
#include "src/input/hash.h"
#include "tests/lib/random_profile.h"
#include "tests/lib/unit.h"

/* Random documents, read by tables and by a loop over the tokenizer: both must deliver the same
 * objects, and find the same faults in the same places. Members are missing, repeated, of the wrong
 * type, in any order; values are large, odd, or nested; documents are cut. */

struct thing {
	int64_t n, big, x;
	uint32_t name;
	bool flag, has_n, has_in;
	uint8_t word;
	struct buf text, said;
	uint64_t sum;
};

static const char *const words[] = {"one", "two", "w\"", NULL};

static uint32_t
name_id_of(struct builder *none, const void *bytes, size_t len)
{
	(void)none;
	return (uint32_t)hash64(bytes, len);
}

static void
put_thing(struct buf *out, const struct thing *x, uint64_t offset)
{
	buf_addf(out,
		 "{@%llu n=%lld big=%lld x=%lld name=%u %d%d%d word=%d text=%s said=%s sum=%llu}\n",
		 (unsigned long long)offset, (long long)x->n, (long long)x->big, (long long)x->x,
		 x->name, x->flag, x->has_n, x->has_in, x->word, buf_str(&x->text),
		 buf_str(&x->said), (unsigned long long)x->sum);
}

static void
release_thing(struct thing *x)
{
	buf_release(&x->text);
	buf_release(&x->said);
}

static void
say_value(struct buf *out, const struct json_token *t)
{
	bool has_text = t->kind == JSON_STRING || t->kind == JSON_NUMBER;

	buf_addf(out, "%d:%.*s,", t->kind, has_text ? (int)t->len : 0, has_text ? t->at : "");
}

/* ---- by tables ---- */

static bool
said_take(struct rows_json *r, void *object, const struct json_value *v)
{
	int64_t scaled, wanted;
	bool is = json_value_scaled(v, 2, true, &scaled);
	bool should = (v->t.kind == JSON_NUMBER || (v->t.kind == JSON_STRING && !v->t.escaped)) &&
		      decimal_scaled(v->t.at, v->t.len, 2, &wanted);

	(void)r;
	ck_assert(is == should && (!is || scaled == wanted));
	say_value(&((struct thing *)object)->said, &v->t);
	return true;
}

static bool
column_take(struct rows_json *r, void *object, const int64_t *v, size_t n)
{
	struct thing *x = object;

	(void)r;
	for (size_t i = 0; i < n; i++)
		x->sum = x->sum * 31 + (v[i] == JSON_NO_NUMBER ? 7 : (uint64_t)v[i]);
	return true;
}

static bool
other_take(struct rows_json *r, void *object, const struct json_token *t)
{
	buf_addf(&((struct thing *)object)->said, "%s=", buf_str(&r->key));
	return json_skip(&r->j, t);
}

static bool
thing_take(struct rows_json *r, void *parent, void *element)
{
	(void)parent;
	if (!r->j.failed)
		put_thing(r->context, element, r->offset);
	release_thing(element);
	return true;
}

static void *
thing_begin(struct rows_json *r, void *parent, void *own)
{
	static struct thing things[JSON_DEPTH_MAX];

	(void)parent;
	(void)own;
	things[r->j.depth] = (struct thing){0};
	return &things[r->j.depth];
}

static const struct json_list things;
static const struct json_row inner_rows[] = {
	{"x", ROW_NUMBER(struct thing, x)},
	{"*", ROW_INSIDE(other_take)},
	{0},
};
static const struct json_row thing_rows[] = {
	{"n", ROW_NUMBER(struct thing, n), .scale = 3, ROW_HAS(struct thing, has_n)},
	{"big", ROW_NUMBER(struct thing, big), .loose = true},
	{"name", ROW_NAME(struct thing, name), .loose = true},
	{"flag", ROW_TRUTH(struct thing, flag)},
	{"a word", ROW_WORD(struct thing, word, words)},
	{"text", ROW_TEXT(struct thing, text)},
	{"said", ROW_VALUE(said_take)},
	{"in", ROW_HERE(inner_rows), ROW_HAS(struct thing, has_in)},
	{"column", ROW_COLUMN(column_take), .scale = 1},
	{"each", ROW_EACH(said_take)},
	{"things", ROW_LIST(&things)},
	{0},
};
static const struct json_list things = {
	.rows = thing_rows, .torn = true, .begin = thing_begin, .end = thing_take};

static void
write_rows(const struct buf *text, struct buf *out)
{
	struct input *in = input_open_bytes(text->at, text->len, "things");
	struct thing top = {0};
	struct rows_json r;
	struct err e;

	err_init(&e);
	rows_json_init(&r, in, &e);
	r.name = name_id_of;
	r.context = out;
	bool good = rows_json_document(&r, thing_rows, &top, "nothing");
	ck_assert(good == !err_is_set(&e));
	ck_assert(!r.j.failed || !good);
	if (good)
		put_thing(out, &top, 0);
	buf_addf(out, "%s@%llu %llu %llu", r.j.failed ? r.j.why : "",
		 (unsigned long long)r.j.where, (unsigned long long)r.j.controls,
		 (unsigned long long)r.j.commas);
	release_thing(&top);
	rows_json_release(&r);
	input_close(in);
}

/* ---- token by token ---- */

static bool read_thing(struct json *j, struct thing *x, struct buf *out);

static void
set_scalar(struct json *j, struct thing *x, const char *key, const struct json_token *t)
{
	bool string = t->kind == JSON_STRING, number = t->kind == JSON_NUMBER;
	struct buf text = BUF_INIT;

	if (!strcmp(key, "n") && number && decimal_scaled(t->at, t->len, 3, &x->n))
		x->has_n = true;
	if (!strcmp(key, "big") && (number || (string && !t->escaped)))
		decimal_scaled(t->at, t->len, 0, &x->big);
	if (string || number)
		json_text(j, t, &text);
	if (!strcmp(key, "name") && (string || number))
		x->name = name_id_of(NULL, buf_str(&text), text.len);
	if (!strcmp(key, "flag") && (t->kind == JSON_TRUE || t->kind == JSON_FALSE))
		x->flag = t->kind == JSON_TRUE;
	if (!strcmp(key, "a word") && string) {
		x->word = 0;
		for (unsigned i = 0; words[i]; i++)
			if (!strcmp(buf_str(&text), words[i]) && text.len == strlen(words[i]))
				x->word = (uint8_t)(i + 1);
	}
	if (!strcmp(key, "text") && string) {
		buf_reset(&x->text);
		buf_add(&x->text, buf_str(&text), text.len);
	}
	if (!strcmp(key, "said"))
		say_value(&x->said, t);
	buf_release(&text);
}

static bool
read_inner(struct json *j, struct thing *x)
{
	struct json_token t;

	x->has_in = true;
	while (json_next(j, &t) && t.kind == JSON_KEY) {
		bool is_x = json_is(&t, "x");
		if (!is_x) {
			json_text(j, &t, &x->said);
			buf_addc(&x->said, '=');
		}
		size_t len = x->said.len;
		if (!json_next(j, &t)) {
			x->said.len = len;
			return false;
		}
		if (is_x && t.kind == JSON_NUMBER)
			decimal_scaled(t.at, t.len, 0, &x->x);
		if (!json_skip(j, &t))
			return false;
	}
	return !j->failed;
}

static bool
read_container(struct json *j, struct thing *x, const char *key, const struct json_token *begin,
	       struct buf *out)
{
	struct json_token t = *begin;

	if (!strcmp(key, "in") && t.kind == JSON_OBJECT)
		return read_inner(j, x);
	if (!strcmp(key, "each") && t.kind == JSON_ARRAY) {
		while (json_next(j, &t) && t.kind != JSON_ARRAY_END) {
			say_value(&x->said, &t);
			if (!json_skip(j, &t))
				break;
		}
		return !j->failed;
	}
	if (!strcmp(key, "column") && t.kind == JSON_ARRAY) {
		while (json_next(j, &t) && t.kind != JSON_ARRAY_END) {
			int64_t v;
			if (t.kind != JSON_NUMBER || !decimal_scaled(t.at, t.len, 1, &v))
				v = 7;
			x->sum = x->sum * 31 + (uint64_t)v;
			if (!json_skip(j, &t))
				break;
		}
		return !j->failed;
	}
	if (strcmp(key, "things") != 0 || t.kind != JSON_ARRAY)
		return json_skip(j, &t);
	while (json_next(j, &t) && t.kind != JSON_ARRAY_END) {
		struct thing inner = {0};
		uint64_t offset = t.offset;
		if (t.kind == JSON_OBJECT ? !read_thing(j, &inner, out) : !json_skip(j, &t))
			return release_thing(&inner), false;
		if (t.kind == JSON_OBJECT)
			put_thing(out, &inner, offset);
		release_thing(&inner);
	}
	return !j->failed;
}

static bool
read_thing(struct json *j, struct thing *x, struct buf *out)
{
	struct buf key = BUF_INIT;
	struct json_token t;
	bool good = true;

	while (good && json_next(j, &t) && t.kind == JSON_KEY) {
		buf_reset(&key);
		json_text(j, &t, &key);
		good = json_next(j, &t);
		if (!good)
			break;
		if (t.kind == JSON_OBJECT || t.kind == JSON_ARRAY)
			good = read_container(j, x, buf_str(&key), &t, out);
		else
			set_scalar(j, x, buf_str(&key), &t);
	}
	buf_release(&key);
	return good && !j->failed;
}

static void
write_plain(const struct buf *text, struct buf *out)
{
	struct input *in = input_open_bytes(text->at, text->len, "things");
	struct thing top = {0};
	struct json_token t;
	struct json j;

	json_init(&j, in);
	if (json_next(&j, &t) && t.kind == JSON_OBJECT && read_thing(&j, &top, out))
		put_thing(out, &top, 0);
	buf_addf(out, "%s@%llu %llu %llu", j.failed ? j.why : "", (unsigned long long)j.where,
		 (unsigned long long)j.controls, (unsigned long long)j.commas);
	release_thing(&top);
	input_close(in);
}

/* ---- documents ---- */

static const char *
one_of(struct chance *c, const char *const *of, unsigned n)
{
	return of[chance_below(c, n)];
}
#define ONE_OF(c, of) one_of(c, of, sizeof(of) / sizeof *(of))

static void any_thing(struct chance *c, struct buf *out, unsigned deep);

static void
any_value(struct chance *c, struct buf *out, const char *key, unsigned deep)
{
	static const char *const odd[] = {
		"1e3",  "-0",     "1.50",    "null",   "\"\\n\"",   "{}",   "[1,2]", "007",
		"5.",   ".5",     "+1",      "\"\"",   "-",         "true", "1.2.3", "\"a\tb\"",
		"\"",   "",       "{\"a\":1}", "false", "\"\\u00e9\"", "[",  "\"7\"", "[[],{}]",
		"99999999999999999999", "1e400", "-9223372036854775808", "123456789012345678.5"};

	if (chance_one_in(c, 60))
		buf_adds(out, ONE_OF(c, odd));
	else if (!strcmp(key, "flag"))
		buf_adds(out, chance_one_in(c, 2) ? "true" : "false");
	else if (!strcmp(key, "a word"))
		buf_addf(out, "\"%s\"", chance_one_in(c, 2) ? "two" : "w\\\"");
	else if (!strcmp(key, "in"))
		buf_addf(out, "{\"x\": %u, \"y\": [], \"%u\": 1}", chance_below(c, 99),
			 chance_below(c, 5));
	else if (!strcmp(key, "each"))
		buf_addf(out, "[\"a\", %s%u]", chance_one_in(c, 9) ? "[1,{}], " : "",
			 chance_below(c, 9));
	else if (!strcmp(key, "column"))
		buf_addf(out, "[1,2.5, -3,%s4]", chance_one_in(c, 9) ? "null," : "");
	else if (!strcmp(key, "things") && deep)
		any_thing(c, out, deep);
	else if (!strcmp(key, "name") || !strcmp(key, "text"))
		buf_addf(out, "\"%.*s\"", (int)chance_below(c, 20), "text of some length, more");
	else if (chance_one_in(c, 3))
		buf_addf(out, "%s%u.%0*u", chance_one_in(c, 4) ? "-" : "", chance_below(c, 99999),
			 (int)(1 + chance_below(c, 9)), chance_below(c, 10));
	else
		buf_addf(out, "%u%s", chance_below(c, 1u << (1 + chance_below(c, 30))),
			 chance_one_in(c, 30) ? "00000000000000" : "");
}

/* A list of objects, most of which have the same members in the same order. */
static void
any_thing(struct chance *c, struct buf *out, unsigned deep)
{
	static const char *const keys[] = {"n",      "big",         "name",   "flag",  "a word",
					   "text",   "said",        "in",     "skip",  "column",
					   "things", "n",           "n\\u0061me", "each",    "",
					   "far too long a name to be one of them"};
	static const char *const blanks[] = {"", "", "", " ", "\n  ", "\r\n\t\t\t\t\t\t\t\t\t\t"};
	const unsigned n_keys = sizeof keys / sizeof *keys;
	const char *blank = ONE_OF(c, blanks);
	unsigned shape = chance_below(c, 1u << n_keys), turn = chance_below(c, n_keys);

	buf_addc(out, '[');
	for (unsigned i = chance_below(c, deep > 1 ? 40 : 8); i; i--) {
		bool first = true;
		if (chance_one_in(c, 8))
			shape ^= 1u << chance_below(c, n_keys);
		if (chance_one_in(c, 20))
			turn = chance_below(c, n_keys);
		buf_addc(out, '{');
		for (unsigned k = 0; k < n_keys; k++) {
			const char *key = keys[(k + turn) % n_keys];
			if (!(shape >> k & 1))
				continue;
			buf_addf(out, "%s%s\"%s\"%s:%s", first ? "" : ",", blank, key, blank,
				 blank);
			any_value(c, out, key, deep - 1);
			first = false;
		}
		buf_addf(out, "%s%s}%s%s", chance_one_in(c, 60) && !first ? "," : "", blank,
			 i > 1 || chance_one_in(c, 60) ? "," : "", blank);
	}
	buf_addc(out, chance_one_in(c, 40) ? '}' : ']');
}

static void
check_equal(const struct buf *text, const struct buf *plain, const struct buf *rows)
{
	const char *a = buf_str(plain), *b = buf_str(rows);
	size_t same = 0;

	while (a[same] && a[same] == b[same])
		same++;
	same -= same < 200 ? same : 200;
	if (strcmp(a, b) != 0)
		ck_abort_msg("plain: %.500s\nrows:  %.500s\n%.9000s", a + same,
			     b + same, buf_str(text));
}

START_TEST(test_like_tokens)
{
	struct chance c;

	chance_init(&c, 77 + (uint64_t)_i);
	for (int round = 0; round < 600; round++) {
		struct buf text = BUF_INIT, plain = BUF_INIT, rows = BUF_INIT;
		buf_adds(&text, chance_one_in(&c, 2) ? "{\"things\":" : "{\"n\": 2,\n\"things\": ");
		any_thing(&c, &text, 2);
		buf_adds(&text, chance_one_in(&c, 9) ? ",}" : "}");
		if (chance_one_in(&c, 4))
			text.len = 1 + chance_below(&c, (uint32_t)text.len);
		for (unsigned i = chance_below(&c, 120); i; i--)
			buf_addc(&text, ' ');
		write_plain(&text, &plain);
		write_rows(&text, &rows);
		check_equal(&text, &plain, &rows);
		buf_release(&text);
		buf_release(&plain);
		buf_release(&rows);
	}
}
END_TEST

/* ---- kinds of rows ---- */

struct small {
	int64_t a;
};

static bool
small_take(struct rows_json *r, void *parent, void *element)
{
	(void)parent;
	buf_addf(r->context, "%lld ", (long long)((struct small *)element)->a);
	return true;
}

static const struct json_row small_rows[] = {
	{"a", ROW_NUMBER(struct small, a), .must = "a small one without its a"},
	{0},
};
static const struct json_list smalls = {.rows = small_rows, .size = sizeof(struct small),
					.record = true, .what = "a small one", .end = small_take};

struct kept_top {
	struct json_kept kept;
	int64_t number;
};

static bool
later_keep(struct rows_json *r, void *top, const struct json_token *t)
{
	if (t->kind != JSON_ARRAY)
		return json_skip(&r->j, t);
	return json_keep(&r->j, t, &((struct kept_top *)top)->kept);
}

static const struct json_row kept_rows[] = {
	{"later", ROW_INSIDE(later_keep)},
	{"smalls", ROW_LIST(&smalls)},
	{"fact", ROW_FACT("a fact")},
	{"number", ROW_FACT_NUMBER("a number", struct kept_top, number)},
	{0},
};
static const struct json_row later_row = {"later", ROW_LIST(&smalls)};

static void
fact_take(struct builder *out, const char *title, const void *bytes, size_t len)
{
	buf_addf((struct buf *)out, "%s: %.*s, ", title, (int)len, (const char *)bytes);
}

static void
check_smalls(const char *text, const char *taken, const char *damage, uint64_t offset)
{
	struct input *in = input_open_bytes(text, strlen(text), "smalls");
	struct kept_top top = {.kept = {.text = BUF_INIT}};
	struct buf out = BUF_INIT;
	struct rows_json r;
	struct err e;

	err_init(&e);
	rows_json_init(&r, in, &e);
	r.context = &out;
	r.b = (struct builder *)&out;
	r.fact = fact_take;
	bool good = rows_json_document(&r, kept_rows, &top, "nothing");
	if (top.number)
		buf_addf(&out, "%lld", (long long)top.number);
	good = good && rows_json_again(&r, &top.kept, &later_row, NULL);
	ck_assert_str_eq(buf_str(&out), taken);
	ck_assert(good == !damage);
	if (damage) {
		ck_assert_msg(strstr(e.text, damage) != NULL, "%s", e.text);
		ck_assert_uint_eq(e.offset, offset);
	}
	buf_release(&top.kept.text);
	buf_release(&out);
	rows_json_release(&r);
	input_close(in);
}

START_TEST(test_demands)
{
	check_smalls("{\"smalls\":[{\"a\":1},{\"a\":2}]}", "1 2 ", NULL, 0);
	check_smalls("{\"smalls\":[{\"a\":1},{\"b\":2}]}", "1 ", "a small one without its a", 19);
	check_smalls("{\"smalls\":[{\"a\":1},{\"a\":\"x\"}]}", "1 ", "without its a", 19);
	check_smalls("{\"smalls\":[{\"a\":1}, 7]}", "1 ", "a small one that is not an object", 20);
	check_smalls("{\"smalls\":[{\"a\":1},{\"a\":2,", "1 ", "ends early", 19);
	check_smalls("{\"smalls\":[{\"a\":1}", "1 ", "ends early", 18);
	check_smalls("{\"later\":[{\"a\":1}],\"smalls\":[{\"a\":2}]}", "2 1 ", NULL, 0);
	check_smalls("{\"later\":[{\"a\":1},{}],\"smalls\":[]}", "1 ", "without its a", 18);
	check_smalls("{\"fact\":\"a\\tb\",\"number\":2.5,\"fact\":1e1,\"fact\":[null]}",
		     "a fact: a\tb, a number: 2.5, a fact: 1e1, 3", NULL, 0);
	check_smalls("{\"number\":\"7\",\"fact\":true}", "a number: 7, ", NULL, 0);
	check_smalls("[]", "", "nothing: it is not an object", 0);
	check_smalls("{\"smalls\":{\"a\":1},\"later\":3}", "", NULL, 0);
}
END_TEST

UNIT(rows_json)
{
	Suite *suite = suite_create("rows_json");
	TCase *cases = tcase_create("rows_json");

	tcase_add_loop_test(cases, test_like_tokens, 0, 4);
	tcase_add_test(cases, test_demands);
	suite_add_tcase(suite, cases);
	return suite;
}
