/* open.h - loads complete profiles for commands. */
#ifndef PNAV_SRC_COMMAND_OPEN_H
#define PNAV_SRC_COMMAND_OPEN_H

#include "model/fold/fold.h"
#include "model/profile/profile.h"
#include "src/command/command.h"

/* Returns the single file of a command: its operand, or "-" if stdin is a pipe or a file. If there
 * is none or more than one, reports that, sets *status and returns NULL. */
const char *open_operand(const struct command *self, const struct options *o, int *status);

/* Makes sure that o->files has at least one file, for commands that take several. If there is none,
 * reports that, sets *status and returns false. */
bool open_operands(const struct command *self, struct options *o, int *status);
/* Returns the beginning of messages about all files together: the only file, or "N files". */
const char *open_title(const struct options *o);

/* Returns true if --explain was given: prints the queries that would be sent to stores, or an
 * error, and sets *status. */
bool open_explains(const struct options *o, int *status);
/* Loads all of o->files completely, with a progress line if stderr is a terminal, and prints
 * warnings and damage. Sets *status for the whole command: STATUS_DAMAGED if some of several files
 * are damaged or unreadable, but one was read. With `compare` there are two files, and both must be
 * readable. Returns NULL if there is nothing to work on; otherwise the caller passes the result to
 * open_release(). Sets *plain to the fold without a lens, if a warning needed it, for reuse by
 * later folds; the caller frees it. Else *plain is NULL. */
struct profile *open_profile(const struct options *o, bool compare, struct fold **plain,
			     int *status);
/* Releases a profile at the end of the process: frees memory only in builds that check for leaks;
 * see open_frees(). */
void open_release(struct profile *p);
bool open_frees(void);
struct load;
/* Prints the warnings of the profile, unless no file could be read, and the errors of all files.
 * Returns the status described above. */
int open_errors(struct load *load, const struct options *o, bool compare,
		const struct profile *p);

/* Appends a line for a range that cannot contain events. */
void open_note_range(const struct profile *p, const struct lens *l, struct buf *out);
/* Prints that warning. */
void open_say_range(const char *file, const struct profile *p, const struct lens *l);
/* Appends a line for each part of the lens that has no effect on the fold, or an incomplete one. */
void open_notes(const struct fold *f, const struct profile *p, const struct lens *l,
		struct buf *out);
/* Folds p through l. If the lens does not fit, or a filter matches nothing, reports that; in the
 * former case sets *status and returns false. */
bool open_fold(struct fold *f, const char *file, const struct profile *p, const struct lens *l,
	       const struct lens *base, int *status);

#endif
