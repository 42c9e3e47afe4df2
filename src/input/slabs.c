#include "src/input/slabs.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/mem.h"
#include "model/base/wide.h"
#include "src/input/cursor.h"
#include "src/input/json_digits.h"

/* Columns are converted from a block of the file at a time, in one loop for each type of number.
 * Floating-point numbers are multiplied by powers of ten exactly, in 128 bits, and rounded once:
 * times in ms become the ns that their decimal text would give.
 *
 * Rejected: turning the container into one text for the tokenizer, since printing and parsing a
 * number costs fifty times its conversion. */

#define HEADER 20u
#define ENTRY 12u
#define SLABS_BLOCK 65536u                    /* a multiple of every size */
#define PLAIN_MAX INT64_C(999999999999999999) /* of a number in plain form */
#define TEXT_TYPE 10u

static const uint8_t slabs_magic[8] = {0xDC, 0xDF, 'J', 'S', 'L', 'B', 1, 0};

static const struct {
	const char *name;
	uint8_t size;
} slab_types[] = {
	{"i8", 1},
	{"u8", 1},
	{"i16", 2},
	{"u16", 2},
	{"i32", 4},
	{"u32", 4},
	{"f32", 4},
	{"f64", 8},
	{"i64", 8},
	{"u64", 8},
	[TEXT_TYPE] = {"JSON", 1},
};
#define SLAB_TYPES (sizeof slab_types / sizeof *slab_types)

bool
slabs_probe(const uint8_t *at, size_t len)
{
	return len >= sizeof slabs_magic && !memcmp(at, slabs_magic, sizeof slabs_magic);
}

/* ---- the table ---- */

uint64_t
slabs_row(uint32_t which)
{
	return HEADER + ENTRY * (uint64_t)which;
}

/* Returns true if the whole slab is in the file. A length is not believed before. */
static bool
slab_is_there(struct slabs *s, uint32_t which)
{
	uint8_t last;

	if (which < s->slab.n) {
		const struct slab *x = &s->slab.at[which];
		if (x->type < SLAB_TYPES &&
		    (!x->len ||
		     input_read_at(s->in, (uint64_t)x->start + x->len - 1, &last, 1)))
			return true;
	}
	if (s->missing == SLABS_NONE)
		s->missing = which < s->slab.n ? slabs_row(which) : HEADER;
	return false;
}

/* Nothing can be read from this container. */
static bool
slabs_refuse(struct err *e, uint64_t offset, const char *why)
{
	return err_refuse(e, "at byte %" PRIu64 ": %s", offset, why);
}

bool
slabs_open(struct slabs *s, struct input *in, struct err *e)
{
	uint8_t b[HEADER];

	*s = (struct slabs){.in = in, .missing = SLABS_NONE};
	input_keep(in);
	if (!input_read_at(in, 0, b, sizeof b))
		return slabs_refuse(e, 0, "a JSLB container without its header");
	if (bytes_u32(b + 8, false) != 1)
		return err_refuse(e,
				  "a JSLB container of version %" PRIu32
				  "; pnav reads version 1",
				  bytes_u32(b + 8, false));
	uint32_t n = bytes_u32(b + 12, false);
	s->root = bytes_u32(b + 16, false);
	for (uint32_t i = 0; i < n; i++) {
		if (!input_read_at(in, slabs_row(i), b, ENTRY))
			return slabs_refuse(e, slabs_row(i),
					    "the table of slabs ends too early");
		*vec_push(&s->slab) =
			(struct slab){bytes_u32(b, false), bytes_u32(b + 4, false),
				      bytes_u32(b + 8, false)};
	}
	if (!slabs_is_text(s, s->root))
		return slabs_refuse(e, 16, "the root is no slab of JSON");
	if (!slab_is_there(s, s->root))
		return slabs_refuse(e, slabs_row(s->root), "the root is not in the file");
	s->column.bytes = mem_alloc(SLABS_BLOCK, 1);
	return true;
}

void
slabs_release(struct slabs *s)
{
	for (unsigned i = 0; i < SLABS_DEPTH; i++) {
		if (s->level[i].own)
			input_close(s->level[i].own);
		buf_release(&s->level[i].text);
	}
	vec_release(&s->slab);
	free(s->column.bytes);
}

bool
slabs_is_text(const struct slabs *s, uint32_t which)
{
	return which < s->slab.n && s->slab.at[which].type == TEXT_TYPE;
}

const char *
slabs_type(const struct slabs *s, uint32_t which)
{
	uint32_t type = s->slab.at[which].type;

	return type < SLAB_TYPES ? slab_types[type].name : "unknown";
}

uint64_t
slabs_column_bytes(const struct slabs *s)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < s->slab.n; i++)
		if (s->slab.at[i].type < TEXT_TYPE)
			sum += s->slab.at[i].len;
	return sum;
}

/* ---- slabs ---- */

bool
slabs_text(struct slabs *s, uint32_t which, struct buf *out)
{
	if (!slab_is_there(s, which))
		return false;
	const struct slab *x = &s->slab.at[which];
	for (uint32_t at = 0, n; at < x->len; at += n) {
		n = x->len - at < SLABS_BLOCK ? x->len - at : SLABS_BLOCK;
		if (!input_read_at(s->in, (uint64_t)x->start + at, s->column.bytes, n))
			return false;
		buf_add(out, s->column.bytes, n);
	}
	return true;
}

bool
slabs_column(struct slabs *s, uint32_t which)
{
	if (!slab_is_there(s, which))
		return false;
	const struct slab *x = &s->slab.at[which];
	uint32_t whole = x->len / slab_types[x->type].size * slab_types[x->type].size;
	s->torn += whole != x->len;
	s->column.slab = which;
	s->column.type = x->type;
	s->column.at = s->column.from = x->start;
	s->column.end = (uint64_t)x->start + whole;
	s->column.n = 0;
	return true;
}

/* Returns the next numbers of the column and sets *n to their count; it is 0 at the end. */
static const uint8_t *
numbers_at(struct slabs *s, size_t *n)
{
	unsigned size = slab_types[s->column.type].size;
	uint64_t left = s->column.end - s->column.at;

	if (left && s->column.at >= s->column.from + s->column.n) {
		s->column.n = left < SLABS_BLOCK ? (size_t)left : SLABS_BLOCK;
		s->column.from = s->column.at;
		input_breathe(s->in);
		if (!input_read_at(s->in, s->column.from, s->column.bytes, s->column.n))
			left = s->column.n = 0;
	}
	*n = left ? (size_t)(s->column.from + s->column.n - s->column.at) / size : 0;
	return s->column.bytes + (s->column.at - s->column.from);
}

/* ---- numbers ---- */

/* Multiplies by a power of ten exactly, and rounds half away from zero. Returns false if the result
 * is not a number in plain form. */
static inline bool
float_scaled(double x, unsigned scale, int64_t *out)
{
	uint64_t bits;

	memcpy(&bits, &x, sizeof bits);
	int e = (int)(bits >> 52 & 0x7FF);
	uint64_t m = bits & ((UINT64_C(1) << 52) - 1);
	if (e == 0x7FF)
		return false;
	m |= (uint64_t)(e != 0) << 52;
	e -= 1075 - (e == 0);
	wide v = wide_mul(wide_of_unsigned(m), wide_of(json_power[scale]));
	wide most = wide_of(PLAIN_MAX);
	if (e < 0) /* below 2^126 */
		v = e < -126 ? wide_of(0)
			     : wide_down(wide_add(wide_down(v, -e - 1), wide_of(1)), 1);
	else if (m && (e > 60 || wide_cmp(v, most) > 0))
		return false;
	else if (m)
		v = wide_mul(v, wide_of(INT64_C(1) << e));
	if (wide_cmp(v, most) > 0)
		return false;
	*out = bits >> 63 ? -wide_low(v) : wide_low(v);
	return true;
}

static inline bool
whole_scaled(int64_t x, unsigned scale, int64_t *out)
{
	return !__builtin_mul_overflow(x, json_power[scale], out) &&
	       *out <= PLAIN_MAX && *out >= -PLAIN_MAX;
}

/* Converts one number; false if it has no plain form. */
static inline bool
number_of(uint32_t type, const uint8_t *p, unsigned scale, int64_t *out)
{
	uint64_t bits;
	uint32_t low;
	double x;
	float f;

	switch (type) {
	case 0:
		return whole_scaled((int8_t)*p, scale, out);
	case 1:
		return whole_scaled(*p, scale, out);
	case 2:
		return whole_scaled((int16_t)bytes_u16(p, false), scale, out);
	case 3:
		return whole_scaled(bytes_u16(p, false), scale, out);
	case 4:
		return whole_scaled((int32_t)bytes_u32(p, false), scale, out);
	case 5:
		return whole_scaled(bytes_u32(p, false), scale, out);
	case 6:
		low = bytes_u32(p, false);
		memcpy(&f, &low, sizeof f);
		return float_scaled((double)f, scale, out);
	case 7:
		bits = bytes_u64(p, false);
		memcpy(&x, &bits, sizeof x);
		return float_scaled(x, scale, out);
	case 8:
		return whole_scaled((int64_t)bytes_u64(p, false), scale, out);
	default:
		bits = bytes_u64(p, false);
		return bits <= INT64_MAX && whole_scaled((int64_t)bits, scale, out);
	}
}

/* Returns true for a floating-point number that is none. */
static inline bool
is_no_number(uint32_t type, const uint8_t *p)
{
	return (type == 6 && (bytes_u32(p, false) & 0x7F800000) == 0x7F800000) ||
	       (type == 7 && (bytes_u64(p, false) >> 52 & 0x7FF) == 0x7FF);
}

/* The loop, for a type that the compiler knows. */
static inline size_t
some_numbers(struct slabs *s, uint32_t type, const uint8_t *p, unsigned scale, bool nulls,
	     int64_t *out, size_t n)
{
	unsigned size = slab_types[type].size;
	size_t i = 0;

	for (; i < n; i++, p += size)
		if (!number_of(type, p, scale, &out[i])) {
			if (!nulls || !is_no_number(type, p))
				break;
			s->no_numbers++;
			out[i] = SLABS_NO_NUMBER;
		}
	return i;
}

size_t
slabs_numbers(struct slabs *s, unsigned scale, bool nulls, int64_t *out, size_t n)
{
	uint32_t type = s->column.type;
	size_t have, done;
	const uint8_t *p = numbers_at(s, &have);

	n = have < n ? have : n;
	switch (type) {
	case 1:
		done = some_numbers(s, 1, p, scale, nulls, out, n);
		break;
	case 4:
		done = some_numbers(s, 4, p, scale, nulls, out, n);
		break;
	case 7:
		done = some_numbers(s, 7, p, scale, nulls, out, n);
		break;
	default:
		done = some_numbers(s, type, p, scale, nulls, out, n);
		break;
	}
	s->column.at += done * slab_types[type].size;
	return done;
}

const char *
slabs_next(struct slabs *s, uint64_t *offset)
{
	uint32_t type = s->column.type;
	char *to = s->column.text;
	size_t n, len = sizeof s->column.text;
	const uint8_t *p = numbers_at(s, &n);
	uint64_t bits;
	uint32_t low;
	int64_t whole = 0;
	double x;
	float f;

	*offset = s->column.at;
	if (!n)
		return NULL;
	s->column.at += slab_types[type].size;
	if (is_no_number(type, p)) {
		s->no_numbers++;
		return "null";
	}
	if (type == 8 || type == 9) {
		bits = bytes_u64(p, false);
		memcpy(&whole, &bits, sizeof whole);
		if (type == 9 && bits > INT64_MAX)
			return "-";
		snprintf(to, len, "%" PRId64, whole);
	} else if (type == 6 || type == 7) {
		if (type == 6) {
			low = bytes_u32(p, false);
			memcpy(&f, &low, sizeof f);
			x = (double)f;
		} else {
			bits = bytes_u64(p, false);
			memcpy(&x, &bits, sizeof x);
		}
		snprintf(to, len, "%.17g", x);
	} else {
		number_of(type, p, 0, &whole);
		snprintf(to, len, "%" PRId64, whole);
	}
	return to;
}
