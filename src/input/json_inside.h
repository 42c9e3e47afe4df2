/* json_inside.h - shared by the files of the tokenizer; no other file includes it.
 *
 * json.c          the document, token by token
 * json_leap.c     steps over a value without its tokens
 * json_slabs.c    leaves and enters slabs of a container
 * json_numbers.c  columns of numbers
 * json_string.c   decodes strings */
#ifndef PNAV_SRC_INPUT_JSON_INSIDE_H
#define PNAV_SRC_INPUT_JSON_INSIDE_H

#include "src/input/json.h"

/* The state: which tokens may come next. */
enum wants {
	WANTS_VALUE,        /* at the beginning, after a colon, after a comma of an array */
	WANTS_VALUE_OR_END, /* after [ */
	WANTS_KEY_OR_END,   /* after { */
	WANTS_KEY,          /* after a comma of an object */
	WANTS_COMMA_OR_END, /* after a value */
	WANTS_NOTHING,      /* after the document */
	WANTS_SOURCE,       /* always, in another notation */
	WANTS_COLUMN,       /* in an array that is a slab of numbers */
};

static inline bool
json_in_object(const struct json *j)
{
	uint32_t i = j->depth - 1;

	return j->depth && (j->inside[i / 64] >> i % 64 & 1);
}

/* Extends the window; j->at is its first byte then. Returns false at the end of the input. */
bool json_refill(struct json *j);
/* Sets the fault of a document that ends early. Returns false. */
bool json_cut_off(struct json *j);

/* Returns the first byte at or after `at` that is not blank; reads nothing at or after `end`. */
static inline const uint8_t *
json_over_blanks(const uint8_t *at, const uint8_t *end)
{
	while (at < end && (*at == ' ' || *at == '\n' || *at == '\t' || *at == '\r'))
		at++;
	return at;
}

/* Opens an object or array after its bracket; j->depth is below JSON_DEPTH_MAX. */
static inline void
json_open(struct json *j, bool object)
{
	uint32_t i = j->depth++;

	j->inside[i / 64] &= ~(UINT64_C(1) << i % 64);
	j->inside[i / 64] |= (uint64_t)object << i % 64;
	j->wants = object ? WANTS_KEY_OR_END : WANTS_VALUE_OR_END;
}

/* Returns to what follows the place of the innermost slab. */
void json_slab_leave(struct json *j);
/* If the '{' at j->at begins the place of a slab, returns true and steps over that place: *which is
 * the slab. */
bool json_slab_place(struct json *j, uint32_t *which);
/* Goes to the text of a slab. Returns false, without a fault, if it is missing. */
bool json_slab_enter(struct json *j, uint32_t which);

static inline void
json_value_done(struct json *j)
{
	j->wants = j->depth ? WANTS_COMMA_OR_END : WANTS_NOTHING;
	if (j->depth + 1 == j->leave)
		json_slab_leave(j);
}

/* Closes the innermost object or array after its bracket, which j->at has passed. */
static inline void
json_close(struct json *j)
{
	j->depth--;
	json_value_done(j);
}

#endif
