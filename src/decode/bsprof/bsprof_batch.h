/* bsprof_batch.h - decodes the varints of the next bytes, all at once.
 *
 * Nearly all entries of a file are measurements with small numbers, and consist only of varints. So
 * the next bytes are split into varints before the beginnings of entries are known, and a
 * measurement is then a run of consecutive numbers. Other bytes, those of strings, yield numbers
 * that are never used. */
#ifndef PNAV_SRC_DECODE_BSPROF_BSPROF_BATCH_H
#define PNAV_SRC_DECODE_BSPROF_BSPROF_BATCH_H

#include "src/decode/bsprof/bsprof_read.h"

#define BSPROF_BATCH 248u /* bytes, whole words; a place in them has one byte */
#define BSPROF_AHEAD 256u /* bytes that must be readable: a number may end after the batch */

/* Marks a number of more than four bytes; its other bits are undefined. */
#define BSPROF_WIDE 0x80000000u

/* Zero-initialised before the first bsprof_batch_read(). */
struct bsprof_batch {
	uint64_t offset; /* of the first byte; the first varint begins there */
	uint32_t n;      /* varints that end in it */
	uint8_t at[BSPROF_BATCH + 16];      /* [varint] its first byte; also of [n] */
	uint32_t number[BSPROF_BATCH + 16]; /* [varint]; [n] is not a tag */
	bool lines;                         /* the mode for which `ends` and `fields` were made */
	uint8_t fields[32];                 /* [lowest bits of a tag]: bsprof_batch_fields() */
	uint8_t count[256], ends[256][8];   /* a bit for each of eight bytes that end a varint */
};

/* Returns the number of varints of a measurement whose tag is number[i]; 0 if it is another
 * entry. */
static inline unsigned
bsprof_batch_fields(const struct bsprof_batch *b, uint32_t i)
{
	return b->fields[b->number[i] & 31];
}

/* Splits the reader's next bytes into varints; false if there are too few. The reader does not
 * move. */
bool bsprof_batch_read(struct bsprof_batch *b, const struct bsprof_reader *r);

/* Returns the index of the varint at the reader's position; b->n if none begins there. */
uint32_t bsprof_batch_find(const struct bsprof_batch *b, uint64_t offset);

#endif
