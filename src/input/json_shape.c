#include "src/input/json_shape.h"

#include <assert.h>
#include <string.h>

#include "src/input/json_digits.h"
#include "src/input/json_inside.h"

/* What stands between two values is compared eight bytes at a time, under a mask, without asking
 * how long it is; values are found as json.c finds them.  As every byte of the object is either
 * one that was there before in the same place, or of a value, it is what the tokenizer would have
 * taken.
 *
 * Where objects are of all kinds, learning is given up: it costs as much as it saves. */

#define TEXT_MAX (JSON_SHAPE_WORDS * 8)
#define FIELD_BYTES 96 /* more than a text and a number, with all that is read behind them */
#define LEARN_MAX 64u  /* shapes that nothing was met of, beside one in four */

uint64_t
json_offset(const struct json *j)
{
	return j->offset - (uint64_t)(j->end - j->at);
}

/* ---- learning ---- */

static bool
put_text(struct json_shape_text *t, const uint8_t *at, const uint8_t *end)
{
	uint8_t bytes[TEXT_MAX] = {0}, mask[TEXT_MAX] = {0};
	size_t n = (size_t)(end - at);

	if (n > TEXT_MAX)
		return false;
	memcpy(bytes, at, n);
	memset(mask, 0xFF, n);
	memcpy(t->word, bytes, sizeof bytes);
	memcpy(t->mask, mask, sizeof mask);
	t->len = (uint8_t)n;
	return true;
}

struct learner {
	struct json_shape *s;
	const uint8_t *text, *at, *end; /* text: behind the value before */
};

static uint8_t
byte_at(struct learner *l)
{
	l->at = json_over_blanks(l->at, l->end);
	return l->at < l->end ? *l->at : 0;
}

/* A string, whose quote l->at is; false where it is none of the plainest. */
static bool
learn_string(struct learner *l)
{
	l->at = scan_plain(l->at + 1, l->end);
	return l->at < l->end && *l->at == '"';
}

/* A key, its colon, and its value. */
static bool
learn_member(struct learner *l, struct json_shape_key *key, struct json_shape_text *before)
{
	const uint8_t *name = l->at + 1;

	if (byte_at(l) != '"')
		return false;
	name = l->at + 1;
	if (!learn_string(l) || l->at - name > (ptrdiff_t)sizeof key->name)
		return false;
	key->len = (uint8_t)(l->at - name);
	memcpy(key->name, name, key->len);
	l->at++;
	if (byte_at(l) != ':')
		return false;
	l->at++;
	key->string = byte_at(l) == '"';
	if (!put_text(before, l->text, l->at + key->string))
		return false;
	if (key->string) {
		if (!learn_string(l))
			return false;
		l->text = l->at++;
		return true;
	}
	const uint8_t *first = l->at;
	while (l->at < l->end &&
	       ((*l->at >= '0' && *l->at <= '9') || *l->at == '.' || *l->at == '-'))
		l->at++;
	l->text = l->at;
	return l->at > first;
}

static bool
learn(struct learner *l)
{
	const uint8_t *first = l->text;
	struct json_shape *s = l->s;
	unsigned n = 0;

	if (byte_at(l) != ',')
		return false;
	l->at++;
	if (byte_at(l) != '{')
		return false;
	s->brace = (uint8_t)(l->at - first < TEXT_MAX ? l->at - first : TEXT_MAX);
	do {
		l->at++;
		if (n == JSON_SHAPE_FIELDS || !learn_member(l, &s->key[n], &s->before[n]))
			return false;
		n++;
	} while (byte_at(l) == ',');
	if (byte_at(l) != '}' || l->at + 1 != l->end || !put_text(&s->before[n], l->text, l->end))
		return false;
	s->n = n;
	return true;
}

bool
json_shape_learn(const struct json *j, struct json_shape *s, uint64_t from)
{
	uint64_t len = json_offset(j) - from;

	s->n = 0;
	if (j->failed || j->wants != WANTS_COMMA_OR_END || s->learnt > LEARN_MAX + s->met / 4 ||
	    from < input_offset(j->in))
		return false;
	s->learnt++;
	return learn(&(struct learner){s, j->at - len, j->at - len, j->at});
}

/* ---- meeting ---- */

static inline uint64_t
differs(const struct json_shape_text *t, const uint8_t *at, unsigned i)
{
	uint64_t word;

	memcpy(&word, at + 8 * (size_t)i, sizeof word);
	return (word ^ t->word[i]) & t->mask[i];
}

/* Behind the text, where it is there. */
static inline const uint8_t *
over_text(const struct json_shape_text *t, const uint8_t *at)
{
	static_assert(JSON_SHAPE_WORDS == 3, "one by one: as a loop it costs twice as much");

	return differs(t, at, 0) | differs(t, at, 1) | differs(t, at, 2) ? NULL : at + t->len;
}

static inline const uint8_t *
over_number(const uint8_t *at, struct json_field *f)
{
	bool negative = *at == '-';
	uint64_t v;
	int places;

	at = json_plain_number(at + negative, &v, &places);
	f->places = (uint8_t)places;
	f->digits = negative ? -(int64_t)v : (int64_t)v;
	return at;
}

bool
json_shape_next(struct json *j, struct json_shape *s, struct json_field *field, uint64_t *offset)
{
	const uint8_t *at = j->at, *end = j->end;

	if (!s->n || j->failed || j->wants != WANTS_COMMA_OR_END || json_in_object(j) ||
	    j->depth >= JSON_DEPTH_MAX)
		return false;
	for (unsigned i = 0; i < s->n; i++) {
		struct json_field *f = &field[i];
		if (end - at < FIELD_BYTES || !(at = over_text(&s->before[i], at)))
			return false;
		f->at = (const char *)at;
		at = s->key[i].string ? scan_plain(at, end) : over_number(at, f);
		if (!at)
			return false;
		f->len = (uint32_t)((const char *)at - f->at);
	}
	if (end - at < FIELD_BYTES || !(at = over_text(&s->before[s->n], at)))
		return false;
	*offset = json_offset(j) + s->brace;
	j->at = at;
	s->met++;
	return true;
}

bool
json_field_scaled(const struct json_field *f, int scale, int64_t *out)
{
	bool negative = f->digits < 0;

	if (!json_scaled((uint64_t)(negative ? -f->digits : f->digits), f->places - scale, out))
		return false;
	*out = negative ? -*out : *out;
	return true;
}
