/* json_strict.c - see json_strict.h.
 *
 * A value is followed by what its surroundings want: a comma, a bracket, the end. One bit a level
 * says whether these are an object, so nothing recurses. */
#include "src/input/json_strict.h"

#include <stdint.h>
#include <string.h>

#include "model/base/chars.h"
#include "src/input/json.h"

struct strict {
	const unsigned char *at, *end;
	uint64_t inside[JSON_DEPTH_MAX / 64]; /* one bit a level: 1 in an object */
	unsigned depth;
};

/* Returns the next byte that is no blank; NUL at the end. A NUL in the text begins no token, so
 * both are faults. */
static char
strict_next(struct strict *s)
{
	while (s->at < s->end && *s->at && strchr(" \t\r\n", *s->at))
		s->at++;
	return s->at < s->end ? (char)*s->at : '\0';
}

static bool
strict_take(struct strict *s, char c)
{
	bool is = strict_next(s) == c && s->at < s->end;

	s->at += is;
	return is;
}

static bool
json_is_digit(const struct strict *s)
{
	return s->at < s->end && *s->at >= '0' && *s->at <= '9';
}

/* Steps over the rest of an escape, after its backslash. */
static bool
strict_escape(struct strict *s)
{
	if (s->at == s->end || !*s->at || !strchr("\"\\/bfnrtu", *s->at))
		return false;
	if (*s->at++ != 'u')
		return true;
	for (int i = 0; i < 4; i++, s->at++)
		if (s->at == s->end || hex_digit((char)*s->at) == 16)
			return false;
	return true;
}

/* Steps over the rest of a string, after its quote. */
static bool
strict_string(struct strict *s)
{
	while (s->at < s->end && *s->at != '"') {
		if (*s->at < ' ')
			return false;
		if (*s->at++ == '\\' && !strict_escape(s))
			return false;
	}
	return strict_take(s, '"');
}

static bool
strict_digits(struct strict *s)
{
	if (!json_is_digit(s))
		return false;
	while (json_is_digit(s))
		s->at++;
	return true;
}

static bool
strict_number(struct strict *s)
{
	s->at += *s->at == '-';
	if (s->at < s->end && *s->at == '0')
		s->at++;
	else if (!strict_digits(s))
		return false;
	if (s->at < s->end && *s->at == '.') {
		s->at++;
		if (!strict_digits(s))
			return false;
	}
	if (s->at < s->end && (*s->at | 0x20) == 'e') {
		s->at++;
		s->at += s->at < s->end && (*s->at == '+' || *s->at == '-');
		return strict_digits(s);
	}
	return true;
}

/* Steps over a string, a number or a word. */
static bool
strict_scalar(struct strict *s)
{
	static const char *const words[] = {"true", "false", "null"};

	if (strict_take(s, '"'))
		return strict_string(s);
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if ((size_t)(s->end - s->at) >= strlen(words[i]) &&
		    !memcmp(s->at, words[i], strlen(words[i]))) {
			s->at += strlen(words[i]);
			return true;
		}
	return s->at < s->end && strict_number(s);
}

static bool
in_object(const struct strict *s)
{
	return s->inside[(s->depth - 1) / 64] >> (s->depth - 1) % 64 & 1;
}

static bool
strict_key(struct strict *s)
{
	return strict_take(s, '"') && strict_string(s) && strict_take(s, ':');
}

/* Steps over what begins a value: brackets up to the first scalar, or to an empty one. */
static bool
strict_begin(struct strict *s)
{
	for (;;) {
		char c = strict_next(s);
		if (c != '{' && c != '[')
			return strict_scalar(s);
		if (s->depth == JSON_DEPTH_MAX)
			return false;
		s->at++;
		uint64_t bit = UINT64_C(1) << s->depth % 64, *word = &s->inside[s->depth / 64];
		*word = c == '{' ? *word | bit : *word & ~bit;
		s->depth++;
		if (strict_next(s) == (c == '{' ? '}' : ']')) {
			s->at++;
			s->depth--;
			return true;
		}
		if (c == '{' && !strict_key(s))
			return false;
	}
}

static bool
strict_document(struct strict *s)
{
	for (;;) {
		if (!strict_begin(s))
			return false;
		while (s->depth && strict_take(s, in_object(s) ? '}' : ']'))
			s->depth--;
		if (!s->depth)
			return !strict_next(s) && s->at == s->end;
		if (!strict_take(s, ',') || (in_object(s) && !strict_key(s)))
			return false;
	}
}

bool
json_strict(const char *text, size_t len, size_t *where)
{
	const unsigned char *begin = (const unsigned char *)text;
	struct strict s = {.at = begin, .end = begin + len};
	bool good = strict_document(&s);

	*where = (size_t)(s.at - begin);
	return good;
}
