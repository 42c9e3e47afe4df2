/* roll.h - records without an end for a reader that shows the last minutes. */
#ifndef PNAV_SRC_COMMAND_RECORD_ROLL_H
#define PNAV_SRC_COMMAND_RECORD_ROLL_H

#include <stdint.h>

struct roll_how {
	int socket;       /* of the reader: it gets the read ends of pipes there */
	uint64_t keep_ns; /* what the next pipe repeats of the one before it */
};

/* Runs `pnav record` with these options, argv[0] the command, until a signal comes or the reader
 * has gone.  Returns the exit status.
 *
 * The records go to a pipe, in the form of pipes.  When it holds twice the time, or too many
 * bytes, another pipe begins with the part to keep, and the first one ends: a reader of the second
 * pipe needs nothing of the first.  Each read end is sent as one byte with SCM_RIGHTS, before the
 * pipe before it ends. */
int roll_record(int argc, char **argv, const struct roll_how *how);

#endif
