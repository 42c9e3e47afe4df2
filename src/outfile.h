/* outfile.h - a file that gets its name when there is something to say, whole or not at all.
 *
 *	struct outfile out;
 *	struct outfile_how how = {.fresh = true};
 *	if (!outfile_open(&out, path, &how, e)) ...
 *	fprintf(out.stream, ...);
 *	good = outfile_close(&out, good, e);
 *
 * It is written beside its name and gets the name when it is complete, so that a full disk,
 * a signal or a wrong word leaves what was there before.  A device, a FIFO or a socket is
 * written where it is and never removed. */
#ifndef PNAV_SRC_OUTFILE_H
#define PNAV_SRC_OUTFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "model/base/err.h"

struct outfile_how {
	/* None of these files (names; "-" and names of nothing do not count) may be written,
	 * by whatever name: that is wrong usage. */
	const char *const *reads;
	size_t n_reads;
	bool fresh; /* there must be no such file yet */
	bool owner; /* nobody else may read it (mode 0600), whatever the umask */
	bool seeks; /* read and written at any place, through fd: a pipe is refused */
};

struct outfile {
	int fd;       /* -1: not open; belongs to the stream where there is one */
	FILE *stream; /* NULL with `seeks` */
	char *path;   /* the name it gets; links are followed */
	char *beside; /* its name until then, where it has one; else NULL */
	bool fresh;
	bool nameless; /* it is in the folder, and has no name until then */
};

/* Opens `path` for writing.  False with *e set, and nothing to be closed. */
bool outfile_open(struct outfile *o, const char *path, const struct outfile_how *how,
		  struct err *e);
/* Gives it its name now, for what others look at while it is written; again: nothing.
 * What had the name goes to `old`, where that is not NULL, unless it is empty.  False with
 * *e set; the name is as it was then. */
bool outfile_keep(struct outfile *o, const char *old, struct err *e);
/* Why a stream that could not be written cannot be: stdio keeps no reason of an error that it
 * saw earlier, so one more byte is tried.  For a stream that is given up. */
const char *outfile_why(FILE *failed);
/* Closes it, and gives it its name if `good` and all was written; else nothing of it is
 * left, unless it was kept.  False if not, with *e set unless it was before.  A file that
 * is not open: nothing. */
bool outfile_close(struct outfile *o, bool good, struct err *e);

#endif
