/* text_cache.h - text -> a number, by 96 bits of the text's hash alone.
 * Zero-initialise; release with text_cache_release(). */
#ifndef PNAV_SRC_DECODE_COMMON_TEXT_CACHE_H
#define PNAV_SRC_DECODE_COMMON_TEXT_CACHE_H

#include <stdbool.h>
#include <stdint.h>

#include "src/input/hash.h"

struct text_slot { /* four in a line of the processor's cache */
	uint64_t low;
	uint32_t high;
	uint32_t value; /* 0: free */
};

struct text_cache {
	struct text_slot *slot;
	uint32_t mask, used;
	uint32_t had;   /* how many it had when it was made as large as it is, or emptied */
	uint64_t asked; /* since then */
	uint32_t rest;  /* questions that are better not asked */
};

/* Has the cache hardly an answer of late?  Then it is better not asked this time, nor given the
 * text; now and then it is tried again.  For who finds the value nearly as fast without it. */
static inline bool
text_cache_rests(struct text_cache *c)
{
	if (!c->rest)
		return false;
	c->rest--;
	return true;
}

/* Starts to fetch the slot that a later find will look at. */
static inline void
text_cache_prefetch(const struct text_cache *c, struct hash128 hash)
{
	if (c->slot)
		__builtin_prefetch(&c->slot[hash.low & c->mask]);
}

/* For the first text: makes the table. */
void text_cache_begin(struct text_cache *c);

/* Where the value of this text is, or (0 there) is to be put. */
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

/* The value of a text that was asked for before and may have been put since; 0: it was not. */
static inline uint32_t
text_cache_again(struct text_cache *c, struct hash128 hash)
{
	uint32_t value = *text_cache_find(c, hash);

	c->asked--; /* it was counted before */
	return value;
}

/* Puts a value, not 0, where find said.  A cache that is as large as it may be is
 * emptied instead of growing. */
void text_cache_put(struct text_cache *c, uint32_t *where, struct hash128 hash,
		    uint32_t value);
/* The same for a text that is asked again, since others were put meanwhile. */
void text_cache_put_late(struct text_cache *c, struct hash128 hash, uint32_t value);
void text_cache_release(struct text_cache *c);

#endif
