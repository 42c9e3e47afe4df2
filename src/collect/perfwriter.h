/* perfwriter.h - writes records as a perf.data file, and feeds it to a reader.
 *
 *	struct perfwriter *w = perfwriter_new(fd, events, argv, how);   -- fd: O_RDWR
 *	collect_run(c, &(struct collect_sink){perfwriter_take, w}, &e);
 *	perfwriter_finish(w, &e);
 *	perfwriter_free(w);                                    -- fd stays the caller's
 *
 * perfwriter_feed() gives a pipe what the file has so far, in the pipes' form. */
#ifndef PNAV_SRC_COLLECT_PERFWRITER_H
#define PNAV_SRC_COLLECT_PERFWRITER_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>

#include "model/base/err.h"

struct eventlist;
struct buf;
struct perfwriter;

struct perfwriter_how {
	bool stream;   /* the pipes' form, front to end; never read or sought */
	bool compress; /* by zstd; nothing happens where this build has none */
};

/* events: as the system took them, with their ids; borrowed.  argv: the command line that
 * info shows, ended by NULL.  The file is left as it is until the first records are
 * written: then it is emptied. */
struct perfwriter *perfwriter_new(int fd, const struct eventlist *events, char *const *argv,
				  struct perfwriter_how how);
bool perfwriter_take(void *ctx, const struct perf_event_header *record, struct err *e);
/* Writes what is held back.  After a failure all that follows fails with the same. */
bool perfwriter_flush(struct perfwriter *w, struct err *e);
/* Completes the file: without this it counts as cut off. */
bool perfwriter_finish(struct perfwriter *w, struct err *e);
/* What a file keeps for its reader, besides what perf knows: the maps of JIT compilers, in
 * the form of jitmaps.h.  Copied; before perfwriter_finish(). */
void perfwriter_keep_jit(struct perfwriter *w, const struct buf *maps);
/* Of a file.  As much as the pipe takes without waiting (all of it, where it is not O_NONBLOCK).
 * False when nobody reads it any more. */
bool perfwriter_feed(struct perfwriter *w, int pipe);
void perfwriter_free(struct perfwriter *w);

#endif
