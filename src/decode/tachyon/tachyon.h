/* tachyon.h - reads the pieces of a profile of Python's sampling profiler: its head, its tables,
 * and its samples one after the other, compressed or not.  tachyon.c draws the bytes. */
#ifndef PNAV_SRC_DECODE_TACHYON_TACHYON_H
#define PNAV_SRC_DECODE_TACHYON_TACHYON_H

#include "src/decode/decoder.h"
#include "src/input/cursor.h"
#include "src/input/unzstd.h"

#define TACHYON_VERSION 2u /* the last one known */
#define TACHYON_CONFIG 8u  /* the features are stated */

struct tachyon_head {
	bool big_endian;
	uint32_t version;
	uint8_t python[3];
	int64_t interval_ns;
	uint64_t strings_at, frames_at; /* offsets */
	uint32_t n_strings, n_frames;
	uint32_t compression;
	uint32_t options; /* 3 bits: mode + 1, or 0; TACHYON_CONFIG; features from bit 4 on */
	bool measured;              /* the numbers that follow are in the file */
	double duration_s, rate_hz;
	double failed, missed; /* percent */
};

/* Zero-initialise it before tachyon_open(). */
struct tachyon_reader {
	struct input *in;
	struct err *e;
	struct tachyon_head head;
	uint8_t *tables; /* from strings_at on, without what follows the frames */
	size_t tables_len;
	uint64_t left; /* bytes of samples in the file that are not read yet */
	struct unzstd *z;
	size_t piece; /* compressed bytes in the window that it may still need */
	uint8_t *bytes;      /* samples, decompressed */
	size_t at, n;        /* from `at` on they are not used yet */
	uint64_t first;      /* offset of bytes[0]; compressed: of the piece */
	bool ended, bad;
};

enum tachyon_kind { TACHYON_REPEAT, TACHYON_FULL, TACHYON_SUFFIX, TACHYON_POP };

/* A sample up to its frames, or up to the times that it repeats. */
struct tachyon_sample {
	uint64_t offset;
	uint64_t thread;
	uint32_t interpreter;
	enum tachyon_kind kind;
	uint64_t us;     /* since the thread's previous sample; not of a repeat */
	unsigned status;
	uint64_t shared; /* frames that stay (suffix) or go (pop) */
	uint64_t n;      /* frames, or repeats, to be read next */
};

/* Reads the head and both tables. Returns false with *e if it is no such file or its tables are
 * missing; a truncated file may have a part of them. */
bool tachyon_open(struct tachyon_reader *r, struct input *in, struct err *e);
void tachyon_close(struct tachyon_reader *r);
/* Goes to the first sample. Returns false with *e if that cannot be done. */
bool tachyon_begin(struct tachyon_reader *r);
/* Reads the next sample; false at the end, or with *e at damage. */
bool tachyon_next(struct tachyon_reader *r, struct tachyon_sample *out);
/* Read what follows in a sample; 0 at damage. */
uint64_t tachyon_varint(struct tachyon_reader *r);
uint8_t tachyon_u8(struct tachyon_reader *r);
/* Returns false, with *e, if one of these was damaged. */
bool tachyon_good(struct tachyon_reader *r);

#endif
