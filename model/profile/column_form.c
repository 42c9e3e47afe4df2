/* column_form.c - what the form of a column says about its values, before they are read. */
#include "model/profile/column_form.h"

static uint64_t
most_of_width(unsigned bytes)
{
	return bytes >= 8 ? UINT64_MAX : (UINT64_C(1) << 8 * bytes) - 1;
}

uint64_t
column_largest(const struct column *c)
{
	if (!c->bits && !c->bases)
		return most_of_width(c->width);
	uint64_t values = c->bits ? (UINT64_C(1) << c->bits) - 1 : 0;
	uint64_t bases = c->bases ? (uint64_t)UINT16_MAX << c->shift : 0, sum;
	if (__builtin_add_overflow(values, bases, &sum) ||
	    __builtin_mul_overflow(sum, (uint64_t)c->step, &sum))
		return UINT64_MAX;
	return sum;
}

/* A signed base plus an offset of up to four bytes is added without a check. */
static bool
adds_up(const struct column *c, uint32_t n)
{
	uint64_t room = (uint64_t)INT64_MAX - (uint64_t)c->base;

	if (c->base < 0 || room >= most_of_width(4))
		return true;
	for (uint32_t i = 0; i < n; i++) {
		struct column offset = *c;
		offset.base = 0;
		if ((uint64_t)column_get(&offset, i) > room)
			return false;
	}
	return true;
}

bool
column_fits(const struct column *c, uint32_t n)
{
	if (c->bits || c->bases)
		return !c->width && c->bits <= COLUMN_BITS_MAX && c->step && c->shift < 48 &&
		       !(c->zeros && c->bases);
	if (c->width > 4 && c->width != 8)
		return false;
	return !c->width || c->width == 8 || adds_up(c, n);
}

uint64_t
column_bytes(const struct column *c, uint32_t n)
{
	return c->width ? (uint64_t)n * c->width : ((uint64_t)n * c->bits + 7) / 8;
}
