#include "src/decode/bsprof/bsprof_batch.h"

#include <string.h>

#include "model/base/bisect.h"

/* The expensive part is that neither the length of a number nor the kind of the next entry is known
 * in advance: a processor that mispredicts two branches an entry loses half of its time. So this
 * code avoids the branches. A table lists where the varints in eight bytes end. Each is then loaded
 * as if it had four bytes, and the surplus is cut off, several at once. The groups of seven bits
 * are joined by subtraction: the second group is at bit 8 instead of bit 7, so half of it is
 * subtracted.
 *
 * Rejected: one entry after the other, whose type decides what is read next; searching the ends of
 * numbers again for each entry. */

#define EACH UINT64_C(0x0101010101010101)
#define TOPS UINT64_C(0x8080808080808080)
#define AT_ONCE 16u /* numbers */
#define NO_TAG 7u   /* of a type that there is not */

static void
tables_make(struct bsprof_batch *b, bool lines)
{
	for (unsigned set = 0; set < 256; set++)
		for (unsigned i = 0; i < 8; i++)
			if (set >> i & 1)
				b->ends[set][b->count[set]++] = (uint8_t)(i + 1);
	for (unsigned tag = 0; tag < 32; tag++) {
		unsigned type = tag & 7, op = tag >> 3, n = 0;
		if (type == BSPROF_CALLS)
			n = 2;
		else if (type == BSPROF_CPU || (type == BSPROF_MEMORY && op == BSPROF_ALLOC))
			n = 3u + lines;
		else if (type == BSPROF_MEMORY && op != BSPROF_OP_UNASSIGNED)
			n = 2u + lines;
		b->fields[tag] = (uint8_t)n;
	}
	b->lines = lines;
}

/* Returns a word with a bit set in each of eight bytes that end a varint. */
static inline unsigned
ends_of(uint64_t word)
{
	return (unsigned)((~word & TOPS) * UINT64_C(0x0002040810204081) >> 56);
}

/* Converts the first bytes of varints to their numbers. */
static void
numbers_of(uint32_t *v)
{
	for (unsigned i = 0; i < AT_ONCE; i++) {
		uint32_t x = v[i], end = ~x & (uint32_t)TOPS, wide = end ? 0 : BSPROF_WIDE;
		x &= (end ^ (end - 1)) & 0x7F7F7F7Fu;
		x -= (x & 0x7F007F00u) >> 1;
		x -= ((x & 0x3FFF0000u) >> 2) * 3;
		v[i] = x | wide;
	}
}

bool
bsprof_batch_read(struct bsprof_batch *b, const struct bsprof_reader *r)
{
	const uint8_t *p = r->c.at;
	uint32_t n = 1;

	if (r->c.end - p < (ptrdiff_t)BSPROF_AHEAD)
		return false;
	if (!b->count[255])
		tables_make(b, r->lines);
	b->offset = bsprof_offset(r);
	b->at[0] = 0;
	for (uint32_t i = 0; i < BSPROF_BATCH; i += 8) {
		unsigned set = ends_of(bytes_u64(p + i, false));
		uint64_t at;
		memcpy(&at, b->ends[set], sizeof at);
		at += EACH * i;
		memcpy(b->at + n, &at, sizeof at);
		n += b->count[set];
	}
	b->n = --n;
	for (uint32_t i = 0; i < n; i++)
		b->number[i] = bytes_u32(p + b->at[i], false);
	for (uint32_t i = 0; i < n; i += AT_ONCE)
		numbers_of(b->number + i);
	b->number[n] = NO_TAG;
	return true;
}

uint32_t
bsprof_batch_find(const struct bsprof_batch *b, uint64_t offset)
{
	uint64_t at = offset - b->offset;

	if (at >= BSPROF_BATCH)
		return b->n;
	uint32_t first = (uint32_t)bisect(i, b->n, b->at[i] < at);
	return first < b->n && b->at[first] == at ? first : b->n;
}
