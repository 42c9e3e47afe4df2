/* outfile.h - a file that is written while a command runs, and that replaces what had its
 * name only once there is something to say.
 *
 *	struct outfile f;
 *	if (outfile_open(&f, "perf.data", &e))   -- f.fd: O_RDWR, nobody else's to read
 *		... outfile_keep(&f) ...         -- from here on it has its name
 *	outfile_close(&f);                       -- not kept: as if it had never been
 *
 * What is no regular file (a device, say) is opened where it is and never removed. */
#ifndef PNAV_SRC_COMMAND_OUTFILE_H
#define PNAV_SRC_COMMAND_OUTFILE_H

#include <stdbool.h>

#include "model/err.h"

struct outfile {
	int fd;       /* -1: not open */
	char *target; /* the name behind symbolic links; owned */
	char *temp;   /* as long as it is not kept; owned; NULL: written in place */
};

/* False with *e (errno's text) when `name` cannot be written, or cannot be written at any
 * place, as a pipe. */
bool outfile_open(struct outfile *f, const char *name, struct err *e);
/* The file gets its name; `old`, when not NULL, is where the one before goes unless it is
 * empty.  Again: nothing.  False with errno, then the name is as it was. */
bool outfile_keep(struct outfile *f, const char *old);
void outfile_close(struct outfile *f);

#endif
