/* packing.h - packed profiles in memory: packs, unpacks and changes them. */
#ifndef PNAV_TESTS_LIB_PACKING_H
#define PNAV_TESTS_LIB_PACKING_H

#include <stddef.h>
#include <stdint.h>

#include "model/base/buf.h"
#include "tests/lib/decoded.h"
#include "tests/lib/random_profile.h"

/* Returns the bytes of a packed profile. */
struct buf packing_pack(const struct profile *p);
/* Reads them. Fails the test when the model does not hold. */
struct decoded packing_unpack(const struct buf *bytes);
/* Returns the same file with no section compressed. */
struct buf packing_plain(const struct buf *from);
/* Changes one to four bytes of the contents of some section of such a file, of this kind or of any
 * (""), and makes its checksum again. */
void packing_change(struct buf *b, struct chance *c, const char *kind);
/* Returns such a file with these contents in the first section of a kind. */
struct buf packing_with(const struct buf *all, const char *kind, const char *contents, size_t len);
/* Writes sizes and checksum into the head of a section. */
void packing_seal(char *head, const char *contents, size_t len);
/* Reads a number of n bytes. */
uint64_t packing_fixed(const char *at, unsigned n);

#define PACKING_SIZES 3
/* Returns a profile of steps, samples, totals and points, several chunks each. The values are
 * small, too large to be summed without a look at each, or near the limit: i < PACKING_SIZES. */
struct profile *packing_made(unsigned i);

#endif
