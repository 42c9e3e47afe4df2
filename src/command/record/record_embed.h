/* record_embed.h - the end of a recording: it gets the names of the files that ran. */
#ifndef PNAV_SRC_COMMAND_RECORD_RECORD_EMBED_H
#define PNAV_SRC_COMMAND_RECORD_RECORD_EMBED_H

#include <stdbool.h>
#include <stdint.h>

#include "model/base/buf.h"

struct perfwriter;

struct record_embed {
	const char *path;  /* of the finished recording */
	int64_t began_ns;  /* since the epoch */
	bool names, cache; /* what is to be done; one at least */
	bool code;         /* with the names */
	bool terminal;     /* ^C is for this program */
};

/* Reads the recording, and adds what its files say to it where perfwriter_reserve() was called, or
 * puts these files into perf's cache.  ^C ends that, and the recording is whole without.  What went
 * wrong is appended to `said`. */
void record_embed(struct perfwriter *w, const struct record_embed *how, struct buf *said);

#endif
