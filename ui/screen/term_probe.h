/* term_probe.h - asks a terminal whether it shows UTF-8; for the files of term.c. */
#ifndef PNAV_UI_SCREEN_TERM_PROBE_H
#define PNAV_UI_SCREEN_TERM_PROBE_H

#include <stdbool.h>
#include <stdio.h>

#include "model/base/buf.h"

/* Decides between UTF-8 and ASCII: by the locale and, if `widen` can change that (term.h; may be
 * NULL), by the answer of the terminal `name` on `from` and `out`. Appends to *early what was typed
 * before the answer. Call it before curses has the terminal. */
bool term_must_be_ascii(bool (*widen)(void), const char *name, int from, FILE *out,
			struct buf *early);

/* Gives curses what was typed early, and releases the buffer. */
void term_type_again(struct buf *early);

#endif
