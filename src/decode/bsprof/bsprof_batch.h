/* bsprof_batch.h - decodes the varints of the next bytes, all at once.
 *
 * Nearly all entries of a file are measurements with small numbers, and consist only of varints. So
 * the next bytes are split into varints before the beginnings of entries are known, and a
 * measurement is then a run of consecutive numbers. Other bytes, those of strings, yield numbers
 * that are never used. */
#ifndef PNAV_SRC_DECODE_BSPROF_BSPROF_BATCH_H
#define PNAV_SRC_DECODE_BSPROF_BSPROF_BATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "src/decode/bsprof/bsprof_read.h"

#define BSPROF_BATCH 248u /* bytes, whole words; a place in them has one byte */
#define BSPROF_AHEAD 256u /* that have to be there: a number may end behind them */

/* The bit of a number that does not fit four bytes; nothing else of it is known then. */
#define BSPROF_WIDE 0x80000000u

/* Zero-initialised before the first bsprof_batch_read(). */
struct bsprof_batch {
	uint64_t offset; /* of the first byte; the first varint begins there */
	uint32_t n;      /* varints that end in it */
	uint8_t at[BSPROF_BATCH + 16];      /* [varint] where it begins; of [n] too */
	uint32_t number[BSPROF_BATCH + 16]; /* [varint]; [n]: the tag of nothing */
	bool lines;                         /* what `ends` and `fields` are made for */
	uint8_t fields[32];                 /* [lowest bits of a tag]: bsprof_batch_fields() */
	uint8_t count[256], ends[256][8];   /* of eight bytes, a bit each that ends a varint */
};

/* How many varints a measurement has whose tag is number[i]; 0: it is that of something else. */
static inline unsigned
bsprof_batch_fields(const struct bsprof_batch *b, uint32_t i)
{
	return b->fields[b->number[i] & 31];
}

/* Splits what the reader has next; false where that is not as much as is needed.  The reader
 * stays where it is. */
bool bsprof_batch_read(struct bsprof_batch *b, const struct bsprof_reader *r);

/* The varint that begins where the reader stands; b->n where none does. */
uint32_t bsprof_batch_find(const struct bsprof_batch *b, uint64_t offset);

#endif
