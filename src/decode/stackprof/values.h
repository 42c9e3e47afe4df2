/* values.h - the values of a file of stackprof, which is JSON or Ruby's marshal: one by one, as
 * if it were one notation.
 *
 *	values_init(&v, in);
 *	while (values_next(&v, &x)) ...     -- x.kind; keys of maps have x.is_key
 *	if (v.failed) ... v.why, v.where
 *	values_release(&v); */
#ifndef PNAV_SRC_DECODE_STACKPROF_VALUES_H
#define PNAV_SRC_DECODE_STACKPROF_VALUES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/base/buf.h"
#include "model/base/vec.h"
#include "src/input/input.h"
#include "src/input/json.h"

enum value_kind { VALUE_MAP, VALUE_LIST, VALUE_END, VALUE_TEXT, VALUE_INTEGER, VALUE_NOTHING };

struct value {
	enum value_kind kind;
	bool is_key;
	const char *at; /* of a text: valid until the next */
	size_t len;
	int64_t integer; /* a real is rounded */
	uint64_t offset;
};

/* A string that may be referred to. */
struct value_text {
	size_t at, len;
	bool is_text;
};

struct values {
	struct input *in; /* borrowed */
	bool is_ruby;
	struct json j;
	VEC(uint64_t) left; /* of Ruby's: values to come in what is open, keys counted */
	VEC(uint8_t) is_map; /* of each */
	VEC(struct value_text) object, symbol; /* what `@` and `;` mean, in `kept` */
	struct buf kept, text;
	bool failed;
	const char *why;
	uint64_t where;
};

/* Begins at the input's window; Ruby's by its first two bytes, 4 and 8. */
void values_init(struct values *v, struct input *in);
void values_release(struct values *v);
/* The next value; false at the end, and at a fault. */
bool values_next(struct values *v, struct value *out);
/* Steps over what a value began; nothing for one that is whole. */
bool values_skip(struct values *v, const struct value *x);

#endif
