/* report_guide.h - `pnav report --guide`: which questions fit a profile, and the command
 * lines that answer them. */
#ifndef PNAV_SRC_COMMAND_REPORT_REPORT_GUIDE_H
#define PNAV_SRC_COMMAND_REPORT_REPORT_GUIDE_H

#include "model/profile/profile.h"
#include "src/command/command.h"

/* Prints them as a script for a shell, through the lens and the options of formats that were
 * given; `name` is the only one to print, or NULL.  Gives the status: `status` when all went
 * well. */
int report_guide(const struct command *self, const struct profile *p, const struct options *o,
		 const char *name, int status);

#endif
