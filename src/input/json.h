/* json.h - a pull tokenizer of JSON over an input, whatever its size.
 *
 *	struct json j;
 *	struct json_token t;
 *	json_init(&j, in);
 *	while (json_next(&j, &t))
 *		switch (t.kind) ...
 *
 * A token's bytes lie in the input's window and are valid until the next call.  Strings come
 * raw; who wants their text asks json_text().  What a value belongs to is the caller's to
 * know: a key is a token of its own in front of its value, and json_skip() steps over a value
 * that nobody wants.
 *
 * More is taken than RFC 8259 allows, since programs write more: raw control characters in
 * strings, NaN and Infinity (as null), halves of surrogate pairs, commas before a closing
 * bracket, NUL bytes and blanks behind the end.  Each is counted.  Deeper than
 * JSON_DEPTH_MAX is a fault. */
#ifndef PNAV_SRC_INPUT_JSON_H
#define PNAV_SRC_INPUT_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "model/base/buf.h"
#include "model/base/err.h"
#include "src/input/input.h"

#define JSON_DEPTH_MAX 512u

enum json_kind {
	JSON_OBJECT,     /* { */
	JSON_OBJECT_END, /* } */
	JSON_ARRAY,      /* [ */
	JSON_ARRAY_END,  /* ] */
	JSON_KEY,        /* a member's name, without its colon */
	JSON_STRING,
	JSON_NUMBER, /* its bytes: decimal.h reads them */
	JSON_TRUE,
	JSON_FALSE,
	JSON_NULL,
};

struct json_token {
	enum json_kind kind;
	const char *at; /* of keys and strings what is between the quotes, of numbers all */
	size_t len;
	bool escaped;    /* a key or string with a backslash: see json_text() */
	uint64_t offset; /* of its first byte in the input */
};

struct json {
	struct input *in;
	const uint8_t *at, *end; /* what is left of the window */
	uint64_t offset;         /* of end */
	uint32_t depth;
	uint64_t inside[JSON_DEPTH_MAX / 64]; /* [depth] a bit: 1 in an object, 0 in an array */
	uint8_t wants;                        /* private: what may come next */
	bool failed;   /* json_next() is false because of a fault */
	bool cut;      /* ... the input ended within the document */
	bool more;     /* behind the document comes something else */
	/* Another notation: returns its tokens as those of JSON, and sets offset and depth. */
	bool (*source)(struct json *j, struct json_token *out);
	void *source_state;
	const char *why;
	uint64_t where; /* of the fault */
	/* What was taken though the standard does not allow it. */
	uint64_t controls, no_numbers, commas, halves;
};

/* Begins at the input's window.  `in` is borrowed. */
void json_init(struct json *j, struct input *in);
/* Begins to read another notation with the tokens of JSON, which source() returns: of json_next()
 * and json_skip() alone. */
void json_init_source(struct json *j, struct input *in,
		      bool (*source)(struct json *j, struct json_token *out));
/* For a source: the fault at the input's window. Returns false. */
bool json_source_fault(struct json *j, const char *why);
/* How far the reader is in the input. */
uint64_t json_offset(const struct json *j);
/* The next token.  False behind the document, and at a fault (j->failed), for good. */
bool json_next(struct json *j, struct json_token *out);
/* Numbers of the array that is innermost, behind one of its values, times 10^scale (at most 18):
 * as many as come next in a plain form, at most n, each what decimal_scaled() makes of it; with
 * `nulls` a null among them is JSON_NO_NUMBER.  How many; 0 says only that json_next() is to be
 * asked. */
size_t json_column(struct json *j, unsigned scale, bool nulls, int64_t *out, size_t n);
#define JSON_NO_NUMBER INT64_MIN /* no number in a plain form is so low */
/* Steps over what `t` began: to the end of an object or array, over the value of a key.
 * Nothing is left to step over behind other tokens.  False at a fault. */
bool json_skip(struct json *j, const struct json_token *t);
/* Steps behind the end of the object or array that is innermost, at more than a gigabyte a second:
 * of what is left in it brackets and strings are looked at, and faults are not seen.  False where
 * the input ends before. */
bool json_leap(struct json *j);
/* A value that can be read only when what comes behind it is known, since the members of an object
 * have no order:
 *
 *	struct json_kept kept = {.text = BUF_INIT};
 *	json_keep(&j, &t, &kept);          -- behind the { or [ of the value: steps over it
 *	...
 *	struct json outer = json_enter(&j, &kept);
 *	while (json_next(&j, &t)) ...      -- from its { or [ on
 *	json_return(&j, &outer, &kept);    -- j is where it was, or failed
 *
 * Its bytes lie in memory meanwhile; offsets are those of the input. */
struct json_kept {
	struct buf text; /* empty: nothing is kept */
	uint64_t offset;
	struct input *in;
};
/* False where the input ends within the value. */
bool json_keep(struct json *j, const struct json_token *t, struct json_kept *kept);
/* The same of a string that is a JSON document: keeps its text.  False, with nothing kept, where it
 * does not begin as an object or array does. */
bool json_keep_text(struct json *j, const struct json_token *t, struct json_kept *kept);
struct json json_enter(struct json *j, struct json_kept *kept);
void json_return(struct json *j, struct json *outer, struct json_kept *kept);
/* Appends the text of a key or string, in UTF-8; half a surrogate pair becomes U+FFFD and is
 * counted. */
void json_text(struct json *j, const struct json_token *t, struct buf *out);
/* The fault as damage at `element`, where what is not whole begins.  Gives false. */
bool json_damage(const struct json *j, uint64_t element, struct err *e);

/* Is this key or string, which has escapes, of exactly these bytes? */
bool json_is_escaped(const struct json_token *t, const char *text);

/* The one character of ASCII that a string is; NUL where it is another string. */
static inline char
json_char(const struct json_token *t)
{
	if (t->escaped)
		for (char c = ' '; c <= '~'; c++)
			if (json_is_escaped(t, (char[]){c, '\0'}))
				return c;
	return t->len == 1 ? *t->at : '\0';
}

/* Is this token a key or string of exactly these bytes (which need no escape)? */
static inline bool
json_is(const struct json_token *t, const char *text)
{
	if (t->escaped)
		return json_is_escaped(t, text);
	return strlen(text) == t->len && !memcmp(t->at, text, strlen(text));
}

/* Which of n names, in any order, a key is; n where it is none. */
static inline unsigned
json_key(const struct json_token *t, const char *const *name, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		const char *c = name[i];
		size_t k = 0;
		if (t->escaped && json_is_escaped(t, c))
			return i;
		while (k < t->len && *c && *c == t->at[k]) /* most differ in the first byte */
			c++, k++;
		if (k == t->len && !*c && k)
			return i;
	}
	return n;
}

#endif
