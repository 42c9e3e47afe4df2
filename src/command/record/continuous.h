/* continuous.h - `pnav record --store`: records all of the time, and stores every part of it.
 *
 * Parts of --every are recorded one after the other into a folder, the spool, and `pnav store`
 * stores them. A part is removed once the server has it, so parts wait while the server is away. */
#ifndef PNAV_SRC_COMMAND_RECORD_CONTINUOUS_H
#define PNAV_SRC_COMMAND_RECORD_CONTINUOUS_H

#include "src/command/record/record_options.h"

struct continuous_how {
	const struct record_options *o;
	/* Records for the time --every into `path`, in a process of its own. Writes a byte to `fd`
	 * when it has taken the last sample; it may then take time to look up names. Returns the
	 * exit status. */
	int (*record)(void *ctx, const char *path, int fd);
	void *ctx;
};

/* Returns once SIGINT or SIGTERM arrive, --duration is over, or nothing can be recorded: the exit
 * status. */
int continuous_run(const struct continuous_how *how);

#endif
