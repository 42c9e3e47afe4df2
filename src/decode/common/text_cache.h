/* text_cache.h - maps texts to numbers by 96 bits of the text's hash. Zero-initialise; release with
 * text_cache_release(). */
#ifndef PNAV_SRC_DECODE_COMMON_TEXT_CACHE_H
#define PNAV_SRC_DECODE_COMMON_TEXT_CACHE_H

#include <stdbool.h>
#include <stdint.h>

#include "src/input/hash.h"

struct text_slot { /* four slots are one cache line */
	uint64_t low;
	uint32_t high;
	uint32_t value; /* 0: free */
};

struct text_cache {
	struct text_slot *slot;
	uint32_t mask, used;
	uint32_t had;   /* number of texts when it was last resized or cleared */
	uint64_t asked; /* look-ups since then */
};

/* Fetches the slot into the cache of the processor for a later find. */
static inline void
text_cache_soon(const struct text_cache *c, struct hash128 hash)
{
	if (c->slot)
		__builtin_prefetch(&c->slot[hash.low & c->mask]);
}

/* Makes the table, for the first text. */
void text_cache_begin(struct text_cache *c);

/* Returns the place of this text's value; it is 0 if the text is not cached yet. */
static inline uint32_t *
text_cache_find(struct text_cache *c, struct hash128 hash)
{
	if (!c->slot)
		text_cache_begin(c);
	uint32_t i = (uint32_t)hash.low & c->mask;
	c->asked++;
	while (c->slot[i].value &&
	       (c->slot[i].low != hash.low || c->slot[i].high != (uint32_t)hash.high))
		i = (i + 1) & c->mask;
	return &c->slot[i].value;
}

/* Stores a value, not 0, in the place that find returned. A cache of maximum size is cleared
 * instead of growing. */
void text_cache_put(struct text_cache *c, uint32_t *where, struct hash128 hash,
		    uint32_t value);
/* The same if other texts were inserted after the find: looks up the place again. */
void text_cache_put_late(struct text_cache *c, struct hash128 hash, uint32_t value);
void text_cache_release(struct text_cache *c);

#endif
