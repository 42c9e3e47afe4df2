/* fastgz.h - gzip and zlib streams inflated by ISA-L, for src/input alone.
 *
 * ISA-L (libisal) inflates about five times as fast as zlib. Its diagnosis of damage differs: it
 * accepts a few streams that zlib refuses, delivers less before a truncated end, and garbage before
 * a distance that is too large. So callers drop the output of a call that reports a fault, and
 * inflate the stream again from its beginning with zlib, which then decides. Without ISA-L no
 * stream begins here. */
#ifndef PNAV_SRC_INPUT_FASTGZ_H
#define PNAV_SRC_INPUT_FASTGZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fastgz;

enum fastgz_status {
	FASTGZ_MORE,  /* the input is used up, or the output is full */
	FASTGZ_END,   /* the stream has ended, and its checksum is right */
	FASTGZ_FAULT, /* inflate it again with zlib: the output of this call is not valid */
};

/* Begins a stream whose first `len` bytes are `at`, of gzip or zlib. *z is NULL, or the state of an
 * earlier stream, which is used again. Returns false if zlib has to inflate this stream: pnav was
 * built without ISA-L, or the head is not one that both libraries read in the same way. The caller
 * frees *z in both cases. */
bool fastgz_begin(struct fastgz **z, const uint8_t *at, size_t len);
void fastgz_free(struct fastgz *z);
/* Inflates from *in (*len bytes) to out (n bytes). Advances *in and *len past the bytes used, and
 * sets *made to the number of bytes written. */
enum fastgz_status fastgz_step(struct fastgz *z, const uint8_t **in, size_t *len, void *out,
			       size_t n, size_t *made);

#endif
