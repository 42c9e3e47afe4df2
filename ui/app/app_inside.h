/* app_inside.h - the application's state, and what all of its files use; nobody else
 * includes it.
 *
 * The files stand on each other, and know only those further up this list:
 *
 * app.c         what is looked at, its history, messages
 * app_front.c   opens what stands in front of the view: prompt, menu, pager
 * app_lines.c   the lines around the view
 * app_draw.c    the arrangement of the screen, and drawing
 * app_marks.c, app_ask.c, app_save.c, app_filters.c, app_menus.c, app_range.c, app_edit.c,
 * app_help.c    a topic each, with the rows of its actions (app_actions.h)
 * app_act.c     any action
 * app_loop.c    events, and the loop */
#ifndef PNAV_UI_APP_APP_INSIDE_H
#define PNAV_UI_APP_APP_INSIDE_H

#include "ui/app/app.h"
#include "ui/app/marks.h"
#include "ui/part/menu.h"
#include "ui/part/modal.h"
#include "ui/part/pager.h"
#include "ui/part/prompt.h"
#include "ui/part/scrubber.h"
#include "ui/view/source_files.h"
#include "ui/view/view.h"

#define VIEWS_MAX 16

/* Where the parts of the screen are. */
struct app_places {
	struct area header, scrubber, range, tabs, view, progress, details, bottom;
};

enum asked {
	ASKED_SEARCH,
	ASKED_FILTER,
	ASKED_COMMAND,
	ASKED_FILE,
	ASKED_MARK,
	ASKED_KINDS,
};

/* What is looked at.  app.c alone writes here. */
struct app_look {
	struct lens lens;  /* what the user asked for */
	struct lens shown; /* what the fold shows: the lens, or a preview of another */
	VEC(struct lens) undo, redo;
	bool comparing;   /* with `base`: the lens as it was when it was kept */
	struct lens base; /* only its range and tracks count; always initialised */
	bool scrubbing;   /* the last change was of the range: the next one joins it */
	bool fits;        /* the lens has fitted the profile */
	struct fold *fold;
	uint64_t generation; /* of the profile when it was folded */
	bool done;           /* it was all there */
	int64_t next_ns;     /* when to fold what has grown, at the earliest */
};

/* The views: the one that is shown, and the way back. */
struct app_open {
	const struct view_ops *view;
	void *states[VIEWS_MAX]; /* one a row of views[] */
	const struct view_ops *before[VIEWS_MAX];
	size_t n_before;
};

/* What stands in front of the view; opened by app_front.c alone. */
struct app_front {
	struct modals stack; /* those of the next three that are open */
	struct prompt prompt;
	struct menu menu;
	struct pager pager;
	struct prompt_history history[ASKED_KINDS];
};

/* What the open prompt is about: app_ask.c's, and `file` app_save.c's. */
struct app_asked {
	bool preview_due;    /* the filter being typed is not shown yet */
	char *search_before; /* what was searched when the prompt opened, or NULL */
	size_t editing;      /* the entry being edited; SIZE_MAX: a new one */
	enum verb verb;      /* of the entry being entered */
	int file;            /* enum asked_file, or an export */
};

/* What is read meanwhile. */
struct app_load {
	struct app_state state;
	bool paused;      /* what is read meanwhile is not shown */
	bool restore_due; /* the session is not shown yet */
};

/* The bottom line, where it is not keys.  app.c alone writes here. */
struct app_message {
	struct buf text; /* empty: nothing is told */
	bool fault;
};

struct app {
	const struct app_config *config;
	const struct app_feed *feed;
	struct screen *screen;
	struct canvas canvas;
	struct app_places at; /* written by app_arrange() */

	struct app_look look;
	struct app_load load;
	struct app_open open;
	struct app_front front;
	struct app_asked asked;
	struct app_message message;

	struct scene scene; /* what views see: the fold, and the next five */
	struct outline outline;
	struct nav nav;
	struct search search;
	struct view_facts facts;
	struct source_places sources;

	struct scrubber scrubber;
	struct keymap keys;
	struct marks marks;
	enum action due; /* chosen in front of the view: done when that has closed */
	bool mouse_on, quit;
};

/* Shows the profile through l.  False with usage in *e, and nothing changed. */
bool app_look(struct app *a, const struct lens *l, struct err *e);
/* Shows it through the lens; as long as the file may still show what the lens names (a
 * metric), through none.  False with usage in *e when it never will. */
bool app_look_first(struct app *a, struct err *e);
/* Makes *l (taken over) the lens, undoably; says so when it does not fit. */
bool app_change(struct app *a, struct lens *l);
/* The same for a step of the range: consecutive ones are undone together. */
bool app_change_range(struct app *a, struct lens *l);
void app_undo(struct app *a, bool redo);
/* Keeps the present range and tracks to compare with, or ends the comparison. */
void app_compare(struct app *a);
void app_look_init(struct app *a, const struct app_config *config);
void app_look_release(struct app *a);

void app_say(struct app *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void app_fault(struct app *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* What was said is read. */
void app_hush(struct app *a);

/* The state of a view, which is made when it is first asked for. */
void *app_view_state(struct app *a, const struct view_ops *v);
/* That of the view that is open; NULL when it was never arranged. */
void *app_shown_state(const struct app *a);
void app_open_view(struct app *a, const struct view_ops *v);

#endif
