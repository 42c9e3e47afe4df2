/* encoder.h - a format that can be written: one file, and a line of ENCODERS below.
 *
 * An encoder sees what is shown: the profile through the lens, as a fold.  Numbers of a
 * profile that was written and read again are the same. */
#ifndef PNAV_SRC_ENCODE_ENCODER_H
#define PNAV_SRC_ENCODE_ENCODER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "model/base/err.h"
#include "model/fold/fold.h"
#include "model/profile/profile.h"
#include "src/option.h"

struct pace;

struct encode_job {
	const struct profile *profile;
	const struct lens *lens;
	struct given options; /* what the encoder has brought: encode_option() */
	FILE *out;
	const char *title;   /* what the profile is called: its file */
	const char *command; /* how pnav was called, for files that say how they were made */
	/* report_sheet() of report.h, for formats that are a view's table: those who call encoders
	 * know the views, encoders do not. */
	bool (*sheet)(const struct encode_job *job, const char *view, const char *format,
		      struct err *e);
	/* Told, a line of text each, what the format cannot carry; may be NULL. */
	void (*warn)(const void *ctx, const char *text);
	const void *ctx;
	struct pace *pace; /* of shown_open(); NULL: no rests */
	atomic_uint_fast64_t *events; /* grows by the events that have been read; NULL: no count */
	struct fold *fold;  /* one that was made of this profile and lens: nothing of it is made
			     * again; NULL: none */
	struct fold *plain; /* one that was made of the loaded profile through no lens, or NULL */
};

static inline void
encode_warn(const struct encode_job *job, const char *text)
{
	if (job->warn)
		job->warn(job->ctx, text);
}

/* The value of an option: NULL when it was not given, "" when it takes none. */
static inline const char *
encode_option(const struct encode_job *job, const char *name)
{
	return given_value(&job->options, name);
}

struct encoder {
	const char *name;
	const char *title;
	const struct option_row *options; /* its own, or NULL */
	bool compressed; /* it gzips by itself */
	bool binary;     /* nothing for a terminal */
	/* False with usage in *e when the lens does not fit.  Errors of writing are left in
	 * the stream, for the caller to find. */
	bool (*write)(const struct encode_job *job, struct err *e);
};

#define ENCODERS(X)                                                                        \
	X(folded)                                                                          \
	X(pprof)                                                                           \
	X(speedscope)                                                                      \
	X(chrome)                                                                          \
	X(firefox)                                                                         \
	X(callgrind)                                                                       \
	X(svg)                                                                             \
	X(dot)                                                                             \
	X(csv)                                                                             \
	X(json)                                                                            \
	X(sqlite)

#define ENCODER_DECLARED(name) extern const struct encoder encoder_##name;
ENCODERS(ENCODER_DECLARED)
#undef ENCODER_DECLARED

/* Writes to job->out, compressed where `path`, the name of the output (or NULL), ends in .gz.
 * False with usage in *e; errors of writing are left in the stream. */
bool encode(const struct encoder *x, const struct encode_job *job, const char *path,
	    struct err *e);

/* The same as a table, ended by NULL. */
extern const struct encoder *const encoders[];
const struct encoder *encoder_named(const char *name);

#endif
