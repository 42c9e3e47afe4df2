/* open.h - a profile for a command that wants all of it. */
#ifndef PNAV_SRC_COMMAND_OPEN_H
#define PNAV_SRC_COMMAND_OPEN_H

#include "model/fold.h"
#include "model/profile.h"
#include "src/command/command.h"

/* The one file of a command: its operand, or "-" where stdin is a pipe or a file.  NULL,
 * *status set and the message said, when there is none or more than one. */
const char *open_operand(const struct command *self, const struct options *o, int *status);

/* Loads `file` to its end, with a progress line where stderr is a terminal.  Warnings and
 * damage are said.  *status becomes that of the whole command; NULL when there is nothing
 * to work on.  The caller frees with profile_free(). */
struct profile *open_profile(const char *file, const struct options *o, int *status);

/* The fold of p through l; the lens that does not fit is said (false, *status set), as
 * is a filter that matched nothing. */
bool open_fold(struct fold *f, const char *file, const struct profile *p, const struct lens *l,
	       int *status);

#endif
