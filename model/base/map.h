/* map.h - an open-addressing hash table from hashes to 32-bit indexes into the owner's table.
 *
 * A slot holds index + 1 and the upper half of the hash. Keys stay in the owner's columns, and
 * the owner compares candidates itself:
 *
 *	uint32_t slot = map_first(m, hash), index;
 *	while (map_probe(m, &slot, hash, &index))
 *		if (owner's key at index is the wanted one) return index;
 *	map_insert(m, hash, new_index);
 *
 * The upper half of the hash selects the slot, so it must be well mixed. The product of a number
 * and an odd constant near 2^63 suffices.
 *
 * Load stays below 5/8. Entries are never removed; indexes are below UINT32_MAX. A
 * zero-initialised map accepts insertions, but must not be probed before the first.
 *
 * Hash tables that do not use this one give the reason at their heads: text_cache (has no keys),
 * live_blocks (removes). */
#ifndef PNAV_MODEL_BASE_MAP_H
#define PNAV_MODEL_BASE_MAP_H

#include <stdbool.h>
#include <stdint.h>

struct map {
	uint64_t *slot; /* 0: empty; else upper hash half << 32 | index + 1 */
	uint32_t mask;  /* number of slots - 1; the number is a power of two. No slots if NULL */
	uint32_t used;
};

void map_init(struct map *m);
void map_release(struct map *m);
/* Initialises *to as a copy of `from`. */
void map_copy(struct map *to, const struct map *from);
/* Doubles the slots, or makes the first ones; map_insert() calls it. */
void map_grow(struct map *m);

/* Returns a well mixed hash of two numbers. */
static inline uint64_t
map_hash_pair(uint32_t a, uint32_t b)
{
	uint64_t hash = ((uint64_t)a << 32 | b) * UINT64_C(0x9E3779B97F4A7C15);

	return (hash ^ hash >> 32) * UINT64_C(0xD6E8FEB86659FD93);
}

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

/* Finds the next index that may belong to this hash and advances *slot; returns false if there
 * is none left. */
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

/* Inserts an index under a hash. The key must not be in the map. */
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
