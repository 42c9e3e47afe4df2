/* json_outline.h - lists the members of a JSON document: the keys at its top and one level below.
 *
 *	struct json_outline o;
 *	json_outline_begin(&o, in);
 *	while (json_outline_more(&o))
 *		if (json_outline_has(&o, "meta/version threads")) ...
 *	json_outline_release(&o);
 *
 * Probes distinguish formats by these members, in whatever order a program writes them. json_leap()
 * skips the values, so a gigabyte takes less than a second. */
#ifndef PNAV_SRC_INPUT_JSON_OUTLINE_H
#define PNAV_SRC_INPUT_JSON_OUTLINE_H

#include <stdbool.h>
#include <stdint.h>

#include "model/base/buf.h"
#include "model/base/vec.h"
#include "src/input/json.h"

struct json_outline {
	bool is_json; /* it begins as an object, or as an array of objects */
	/* ---- private ---- */
	struct json j;
	struct buf text;
	uint32_t below; /* levels that are open below the top */
	bool array;
	VEC(struct json_outline_key) key;
};

struct json_outline_key {
	uint32_t at, len;           /* its name in text */
	uint32_t value, value_len;  /* its value there, if that is a short string */
	/* index of the top-level key whose value contains it; or its own */
	uint32_t under;
};

/* Starts at the input's window. `in` is borrowed; json_outline_more() reads on in it. */
void json_outline_begin(struct json_outline *o, struct input *in);
/* Reads a member at the top: its key and those of its value, or of the first object in it if it is
 * an array. The next call skips the rest of the value. The elements of a document that is an array
 * count as one member, called "", or "[]" if they are arrays. Returns false at the end, at a fault,
 * and after more keys than any format needs for detection. */
bool json_outline_more(struct json_outline *o);
/* Returns true if all of these keys, separated by blanks, were met. "a" is a key at the top; "a/b"
 * a key in the value of a, or in the first object of the array that is its value; "*" any name.
 * With several lists, separated by `|`, one of them suffices. */
bool json_outline_has(const struct json_outline *o, const char *paths);
/* Returns true if the value of a top-level key, a short string, contains `part`. */
bool json_outline_says(const struct json_outline *o, const char *key, const char *part);
void json_outline_release(struct json_outline *o);

#endif
