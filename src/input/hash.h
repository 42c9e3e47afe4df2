/* hash.h - XXH3, compiled inline.
 *
 * The inline form is several times faster on the short texts that decoders hash. On the reading
 * side, only this header includes it. */
#ifndef PNAV_SRC_INPUT_HASH_H
#define PNAV_SRC_INPUT_HASH_H

#include <stddef.h>
#include <stdint.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

/* A hash that identifies a text: texts with equal hashes are considered equal. */
struct hash128 {
	uint64_t low, high;
};

static inline struct hash128
hash128(const void *bytes, size_t len)
{
	XXH128_hash_t h = XXH3_128bits(bytes, len);
	return (struct hash128){.low = h.low64, .high = h.high64};
}

/* Hashes a text together with a number. */
static inline struct hash128
hash128_seeded(const void *bytes, size_t len, uint64_t seed)
{
	XXH128_hash_t h = XXH3_128bits_withSeed(bytes, len, seed);
	return (struct hash128){.low = h.low64, .high = h.high64};
}

static inline uint64_t
hash64(const void *bytes, size_t len)
{
	return XXH3_64bits(bytes, len);
}

static inline uint64_t
hash64_seeded(const void *bytes, size_t len, uint64_t seed)
{
	return XXH3_64bits_withSeed(bytes, len, seed);
}

#endif
