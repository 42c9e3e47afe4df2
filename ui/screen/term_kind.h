/* term_kind.h - capabilities of a terminal from terminfo and TERM, and the looks of inks; for the
 * files of term.c. */
#ifndef PNAV_UI_SCREEN_TERM_KIND_H
#define PNAV_UI_SCREEN_TERM_KIND_H

#include <curses.h>
#include <stdbool.h>

#include "ui/screen/theme.h"

/* Returns a string capability of the current terminal by its terminfo name, or NULL. */
const char *term_capability(const char *name);
/* Returns what to write after endwin(): without an alternate screen the last line, where the shell
 * prints its prompt, loses its hints. */
const char *term_last_words(void);
/* Returns true if the terminal supports xterm's modes for mouse, paste and clipboard. */
bool term_speaks_xterm(const char *name);
/* Returns the attributes of a style. */
attr_t term_attributes(const struct style *s);
/* Prepares pairs and attributes of all inks ([ink]), with at most at_most colours (< 0: as many as
 * there are). Call it after curses has a screen. */
int term_prepare_inks(const struct theme *theme, int at_most, int *pair, attr_t *attr);

#endif
