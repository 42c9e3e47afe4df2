/* embedder.h - reads a recording to find the symbols to embed in it. */
#ifndef PNAV_SRC_COMMAND_RECORD_EMBEDDER_H
#define PNAV_SRC_COMMAND_RECORD_EMBEDDER_H

#include <stdint.h>

#include "model/base/buf.h"
#include "model/base/err.h"
#include "src/input/input.h"

struct embedder_how {
	int64_t before_ns; /* ns since the epoch: files without a build id that were changed later
			    * are not trusted */
	const struct format_options *format; /* where to search files; NULL: the usual places */
	bool code;  /* also embed the code of the functions that were hit */
	bool cache; /* also add files with a build id to perf's cache */
};

/* Reads the recording at `path` and appends its section of symbols (perfembed.h); nothing if none
 * of the files with samples is on this machine. Returns false with *e if the recording cannot be
 * read, and true with damage in *e if only its beginning could be read. *whole: the section
 * contains everything that was found. */
bool embedder_section(const char *path, const struct embedder_how *how, struct buf *out,
		      bool *whole, struct err *e);

#endif
