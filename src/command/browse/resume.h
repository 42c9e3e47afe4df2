/* resume.h - `--session FILE`, for the browser and for the report. */
#ifndef PNAV_SRC_COMMAND_BROWSE_RESUME_H
#define PNAV_SRC_COMMAND_BROWSE_RESUME_H

#include "src/options.h"

#define SESSION_ROW                                                                        \
	{"session", "SESSION", "resume a saved session", .set = resume_session}

/* Reads the session into o->session, and lens, formats and what is compared with into *o:
 * what stands behind it on the command line changes what the session says. */
bool resume_session(struct options *o, const struct option_row *row, const char *value,
		    struct err *e);
/* The files of the session, where the command line names none; *compare is set when they
 * are OLD and NEW.  False with usage in *e when there are none to be had. */
bool resume_files(struct options *o, bool *compare, struct err *e);
/* The view that it shows, or NULL. */
const char *resume_view(const struct options *o);

/* A session to go into o->session; at the end its faults are said. */
struct session *resume_new(void);
void resume_free(struct session *s);
/* What was wrong with the lines of a file, on stderr. */
struct faults;
void resume_say_faults(const struct faults *f);

#endif
