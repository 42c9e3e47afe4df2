/* slices_inside.h - shared by slices.c and slices_list.c; no other file includes it. */
#ifndef PNAV_SRC_DECODE_COMMON_SLICES_INSIDE_H
#define PNAV_SRC_DECODE_COMMON_SLICES_INSIDE_H

#include "src/decode/common/slices.h"

/* slice.packed has the length in its lowest bits, then the name, then flags. If that does not fit,
 * it has the index of an element of slices.wide instead. */
#define SLICE_LENGTH_BITS 36
#define SLICE_NAME_BITS 24
#define SLICE_WIDE ((uint64_t)1 << 63)
#define SLICE_FLAGS_AT 60

static inline struct slice_wide
slices_unpack(const struct slices *s, uint64_t packed)
{
	if (packed & SLICE_WIDE)
		return s->wide[packed & (((uint64_t)1 << SLICE_FLAGS_AT) - 1)];
	return (struct slice_wide){
		.length = packed & (((uint64_t)1 << SLICE_LENGTH_BITS) - 1),
		.name = (uint32_t)(packed >> SLICE_LENGTH_BITS) & ((1u << SLICE_NAME_BITS) - 1),
	};
}

/* Sorts them into the order of writing: by start, then the longer first, then as they came. */
void slices_sort(struct slices *s);

#endif
