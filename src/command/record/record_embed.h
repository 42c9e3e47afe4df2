/* record_embed.h - the end of a recording: embeds symbols of the executed files. */
#ifndef PNAV_SRC_COMMAND_RECORD_RECORD_EMBED_H
#define PNAV_SRC_COMMAND_RECORD_RECORD_EMBED_H

#include <stdbool.h>
#include <stdint.h>

#include "model/base/buf.h"

struct perfwriter;

struct record_embed {
	const char *path;  /* of the finished recording */
	int64_t began_ns;  /* since the epoch */
	bool names, cache; /* what to do; at least one */
	bool code;         /* besides the names */
	bool terminal;     /* this program handles ^C */
};

/* Reads the recording. Adds symbols to it if perfwriter_reserve() was called, or adds its files to
 * perf's cache. ^C cancels this, and leaves a complete recording without symbols. Appends error
 * messages to `said`. */
void record_embed(struct perfwriter *w, const struct record_embed *how, struct buf *said);

#endif
