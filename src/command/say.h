/* say.h - messages on stderr in the forms of pnav(1), one line each. */
#ifndef PNAV_SRC_COMMAND_SAY_H
#define PNAV_SRC_COMMAND_SAY_H

#include "model/base/err.h"
#include "model/profile/profile.h"
#include "src/command/command.h"

/* Prints `pnav: what`, and a hint to the help. Returns STATUS_USAGE. */
int say_usage(const struct command *self, const struct err *e);
/* Prints `pnav: FILE: [at byte N: ]what`. Returns the matching status. */
int say_error(const char *file, const struct err *e);
/* The same for a message that contains the name of its file. */
int say_plain(const struct err *e);
/* Prints the profile's warnings: `pnav: FILE: warning: what (N times)`; with several files, each
 * warning contains its file's name. */
void say_warnings(const char *file, const struct profile *p);
/* Warns if a large part of the profile has no names, and lists the modules that lack them. Returns
 * the fold without a lens that this needed, which the caller frees; NULL if all functions have
 * names. */
struct fold *say_nameless(const char *file, const struct profile *p);
void say_warning(const char *file, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Prints lines that contain names of commands and files: without their control characters. */
void say_text(const char *text);
/* Closes stdout. If output was lost, reports that and returns STATUS_UNREADABLE instead of
 * `status`. A closed pipe is not an error. */
int say_end(int status);

#endif
