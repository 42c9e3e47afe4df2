/* text1_format.h - the format lines of a Text1 export, and rows read by them.
 *
 * A format is literal text with macros between `%` signs; the exporting user chooses
 * both (Text1, "Macros"). A row is split into one slice a macro; what a slice means is
 * for the reader of the section. */
#ifndef PNAV_SRC_DECODE_TEXT1_TEXT1_FORMAT_H
#define PNAV_SRC_DECODE_TEXT1_TEXT1_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

struct text1_slice {
	const char *at;
	size_t len;
};

struct text1_field {
	enum text1_macro macro;
	struct text1_slice name;  /* of the macro, as it was written */
	struct text1_slice after; /* literal text up to the next macro or the end */
};

struct text1_format {
	char *text; /* owned: a copy of the format line, which the slices point into */
	size_t len;
	struct text1_slice before; /* literal text in front of the first macro */
	struct text1_field field[TEXT1_FIELDS_MAX];
	unsigned n;
	unsigned spare;    /* the field that takes surplus separators */
	char separator;    /* the one byte between all neighbours; NUL where it is not so */
	int8_t of[MACROS]; /* index of a macro's first field, or -1 */
};

/* Takes a format line apart; false, with *why, when no row can be read by it. Release in
 * both cases. */
bool text1_format_parse(struct text1_format *f, const char *at, size_t len,
			const char **why);
void text1_format_release(struct text1_format *f);

/* Splits a row: out[i] belongs to field[i].  False when the row does not fit. */
bool text1_format_match(const struct text1_format *f, const char *at, size_t len,
			struct text1_slice *out);

/* The slice of a macro; empty where the format does not have it. */
static inline struct text1_slice
text1_slice_of(const struct text1_format *f, const struct text1_slice *row,
	       enum text1_macro m)
{
	return f->of[m] < 0 ? (struct text1_slice){"", 0} : row[f->of[m]];
}

/* Where the first macro begins, `len` when there is none. */
size_t text1_format_start(const char *at, size_t len);

/* Numbers of a row, blanks around them allowed.  False when it is none, or empty. */
bool text1_hex(struct text1_slice s, uint64_t *out); /* with or without 0x */
bool text1_decimal(struct text1_slice s, int64_t *out);
bool text1_float(struct text1_slice s, double *out);

#endif
