/* screen.h - the interface of a back end of the browser: shows a canvas, reads events.
 *
 * There are two: ui/screen/term.c (ncurses) and ui/screen/script.c (a key script, no terminal).
 * Calls that a back end does not support are NULL. */
#ifndef PNAV_UI_SCREEN_SCREEN_H
#define PNAV_UI_SCREEN_SCREEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ui/screen/canvas.h"

enum event_kind {
	EVENT_NONE,   /* the timeout expired */
	EVENT_KEY,    /* key: see keycode.h */
	EVENT_TEXT,   /* text typed in one piece */
	EVENT_PASTE,  /* pasted text: it never acts as keys */
	EVENT_RESIZE, /* w, h */
	EVENT_CLICK,  /* y, x; a double click yields two */
	EVENT_DRAG,   /* y, x: the button is still down */
	EVENT_HOVER,  /* y, x: the mouse has moved, no button is down */
	EVENT_WHEEL,  /* y, x; key is KEYCODE_UP or KEYCODE_DOWN */
	EVENT_END, /* the last event: the terminal is gone, a signal, the script's end */
};

struct event_in {
	enum event_kind kind;
	uint32_t key;
	const char *text; /* valid until the next read */
	int y, x, w, h;
	bool twice;
	bool ctrl; /* of the wheel: with the key Ctrl */
};

struct screen;

struct screen_ops {
	/* Gets the current number of columns and rows. */
	void (*size)(struct screen *s, int *w, int *h);
	void (*show)(struct screen *s, const struct canvas *c);
	/* Returns true if the terminal has displayed the last frame. If not, optional updates
	 * should wait, so that the response to the next key is not delayed. NULL: always. */
	bool (*keeps_up)(struct screen *s);
	/* Waits for an event, at most `timeout_ms` (< 0: no limit). */
	struct event_in (*read)(struct screen *s, int timeout_ms);
	/* Stops the program until the user continues it, and then redraws the screen. */
	void (*suspend)(struct screen *s);
	/* Gives the terminal to a program until it ends, and then redraws the screen. Returns its
	 * exit status, 128 and more for a signal, 127 if it cannot be run. */
	int (*run)(struct screen *s, char *const *argv);
	/* Redraws everything, after another program wrote to the terminal. */
	void (*redraw)(struct screen *s);
	/* Copies text to the user's clipboard; false if the terminal does not support that. */
	bool (*copy)(struct screen *s, const char *text, size_t len);
	/* Switches mouse reports on or off. */
	void (*mouse)(struct screen *s, bool on);
	void (*close)(struct screen *s);
};

/* Back ends embed this as their first member. */
struct screen {
	const struct screen_ops *ops;
	bool ascii;            /* draw only ASCII characters */
	const char *copy_note; /* requirements of copying, or NULL */
	const char *note;      /* a message for the begin, or NULL */
	bool scripted;         /* no user: no clocks, no progress */
};

#endif
