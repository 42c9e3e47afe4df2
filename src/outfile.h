/* outfile.h - a file that is written whole or not at all.
 *
 *	struct outfile out;
 *	if (!outfile_open(&out, path, reads, n, false, e)) ...
 *	fprintf(out.stream, ...);
 *	good = outfile_close(&out, good, e);
 *
 * It is written beside its name and gets the name when it is complete, so that a full disk
 * or a signal leaves what was there before.  A device, a FIFO or a socket is written as it
 * is. */
#ifndef PNAV_SRC_OUTFILE_H
#define PNAV_SRC_OUTFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "model/err.h"

struct outfile {
	FILE *stream;
	char *path;   /* the name it gets; links are followed */
	char *beside; /* what is written until then; NULL: the name itself */
	bool fresh;
};

/* Opens `path` for writing.  None of the n files in `reads` (names; "-" and names of nothing
 * do not count) may be the same file, by whatever name: that is wrong usage.  With `fresh`
 * there must be no such file yet.  False with *e set, and nothing to be closed. */
bool outfile_open(struct outfile *o, const char *path, const char *const *reads, size_t n,
		  bool fresh, struct err *e);
/* Closes it, and gives it its name if `good` and all was written; else nothing of it is
 * left.  False if not, with *e set unless it was before. */
bool outfile_close(struct outfile *o, bool good, struct err *e);

#endif
