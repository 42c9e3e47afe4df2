/* term.h - a real terminal, through ncurses.
 *
 * Uses standard input and output if both are terminals, else /dev/tty, so that data may come from a
 * pipe. The browser owns the terminal from term_new() to the close of the screen, and restores it
 * on every way out: close, suspend, signals that end the program, a crash. */
#ifndef PNAV_UI_SCREEN_TERM_H
#define PNAV_UI_SCREEN_TERM_H

#include <stdbool.h>

#include "model/base/err.h"
#include "ui/screen/screen.h"

struct term_options {
	bool ascii;
	bool mouse;
	int colours; /* upper limit; -1: as many as the terminal has */
	const struct theme *theme; /* may be NULL */
	/* Switches the C library to UTF-8, and returns true if that is possible: called if the
	 * locale has other characters and the terminal says that it shows UTF-8. NULL: the locale
	 * decides. */
	bool (*widen)(void);
};

/* Returns NULL with usage in *e if there is no usable terminal. */
struct screen *term_new(const struct term_options *o, struct err *e);
/* Returns the signal that ended the session (EVENT_END), or 0. Call it before the close. */
int term_signal(void);
/* Restores the terminal immediately; safe in a signal handler, and without effect if the terminal
 * is not in use. */
void term_emergency(void);

#endif
