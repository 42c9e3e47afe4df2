/* browse.h - the browser, for the commands that open it. */
#ifndef PNAV_SRC_COMMAND_BROWSE_BROWSE_H
#define PNAV_SRC_COMMAND_BROWSE_BROWSE_H

#include "src/command/browse/browse_stream.h"
#include "src/command/command.h"

/* `pnav browse`, or with `compare` the browser of `pnav diff`; self has the options
 * browse_rows.  The report instead where standard output is no terminal. */
int browse_files(const struct command *self, int argc, char **argv, bool compare);
/* The browser of what a command records while it runs, or has recorded; gives what the
 * stream's end() gives, if it comes back at all. */
int browse_stream(struct browse_stream *stream);

#endif
