/* map.h - open addressing from a hash to a 32-bit index into the owner's table.
 *
 * A slot holds index + 1 and the upper half of the hash; keys stay in the owner's
 * columns, and the owner compares candidates itself:
 *
 *	uint32_t slot = map_first(m, hash), index;
 *	while (map_probe(m, &slot, hash, &index))
 *		if (owner's key at index is the wanted one) return index;
 *	map_insert(m, hash, new_index);
 *
 * The upper half of the hash says where a key lies, so that half has to be well mixed:
 * the product of a number and an odd constant near 2^63 will do.
 *
 * Load stays below 5/8.  Nothing is ever removed; indexes are below UINT32_MAX.  A map
 * that is zero-initialised takes insertions, but is not to be probed before the first.
 *
 * The tables that are not this one say at their heads why: text_cache (has no keys),
 * live_blocks (removes). */
#ifndef PNAV_MODEL_MAP_H
#define PNAV_MODEL_MAP_H

#include <stdbool.h>
#include <stdint.h>

#include "model/base/pace.h"

struct map {
	uint64_t *slot; /* 0 empty, else upper hash half << 32 | index + 1 */
	uint32_t mask;  /* slots - 1, a power of two less one; no slots when NULL */
	uint32_t used;
};

void map_init(struct map *m);
void map_release(struct map *m);
/* *to, which is not initialised, becomes like `from`. */
void map_copy(struct map *to, const struct map *from);
/* Makes room for n in an empty map, so that it need not grow on the way there. */
void map_reserve(struct map *m, uint32_t n);
/* Twice the slots, or the first ones; map_insert() calls it. */
void map_grow(struct map *m);
/* The same with rests, for who asks map_is_full() first; given up, the map has lost some. */
void map_grow_paced(struct map *m, struct pace *pace);

static inline bool
map_is_full(const struct map *m)
{
	return m->used + (uint64_t)m->used / 2 + m->used / 8 >= m->mask;
}

static inline uint32_t
map_first(const struct map *m, uint64_t hash)
{
	return (uint32_t)(hash >> 32) & m->mask;
}

/* The index of the next key that may be the one with this hash; false when there is none
 * left.  *slot is where to go on. */
static inline bool
map_probe(const struct map *m, uint32_t *slot, uint64_t hash, uint32_t *index)
{
	uint32_t high = (uint32_t)(hash >> 32);
	for (;;) {
		uint64_t s = m->slot[*slot];
		if (!s)
			return false;
		*slot = (*slot + 1) & m->mask;
		if ((uint32_t)(s >> 32) == high) {
			*index = (uint32_t)s - 1;
			return true;
		}
	}
}

/* Adds an index under a hash that is not there yet. */
static inline void
map_insert(struct map *m, uint64_t hash, uint32_t index)
{
	if (map_is_full(m))
		map_grow(m);
	uint32_t slot = map_first(m, hash);
	while (m->slot[slot])
		slot = (slot + 1) & m->mask;
	m->slot[slot] = (hash >> 32 << 32) | (index + 1);
	m->used++;
}

#endif
