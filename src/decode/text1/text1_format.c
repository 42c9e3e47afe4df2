#include "src/decode/text1/text1_format.h"

#include <stdlib.h>
#include <string.h>

#include "model/base/chars.h"
#include "model/base/mem.h"
#include "src/decode/text1/text1_digits.h"

/* Rows are not CSV: nothing is quoted, and names and source lines contain the separators of the
 * format (`print("n = %d, 100%\n", n);,src/main.c,26`). So a row is split from both ends: a field
 * before the one that may contain anything ends at the first following literal, a field after it
 * begins at the last preceding one. The rest in between is that field, with all surplus separators.
 * It is NAME if the format has it, else FILE, PATH and the other texts in the order of
 * `spare_order`.
 *
 * A regular expression made from the format would give the same result at ten times the cost per
 * row, and timelines have millions. Each byte of a row is read once or twice, nothing is allocated,
 * and no row restarts the search.
 *
 * Nearly all formats have one byte between all neighbours, and nearly all rows are short. Then a
 * word has a bit for each occurrence of that byte, and the ends of the fields are its lowest and
 * highest bits.
 *
 * Fields without a literal between them can be separated only if one has a known width: EVENT is
 * one character, handles are eight. */

/* As written in the document; blanks inside do not count ("T. OUTSIDE.MIN"). */
static const char *const macro_names[MACROS] = {
	[MACRO_FORMAT] = "FORMAT",
	[MACRO_CLASS] = "CLASS",
	[MACRO_CONTEXT] = "CONTEXT",
	[MACRO_HANDLE] = "HANDLE",
	[MACRO_HANDLE_PARENT] = "HANDLE.PARENT",
	[MACRO_HANDLE_STATE] = "HANDLE.STATE",
	[MACRO_NAME] = "NAME",
	[MACRO_NAME_PARENT] = "NAME.PARENT",
	[MACRO_VALUE] = "VALUE",
	[MACRO_VALUE_TYPE] = "VALUE.TYPE",
	[MACRO_VALUE_UNIT] = "VALUE.UNIT",
	[MACRO_FILE] = "FILE",
	[MACRO_COUNT] = "COUNT",
	[MACRO_NET] = "T.NET",
	[MACRO_NET_MIN] = "T.NET.MIN",
	[MACRO_NET_AVG] = "T.NET.AVG",
	[MACRO_NET_MAX] = "T.NET.MAX",
	[MACRO_GROSS] = "T.GROSS",
	[MACRO_GROSS_MIN] = "T.GROSS.MIN",
	[MACRO_GROSS_AVG] = "T.GROSS.AVG",
	[MACRO_GROSS_MAX] = "T.GROSS.MAX",
	[MACRO_CALL] = "T.CALL",
	[MACRO_CALL_MIN] = "T.CALL.MIN",
	[MACRO_CALL_AVG] = "T.CALL.AVG",
	[MACRO_CALL_MAX] = "T.CALL.MAX",
	[MACRO_PERIOD_MIN] = "T.PERIOD.MIN",
	[MACRO_PERIOD_AVG] = "T.PERIOD.AVG",
	[MACRO_PERIOD_MAX] = "T.PERIOD.MAX",
	[MACRO_OUTSIDE] = "T.OUTSIDE",
	[MACRO_OUTSIDE_MIN] = "T.OUTSIDE.MIN",
	[MACRO_OUTSIDE_AVG] = "T.OUTSIDE.AVG",
	[MACRO_OUTSIDE_MAX] = "T.OUTSIDE.MAX",
	[MACRO_EVENT] = "EVENT",
	[MACRO_TIME] = "TIME",
	[MACRO_TOTAL_TIME] = "TOTAL_TIME",
	[MACRO_PATH] = "PATH",
};

/* The fields that may contain surplus separators; the first one in the format does. */
static const enum text1_macro spare_order[] = {
	MACRO_NAME,  MACRO_FILE,       MACRO_PATH,   MACRO_NAME_PARENT, MACRO_CONTEXT,
	MACRO_CLASS, MACRO_VALUE_UNIT, MACRO_FORMAT, MACRO_UNKNOWN,
};

#define MACRO_NAME_MAX 32

static bool
macro_char(char c)
{
	return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_' || c == ' ';
}

/* Returns the length of the macro at `at`, including both `%`; 0 if there is none. */
static size_t
macro_len(const char *at, size_t len)
{
	size_t i = 2;

	if (len < 3 || at[0] != '%' || at[1] < 'A' || at[1] > 'Z')
		return 0;
	while (i < len && i < MACRO_NAME_MAX && macro_char(at[i]))
		i++;
	return i < len && at[i] == '%' ? i + 1 : 0;
}

size_t
text1_format_start(const char *at, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (macro_len(at + i, len - i))
			return i;
	return len;
}

static enum text1_macro
macro_find(const char *name, size_t len)
{
	char plain[MACRO_NAME_MAX + 1];
	size_t n = 0;

	for (size_t i = 0; i < len; i++)
		if (name[i] != ' ')
			plain[n++] = name[i];
	plain[n] = '\0';
	for (unsigned m = 0; m < MACROS; m++)
		if (!strcmp(macro_names[m], plain))
			return (enum text1_macro)m;
	return MACRO_UNKNOWN;
}

/* Returns the width of a field without a separator; 0: unknown. */
static size_t
macro_width(enum text1_macro m)
{
	if (m == MACRO_EVENT)
		return 1;
	return m == MACRO_HANDLE || m == MACRO_HANDLE_PARENT || m == MACRO_HANDLE_STATE ? 8 : 0;
}

static bool
format_choose_spare(struct text1_format *f, const char **why)
{
	f->spare = f->n - 1;
	for (unsigned k = 0; k < sizeof spare_order / sizeof *spare_order; k++) {
		unsigned i = 0;
		while (i < f->n && f->field[i].macro != spare_order[k])
			i++;
		if (i < f->n) {
			f->spare = i;
			break;
		}
	}
	f->separator = f->field[0].after.len == 1 ? f->field[0].after.at[0] : '\0';
	for (unsigned i = 0; i + 1 < f->n; i++)
		if (f->field[i].after.len != 1 || f->field[i].after.at[0] != f->separator)
			f->separator = '\0';
	for (unsigned i = 0; i < f->n; i++) {
		if (i < f->spare && !f->field[i].after.len && !macro_width(f->field[i].macro))
			*why = "nothing separates two of its fields";
		if (i > f->spare && !f->field[i - 1].after.len && !macro_width(f->field[i].macro))
			*why = "nothing separates two of its fields";
	}
	return !*why;
}

bool
text1_format_parse(struct text1_format *f, const char *at, size_t len, const char **why)
{
	*f = (struct text1_format){.text = mem_dup(at, len)};
	memset(f->of, -1, sizeof f->of);
	*why = NULL;
	size_t pos = text1_format_start(f->text, len);
	f->before = slice_of(f->text, pos);
	while (pos < len) {
		size_t wide = macro_len(f->text + pos, len - pos);
		if (f->n == TEXT1_FIELDS_MAX) {
			*why = "it has too many fields";
			return false;
		}
		struct text1_field *field = &f->field[f->n];
		field->name = slice_of(f->text + pos + 1, wide - 2);
		field->macro = macro_find(field->name.at, field->name.len);
		if (field->macro != MACRO_UNKNOWN && f->of[field->macro] < 0)
			f->of[field->macro] = (int8_t)f->n;
		pos += wide;
		size_t next = text1_format_start(f->text + pos, len - pos);
		field->after = slice_of(f->text + pos, next);
		pos += next;
		f->n++;
	}
	if (!f->n)
		return true;
	return format_choose_spare(f, why);
}

void
text1_format_release(struct text1_format *f)
{
	free(f->text);
	*f = (struct text1_format){0};
}

/* Returns the first occurrence of a literal at or after `pos`, or len + 1. */
static inline size_t
find_first(const char *at, size_t len, size_t pos, struct text_slice literal)
{
	for (size_t i = pos; i + literal.len <= len; i++)
		if (at[i] == literal.at[0] &&
		    (literal.len == 1 || !memcmp(at + i, literal.at, literal.len)))
			return i;
	return len + 1;
}

/* Returns where the last occurrence that ends at or before `end` begins, not before `pos`. */
static inline size_t
find_last(const char *at, size_t pos, size_t end, struct text_slice literal)
{
	if (end < pos + literal.len)
		return SIZE_MAX;
	for (size_t i = end - literal.len + 1; i-- > pos;)
		if (at[i] == literal.at[0] &&
		    (literal.len == 1 || !memcmp(at + i, literal.at, literal.len)))
			return i;
	return SIZE_MAX;
}

/* Returns a word with a bit for each of eight bytes that equals `c`. */
static inline uint64_t
bits_of(const char *at, unsigned char c)
{
	const uint64_t low = UINT64_C(0x7F7F7F7F7F7F7F7F);
	uint64_t v = bytes_u64((const uint8_t *)at, false) ^ UINT64_C(0x0101010101010101) * c;
	uint64_t hit = ~(((v & low) + low) | v | low); /* the top bit of each byte that is 0 */

	return (hit >> 7) * UINT64_C(0x0102040810204080) >> 56;
}

/* Returns a word with a bit for each position of `c` in at[from .. end); end is at most 64, and
 * at least eight bytes are readable. */
static inline uint64_t
places_of(const char *at, size_t from, size_t end, char c)
{
	uint64_t places = 0;
	size_t i = from;

	for (; i + 8 <= end; i += 8)
		places |= bits_of(at + i, (unsigned char)c) << i;
	if (i < end)
		places |= bits_of(at + end - 8, (unsigned char)c) << (end - 8);
	return places;
}

/* Splits a row of at[pos .. end) with one separator between its fields, by the bits of its
 * positions. */
static bool
match_places(const struct text1_format *f, const char *at, size_t pos, size_t end,
	     struct text_slice *out)
{
	uint64_t places = places_of(at, pos, end, f->separator);

	for (unsigned i = 0; i < f->spare; i++) {
		if (!places)
			return false;
		size_t stop = (size_t)__builtin_ctzll(places);
		out[i] = slice_of(at + pos, stop - pos);
		pos = stop + 1;
		places &= places - 1;
	}
	for (unsigned i = f->n - 1; i > f->spare; i--) {
		if (!places)
			return false;
		size_t start = 63 - (size_t)__builtin_clzll(places);
		out[i] = slice_of(at + start + 1, end - start - 1);
		end = start;
		places &= ~(UINT64_C(1) << start);
	}
	out[f->spare] = slice_of(at + pos, end - pos);
	return true;
}

/* Any row, byte by byte. */
static bool
match_bytes(const struct text1_format *f, const char *at, size_t pos, size_t end,
	    struct text_slice *out)
{
	for (unsigned i = 0; i < f->spare; i++) {
		struct text_slice after = f->field[i].after;
		size_t stop = after.len ? find_first(at, end, pos, after)
					: pos + macro_width(f->field[i].macro);
		if (stop > end)
			return false;
		out[i] = slice_of(at + pos, stop - pos);
		pos = stop + after.len;
	}
	for (unsigned i = f->n - 1; i > f->spare; i--) {
		struct text_slice before = f->field[i - 1].after;
		size_t start;
		if (before.len) {
			start = find_last(at, pos, end, before);
			if (start == SIZE_MAX)
				return false;
		} else {
			start = macro_width(f->field[i].macro);
			if (end - pos < start)
				return false;
			start = end - start;
		}
		out[i] = slice_of(at + start + before.len, end - start - before.len);
		end = start;
	}
	out[f->spare] = slice_of(at + pos, end - pos);
	return true;
}

bool
text1_format_match(const struct text1_format *f, const char *at, size_t len,
		   struct text_slice *out)
{
	size_t pos = f->before.len, end = len;

	if (!f->n)
		return len == pos && !memcmp(at, f->before.at, len);
	const struct text_slice *tail = &f->field[f->n - 1].after;
	if (len < pos + tail->len || (pos && memcmp(at, f->before.at, pos)) ||
	    (tail->len && memcmp(at + len - tail->len, tail->at, tail->len)))
		return false;
	end -= tail->len;
	if (f->separator && end <= 64 && end - pos >= 8)
		return match_places(f, at, pos, end, out);
	return match_bytes(f, at, pos, end, out);
}

/* ---- numbers ---- */

bool
text1_hex(struct text_slice s, uint64_t *out)
{
	uint64_t v = 0;

	if (s.len == 8 && hex_8(s.at, out))
		return true;
	s = slice_trim(s);
	if (s.len > 2 && s.at[0] == '0' && (s.at[1] | 0x20) == 'x')
		s.at += 2, s.len -= 2;
	if (!s.len)
		return false;
	for (size_t i = 0; i < s.len; i++) {
		unsigned d = hex_digit((char)s.at[i]);
		if (d > 15 || v >> 60)
			return false;
		v = v << 4 | d;
	}
	*out = v;
	return true;
}

bool
text1_decimal(struct text_slice s, int64_t *out)
{
	uint64_t v = 0;
	bool minus;

	s = slice_trim(s);
	minus = s.len && *s.at == '-';
	if (minus)
		s.at++, s.len--;
	if (!s.len || s.len > 19)
		return false;
	if (s.len >= 8) {
		if (!decimal_8(s.at, &v))
			return false;
		s.at += 8, s.len -= 8;
	}
	for (size_t i = 0; i < s.len; i++) {
		unsigned d = (unsigned)(unsigned char)s.at[i] - '0';
		if (d > 9)
			return false;
		v = v * 10 + d;
	}
	if (v > (uint64_t)INT64_MAX + minus)
		return false;
	*out = minus ? (int64_t)-v : (int64_t)v;
	return true;
}

bool
text1_float(struct text_slice s, double *out)
{
	char text[64], *end;

	s = slice_trim(s);
	if (!s.len || s.len >= sizeof text)
		return false;
	memcpy(text, s.at, s.len);
	text[s.len] = '\0';
	for (char *c = text; *c; c++)
		if (*c == ',') /* exported with a comma as the decimal point */
			*c = '.';
	*out = strtod(text, &end);
	return *end == '\0' && end != text;
}
