/* mutate.h - changes an input and keeps its form, so that it is still read. */
#ifndef PNAV_TESTS_FUZZ_MUTATE_H
#define PNAV_TESTS_FUZZ_MUTATE_H

#include <stddef.h>
#include <stdint.h>

/* Changes one thing of the len bytes at `at`, which has room for `cap`, chosen by a generator
 * with this state; returns the new length.  The same state makes the same change on every
 * machine.
 *
 *	numbers   of texts, and of 2, 4 and 8 bytes in either order: extremes, neighbours, another's
 *	trees     JSON and XML: an element goes, comes twice, stands where another was
 *	messages  protobuf, to any depth: the same with fields, and the lengths above them fit
 *	lines     and their columns: the same */
size_t fuzz_mutate(uint8_t *at, size_t len, size_t cap, uint64_t *state);

#endif
