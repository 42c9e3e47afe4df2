/* term_kind.h - what terminfo and TERM say of a terminal, and how inks look there; for the files
 * of term.c. */
#ifndef PNAV_UI_SCREEN_TERM_KIND_H
#define PNAV_UI_SCREEN_TERM_KIND_H

#include <curses.h>
#include <stdbool.h>

#include "model/base/err.h"
#include "ui/screen/theme.h"

/* Is there a terminal, and is it one that a full screen can be drawn on? */
bool term_check(int fd, struct err *e);
/* A string of the current terminal by its terminfo name, or NULL. */
const char *term_capability(const char *name);
/* Does it understand xterm's modes for mouse, paste and clipboard? */
bool term_speaks_xterm(const char *name);
/* The pairs and attributes of all inks ([ink]), in as many colours as there are, at_most at most
 * (< 0: any).  curses has a screen. */
int term_prepare_inks(const struct theme *theme, int at_most, int *pair, attr_t *attr);

#endif
