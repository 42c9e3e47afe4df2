/* json_outline.h - which members a JSON document has: the keys at its top, and one level below.
 *
 *	struct json_outline o;
 *	json_outline_begin(&o, in);
 *	while (json_outline_more(&o))
 *		if (json_outline_has_all(&o, "meta/version threads")) ...
 *	json_outline_release(&o);
 *
 * That is what formats are told apart by, in whatever order a program writes the members.  Values
 * are leapt over (json_leap()), so a gigabyte takes less than a second. */
#ifndef PNAV_SRC_INPUT_JSON_OUTLINE_H
#define PNAV_SRC_INPUT_JSON_OUTLINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/base/buf.h"
#include "model/base/vec.h"
#include "src/input/json.h"

struct json_outline {
	bool is_json; /* it begins as a JSON document of an object, or of an array of such, does */
	/* ---- private ---- */
	struct json j;
	struct buf text;
	uint32_t below; /* levels that are open below the top */
	bool array;
	VEC(struct json_outline_key) key;
};

struct json_outline_key {
	uint32_t at, len;           /* its name in text */
	uint32_t value, value_len;  /* its value there, where that is a short string */
	uint32_t under;             /* the key at the top that has it in its value; or itself */
};

/* Begins at the input's window; `in` is borrowed, and read on by json_outline_more(). */
void json_outline_begin(struct json_outline *o, struct input *in);
/* Reads a member at the top: its key and those of its value, or of the first object in it where
 * it is an array.  What follows in the value is leapt over by the next call.  Of a document that
 * is an array the elements together are one member, called "".  False at the end, at a fault,
 * and once there are more keys than any format tells itself by. */
bool json_outline_more(struct json_outline *o);
/* Were all of these keys met, between blanks?  "a" at the top; "a/b" in the value of a, or in the
 * first object of the array
 * that is its value; "*" for any name. */
bool json_outline_has_all(const struct json_outline *o, const char *paths);
/* Has the value of a key at the top, a short string, this in it? */
bool json_outline_says(const struct json_outline *o, const char *key, const char *part);
void json_outline_release(struct json_outline *o);

#endif
