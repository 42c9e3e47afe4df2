/* fuzz_decode.h - one load of hostile bytes, with all that is promised about it checked.
 * Used by libFuzzer (fuzzer.c) and by the driver without it (corrupt.c). */
#ifndef PNAV_TESTS_FUZZ_FUZZ_DECODE_H
#define PNAV_TESTS_FUZZ_FUZZ_DECODE_H

#include <stddef.h>
#include <stdint.h>

struct decoder;

/* Decodes, folds and dumps the bytes as a file called `name`; aborts with a message on
 * stderr where a promise is broken.  `decoder` NULL: the one that recognises them. */
void fuzz_decode(const struct decoder *decoder, const void *bytes, size_t len,
		 const char *name);

#endif
