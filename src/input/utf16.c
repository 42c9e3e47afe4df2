/* Converts texts of UTF-16 to UTF-8, as PowerShell and editors on Windows write them, while
 * reading: the byte-order mark in front is the magic of a `codec` (inflate.c), and decides the
 * order of the bytes. The mark itself becomes that of UTF-8. Halves of pairs become U+FFFD. */
#include "src/input/inflate_inside.h"

#include "model/base/chars.h"

#define REPLACEMENT 0xFFFD

/* A text of this kind begins in ASCII, or as the frame of a table does (U+2500 and on). */
bool
utf16_fits(const uint8_t *at, size_t len)
{
	unsigned high = at[0] == 0xFF ? 3 : 2, low = 5 - high;

	return len >= 4 && (at[high] == 0x25 || (!at[high] && at[low] && at[low] < 0x80));
}

bool
utf16_begin(struct inflate_source *s)
{
	s->state.utf16 = (struct utf16_state){0};
	s->between = true;
	return true;
}

/* Reads a unit: to `made`, or to `high` if it is the first half of a pair. */
static void
utf16_unit(struct utf16_state *u, uint32_t unit)
{
	bool low = unit >= 0xDC00 && unit < 0xE000;

	u->given = u->n = 0;
	if (u->high && !low)
		u->n = utf8_put(REPLACEMENT, u->made);
	if (u->high && low)
		unit = 0x10000 + ((u->high - 0xD800) << 10) + (unit - 0xDC00);
	else if (low)
		unit = REPLACEMENT;
	u->high = unit >= 0xD800 && unit < 0xDC00 ? unit : 0;
	if (!u->high)
		u->n += utf8_put(unit, u->made + u->n);
}

size_t
utf16_step(struct inflate_source *s, void *out, size_t n)
{
	struct utf16_state *u = &s->state.utf16;
	bool big = s->codec->magic[0] == '\xFE';
	size_t done = 0;

	while (done < n) {
		if (u->given < u->n) {
			((char *)out)[done++] = u->made[u->given++];
			continue;
		}
		if (!s->have)
			break;
		uint8_t byte = s->buf[s->at];
		inflate_took(s, 1);
		u->half = !u->half;
		if (u->half)
			u->first = byte;
		else
			utf16_unit(u, big ? (uint32_t)u->first << 8 | byte
					  : (uint32_t)byte << 8 | u->first);
	}
	s->given += done;
	s->between = !u->half && !u->high;
	return done;
}

void
utf16_finish(struct inflate_source *s UNUSED)
{
}
