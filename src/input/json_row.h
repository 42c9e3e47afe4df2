/* json_row.h - describes JSON objects by tables with a row for each member; rows_json.h reads
 * them. */
#ifndef PNAV_SRC_INPUT_JSON_ROW_H
#define PNAV_SRC_INPUT_JSON_ROW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/input/json.h"

struct rows_json;
struct json_row;
struct json_list;

#define ROWS_JSON_MAX 64u /* rows of a table */
#define ROWS_ELEMENT_MAX 256u
#define ROWS_COLUMN_MAX 256u /* numbers that rows_json_numbers takes in one call */
#define ROW_SCALE INT8_MAX /* the scale is r->scale */

/* A value that is neither an object nor an array. t.offset is not set. */
struct json_value {
	struct json_token t;
	bool plain, negative; /* plain: a number, which is digits / 10^places */
	uint8_t places;
	uint64_t digits;
};

/* Takes a value. */
typedef bool rows_json_take(struct rows_json *r, void *object, const struct json_value *v);
/* Takes a value of any kind, whose first token is *t: reads an object or array to its end. */
typedef bool rows_json_inside(struct rows_json *r, void *object, const struct json_token *t);
/* Takes numbers of an array; r->offset is the place of the first. A value that is not a number, or
 * does not fit, is passed alone, as JSON_NO_NUMBER; r->odd is its kind. */
typedef bool rows_json_numbers(struct rows_json *r, void *object, const int64_t *v, size_t n);

/* A number as the file has it; len 0: there is none, or a longer one. */
struct json_digits {
	char at[40];
	uint8_t len;
};

enum json_row_kind {
	JSON_ROW_SKIPPED,
	JSON_ROW_NUMBER,
	JSON_ROW_NAME,
	JSON_ROW_TEXT,
	JSON_ROW_WORD,
	JSON_ROW_TRUTH,
	JSON_ROW_DIGITS,
	JSON_ROW_VALUE,
	JSON_ROW_SHORT,
	JSON_ROW_FACT,
	JSON_ROW_FACT_NUMBER,
	JSON_ROW_OBJECT,
	JSON_ROW_ELEMENT,
	JSON_ROW_LIST,
	JSON_ROW_COLUMN,
	JSON_ROW_NUMBERS,
	JSON_ROW_EACH,
	JSON_ROW_INSIDE,
};

struct json_row {
	const char *name; /* without escapes; "*": any other member, its name is in r->key */
	uint8_t kind;     /* enum json_row_kind; the macros below set it and what belongs to it */
	int8_t scale;     /* of numbers: a power of ten that multiplies them, or ROW_SCALE */
	bool loose;       /* a number may be in a string, a name may be a number */
	uint16_t at;      /* offset in the object's structure */
	uint16_t has;     /* 1 + offset of a bool, set if the member is present; ROW_HAS() */
	const char *must; /* the damage of an object that lacks the member */
	union {
		const struct json_row *rows;
		const struct json_list *list;
		const char *const *words;
		const char *title;
		rows_json_take *take;
		rows_json_inside *inside;
		rows_json_numbers *numbers;
	} by;
};

/* A list of objects; or one object, for ROW_ELEMENT(). */
struct json_list {
	const struct json_row *rows;
	uint16_t size; /* of an element's structure; at most ROWS_ELEMENT_MAX */
	bool record;   /* a fault within an element is damage at the element */
	bool torn;     /* end() also takes an element that has a fault */
	/* "a frame": elements that are not objects are damage; NULL: they are skipped */
	const char *what;
	/* Returns the structure for an element: `own`, filled with zeros, or another. */
	void *(*begin)(struct rows_json *r, void *parent, void *own);
	/* Reads an element that is not an object; NULL: it is skipped. */
	rows_json_inside *other;
	/* Takes an element, which begins at r->offset. */
	bool (*end)(struct rows_json *r, void *parent, void *element);
};

/* The offset of a member of structure s; its type must match. */
#define ROW_AT(s, m, type) _Generic(((s *)NULL)->m, type: offsetof(s, m))

/* A number times 10^scale, rounded half away from zero, in an int64_t. With .by.take, this function
 * takes values of other kinds. */
#define ROW_NUMBER(s, m) JSON_ROW_NUMBER, .at = ROW_AT(s, m, int64_t)
/* A number whose scale is not known yet, in a struct json_digits. */
#define ROW_DIGITS(s, m) JSON_ROW_DIGITS, .at = ROW_AT(s, m, struct json_digits)
/* A string as an id, which r->name() returns, in a uint32_t. */
#define ROW_NAME(s, m) JSON_ROW_NAME, .at = ROW_AT(s, m, uint32_t)
/* A string, in a struct buf. */
#define ROW_TEXT(s, m) JSON_ROW_TEXT, .at = ROW_AT(s, m, struct buf)
/* A string as its place among words, from 1 on, in a uint8_t; 0 if it is none of them. */
#define ROW_WORD(s, m, ws) JSON_ROW_WORD, .at = ROW_AT(s, m, uint8_t), .by.words = (ws)
/* true or false, in a bool. */
#define ROW_TRUTH(s, m) JSON_ROW_TRUTH, .at = ROW_AT(s, m, bool)
/* A string, a number, true, false or null, for a function; of the object or a place in it. */
#define ROW_VALUE(fn) JSON_ROW_VALUE, .by.take = (fn)
#define ROW_VALUE_IN(s, m, fn) JSON_ROW_VALUE, .at = offsetof(s, m), .by.take = (fn)
/* A number times 10^scale, in an int64_t, if it needs no rounding and has at most seven digits
 * before the point; then ROW_HAS() is set. All other values go to a function, as by
 * ROW_VALUE_IN(). */
#define ROW_SHORT(s, m, fn) JSON_ROW_SHORT, .at = ROW_AT(s, m, int64_t), .by.take = (fn)
/* A string or number that r->fact() reports under a title; a number in an int64_t as well. */
#define ROW_FACT(ti) JSON_ROW_FACT, .by.title = (ti)
#define ROW_FACT_NUMBER(ti, s, m) \
	JSON_ROW_FACT_NUMBER, .at = ROW_AT(s, m, int64_t), .by.title = (ti)
/* An object, whose members go into the same structure, or into one within it. */
#define ROW_HERE(rs) JSON_ROW_OBJECT, .by.rows = (rs)
#define ROW_IN(s, m, rs) JSON_ROW_OBJECT, .at = offsetof(s, m), .by.rows = (rs)
/* An object that is read as the only element of a list. */
#define ROW_ELEMENT(l) JSON_ROW_ELEMENT, .by.list = (l)
#define ROW_LIST(l) JSON_ROW_LIST, .by.list = (l)
/* A list of objects of structure s; each goes to a function. `rs` are its rows. The
 * second: a fault within an object is damage at the object. */
#define ROW_LIST_OF(s, rs, fn) ROW_LIST(JSON_LIST(s, rs, fn, false))
#define ROW_RECORDS_OF(s, rs, fn) ROW_LIST(JSON_LIST(s, rs, fn, true))
#define JSON_LIST(s, rs, fn, r) \
	&(const struct json_list){.rows = (rs), .size = sizeof(s), .record = (r), .end = (fn)}
/* An array of numbers, each times 10^scale; `loose`: nulls among them are frequent. */
#define ROW_COLUMN(fn) JSON_ROW_COLUMN, .by.numbers = (fn)
/* The same appended to a VEC(int64_t); values that are no numbers are 0, or JSON_NO_NUMBER if
 * `loose`. */
#define ROW_NUMBERS(s, m) JSON_ROW_NUMBERS, .at = ROW_AT(s, m.at, int64_t *)
/* An array; each value goes to a function. An object or array is skipped after it. */
#define ROW_EACH(fn) JSON_ROW_EACH, .by.take = (fn)
#define ROW_EACH_IN(s, m, fn) JSON_ROW_EACH, .at = offsetof(s, m), .by.take = (fn)
/* A value of any kind that a function reads, which finds the row in r->row. */
#define ROW_INSIDE(fn) JSON_ROW_INSIDE, .by.inside = (fn)
#define ROW_INSIDE_IN(s, m, fn) JSON_ROW_INSIDE, .at = offsetof(s, m), .by.inside = (fn)
/* Beside one of these: sets a bool. */
#define ROW_HAS(s, m) .has = 1 + ROW_AT(s, m, bool)

#endif
