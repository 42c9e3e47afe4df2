/* menu.h - a list in a box, in front of the view.
 *
 * An item may have a key of its own, a note at the right, and a check mark.  The menu calls a
 * hook of its owner when an item is chosen.  The owner sees every key first, so it can add keys
 * that move, switch or delete items.
 *
 * A menu whose items have no keys can be searched (`searches`): typed text lists only the items
 * whose label contains it, in either case, until Esc; a leading `/` is ignored.  The keys of
 * such a menu's owner are Space and control characters, since letters are search text.  In a
 * list of check marks (`checks`) Space switches an item, and ^V marks a range from there to the
 * cursor; menu_range() returns the items that a key of the owner applies to. */
#ifndef PNAV_UI_PART_MENU_H
#define PNAV_UI_PART_MENU_H

#include <stdbool.h>
#include <stdint.h>

#include "model/base/buf.h"
#include "model/base/vec.h"
#include "ui/part/modal.h"
#include "ui/screen/canvas.h"

/* CHECK_SOME: only a part of the item's contents is chosen. */
enum menu_check { CHECK_NONE, CHECK_OFF, CHECK_SOME, CHECK_ON };

struct menu_item {
	char *label, *note; /* note may be NULL; label NULL: hooks->write makes both */
	int cols, note_cols; /* display widths */
	uint32_t key;       /* 0: none */
	enum menu_check check;
	/* of the owner: its id and weight, and whether it is indented below another item */
	int id;
	int64_t value;
	bool below;
};

struct menu;

struct menu_hooks {
	/* Enter, a double click or the item's key; the menu has closed already. */
	void (*chosen)(void *ctx, struct menu *m, int id);
	/* Called before the menu handles a key; true if the owner handled it.  May be NULL. */
	bool (*key)(void *ctx, struct menu *m, uint32_t key);
	/* Closed without a choice.  May be NULL. */
	void (*cancelled)(void *ctx, struct menu *m);
	/* Appends label and note of an item of menu_add_late(). */
	void (*write)(void *ctx, const struct menu *m, const struct menu_item *it,
		      struct buf *label, struct buf *note);
};

struct menu {
	bool open;
	const struct menu_hooks *hooks;
	void *ctx;
	struct buf title, foot; /* foot: a line of keys under the items */
	VEC(struct menu_item) items;
	size_t at; /* the item under the cursor; always a listed one */
	bool searches;
	bool checks;        /* Space switches an item, also during a search */
	bool touched;       /* of the owner: an item was switched since the menu was opened */
	int below;          /* rows that stay free at the bottom of the screen */
	bool typing;        /* a search has begun */
	struct buf sought;  /* the search text; empty: all items are listed */
	VEC(size_t) listed; /* the items that match a search text */
	bool marking;       /* a range from `mark` to the cursor is marked */
	size_t mark;
	int rows;  /* on the screen, from the last menu_arrange() */
	int width; /* of the widest item, in columns */
	int64_t whole; /* of the owner: the total that values are shares of */
};

void menu_init(struct menu *m);
void menu_release(struct menu *m);
/* Opens an empty menu; add the items next. */
void menu_open(struct menu *m, const char *title, const struct menu_hooks *hooks,
	       void *ctx);
/* Texts are copied. */
struct menu_item *menu_add(struct menu *m, int id, uint32_t key, const char *label,
			   const char *note);
/* Adds an item whose texts hooks->write makes when it is drawn or searched, for very long menus.
 * `cols` and `note_cols` are their widths; note_cols 0: no note. */
struct menu_item *menu_add_late(struct menu *m, int id, int cols, int note_cols);
/* The number of listed items, and the i-th of them; without a search, all items. */
size_t menu_listed(const struct menu *m);
size_t menu_listed_at(const struct menu *m, size_t i);
/* Stores in [*from, *to) the indices, of menu_listed_at(), that a key applies to: the marked
 * range, else the item under the cursor; empty if no item is listed. */
void menu_range(const struct menu *m, size_t *from, size_t *to);
/* Moves the cursor down by `by` listed items; up if it is negative. */
void menu_step(struct menu *m, int64_t by);
/* Replaces the note of item i. */
void menu_note(struct menu *m, size_t i, const char *note);
/* Removes all items and keeps the position of the cursor. */
void menu_clear(struct menu *m);
void menu_key(struct menu *m, uint32_t key);
extern const struct modal_ops menu_modal;

#endif
