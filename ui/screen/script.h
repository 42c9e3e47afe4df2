/* script.h - runs the browser without a terminal: keys from a script, screens as text.
 *
 * A script is separated by blanks. A word is a key as in the manual (`3`, `>`, `Enter`, `^R`,
 * `S-Left`), or text in single or double quotes, which is typed. Besides keys there are
 * `Resize:60x15`, which changes the size, `Click:X,Y` and `Click2:X,Y`, which click there (counted
 * from 0), and `Snapshot`, which writes the current screen. */
#ifndef PNAV_UI_SCREEN_SCRIPT_H
#define PNAV_UI_SCREEN_SCRIPT_H

#include "model/base/buf.h"
#include "model/base/err.h"
#include "ui/screen/screen.h"

struct script_options {
	const char *keys; /* NULL: none */
	int w, h;
	bool ascii;
	bool ansi;   /* snapshots contain colours */
	int colours; /* their number */
	const struct theme *theme; /* may be NULL; must outlive the screen */
};

/* Returns NULL with usage in *e if a word of the script is not a key. Snapshots are appended to
 * *out, which the caller owns; the last screen is always one of them. */
struct screen *script_new(const struct script_options *o, struct buf *out, struct err *e);

#endif
