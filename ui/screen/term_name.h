/* term_name.h - which description of a terminal to draw by; for the files of term.c. */
#ifndef PNAV_UI_SCREEN_TERM_NAME_H
#define PNAV_UI_SCREEN_TERM_NAME_H

#include <curses.h>
#include <stdbool.h>
#include <stdio.h>

#include "model/base/buf.h"
#include "model/base/err.h"

/* Returns the terminal whose description newterm() finds: that of TERM, or the nearest by name.
 * NULL with usage in *e if none can move its cursor. */
const char *term_name(int fd, struct err *e);
/* Returns a message, in *out, if that is not TERM itself; else NULL. */
const char *term_name_note(const char *name, struct buf *out);
/* newterm() by such a name. */
SCREEN *term_open_named(const char *name, FILE *out, FILE *in);

#endif
