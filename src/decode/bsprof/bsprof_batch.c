#include "src/decode/bsprof/bsprof_batch.h"

#include <stddef.h>

/* What costs here is not to know how many bytes each number has: a processor that guesses wrong
 * twice an entry does nothing else half of the time.  So that is not guessed: a word tells
 * where the varints of the next 16 bytes end.  Rejected: to read four of them always and let
 * the type choose, so that it is not guessed either; what is read in vain costs more.
 *
 * A number of seven bits a byte is put together by taking away what its groups are too high:
 * the second of two lies 8 bits up and belongs 7 bits up, so half of it goes. */

#define AT_ONCE 16u /* bytes that are looked through for ends */
#define READ 32u    /* that are looked at, at most */

/* A bit for each of AT_ONCE bytes that ends a varint. */
static inline uint32_t
ends_of(const uint8_t *p)
{
	const uint64_t tops = UINT64_C(0x8080808080808080), gather = UINT64_C(0x0002040810204081);
	uint64_t low = ~bytes_u64(p, false) & tops, high = ~bytes_u64(p + 8, false) & tops;

	return (uint32_t)(low * gather >> 56) | (uint32_t)(high * gather >> 56) << 8;
}

/* The number of a varint of `more` bytes and one: of four at most, of eight at most. */
static inline uint32_t
number_4(const uint8_t *p, unsigned more)
{
	uint32_t x = bytes_u32(p, false) & 0x7F7F7F7Fu >> (24 - 8 * (more & 3));

	x -= (x & 0x7F007F00u) >> 1;
	return x - ((x & 0x3FFF0000u) >> 2) * 3;
}

static inline uint64_t
number_8(const uint8_t *p, unsigned more)
{
	uint64_t x = bytes_u64(p, false) & UINT64_C(0x7F7F7F7F7F7F7F7F) >> (56 - 8 * (more & 7));

	x -= (x & UINT64_C(0x7F007F007F007F00)) >> 1;
	x -= ((x & UINT64_C(0x3FFF00003FFF0000)) >> 2) * 3;
	return x - ((x & UINT64_C(0x0FFFFFFF00000000)) >> 4) * 15;
}

/* Where the next varint ends; AT_ONCE where none does. */
static inline unsigned
next_end(uint32_t *ends)
{
	unsigned at = (unsigned)__builtin_ctz(*ends | 1u << AT_ONCE);

	*ends &= *ends - 1;
	return at;
}

/* An entry at p, as entry i; how many bytes it has, 0 where it is not of those. */
static inline unsigned
entry_at(struct bsprof_batch *b, uint32_t i, const uint8_t *p, bool lines)
{
	unsigned type = p[0] & 7, op = p[0] >> 3 & 3, shift = type == BSPROF_MEMORY ? 5 : 3;
	uint32_t ends = ends_of(p);
	unsigned end = next_end(&ends), before;
	bool wide = end > 3;

	b->id[i] = number_4(p, end) >> shift;
	b->type[i] = (uint8_t)type;
	b->op[i] = (uint8_t)op;
	b->line[i] = 0;
	b->value[i][1] = 0;
	if (type == BSPROF_CALLS) {
		before = end;
		end = next_end(&ends);
		b->value[i][0] = number_4(p + before + 1, end - before - 1);
		return wide || end - before > 4 || !b->id[i] ? 0 : end + 1;
	}
	if (lines) {
		before = end;
		end = next_end(&ends);
		b->line[i] = number_4(p + before + 1, end - before - 1);
		wide |= end - before > 4;
	}
	before = end;
	end = next_end(&ends);
	b->value[i][0] = number_8(p + before + 1, end - before - 1);
	wide |= end - before > 8;
	if (type == BSPROF_CPU || op == BSPROF_ALLOC) {
		before = end;
		end = next_end(&ends);
		b->value[i][1] = number_4(p + before + 1, end - before - 1);
		wide |= end - before > 4;
	}
	bool other = type < BSPROF_MEMORY || type > BSPROF_CPU ||
		     (type == BSPROF_MEMORY && op == BSPROF_OP_UNASSIGNED);
	return wide || other || !b->id[i] || end >= AT_ONCE ? 0 : end + 1;
}

static inline void
read_all(struct bsprof_batch *b, struct bsprof_reader *r, const struct bsprof_cache *known,
	 bool lines)
{
	const uint8_t *p = r->c.at;
	uint32_t i = 0;

	for (unsigned n; i < BSPROF_BATCH && r->c.end - p >= (ptrdiff_t)READ; i++, p += n) {
		n = entry_at(b, i, p, lines);
		if (!n)
			break;
		b->at[i] = (uint32_t)(p - r->c.at);
		__builtin_prefetch(bsprof_cache_pair(known, b->id[i], b->line[i]));
	}
	b->offset = r->base + (uint64_t)(r->c.at - r->c.start);
	b->n = i;
	b->next = 0;
	r->c.at = p;
}

void
bsprof_batch_read(struct bsprof_batch *b, struct bsprof_reader *r,
		  const struct bsprof_cache *known)
{
	if (r->lines)
		read_all(b, r, known, true);
	else
		read_all(b, r, known, false);
}
