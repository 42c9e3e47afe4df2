/* embedder.h - reads a recording for the names that it is to hold. */
#ifndef PNAV_SRC_COMMAND_RECORD_EMBEDDER_H
#define PNAV_SRC_COMMAND_RECORD_EMBEDDER_H

#include <stdint.h>

#include "model/base/buf.h"
#include "model/base/err.h"
#include "src/input/input.h"

struct embedding;

struct embedder_how {
	int64_t before_ns; /* since the epoch: files without a build id that were changed later are
			    * not trusted */
	const struct format_options *format; /* where files are; NULL: the usual places */
	bool code;  /* the code of the functions that were hit is embedded, too */
	bool cache; /* files with a build id go into perf's cache, too */
};

/* Reads the recording at `path` and appends the section for it (perfembed.h).
 * Nothing is appended where none of the files
 * that its samples hit is here.  False with *e when the recording cannot be read; damage in *e and
 * true when it was read up to there.  *whole: the section holds all that was found. */
bool embedder_section(const char *path, const struct embedder_how *how, struct buf *out,
		      bool *whole, struct err *e);

#endif
