/* ansi.h - a canvas as text with colours (ECMA-48). */
#ifndef PNAV_UI_SCREEN_ANSI_H
#define PNAV_UI_SCREEN_ANSI_H

#include "model/base/buf.h"
#include "ui/screen/canvas.h"

/* Appends a line a row.  theme may be NULL; colours is how many there are. */
void ansi_write(const struct canvas *c, const struct theme *theme, int colours,
		struct buf *out);

#endif
