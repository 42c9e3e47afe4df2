/* modal.h - what stands in front of the view and takes all input: prompt, menu, pager.
 *
 * They stand on each other as they were opened (a prompt in front of the manual).  Only the
 * topmost one gets keys, text and the mouse; who closes, by a key or because its owner has
 * what it wanted, simply is not open any more, and the one below is the topmost again. */
#ifndef PNAV_UI_PART_MODAL_H
#define PNAV_UI_PART_MODAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ui/screen/canvas.h"
#include "ui/screen/screen.h"

/* What a kind of them can; `self` is a struct prompt, menu, ... */
struct modal_ops {
	bool covers; /* the whole screen: what is below need not be drawn */
	bool (*is_open)(const void *self);
	/* The canvas may have another size.  May be NULL. */
	void (*arrange)(void *self, const struct canvas *c);
	void (*draw)(const void *self, struct canvas *c);
	void (*key)(void *self, uint32_t key);
	/* What was pasted, as one; NULL: key by key. */
	void (*text)(void *self, const char *text);
	/* A click, a drag or the wheel.  NULL: means nothing. */
	void (*mouse)(void *self, const struct event_in *e, const struct canvas *c);
};

struct modal {
	const struct modal_ops *ops;
	void *self;
};

#define MODALS_MAX 8

/* The lowest first; {0} is empty. */
struct modals {
	struct modal at[MODALS_MAX];
	size_t n;
};

/* Puts one that has been opened on top of the others; `self` stays the caller's and must
 * outlive its being open.  One that is there already moves. */
void modals_push(struct modals *s, const struct modal_ops *ops, void *self);
/* The topmost that is open; NULL: none is. */
const struct modal *modals_top(const struct modals *s);
/* Is the view hidden behind one that covers the screen? */
bool modals_cover(const struct modals *s);
void modals_arrange(const struct modals *s, const struct canvas *c);
/* Draws them over what is there, the topmost last. */
void modals_draw(const struct modals *s, struct canvas *c);
/* Give the event to the topmost; false when none is open. */
bool modals_key(const struct modals *s, uint32_t key);
bool modals_mouse(const struct modals *s, const struct event_in *e,
		  const struct canvas *c);
/* False as well when the topmost wants a text key by key. */
bool modals_text(const struct modals *s, const char *text);

#endif
