/* say.h - messages on stderr, in the forms of pnav(1), each one line. */
#ifndef PNAV_SRC_COMMAND_SAY_H
#define PNAV_SRC_COMMAND_SAY_H

#include "model/base/err.h"
#include "model/profile/profile.h"
#include "src/command/command.h"

/* `pnav: what`, and where help is; gives STATUS_USAGE. */
int say_usage(const struct command *self, const struct err *e);
/* `pnav: FILE: [at byte N: ]what`; gives the status that fits. */
int say_error(const char *file, const struct err *e);
/* The same for a message that names its file itself. */
int say_plain(const struct err *e);
/* The profile's warnings: `pnav: FILE: warning: what (N times)`; of several files, each
 * names its own. */
void say_warnings(const char *file, const struct profile *p);
/* A warning where much of the profile has no names, with the modules to blame.  Returns the fold
 * through no lens that this took, the caller's to free; NULL where all functions have names. */
struct fold *say_nameless(const char *file, const struct profile *p);
void say_warning(const char *file, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Closes stdout; what could not be written is told and gives STATUS_UNREADABLE instead of
 * `status`.  A reader that closed the pipe is no error. */
int say_end(int status);

#endif
