/* menu.h - a list in a box, in front of the view.
 *
 * An item may have a key of its own, a note at the right, and a check mark.  The owner is
 * told which item was chosen, and sees every key first, so that a menu whose items can be
 * moved, switched or deleted is a menu too.
 *
 * In a menu whose items have no keys of their own typing searches: with `searches` set, what
 * is typed lists only the items whose label has it, in either case, until Esc; a `/` in front
 * of it may be typed, too.  Such a menu's owner has no letters, so its keys are Space and
 * control characters.  In a list of check marks (`checks`) Space switches, and ^V begins a
 * range at the cursor, which goes with it: menu_range() says what a key of the owner is for. */
#ifndef PNAV_UI_PART_MENU_H
#define PNAV_UI_PART_MENU_H

#include <stdbool.h>
#include <stdint.h>

#include "model/base/buf.h"
#include "model/base/vec.h"
#include "ui/part/modal.h"
#include "ui/screen/canvas.h"

/* CHECK_SOME: of what the item stands for. */
enum menu_check { CHECK_NONE, CHECK_OFF, CHECK_SOME, CHECK_ON };

struct menu_item {
	char *label, *note; /* note may be NULL; label NULL: its owner writes both (write) */
	int cols, note_cols; /* their widths on a screen */
	uint32_t key;       /* 0: none */
	enum menu_check check;
	/* the owner's: what it is, of what weight, and whether it stands under another one */
	int id;
	int64_t value;
	bool below;
};

struct menu;

struct menu_hooks {
	/* Enter, a double click or the item's key; the menu has closed already. */
	void (*chosen)(void *ctx, struct menu *m, int id);
	/* A key before the menu sees it; true when it was used.  May be NULL. */
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
	size_t at; /* the item of the cursor, which is one of those that are listed */
	bool searches;
	bool checks;        /* Space switches, also behind what is typed */
	bool touched;       /* the owner's: something was switched since it was opened */
	int below;          /* rows of the screen's end that it leaves free */
	bool typing;        /* a search was begun */
	struct buf sought;  /* empty: all are listed */
	VEC(size_t) listed; /* the items that have it, where something is sought */
	bool marking;       /* a range from `mark` to the cursor */
	size_t mark;
	int rows;  /* on the screen, when it was last arranged */
	int width; /* of the widest item */
	int64_t whole; /* the owner's: what values are parts of */
};

void menu_init(struct menu *m);
void menu_release(struct menu *m);
/* Opens an empty menu; add the items next. */
void menu_open(struct menu *m, const char *title, const struct menu_hooks *hooks,
	       void *ctx);
/* Texts are copied. */
struct menu_item *menu_add(struct menu *m, int id, uint32_t key, const char *label,
			   const char *note);
/* One of very many, whose texts are written when they are seen or searched; so wide, note_cols
 * 0: no note. */
struct menu_item *menu_add_late(struct menu *m, int id, int cols, int note_cols);
/* How many items are listed, and the i-th of them; all where nothing is sought. */
size_t menu_listed(const struct menu *m);
size_t menu_listed_at(const struct menu *m, size_t i);
/* The listed items that a key is for, [*from, *to) of menu_listed_at(): the range that is
 * marked, else the item of the cursor; nothing where none is listed. */
void menu_range(const struct menu *m, size_t *from, size_t *to);
/* Moves the cursor through what is listed. */
void menu_step(struct menu *m, int64_t by);
/* Another note for item i. */
void menu_note(struct menu *m, size_t i, const char *note);
/* Drops the items, keeps the cursor where it is. */
void menu_clear(struct menu *m);
void menu_key(struct menu *m, uint32_t key);
extern const struct modal_ops menu_modal;

#endif
