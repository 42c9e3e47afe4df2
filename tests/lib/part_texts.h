/* part_texts.h - random texts of formats that are read in parts (tests/unit/parts.c), and what was
 * read, as a text. The same seed gives the same text. */
#ifndef PNAV_TESTS_LIB_PART_TEXTS_H
#define PNAV_TESTS_LIB_PART_TEXTS_H

#include <stdbool.h>

#include "model/base/buf.h"
#include "tests/lib/random_profile.h"

/* How often something happens: once in this many lines; 0: never. */
struct folded_shape {
	unsigned odd, comments, fractions, negative;
	bool crlf, two, mangled;
};

/* Appends n lines of folded stacks. */
void folded_lines(struct buf *text, struct chance *c, unsigned n, const struct folded_shape *x);

/* Appends lines whose counts together pass 2^63, an eighth of them 2^62; `alone`: few counts, but
 * each is too large for the common bound of sums. */
void folded_sums(struct buf *text, struct chance *c, bool alone);

/* Properties of a text of perf script: bits. */
enum { PIDS = 1, NO_CPU = 2, CRLF = 4, HEADER = 8, SOURCES = 16, SCHED = 32, ODD = 64, EVENTS = 128,
       NO_TIME = 256, BARE = 512 };

/* Appends n samples. */
void perf_samples(struct buf *text, struct chance *c, unsigned n, unsigned flags);
/* Appends samples, some of them with a period too large for the common bound of sums. */
void perf_sums(struct buf *text, struct chance *c);

/* Writes the tables, tracks and events of a profile, entry by entry. */
struct profile;
void profile_written(const struct profile *p, struct buf *out);

#endif
