/* browse_options.h - the browser's command line; for its files alone. */
#ifndef PNAV_SRC_COMMAND_BROWSE_BROWSE_OPTIONS_H
#define PNAV_SRC_COMMAND_BROWSE_BROWSE_OPTIONS_H

#include "model/base/vec.h"
#include "model/table/inspections.h"
#include "src/command/browse/browse_stream.h"
#include "src/options.h"
#include "ui/app/config.h"
#include "ui/app/session.h"

struct browse_options {
	struct browse_stream *stream; /* replaces the file of its name; NULL: none */
	const char *view, *keys, *guide;
	struct inspections inspections; /* from the manual; empty if that is missing */
	int w, h;
	bool snapshot, ansi, ascii, no_mouse;
	bool no_config; /* --no-config was found before the other options were parsed */
	int colours; /* -1: as many as the terminal has */
	VEC(const char *) source_dirs;
	struct config user;
	struct session session; /* from a file, or just the words of --state */
	bool states;            /* --state was given */
	bool selects, zooms;    /* --select and --zoom replace those of the session */
};

/* Reads pnavrc first, if `config`; the command line overrides it. */
void browse_options_init(struct browse_options *own, struct options *o, bool config);
/* Reads the questions of the manual. Returns false with usage in *e if that of --guide is missing.
 * Without --guide a missing manual is not an error. */
bool browse_options_guide(struct browse_options *own, struct err *e);
/* Prints the faults of pnavrc and of the session at the end: the browser shows them only until the
 * first key. */
void browse_options_say_faults(const struct browse_options *own);
void browse_options_release(struct browse_options *own);

#endif
