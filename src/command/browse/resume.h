/* resume.h - `--session FILE`, for the browser and for the report. */
#ifndef PNAV_SRC_COMMAND_BROWSE_RESUME_H
#define PNAV_SRC_COMMAND_BROWSE_RESUME_H

#include "src/options.h"

#define SESSION_ROW                                                                        \
	{"session", "SESSION", "resume a saved session", .set = resume_session}

/* Reads the session into o->session, and its lens, formats and base into *o. Later options on the
 * command line override them. */
bool resume_session(struct options *o, const struct option_row *row, const char *value,
		    struct err *e);
/* Adds the files of the session if the command line names none; sets *compare if they are OLD and
 * NEW. Returns false with usage in *e if there are none. */
bool resume_files(struct options *o, bool *compare, struct err *e);
/* Returns the name of the view in the session, or NULL. */
const char *resume_view(const struct options *o);

struct marks;
struct encode_note;
/* Returns the marks as notes; *n is their number. For resume_notes_free(). */
struct encode_note *resume_notes(const struct marks *m, size_t *n);
void resume_notes_free(struct encode_note *notes, size_t n);
/* Returns the marks of the session. */
const struct marks *resume_marks(const struct options *o);

/* Returns a session for o->session, whose faults are reported at the end. */
struct session *resume_new(void);
void resume_free(struct session *s);
/* Prints the faults in a file's lines to stderr. */
struct faults;
void resume_say_faults(const struct faults *f);

#endif
