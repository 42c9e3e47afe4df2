/* pager.h - text to read in front of the view: the keys, the manual page.
 *
 * Text may carry marks: PAGER_BOLD and PAGER_UNDER begin, PAGER_PLAIN ends.  What man(1)
 * writes with backspaces is turned into them. */
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

/* What a pager cannot do by itself. */
struct pager_hooks {
	/* `/`: ask what to search, and call pager_find(). */
	void (*ask)(void *ctx);
	/* `Q`: end the program. */
	void (*quit)(void *ctx);
	/* Enter on choice i; the pager has closed already.  NULL where there are none. */
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
	struct buf sought; /* "": nothing */
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
bool pager_heading(struct pager *p, const char *text);
/* Puts lines that can be chosen behind the line on top, under a heading. */
void pager_choices(struct pager *p, const char *heading, char *const *lines, size_t n);
extern const struct modal_ops pager_modal;
/* Overstrikes into marks. */
void pager_from_man(const char *text, size_t len, struct buf *out);

#endif
