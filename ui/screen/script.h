/* script.h - the browser without a terminal: keys from a script, screens as text.
 *
 * A script is blank-separated: a key as the manual writes it (`3`, `>`, `Enter`, `^R`,
 * `S-Left`), or text in single or double quotes that is typed as it stands.  Beyond keys:
 * `Resize:60x15` changes the size, `Click:X,Y` and `Click2:X,Y` press the mouse there
 * (counted from 0), `Snapshot` writes the screen as it is at that point. */
#ifndef PNAV_UI_SCREEN_SCRIPT_H
#define PNAV_UI_SCREEN_SCRIPT_H

#include "model/base/buf.h"
#include "model/base/err.h"
#include "ui/screen/screen.h"

struct script_options {
	const char *keys; /* NULL: none */
	int w, h;
	bool ascii;
	bool ansi;   /* snapshots carry colours */
	int colours; /* how many */
	const struct theme *theme; /* may be NULL; outlives the screen */
};

/* NULL with usage in *e when the script has a word that is no key.  Snapshots are added
 * to *out, which stays the caller's; the last screen is always one. */
struct screen *script_new(const struct script_options *o, struct buf *out, struct err *e);

#endif
