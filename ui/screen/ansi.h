/* ansi.h - writes a canvas as text with colours (ECMA-48). */
#ifndef PNAV_UI_SCREEN_ANSI_H
#define PNAV_UI_SCREEN_ANSI_H

#include "model/base/buf.h"
#include "ui/screen/canvas.h"

/* Appends one line per row. theme may be NULL; colours is the number of colours. */
void ansi_write(const struct canvas *c, const struct theme *theme, int colours,
		struct buf *out);

#endif
