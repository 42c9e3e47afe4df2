/* json.h - a pull tokenizer of JSON over an input of any size.
 *
 *	struct json j;
 *	struct json_token t;
 *	json_init(&j, in);
 *	while (json_next(&j, &t))
 *		switch (t.kind) ...
 *
 * The bytes of a token lie in the input's window and are valid until the next call. Strings are
 * raw; json_text() decodes them. The caller keeps track of the structure: a key is a token of its
 * own before its value, and json_skip() steps over an unwanted value.
 *
 * The tokenizer accepts more than RFC 8259, since programs write more: raw control characters in
 * strings, NaN and Infinity (as null), halves of surrogate pairs, commas before a closing bracket,
 * NUL bytes and blanks after the end. It counts each. Nesting deeper than JSON_DEPTH_MAX is a
 * fault. */
#ifndef PNAV_SRC_INPUT_JSON_H
#define PNAV_SRC_INPUT_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "model/base/buf.h"
#include "model/base/err.h"
#include "src/input/input.h"

struct slabs;

#define JSON_DEPTH_MAX 512u

enum json_kind {
	JSON_OBJECT,     /* { */
	JSON_OBJECT_END, /* } */
	JSON_ARRAY,      /* [ */
	JSON_ARRAY_END,  /* ] */
	JSON_KEY,        /* a member's name, without its colon */
	JSON_STRING,
	JSON_NUMBER, /* decimal.h parses its bytes */
	JSON_TRUE,
	JSON_FALSE,
	JSON_NULL,
};

struct json_token {
	enum json_kind kind;
	const char *at; /* keys and strings: the bytes between the quotes; numbers: all */
	size_t len;
	bool escaped;    /* a key or string with a backslash; json_text() decodes it */
	uint64_t offset; /* of the first byte in the input */
};

struct json {
	struct input *in;
	const uint8_t *at, *end; /* the rest of the window */
	uint64_t offset;         /* of end */
	uint32_t depth;
	uint64_t inside[JSON_DEPTH_MAX / 64]; /* one bit a level: 1 in an object, 0 in an array */
	uint8_t wants;                        /* private: enum wants */
	bool failed;   /* json_next() returned false because of a fault */
	bool cut;      /* ... the input ended within the document */
	bool more;     /* the document is followed by something else */
	/* Returns the tokens of another notation as those of JSON, and sets offset and depth. */
	bool (*source)(struct json *j, struct json_token *out);
	/* ... and json_column() of whole numbers; NULL: they come as tokens. */
	size_t (*source_column)(struct json *j, int64_t *out, size_t n);
	void *source_state;
	/* The container with slabs in the place of values, or NULL; how many are open, and the
	 * depth at which the innermost one ends, + 1; 0: none. */
	struct slabs *slabs;
	uint32_t slab_levels, leave;
	const char *why;
	uint64_t where; /* offset of the fault */
	/* Counts of deviations from the standard that were accepted. */
	uint64_t controls, no_numbers, commas, halves;
};

/* Starts at the input's window. `in` is borrowed. */
void json_init(struct json *j, struct input *in);
/* Prepares to read another notation, whose tokens source() returns. Only json_next() and
 * json_skip() work then. */
void json_init_source(struct json *j, struct input *in,
		      bool (*source)(struct json *j, struct json_token *out));
/* Starts at the root of a container (slabs.h), which is borrowed. An object `{"$s": n}` is then the
 * value of that slab, in all of json.h: a typed slab is an array of numbers, a missing one null. */
void json_init_slabs(struct json *j, struct slabs *slabs);
/* For a source: reports a fault at the input's window. Returns false. */
bool json_source_fault(struct json *j, const char *why);
/* Returns the reader's offset in the input. */
uint64_t json_offset(const struct json *j);
/* Reads the next token. Returns false after the document and, permanently, after a fault
 * (j->failed). */
bool json_next(struct json *j, struct json_token *out);
/* Reads numbers of the innermost array, after one of its values, times 10^scale (at most 18). Takes
 * numbers in plain form only, at most n, with the results of decimal_scaled(). With `nulls` a null
 * yields JSON_NO_NUMBER. Returns how many it read; after 0, continue with json_next(). */
size_t json_column(struct json *j, unsigned scale, bool nulls, int64_t *out, size_t n);
#define JSON_NO_NUMBER INT64_MIN /* below every number in plain form */
/* After a document: if another one follows, returns true, and json_next() reads it. */
bool json_another(struct json *j);
/* Steps over what `t` began: to the end of an object or array, over the value of a key. Does
 * nothing for other tokens. Returns false at a fault. */
bool json_skip(struct json *j, const struct json_token *t);
/* Steps to the end of the innermost object or array, at more than a gigabyte a second. It examines
 * only brackets and strings and misses other faults. Returns false if the input ends before. */
bool json_leap(struct json *j);
/* A value that the caller can read only after later members, since the members of an object have no
 * order:
 *
 *	struct json_kept kept = {.text = BUF_INIT};
 *	json_keep(&j, &t, &kept);          -- after the { or [ of the value: steps over it
 *	...
 *	struct json outer = json_enter(&j, &kept);
 *	while (json_next(&j, &t)) ...      -- from its { or [ on
 *	json_return(&j, &outer, &kept);    -- j is where it was, or failed
 *
 * Its bytes are in memory meanwhile. Offsets remain those of the input. */
struct json_kept {
	struct buf text; /* empty: nothing is kept */
	uint64_t offset;
	struct input *in;
};
/* Returns false if the input ends within the value. */
bool json_keep(struct json *j, const struct json_token *t, struct json_kept *kept);
/* The same for a string that contains a JSON document: keeps its text. Returns false, and keeps
 * nothing, if it does not begin as an object or array does. */
bool json_keep_text(struct json *j, const struct json_token *t, struct json_kept *kept);
struct json json_enter(struct json *j, struct json_kept *kept);
void json_return(struct json *j, struct json *outer, struct json_kept *kept);
/* Appends the text of a key or string as UTF-8. Half a surrogate pair becomes U+FFFD and is
 * counted. */
void json_text(struct json *j, const struct json_token *t, struct buf *out);
/* Sets the fault as damage at `element`, the beginning of the incomplete element. Returns false. */
bool json_damage(const struct json *j, uint64_t element, struct err *e);

/* Returns true if this key or string, which has escapes, decodes to exactly these bytes. */
bool json_is_escaped(const struct json_token *t, const char *text);

/* Returns the only character of a string of one ASCII character; NUL for other strings. */
static inline char
json_char(const struct json_token *t)
{
	if (t->escaped)
		for (char c = ' '; c <= '~'; c++)
			if (json_is_escaped(t, (char[]){c, '\0'}))
				return c;
	return t->len == 1 ? *t->at : '\0';
}

/* Returns true if this token is a key or string of exactly these bytes, which need no escapes. */
static inline bool
json_is(const struct json_token *t, const char *text)
{
	if (t->escaped)
		return json_is_escaped(t, text);
	return strlen(text) == t->len && !memcmp(t->at, text, strlen(text));
}

#endif
