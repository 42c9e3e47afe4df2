/* open.h - a profile for a command that wants all of it. */
#ifndef PNAV_SRC_COMMAND_OPEN_H
#define PNAV_SRC_COMMAND_OPEN_H

#include "model/fold/fold.h"
#include "model/profile/profile.h"
#include "src/command/command.h"

/* The one file of a command: its operand, or "-" where stdin is a pipe or a file.  NULL,
 * *status set and the message said, when there is none or more than one. */
const char *open_operand(const struct command *self, const struct options *o, int *status);

/* The files of a command that takes several: sees to it that o->files has at least one.
 * False, *status set and the message said, when there is none. */
bool open_operands(const struct command *self, struct options *o, int *status);
/* What messages about all files together begin with: the only file, or "N files". */
const char *open_title(const struct options *o);

/* Was it asked what stores would be asked?  Then that is printed, or what is wrong with it, and
 * *status set. */
bool open_explains(const struct options *o, int *status);
/* Loads all of o->files to their ends, with a progress line where stderr is a terminal.
 * Warnings and damage are said.  *status becomes that of the whole command: of several
 * files some may be damaged or unreadable, which is STATUS_DAMAGED as long as one was read.
 * With `compare` there are two, and both must be readable.  NULL when there is nothing to
 * work on.  The caller gives it to open_release().
 * *plain becomes the fold through no lens, if a warning took one: the caller's to free, for what is
 * folded next; else NULL. */
struct profile *open_profile(const struct options *o, bool compare, struct fold **plain,
			     int *status);
/* For profiles that the process ends with: frees where leaks are looked for, as
 * open_frees() says. */
void open_release(struct profile *p);
bool open_frees(void);
struct load;
/* Prints the warnings of the profile, unless no file could be read, and the errors of all files;
 * gives the status as above. */
int open_errors(struct load *load, const struct options *o, bool compare,
		const struct profile *p);

/* The fold of p through l; the lens that does not fit is said (false, *status set), as
 * is a filter that matched nothing. */
bool open_fold(struct fold *f, const char *file, const struct profile *p, const struct lens *l,
	       const struct lens *base, int *status);

#endif
