/* browse_instead.h - the report that a pipe gets instead of the browser.
 *
 * If standard output is not a terminal and no script is given, the command is `report` with the
 * same lens (pnav(1)). The browser's own options must be right, and change nothing. */
#ifndef PNAV_SRC_COMMAND_BROWSE_BROWSE_INSTEAD_H
#define PNAV_SRC_COMMAND_BROWSE_BROWSE_INSTEAD_H

#include "src/command/command.h"

/* Reports if the output is a pipe: returns true with the status of the command. Otherwise returns
 * false. *no_config: pnavrc is to be left unread. */
bool browse_instead(const struct command *self, int argc, char **argv, bool compare,
		    bool *no_config, int *status);

#endif
