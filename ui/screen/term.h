/* term.h - a real terminal, through ncurses.
 *
 * Uses standard input and output when both are terminals, else /dev/tty, so that data may
 * come from a pipe.  From term_new() to the close of the screen the terminal is ours; it is
 * given back on every way out: close, suspend, signals that end the program, a crash. */
#ifndef PNAV_UI_SCREEN_TERM_H
#define PNAV_UI_SCREEN_TERM_H

#include <stdbool.h>

#include "model/base/err.h"
#include "ui/screen/screen.h"

struct term_options {
	bool ascii;
	bool mouse;
	int colours; /* at most so many; -1: what the terminal has */
	const struct theme *theme; /* may be NULL */
};

/* NULL with usage in *e when there is no terminal, or none that we can use. */
struct screen *term_new(const struct term_options *o, struct err *e);
/* The signal that ended the session (EVENT_END), or 0.  Call before the close. */
int term_signal(void);
/* Gives the terminal back at once; safe in a signal handler, harmless when not ours. */
void term_emergency(void);

#endif
