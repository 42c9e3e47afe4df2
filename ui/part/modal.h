/* modal.h - the stack of prompts, menus and pagers in front of the view, which get all input.
 *
 * They lie on each other in the order in which they were opened, such as a prompt in front of
 * the manual.  Only the topmost one that is open gets keys, text and the mouse.  Closing one
 * needs no call: is_open() returns false, and the one below is the topmost. */
#ifndef PNAV_UI_PART_MODAL_H
#define PNAV_UI_PART_MODAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ui/screen/canvas.h"
#include "ui/screen/screen.h"

/* The functions of a kind of modal; `self` is a struct prompt, menu, ... */
struct modal_ops {
	bool covers; /* covers the whole screen, so nothing below it is drawn */
	bool (*is_open)(const void *self);
	/* Adapts to the size of the canvas.  May be NULL. */
	void (*arrange)(void *self, const struct canvas *c);
	void (*draw)(const void *self, struct canvas *c);
	void (*key)(void *self, uint32_t key);
	/* Takes pasted text as a whole; NULL: it arrives key by key. */
	void (*text)(void *self, const char *text);
	/* Handles a click, a drag or the wheel; NULL: the mouse is ignored. */
	void (*mouse)(void *self, const struct event_in *e, const struct canvas *c);
};

struct modal {
	const struct modal_ops *ops;
	void *self;
};

#define MODALS_MAX 8

/* From bottom to top; {0} is empty. */
struct modals {
	struct modal at[MODALS_MAX];
	size_t n;
};

/* Puts an open modal on top, or moves it there if the stack has it.  The caller keeps ownership
 * of `self`, which must live while it is open. */
void modals_push(struct modals *s, const struct modal_ops *ops, void *self);
/* Returns the topmost one that is open, or NULL. */
const struct modal *modals_top(const struct modals *s);
/* Returns true if one that is open covers the whole screen. */
bool modals_cover(const struct modals *s);
void modals_arrange(const struct modals *s, const struct canvas *c);
/* Draws all that are open onto the canvas, the topmost last. */
void modals_draw(const struct modals *s, struct canvas *c);
/* Pass the event to the topmost one; false if none is open. */
bool modals_key(const struct modals *s, uint32_t key);
bool modals_mouse(const struct modals *s, const struct event_in *e,
		  const struct canvas *c);
/* Also returns false if the topmost one has no text(). */
bool modals_text(const struct modals *s, const char *text);

#endif
