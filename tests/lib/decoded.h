/* decoded.h - runs bytes through a decoder, and reads the resulting profile. */
#ifndef PNAV_TESTS_LIB_DECODED_H
#define PNAV_TESTS_LIB_DECODED_H

#include <stdbool.h>
#include <stdint.h>

#include "model/base/buf.h"
#include "model/base/err.h"
#include "model/profile/profile.h"
#include "src/decode/decoder.h"

struct decoded {
	struct profile *p;
	struct err e;
	bool good;
};

struct decoded_row {
	int64_t self, total, calls; /* calls: -1 where none are counted */
};

enum decoded_way { FROM_BYTES, FROM_PIPE };

/* Decodes, and fails the test when the model does not hold or *e and `good` differ.  A
 * pipe gives at most 64 KB.  options may be NULL. */
struct decoded decoded(const struct decoder *decoder, const struct buf *bytes,
		       enum decoded_way way, const struct format_options *options);
void decoded_free(struct decoded *d);

/* The row of a function in the view `functions`; zeros and calls -1 without one. */
struct decoded_row decoded_row(const struct decoded *d, const char *metric,
			       const char *function);
/* The track with this name, or NULL. */
const struct track *decoded_track(const struct decoded *d, const char *name);
/* The first value of an info key, or NULL. */
const char *profile_says(const struct profile *p, const char *key);
const char *decoded_info(const struct decoded *d, const char *key);

/* Cuts the bytes after each of them, and damages them `cases` times, the same way each
 * time; all must come out whole.  That is done in DECODED_PARTS parts, a test each, so
 * that none takes long under a sanitizer on a busy machine. */
#define DECODED_PARTS 10u
void decoded_survives(const struct decoder *decoder, const struct buf *bytes,
		      unsigned cases, unsigned part);

#endif
