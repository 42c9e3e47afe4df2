/* config.h - the user's settings: ~/.config/pnav/pnavrc (pnav(1), FILES).
 *
 * A wrong line is reported; the others apply.  Options of the command line come later and override
 * them. */
#ifndef PNAV_UI_APP_CONFIG_H
#define PNAV_UI_APP_CONFIG_H

#include "model/lens/lens.h"
#include "ui/app/settings.h"
#include "ui/part/hues.h"
#include "ui/part/keys.h"
#include "ui/screen/theme.h"

struct config {
	VEC(struct binding) binds; /* in order; ACTION_NONE: the key has no meaning */
	struct theme theme;        /* with the user's colours, and the background */
	uint64_t columns;          /* of the table of functions, one bit each; 0: all */
	VEC(char *) source_dirs;   /* FROM=TO, as for --source-dir */
	char *view;                /* the first view; NULL: the default */
	enum granularity by;
	enum hue colour_by;
	int colours; /* -1: those of the terminal */
	uint64_t cache_bytes; /* files from this size on have packed copies; 0: none have */
	bool ascii, no_mouse, invert;
	struct faults faults;
};

void config_init(struct config *c);
void config_release(struct config *c);
/* Reads the text of a file of this name on top of the current settings; errors go to c->faults. */
void config_read(struct config *c, const char *file, const char *text, size_t len);
/* Reads the user's file; none is no fault. */
void config_load(struct config *c);
/* "KEY ACTION", and "KEY" alone for a key without meaning; false with usage in *e. */
bool config_binding(const char *value, struct binding *out, struct err *e);
/* "never", "auto", "always", "8", "16", "256": false when it is none of them. */
bool config_colours(const char *text, int *out);

#endif
