/* browse.h - the browser, for the commands that open it. */
#ifndef PNAV_SRC_COMMAND_BROWSE_BROWSE_H
#define PNAV_SRC_COMMAND_BROWSE_BROWSE_H

#include "src/command/browse/browse_stream.h"
#include "src/command/command.h"

/* Runs `pnav browse`, or with `compare` the browser of `pnav diff`; self has the options
 * browse_rows. Prints a report instead if standard output is not a terminal. Returns the exit
 * status. */
int browse_files(const struct command *self, int argc, char **argv, bool compare);
/* Opens the browser on a recording that is finished or still in progress. Returns the result of the
 * stream's end(), if that returns at all. */
int browse_stream(struct browse_stream *stream);

#endif
