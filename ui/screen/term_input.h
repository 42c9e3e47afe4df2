/* term_input.h - keys, mouse and pasted text of a terminal; for the files of term.c. */
#ifndef PNAV_UI_SCREEN_TERM_INPUT_H
#define PNAV_UI_SCREEN_TERM_INPUT_H

#include <curses.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "model/base/buf.h"
#include "model/base/vec.h"
#include "ui/screen/screen.h"

struct term_input {
	WINDOW *keys; /* a pad: reading from it never refreshes the screen */
	struct buf text;
	int click_y, click_x;
	int64_t click_ms;
	int light;     /* the terminal's background: 1 light, 0 dark, -1 not reported yet */
	bool syncs;    /* it knows synchronized updates */
	bool answered; /* it has answered a query */
	VEC(struct event_in) early; /* that came before the answers, the first first */
	bool shown;       /* something, since it was asked last whether that has arrived */
	int64_t asked_ms; /* when that was; 0: it has answered */
	int64_t rest_ms;  /* until when its line had better rest then */
	unsigned silent; /* reads in a row that gave nothing although there was input */
};

/* curses has a screen; `modern`: the terminal sends mouse and paste as xterm does. */
void term_input_begin(struct term_input *in, bool modern);
void term_input_end(struct term_input *in);
/* Asks the terminal what terminfo does not know: synchronized updates, and what `ground` it
 * has, for which it waits a moment.  `from` is where input comes from. */
void term_input_ask(struct term_input *in, int from, FILE *out, bool ground);
/* Returns true if the terminal has taken the last picture and was then idle for as long as that
 * took.  Always true for a terminal that has never answered a query. */
bool term_input_keeps_up(struct term_input *in, FILE *out);
/* Waits a moment for a pending answer, which the next program would take for keys. */
void term_input_settle(struct term_input *in, int from);
/* Returns an event from the bytes that have arrived; EVENT_NONE if there is none. */
struct event_in term_input_ready(struct term_input *in);

#endif
