#include "src/input/json_shape.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

#include "src/input/decimal.h"
#include "tests/lib/random_profile.h"
#include "tests/lib/run_suite.h"

/* Objects of an array that look like each other, and others between them: what is met by its shape
 * must be what the tokenizer says, member by member, with the same offsets, to the same end. */

static const char *
one_of(struct chance *c, const char *const *words, unsigned n)
{
	return words[chance_below(c, n)];
}
#define ONE_OF(c, words) one_of(c, words, sizeof(words) / sizeof *(words))

static void
any_value(struct chance *c, struct buf *out, bool string)
{
	static const char *const odd[] = {
		"1e3",   "-0",    "1.50", "null", "\"\\n\"", "{}",        "[1,2]",
		"007",   "5.",    ".5",   "+1",   "\"\"",    "-",         "\"a\tb\"",
		"\"\x80\"", "true", "1.2.3", "\"",  "",       "{\"a\":1}"};

	if (chance_one_in(c, 90))
		buf_adds(out, ONE_OF(c, odd));
	else if (string)
		buf_addf(out, "\"%.*s\"", (int)chance_below(c, 20), "text of some length, more");
	else if (chance_one_in(c, 3))
		buf_addf(out, "%s%u.%0*u", chance_one_in(c, 4) ? "-" : "", chance_below(c, 99999),
			 (int)(1 + chance_below(c, 9)), chance_below(c, 10));
	else
		buf_addf(out, "%u%s", chance_below(c, 1u << (1 + chance_below(c, 30))),
			 chance_one_in(c, 30) ? "00000000000000" : "");
}

/* The members of all objects, in the same order but for a few. */
static void
any_object(struct chance *c, struct buf *out, unsigned members, unsigned strings,
	   const char *blank)
{
	static const char *const keys[] = {"name", "ph", "ts", "a longer one", "", "dur", "x",
					   "pid",  "tid", "k\\u0065y",
					   "far too long a name to be one"};
	unsigned turn = chance_one_in(c, 20) ? chance_below(c, 9) : 0;

	buf_adds(out, "{");
	for (unsigned i = 0; i < members; i++) {
		unsigned key = (i + turn) % (chance_one_in(c, 60) ? 11 : 9);
		buf_addf(out, "%s%s\"%s\"%s:%s", i ? "," : "", blank, keys[key], blank, blank);
		any_value(c, out, strings >> i & 1);
	}
	buf_addf(out, "%s}", chance_one_in(c, 60) ? " " : blank);
}

static void
put_member(struct buf *out, const char *key, size_t key_len, bool string, const char *at,
	   size_t len)
{
	int64_t n;

	buf_add(out, key, key_len);
	buf_adds(out, string ? "=\"" : "=");
	buf_add(out, at, len);
	if (!string && decimal_scaled(at, len, 3, &n))
		buf_addf(out, "/%lld", (long long)n);
	buf_addc(out, ' ');
}

static size_t met;

/* What json_next() gives. */
static bool
put_token(struct json *j, struct buf *out, uint64_t *from)
{
	struct json_token t, value;

	*from = json_offset(j);
	if (!json_next(j, &t))
		return false;
	if (t.kind != JSON_OBJECT) {
		buf_addf(out, "%d@%llu ", t.kind, (unsigned long long)t.offset);
		return true;
	}
	buf_addf(out, "{@%llu ", (unsigned long long)t.offset);
	while (json_next(j, &t) && t.kind == JSON_KEY) {
		char key[64];
		size_t len = t.len < sizeof key ? t.len : sizeof key;
		memcpy(key, t.at, len);
		if (!json_next(j, &value))
			return false;
		bool plain = value.kind == JSON_STRING || value.kind == JSON_NUMBER;
		put_member(out, key, len, value.kind == JSON_STRING, plain ? value.at : "?",
			   plain ? value.len : 1);
		if (!json_skip(j, &value))
			return false;
	}
	buf_adds(out, "} ");
	return !j->failed;
}

static void
put_fields(const struct json_shape *s, const struct json_field *f, uint64_t offset, struct buf *out)
{
	buf_addf(out, "{@%llu ", (unsigned long long)offset);
	for (unsigned i = 0; i < s->n; i++) {
		struct json_token t = json_field_token(s, i, &f[i]);
		int64_t is, should;
		if (t.kind == JSON_NUMBER && json_field_scaled(&f[i], 3, &is))
			ck_assert(decimal_scaled(t.at, t.len, 3, &should) && is == should);
		put_member(out, s->key[i].name, s->key[i].len, t.kind == JSON_STRING, t.at, t.len);
	}
	buf_adds(out, "} ");
}

static void
write_array(const struct buf *text, bool shapes, struct buf *out)
{
	struct input *in = input_open_bytes(text->at, text->len, "objects");
	struct json_field field[JSON_SHAPE_FIELDS];
	struct json_shape shape = {0};
	uint64_t offset, from;
	struct json j;

	json_init(&j, in);
	for (;;) {
		if (shapes && json_shape_next(&j, &shape, field, &offset)) {
			put_fields(&shape, field, offset, out);
			met++;
			continue;
		}
		if (!put_token(&j, out, &from))
			break;
		if (shapes)
			json_shape_learn(&j, &shape, from);
	}
	buf_addf(out, "%s@%llu %llu %llu", j.failed ? j.why : "", (unsigned long long)j.where,
		 (unsigned long long)j.controls, (unsigned long long)j.commas);
	input_close(in);
}

START_TEST(test_shapes)
{
	static const char *const blanks[] = {"", "", "", " ", "\n  "};
	struct chance c;

	chance_init(&c, 41 + (uint64_t)_i);
	for (int round = 0; round < 400; round++) {
		struct buf text = BUF_INIT, plain = BUF_INIT, shaped = BUF_INIT;
		unsigned members = chance_below(&c, 10), strings = chance_below(&c, 1024);
		const char *blank = ONE_OF(&c, blanks), *between = ONE_OF(&c, blanks);
		buf_addc(&text, '[');
		for (unsigned i = chance_below(&c, 60); i; i--) {
			any_object(&c, &text,
				   chance_one_in(&c, 30) ? chance_below(&c, 10) : members,
				   strings, blank);
			buf_addf(&text, "%s%s", i > 1 || chance_one_in(&c, 20) ? "," : "",
				 chance_one_in(&c, 40) ? " " : between);
		}
		buf_addc(&text, chance_one_in(&c, 9) ? '}' : ']');
		if (chance_one_in(&c, 4))
			text.len = chance_below(&c, (uint32_t)text.len + 1);
		for (unsigned i = chance_below(&c, 120); i && text.len; i--)
			buf_addc(&text, ' ');
		write_array(&text, false, &plain);
		write_array(&text, true, &shaped);
		if (strcmp(buf_str(&plain), buf_str(&shaped)) != 0)
			ck_abort_msg("%s\nplain:  %s\nshaped: %s", buf_str(&text), buf_str(&plain),
				     buf_str(&shaped));
		buf_release(&text);
		buf_release(&plain);
		buf_release(&shaped);
	}
	ck_assert_uint_gt(met, 1000);
}
END_TEST

int
main(void)
{
	Suite *suite = suite_create("json_shape");
	TCase *cases = tcase_create("json_shape");

	tcase_add_loop_test(cases, test_shapes, 0, 4);
	suite_add_tcase(suite, cases);
	return run_suite(suite);
}
