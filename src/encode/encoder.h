/* encoder.h - a format that can be written: one file, one row in encoders.c.
 *
 * An encoder sees what is shown: the profile through the lens, as a fold.  Numbers of a
 * profile that was written and read again are the same. */
#ifndef PNAV_SRC_ENCODE_ENCODER_H
#define PNAV_SRC_ENCODE_ENCODER_H

#include <stdbool.h>
#include <stdio.h>

#include "model/err.h"
#include "model/fold.h"
#include "model/profile.h"

struct encode_job {
	const struct profile *profile;
	const struct lens *lens;
	bool with_tracks; /* the track in front of each stack */
	FILE *out;
	/* Told, a line of text each, what the format cannot carry; may be NULL. */
	void (*warn)(const void *ctx, const char *text);
	const void *ctx;
};

static inline void
encode_warn(const struct encode_job *job, const char *text)
{
	if (job->warn)
		job->warn(job->ctx, text);
}

struct encoder {
	const char *name;
	const char *title;
	/* False with usage in *e when the lens does not fit.  Errors of writing are left in
	 * the stream, for the caller to find. */
	bool (*write)(const struct encode_job *job, struct err *e);
};

/* The table, ended by NULL. */
extern const struct encoder *const encoders[];
const struct encoder *encoder_named(const char *name);

#endif
