/* browse_options.h - what the command line says to the browser; for its files alone. */
#ifndef PNAV_SRC_COMMAND_BROWSE_BROWSE_OPTIONS_H
#define PNAV_SRC_COMMAND_BROWSE_BROWSE_OPTIONS_H

#include "model/base/vec.h"
#include "model/table/inspections.h"
#include "src/command/browse/browse_stream.h"
#include "src/options.h"
#include "ui/app/config.h"
#include "ui/app/session.h"

struct browse_options {
	struct browse_stream *stream; /* instead of the file of its name; NULL: none */
	const char *view, *keys, *guide;
	struct inspections inspections; /* of the manual; none where that is not there */
	int w, h;
	bool snapshot, ansi, ascii, no_mouse;
	bool no_config; /* it was looked for before the other options were read */
	int colours; /* -1: what the terminal has */
	VEC(const char *) source_dirs;
	struct config user;
	struct session session; /* read from a file, or just the words of --state */
	bool states;            /* there are such words */
	bool selects, zooms;    /* --select and --zoom, in place of the session's */
};

/* pnavrc comes first, unless it is not wanted: the command line changes what it says. */
void browse_options_init(struct browse_options *own, struct options *o, bool config);
/* Reads the questions of the manual; false with usage in *e when the one of --guide is not
 * among them.  Without --guide a manual that is not there is no fault. */
bool browse_options_guide(struct browse_options *own, struct err *e);
/* At the end what was wrong with pnavrc and the session is said: on a terminal it was shown
 * in the browser, but only until the first key. */
void browse_options_say_faults(const struct browse_options *own);
void browse_options_release(struct browse_options *own);

#endif
