/* series_column.h - writes a column of tracks.h: values packed to the width that they need. For
 * series*.c.
 *
 * If a value does not fit, the column is rewritten with a larger width. That happens at most
 * seven times per chunk, so an event costs a comparison and a store. */
#ifndef PNAV_MODEL_PROFILE_SERIES_COLUMN_H
#define PNAV_MODEL_PROFILE_SERIES_COLUMN_H

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

/* The same; writes four bytes at once if `more`: the byte after may be overwritten. */
static inline void
column_store_3_of_4(void *at, uint32_t i, uint32_t offset, bool more)
{
	if (!more || __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)
		column_store_3(at, i, offset);
	else
		memcpy((uint8_t *)at + (size_t)i * 3, &offset, sizeof offset);
}

/* Writes a word that column_word() reads. */
static inline void
column_word_put(uint8_t *at, uint64_t word)
{
	if (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)
		word = __builtin_bswap64(word);
	memcpy(at, &word, sizeof word);
}

/* Returns the next larger width of a column. */
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

/* Chooses a base and width for the first i values and v, and rewrites the column. */
void column_refit(struct column *c, uint32_t i, uint32_t cap, int64_t v, bool rising);

/* Returns an empty column with the width of `of`, since the next chunk's values nearly always
 * need the same. Call column_room() before you put values into it. */
static inline struct column
column_like(const struct column *of)
{
	return (struct column){.base = of->base, .width = of->width};
}

void column_room(struct column *c, uint32_t cap);

/* Begins with v as the first value. */
static inline void
column_begin(struct column *c, int64_t v, bool rising)
{
	if (rising || !c->width)
		c->base = v;
}

/* Puts value i, the next one, into a column with room for cap. */
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

/* Puts n values, at least one, from index i; there is room for them. */
void column_put_many(struct column *c, uint32_t i, uint32_t cap, const int64_t *v, uint32_t n,
		     bool rising);

/* The same for 32-bit values in any order. */
void column_put_words(struct column *c, uint32_t i, uint32_t cap, const uint32_t *v, uint32_t n);

/* A property of a column's values: none; they never decrease; 0 is exceptional; they count from
 * 0. */
enum column_sort { COLUMN_ANY, COLUMN_RISING, COLUMN_ZEROS, COLUMN_IDS };
/* Packs the n values as tightly as possible; no more values may follow. */
void column_close(struct column *c, uint32_t n, enum column_sort sort);

/* Returns n values as a column of minimal width. */
struct column column_packed(const int64_t *value, uint32_t n);

#endif
