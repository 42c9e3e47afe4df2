/* outfile.h - writes a file that gets its name only when it is complete.
 *
 *	struct outfile out;
 *	struct outfile_how how = {.fresh = true};
 *	if (!outfile_open(&out, path, &how, e)) ...
 *	fprintf(out.stream, ...);
 *	good = outfile_close(&out, good, e);
 *
 * The file is written beside its name and renamed when it is complete. So a full disk, a signal or
 * a usage error leaves the old file. A device, a FIFO or a socket is written in place and never
 * removed. */
#ifndef PNAV_SRC_OUTFILE_H
#define PNAV_SRC_OUTFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "model/base/err.h"

struct outfile_how {
	/* Input files ("-" and names of nothing do not count). Writing to one of them, by whatever
	 * name, is a usage error. */
	const char *const *reads;
	size_t n_reads;
	bool fresh; /* the file must not exist yet */
	bool owner; /* only the owner may read it (mode 0600), whatever the umask */
	bool seeks; /* read and written at any position through fd; a pipe is refused */
};

struct outfile {
	int fd;       /* -1: not open; the stream owns it, if there is one */
	FILE *stream; /* NULL with `seeks` */
	char *path;   /* the final name; links are followed */
	char *beside; /* the temporary name, if it has one; else NULL */
	bool fresh;
	bool nameless; /* the file has no name until it is complete */
};

/* Opens `path` for writing. Returns false with *e set, and nothing to close. */
bool outfile_open(struct outfile *o, const char *path, const struct outfile_how *how,
		  struct err *e);
/* Gives the file its name now, for programs that read it while it is written; does nothing the
 * second time. A previous file is renamed to `old` if that is not NULL, unless it is empty. Returns
 * false with *e set, and the name unchanged. */
bool outfile_keep(struct outfile *o, const char *old, struct err *e);
/* Returns why a stream failed. stdio forgets the reason of an earlier error, so this tries to write
 * one more byte; use it only before closing the stream. */
const char *outfile_why(FILE *failed);
/* Closes the file and gives it its name if `good` and all was written; otherwise removes it, unless
 * it was kept. Returns false in the latter case, with *e set unless it was set before. Does nothing
 * if the file is not open. */
bool outfile_close(struct outfile *o, bool good, struct err *e);

#endif
