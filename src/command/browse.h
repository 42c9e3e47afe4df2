/* browse.h - the browser, for the commands that open it. */
#ifndef PNAV_SRC_COMMAND_BROWSE_H
#define PNAV_SRC_COMMAND_BROWSE_H

#include "model/buf.h"
#include "src/command/command.h"

/* `pnav browse`, or with `compare` the browser of `pnav diff`; self has the options
 * browse_rows.  The report instead where standard output is no terminal. */
int browse_files(const struct command *self, int argc, char **argv, bool compare);
/* The browser of what a command records while it runs. */
struct browse_stream {
	const char *name; /* the file that it becomes: titles, sessions and Y have it */
	int fd;           /* the records, to their end */
	int news;         /* then: a line to tell in the browser, and what to print after it */
	struct buf said;  /* all of that; the caller's to release */
};
int browse_stream(struct browse_stream *stream);
extern const struct option_row browse_rows[];

#endif
