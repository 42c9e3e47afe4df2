/* term_input.h - keys, mouse and pasted text of a terminal; for the files of term.c. */
#ifndef PNAV_UI_SCREEN_TERM_INPUT_H
#define PNAV_UI_SCREEN_TERM_INPUT_H

#include <curses.h>
#include <stdbool.h>
#include <stdint.h>

#include "model/buf.h"
#include "ui/screen/screen.h"

struct term_input {
	WINDOW *keys; /* a pad: reading from it never refreshes the screen */
	struct buf text;
	int click_y, click_x;
	int64_t click_ms;
	unsigned silent; /* reads in a row that gave nothing although there was input */
};

/* curses has a screen; `modern`: the terminal sends mouse and paste as xterm does. */
void term_input_begin(struct term_input *in, bool modern);
void term_input_end(struct term_input *in);
/* An event from what has arrived already; EVENT_NONE when nothing has. */
struct event_in term_input_ready(struct term_input *in);

#endif
