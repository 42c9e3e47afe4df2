/* series_column.h - writing a column of tracks.h: values packed to the width that they need.
 *
 * A column that has to become wider while its chunk fills is rewritten; that happens seven
 * times at most, so an event costs a comparison and a store.  For the files of series.c. */
#ifndef PNAV_MODEL_SERIES_COLUMN_H
#define PNAV_MODEL_SERIES_COLUMN_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "model/profile/tracks.h"

static inline void
column_store_3(void *at, uint32_t i, uint32_t offset)
{
	uint8_t *p = (uint8_t *)at + (size_t)i * 3;

	p[0] = (uint8_t)offset;
	p[1] = (uint8_t)(offset >> 8);
	p[2] = (uint8_t)(offset >> 16);
}

/* The same; as four bytes where one behind them may be written. */
static inline void
column_store_3_of_4(void *at, uint32_t i, uint32_t offset, bool more)
{
	if (!more || __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)
		column_store_3(at, i, offset);
	else
		memcpy((uint8_t *)at + (size_t)i * 3, &offset, sizeof offset);
}

/* As column_word() reads it. */
static inline void
column_word_put(uint8_t *at, uint64_t word)
{
	if (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)
		word = __builtin_bswap64(word);
	memcpy(at, &word, sizeof word);
}

/* The next width that a column may have. */
static inline uint8_t
column_wider(uint8_t width)
{
	return (uint8_t)(width < 4 ? width + 1 : 8);
}

static inline void
column_store(void *at, uint8_t width, uint32_t i, uint64_t offset)
{
	switch (width) {
	case 1:
		((uint8_t *)at)[i] = (uint8_t)offset;
		break;
	case 2:
		((uint16_t *)at)[i] = (uint16_t)offset;
		break;
	case 3:
		column_store_3(at, i, (uint32_t)offset);
		break;
	case 4:
		((uint32_t *)at)[i] = (uint32_t)offset;
		break;
	case 8:
		((uint64_t *)at)[i] = offset;
		break;
	}
}

static inline bool
column_holds(const struct column *c, uint64_t offset)
{
	return c->width == 8 || offset >> (c->width * 8) == 0;
}

/* Finds a base and width that hold the first i values and v, and rewrites the column. */
void column_refit(struct column *c, uint32_t i, uint32_t cap, int64_t v, bool rising);

/* An empty column as wide as one that holds values of the same kind: nearly always those of the
 * next chunk need that, too.  Before anything is put into it, it needs column_room(). */
static inline struct column
column_like(const struct column *of)
{
	return (struct column){.base = of->base, .width = of->width};
}

void column_room(struct column *c, uint32_t cap);

/* v is the first value. */
static inline void
column_begin(struct column *c, int64_t v, bool rising)
{
	if (rising || !c->width)
		c->base = v;
}

/* Value i, the next one, of a column with room for cap. */
static inline void
column_put(struct column *c, uint32_t i, uint32_t cap, int64_t v, bool rising)
{
	if (i == 0)
		column_begin(c, v, rising);
	uint64_t offset = (uint64_t)v - (uint64_t)c->base;
	if (column_holds(c, offset))
		column_store(c->at, c->width, i, offset);
	else
		column_refit(c, i, cap, v, rising);
}

/* n values, at least one, from place i on; there is room for them. */
void column_put_many(struct column *c, uint32_t i, uint32_t cap, const int64_t *v, uint32_t n,
		     bool rising);

/* The same of small numbers that come in any order. */
void column_put_words(struct column *c, uint32_t i, uint32_t cap, const uint32_t *v, uint32_t n);

/* What is known of a column's values: nothing, that they never go down, that 0 is no number
 * like the others, that they count from 0. */
enum column_sort { COLUMN_ANY, COLUMN_RISING, COLUMN_ZEROS, COLUMN_IDS };
/* No more values come: packs these n as tightly as they allow. */
void column_close(struct column *c, uint32_t n, enum column_sort sort);
void column_release(struct column *c);

/* n values as a column, as narrow as they allow. */
struct column column_packed(const int64_t *value, uint32_t n);

#endif
