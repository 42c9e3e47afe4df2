/* encoder.h - an output format: one file, and a line of ENCODERS below.
 *
 * An encoder writes what the lens shows, as a fold. A profile that is written and read again has
 * the same numbers. */
#ifndef PNAV_SRC_ENCODE_ENCODER_H
#define PNAV_SRC_ENCODE_ENCODER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "model/base/err.h"
#include "model/fold/fold.h"
#include "model/profile/moment.h"
#include "model/profile/profile.h"
#include "src/option.h"

struct pace;

/* A place of the profile that a user marked, with a sentence. */
struct encode_note {
	const char *name;  /* the sentence */
	const char *where; /* the frame and the range; "" for all of the profile */
	const char *frame; /* the frame alone, below its callers */
	struct moment from, to;
};

struct encode_job {
	const struct profile *profile;
	const struct lens *lens;
	struct given options; /* options of the encoder: encode_option() */
	FILE *out;
	const char *title;   /* the title of the profile: its file */
	const char *command; /* the command line, for formats that record it */
	/* report_sheet() of report.h, for formats that are a view's table. The caller passes it
	 * because encoders must not include views. */
	bool (*sheet)(const struct encode_job *job, const char *view, const char *format,
		      struct err *e);
	/* Called with a line of text for each thing that the format cannot represent; may be
	 * NULL. */
	void (*warn)(const void *ctx, const char *text);
	const void *ctx;
	struct pace *pace; /* of shown_open(); NULL: the encoder never yields */
	/* incremented by the events that have been read; NULL: no count */
	atomic_uint_fast64_t *events;
	const struct encode_note *notes; /* marks of the session, for formats that show them */
	size_t n_notes;
	struct fold *fold;  /* an existing fold of this profile and lens, to save time; NULL:
			     * none */
	struct fold *plain; /* an existing fold of the loaded profile without a lens, or NULL */
};

static inline void
encode_warn(const struct encode_job *job, const char *text)
{
	if (job->warn)
		job->warn(job->ctx, text);
}

/* Returns the value of an option; NULL if it was not given, "" if it takes no value. */
static inline const char *
encode_option(const struct encode_job *job, const char *name)
{
	return given_value(&job->options, name);
}

struct encoder {
	const char *name;
	const char *title;
	const struct option_row *options; /* its own, or NULL */
	const char *endings; /* of names of files in this format, separated by blanks; or NULL */
	bool compressed; /* it writes compressed files itself */
	bool binary;     /* not suitable for a terminal */
	/* Writes the profile. Returns false with usage in *e if the lens does not fit. Write errors
	 * stay in the stream; the caller checks them. */
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
	X(html)                                                                            \
	X(dot)                                                                             \
	X(csv)                                                                             \
	X(json)                                                                            \
	X(ndjson)                                                                          \
	X(sqlite)                                                                          \
	X(pnav)

#define ENCODER_DECLARED(name) extern const struct encoder encoder_##name;
ENCODERS(ENCODER_DECLARED)
#undef ENCODER_DECLARED

/* Writes to job->out, compressed if `path`, the name of the output (or NULL), ends in .gz. Returns
 * false with usage in *e. Write errors stay in the stream. */
bool encode(const struct encoder *x, const struct encode_job *job, const char *path,
	    struct err *e);

/* The same as a table, which ends with NULL. */
extern const struct encoder *const encoders[];
const struct encoder *encoder_named(const char *name);
/* Returns the format that the ending of a file's name means, perhaps before .gz; NULL: none. */
const struct encoder *encoder_of_file(const char *path);

#endif
