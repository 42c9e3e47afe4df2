/* screen.h - what a back end of the browser does: show a canvas, read an event.
 *
 * Two exist: ui/screen/term.c (ncurses) and ui/screen/script.c (a key script, no terminal).  Calls
 * that a back end cannot serve are NULL. */
#ifndef PNAV_UI_SCREEN_SCREEN_H
#define PNAV_UI_SCREEN_SCREEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ui/screen/canvas.h"

enum event_kind {
	EVENT_NONE,   /* nothing within the time */
	EVENT_KEY,    /* key: see keycode.h */
	EVENT_TEXT,   /* text that was typed as one */
	EVENT_PASTE,  /* text that was pasted: nobody typed it, so it means no keys */
	EVENT_RESIZE, /* w, h */
	EVENT_CLICK,  /* y, x; twice for the second of two */
	EVENT_DRAG,   /* y, x: the button is still down */
	EVENT_WHEEL,  /* y, x; key is KEYCODE_UP or KEYCODE_DOWN */
	EVENT_END, /* no more will come: the terminal is gone, a signal, the script's end */
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
	/* Columns and rows, now. */
	void (*size)(struct screen *s, int *w, int *h);
	void (*show)(struct screen *s, const struct canvas *c);
	/* Has the user got what was shown last?  Where not, what nobody asked for had better wait:
	 * a key's picture would come behind it.  NULL: always. */
	bool (*keeps_up)(struct screen *s);
	/* Waits for an event, `timeout_ms` at most (< 0: as long as it takes). */
	struct event_in (*read)(struct screen *s, int timeout_ms);
	/* Stops the program until the user continues it; the screen is whole afterwards. */
	void (*suspend)(struct screen *s);
	/* Gives the terminal to a program until it ends; the screen is whole afterwards.  Its
	 * exit status, 128 and more for a signal, 127 when it cannot be run. */
	int (*run)(struct screen *s, char *const *argv);
	/* Everything anew, after something else wrote over it. */
	void (*redraw)(struct screen *s);
	/* Text to the user's clipboard; false when the terminal cannot. */
	bool (*copy)(struct screen *s, const char *text, size_t len);
	/* Mouse reports on or off. */
	void (*mouse)(struct screen *s, bool on);
	void (*close)(struct screen *s);
};

/* Back ends embed this first. */
struct screen {
	const struct screen_ops *ops;
	bool ascii;            /* draw only ASCII characters */
	const char *copy_note; /* what copying may need, or NULL */
	bool scripted;         /* nobody is looking: no clocks, no progress */
};

#endif
