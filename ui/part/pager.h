/* pager.h - text to read in front of the view: the keys, the manual page.
 *
 * The text may contain marks: PAGER_BOLD and PAGER_UNDER begin a style, PAGER_PLAIN ends it.
 * pager_from_man() converts the backspaces of man(1) to marks. */
#ifndef PNAV_UI_PART_PAGER_H
#define PNAV_UI_PART_PAGER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/base/buf.h"
#include "model/base/vec.h"
#include "ui/part/modal.h"
#include "ui/screen/canvas.h"

#define PAGER_BOLD '\001'
#define PAGER_UNDER '\002'
#define PAGER_PLAIN '\003'

/* Actions of a pager that its owner performs. */
struct pager_hooks {
	/* `/`: opens a prompt, then calls pager_find(). */
	void (*ask)(void *ctx);
	/* `Q`: ends the program. */
	void (*quit)(void *ctx);
	/* Enter on choice i; the pager has closed already.  NULL: there are no choices. */
	void (*chosen)(void *ctx, size_t i);
};

struct pager {
	bool open;
	const struct pager_hooks *hooks; /* the owner's, after pager_init(); NULL: none */
	void *ctx;
	struct buf title;
	VEC(char *) lines;
	size_t top;
	int rows;          /* of the last drawing area */
	struct buf sought; /* the search text; "": none */
	size_t choices, n_choices, choice; /* lines [choices, choices + n) can be chosen */
};

void pager_init(struct pager *p);
void pager_release(struct pager *p);
/* Shows a text of many lines from its begin. */
void pager_open(struct pager *p, const char *title, const char *text, size_t len);
/* Tells the size of the screen. */
void pager_arrange(struct pager *p, const struct canvas *c);
/* Goes to the next line (dir > 0) or the one before that has the text; false when none. */
bool pager_find(struct pager *p, const char *text, int dir);
/* Goes to a heading: a bold line that begins in column 0 with this text. */
void pager_heading(struct pager *p, const char *text);
/* Inserts lines that can be chosen, under a heading, after the topmost line. */
void pager_choices(struct pager *p, const char *heading, char *const *lines, size_t n);
extern const struct modal_ops pager_modal;
/* Appends `text` with overstrikes converted to marks. */
void pager_from_man(const char *text, size_t len, struct buf *out);

#endif
