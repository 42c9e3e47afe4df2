/* report_guide.h - `pnav report --guide`: the questions that fit a profile, and command lines that
 * answer them. */
#ifndef PNAV_SRC_COMMAND_REPORT_REPORT_GUIDE_H
#define PNAV_SRC_COMMAND_REPORT_REPORT_GUIDE_H

#include "model/lens/commandline.h"
#include "model/profile/profile.h"
#include "src/command/command.h"

/* Prints them as a shell script, with the lens of `o`, and the files and options of `line`. `name`
 * selects one question, NULL: all. Returns `status`, or that of an error. */
int report_guide(const struct command *self, const struct profile *p, const struct options *o,
		 const struct commandline *line, const char *name, int status);

#endif
