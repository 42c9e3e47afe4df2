/* app_inside.h - what the files of the application share; nobody else includes it.
 *
 * app.c       the loop, folding, the arrangement of the screen
 * app_act.c   what an action does
 * app_menus.c the menus: metrics, granularity, tracks, transforms
 * app_filters.c the list of filters
 * app_ask.c   the prompts: search, filter, commands
 * app_save.c  files: screens, filters, exports, sessions
 * app_marks.c marks
 * app_lines.c the lines around the view */
#ifndef PNAV_UI_APP_APP_INSIDE_H
#define PNAV_UI_APP_APP_INSIDE_H

#include "ui/app/app.h"
#include "ui/app/marks.h"
#include "ui/part/menu.h"
#include "ui/part/pager.h"
#include "ui/part/prompt.h"
#include "ui/part/scrubber.h"
#include "ui/view/source_files.h"
#include "ui/view/view.h"

#define VIEWS_MAX 16
#define MIN_COLS 40
#define MIN_ROWS 10

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

/* What the file prompt is for; from FILE_EXPORT on: the formats that can be written. */
enum asked_file {
	FILE_SCREEN,
	FILE_ANSI,
	FILE_SESSION,
	FILE_SPEC,
	FILE_LOAD_SPEC,
	FILE_EXPORT,
};

struct app {
	const struct app_config *config;
	const struct app_feed *feed;
	struct screen *screen;
	struct canvas canvas;
	struct app_places at;

	struct lens lens;  /* what the user asked for */
	struct lens shown; /* what the fold shows: the lens, or a preview of another */
	VEC(struct lens) undo, redo;
	bool comparing;   /* with `base`: the lens as it was when it was kept */
	struct lens base; /* only its range and tracks count; always initialised */
	bool paused;      /* what is read meanwhile is not shown */
	bool scrubbing; /* the last change was of the range: the next one joins it */
	struct fold *fold;
	bool fits; /* the lens has fitted the profile */
	struct outline outline;
	struct nav nav;
	struct search search;
	struct scene scene;
	struct view_facts facts;
	struct source_places sources;

	const struct view_ops *view;
	void *states[VIEWS_MAX]; /* one a row of views[] */
	const struct view_ops *before[VIEWS_MAX];
	size_t n_before;

	struct scrubber scrubber;
	struct keymap keys;
	struct prompt prompt;
	struct menu menu;
	struct pager pager;
	struct prompt_history history[ASKED_KINDS];
	bool preview_due;    /* the filter being typed is not shown yet */
	char *search_before; /* what was searched when the prompt opened, or NULL */
	size_t editing;      /* the entry being edited; SIZE_MAX: a new one */
	enum verb verb;      /* of the entry being entered */
	int asked_file;      /* enum asked_file, or an export */
	struct marks marks;
	bool restore_due; /* the session is not shown yet */

	struct buf message;
	bool message_fault;
	struct app_state state;
	uint64_t folded_generation;
	bool folded_done;
	int64_t next_fold_ns;
	bool mouse_on, quit;
};

/* ---- app.c ---- */
/* Shows the profile through l.  False with usage in *e, and nothing changed. */
bool app_look(struct app *a, const struct lens *l, struct err *e);
/* Makes *l (taken over) the lens, undoably; says so when it does not fit. */
bool app_change(struct app *a, struct lens *l);
/* The same for a step of the range: consecutive ones are undone together. */
bool app_change_range(struct app *a, struct lens *l);
void app_undo(struct app *a, bool redo);
/* Keeps the present range and tracks to compare with, or ends the comparison. */
void app_compare(struct app *a);
void app_say(struct app *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void app_fault(struct app *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void *app_view_state(struct app *a, const struct view_ops *v);
void app_open_view(struct app *a, const struct view_ops *v);
/* Brings the view in line with fold, selection and size; before act, click and draw. */
void app_arrange(struct app *a);
/* Draws all into the canvas. */
void app_draw(struct app *a);

/* ---- app_act.c ---- */
void app_act(struct app *a, enum action action);
void app_key(struct app *a, uint32_t key);
void app_mouse(struct app *a, const struct event_in *e);

/* ---- app_menus.c ---- */
void app_menu_metric(struct app *a);
void app_menu_by(struct app *a);
void app_menu_tracks(struct app *a);
void app_menu_transform(struct app *a);

/* ---- app_filters.c ---- */
void app_menu_filters(struct app *a);

/* ---- app_ask.c ---- */
void app_ask_search(struct app *a);
void app_ask_filter(struct app *a);
/* An entry: `at` is SIZE_MAX for a new one. */
void app_ask_entry(struct app *a, enum verb verb, size_t at);
void app_ask_command(struct app *a);
void app_ask_in_pager(struct app *a);
/* Shows what is typed at the filter prompt. */
void app_preview(struct app *a);

/* ---- app_save.c ---- */
void app_menu_save(struct app *a);
void app_ask_file(struct app *a, int what);
/* Shows what the session says: once, when all is loaded. */
void app_restore(struct app *a);

/* ---- app_marks.c ---- */
void app_menu_marks(struct app *a);
/* A mark of this name, of the range and the selection as they are. */
void app_mark(struct app *a, const char *name);

/* ---- app_edit.c ---- */
void app_edit(struct app *a);

/* ---- app_help.c ---- */
void app_help(struct app *a);
void app_manual(struct app *a);

/* ---- app_lines.c ---- */
void app_draw_header(const struct app *a, struct canvas *c);
void app_draw_range(const struct app *a, struct canvas *c);
void app_draw_tabs(const struct app *a, struct canvas *c);
void app_draw_details(const struct app *a, struct canvas *c);
void app_draw_progress(const struct app *a, struct canvas *c);
void app_draw_bottom(const struct app *a, struct canvas *c);
/* Which view the line of views shows at this column, or NULL. */
const struct view_ops *app_tab_at(const struct app *a, int x);

#endif
