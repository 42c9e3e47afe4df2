/* sha256.h - the SHA-256 of some bytes (FIPS 180-4), for pages that name their scripts by it. */
#ifndef PNAV_SRC_ENCODE_SHA256_H
#define PNAV_SRC_ENCODE_SHA256_H

#include <stddef.h>
#include <stdint.h>

#define SHA256_BYTES 32u

/* Writes the hash of len bytes to out. */
void sha256(const void *bytes, size_t len, uint8_t out[SHA256_BYTES]);

#endif
