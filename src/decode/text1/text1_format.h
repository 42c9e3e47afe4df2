/* text1_format.h - parses the format lines of a Text1 export, and splits rows by them.
 *
 * A format is literal text with macros between `%` signs; the exporting user chooses both (Text1,
 * "Macros"). A row is split into one slice per macro; the section's reader interprets the
 * slices. */
#ifndef PNAV_SRC_DECODE_TEXT1_TEXT1_FORMAT_H
#define PNAV_SRC_DECODE_TEXT1_TEXT1_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/decode/common/slice.h"

/* In the order of the document's list. */
enum text1_macro {
	MACRO_FORMAT,
	MACRO_CLASS,
	MACRO_CONTEXT,
	MACRO_HANDLE,
	MACRO_HANDLE_PARENT,
	MACRO_HANDLE_STATE,
	MACRO_NAME,
	MACRO_NAME_PARENT,
	MACRO_VALUE,
	MACRO_VALUE_TYPE,
	MACRO_VALUE_UNIT,
	MACRO_FILE,
	MACRO_COUNT,
	MACRO_NET,
	MACRO_NET_MIN,
	MACRO_NET_AVG,
	MACRO_NET_MAX,
	MACRO_GROSS,
	MACRO_GROSS_MIN,
	MACRO_GROSS_AVG,
	MACRO_GROSS_MAX,
	MACRO_CALL,
	MACRO_CALL_MIN,
	MACRO_CALL_AVG,
	MACRO_CALL_MAX,
	MACRO_PERIOD_MIN,
	MACRO_PERIOD_AVG,
	MACRO_PERIOD_MAX,
	MACRO_OUTSIDE,
	MACRO_OUTSIDE_MIN,
	MACRO_OUTSIDE_AVG,
	MACRO_OUTSIDE_MAX,
	MACRO_EVENT,
	MACRO_TIME,
	MACRO_TOTAL_TIME,
	MACRO_PATH,
	MACRO_UNKNOWN,
};
#define MACROS ((unsigned)MACRO_UNKNOWN)
#define TEXT1_FIELDS_MAX 64

struct text1_field {
	enum text1_macro macro;
	struct text_slice name;  /* of the macro, as written */
	struct text_slice after; /* literal text up to the next macro or the end */
};

struct text1_format {
	char *text; /* owned: a copy of the format line, which the slices point into */
	struct text_slice before; /* literal text before the first macro */
	struct text1_field field[TEXT1_FIELDS_MAX];
	unsigned n;
	unsigned spare;    /* the field that takes surplus separators */
	char separator;    /* the one byte between all neighbours; NUL if they differ */
	int8_t of[MACROS]; /* index of a macro's first field, or -1 */
};

/* Parses a format line. Returns false with *why if no row could be split by it. Release it in both
 * cases. */
bool text1_format_parse(struct text1_format *f, const char *at, size_t len, const char **why);
void text1_format_release(struct text1_format *f);

/* Splits a row: out[i] belongs to field[i]. Returns false if the row does not match. */
bool text1_format_match(const struct text1_format *f, const char *at, size_t len,
			struct text_slice *out);

/* Returns the slice of a macro; empty if the format lacks it. */
static inline struct text_slice
text1_slice_of(const struct text1_format *f, const struct text_slice *row, enum text1_macro m)
{
	return f->of[m] < 0 ? slice_of("", 0) : row[f->of[m]];
}

/* Returns the position of the first macro, `len` if there is none. */
size_t text1_format_start(const char *at, size_t len);

/* Parse numbers of a row; blanks around them are allowed. Return false if the text is malformed or
 * empty. */
bool text1_hex(struct text_slice s, uint64_t *out); /* with or without 0x */
bool text1_decimal(struct text_slice s, int64_t *out);
bool text1_float(struct text_slice s, double *out);

#endif
