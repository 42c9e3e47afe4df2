/* read_text1.h - reads Text1 through its decoder, and checks the resulting profile. */
#ifndef PNAV_TESTS_LIB_READ_TEXT1_H
#define PNAV_TESTS_LIB_READ_TEXT1_H

#include "model/base/buf.h"
#include "model/base/err.h"
#include "model/calls/callstats.h"
#include "model/profile/profile.h"

/* The profile of these bytes, which are in no folder; the fault, if any, in *e.  Fails the test
 * where the model does not hold. */
struct profile *text1_of_bytes(const void *at, size_t len, struct err *e);
struct profile *text1_of_text(const char *text, struct err *e);
/* Reads a file named `name` in a folder of its own, with a second file beside it if bin is
 * given; version is --bin-version. */
struct profile *text1_of_file(const char *name, const struct buf *text, const char *bin_name,
			      const struct buf *bin, const char *version, struct err *e);

bool text1_is_name(const struct profile *p, name_id id, const char *text);
/* The calls of the whole run; callstats_release() frees them. */
void text1_calls(const struct profile *p, struct callstats *out);
/* Returns the row of a function on a track among these, or NULL. */
const struct callstats_row *text1_row(const struct profile *p, const struct callstats *c,
				      const char *track, const char *function);
/* Self time of a function, at one line or (0) at any, and how often that was entered. */
int64_t text1_self(const struct profile *p, const char *function, uint32_t line,
		   int64_t *entries);

#endif
