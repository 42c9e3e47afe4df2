/* json_shape.h - objects of an array that look like the one before them.
 *
 * A trace is a million small objects with the same members in the same order.  What one of them
 * has around its values is learnt; the next ones are compared with that, and only their values
 * are looked at.
 *
 *	if (json_shape_next(&j, &shape, field))
 *		... field[i] is the value of the member shape.key[i], i < shape.n
 *	else if (json_next(&j, &t)) {
 *		... the object, token by token; then
 *		json_shape_learn(&j, &shape, where it was asked);
 *	}
 *
 * Only members whose values are strings without escapes or plain numbers are learnt. */
#ifndef PNAV_SRC_INPUT_JSON_SHAPE_H
#define PNAV_SRC_INPUT_JSON_SHAPE_H

#include <stdbool.h>
#include <stdint.h>

#include "src/input/json.h"

#define JSON_SHAPE_FIELDS 8u
#define JSON_SHAPE_WORDS 3u /* of eight bytes, between two values at most */
#define JSON_SHAPE_KEY 16u

/* Zero-initialised nothing is known. */
struct json_shape {
	unsigned n; /* members; 0: nothing is known */
	struct json_shape_key {
		char name[JSON_SHAPE_KEY];
		uint8_t len;
		bool string; /* its values are strings, else numbers */
	} key[JSON_SHAPE_FIELDS];
	/* ---- private ---- */
	struct json_shape_text {
		uint64_t word[JSON_SHAPE_WORDS], mask[JSON_SHAPE_WORDS];
		uint8_t len;
	} before[JSON_SHAPE_FIELDS + 1]; /* each value, and behind the last */
	uint8_t brace;                   /* where in the first of them the object begins */
	uint32_t learnt, met;
};

/* A value. */
struct json_field {
	const char *at; /* of strings what is between the quotes */
	uint32_t len;
	/* of numbers: digits / 10^places */
	uint8_t places;
	int64_t digits;
};

/* How far the reader is in the input. */
uint64_t json_offset(const struct json *j);
/* The next value of the array that is innermost, where it is an object of this shape; it begins at
 * *offset.  False, and nothing was read, where it is none, or not surely one. */
bool json_shape_next(struct json *j, struct json_shape *s, struct json_field *field,
		     uint64_t *offset);
/* Learns the shape of the object that was read last; before it the reader was at `from`, behind a
 * value of the same array.  False: nothing could be learnt. */
bool json_shape_learn(const struct json *j, struct json_shape *s, uint64_t from);
/* A number times 10^scale (at most 18), as decimal_scaled() makes it of its text; false where that
 * is to be asked. */
bool json_field_scaled(const struct json_field *f, int scale, int64_t *out);

/* The value as json_next() gives it. */
static inline struct json_token
json_field_token(const struct json_shape *s, unsigned i, const struct json_field *f)
{
	return (struct json_token){.kind = s->key[i].string ? JSON_STRING : JSON_NUMBER,
				   .at = f->at,
				   .len = f->len};
}

#endif
