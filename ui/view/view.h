/* view.h - the interface of a view: one file, and a line of VIEWS below.
 *
 * A view reads a scene and draws into an area of a canvas.  It keeps only its own state, such as
 * a scroll position or a sort column.  All views share the lens and the selection (nav) through
 * the scene, so no view depends on another.
 *
 *	arrange()   adapts the view to a changed fold, selection or area
 *	draw()      pure: the same scene, view and area give the same cells
 *	act()       performs an action; PASS leaves it to the application
 *	describe()  the numbers of the selection, for the line below the view
 *
 * The application calls arrange() before act(), click() and draw() after every change. */
#ifndef PNAV_UI_VIEW_VIEW_H
#define PNAV_UI_VIEW_VIEW_H

#include <stdbool.h>

#include "ui/part/scene.h"
#include "ui/screen/canvas.h"

enum reply {
	REPLY_PASS,   /* the view does not support the action */
	REPLY_DONE,   /* done */
	REPLY_STACKS, /* show the selection in a view of stacks */
	REPLY_RANGE,  /* make nav's range the range of the lens */
	REPLY_RANGE_STEP, /* the same, as one undo step with the previous one */
	REPLY_WHY,    /* show the critical path of nav's actor, or of its track, in nav's range */
	REPLY_MOMENT, /* show nav's range in the timeline, on nav's track */
};

struct view_ops {
	const char *name;  /* "flame" */
	char digit;        /* its key in the line of views */
	enum action open;  /* the action that opens it */
	enum scope scope;  /* of its own keys */
	bool says_why;     /* if it has nothing to show, it reports the reason itself */
	bool no_details;   /* no detail pane, which would repeat the view */
	bool rows; /* wide rows that scroll: the detail pane is below them */
	const char *about; /* a few lines for the help screen */
	const char *enter; /* the word for the effect of Enter */
	/* The most useful actions, for the bottom line, the most important first.  The bottom line
	 * adds those of all views.  Ends with ACTION_NONE. */
	const enum action *keys;
	/* Returns true if the view is among the tabs.  NULL: always. */
	bool (*is_available)(const struct scene *s);
	void *(*create)(void);
	void (*destroy)(void *view);
	void (*arrange)(void *view, struct scene *s, struct area a);
	void (*draw)(const void *view, const struct scene *s, struct canvas *c,
		     struct area a);
	enum reply (*act)(void *view, struct scene *s, enum action action);
	/* Returns true if one of `keys` has an effect now.  NULL: they all have. */
	bool (*has_effect)(const void *view, const struct scene *s, enum action action);
	/* Returns what one of `keys` that goes to another form leads to now; NULL: what
	 * action_word() says.  NULL: always that. */
	const char *(*word)(const void *view, enum action action);
	/* Returns true if its boxes have the colours of hues.h now.  NULL: it has no such
	 * boxes. */
	bool (*is_hued)(const void *view, const struct scene *s);
	enum reply (*click)(void *view, struct scene *s, int y, int x, bool twice);
	/* Gets the numbers of what is at a line and a column, and appends more lines for its card;
	 * false if there is nothing.  NULL: the view describes nothing under the pointer. */
	bool (*hover)(void *view, const struct scene *s, int y, int x, struct row *out,
		      struct buf *more);
	/* Movement of the mouse with a button down, NULL: ignored; and the wheel, NULL: acts as
	 * the keys Up and Down. */
	enum reply (*drag)(void *view, struct scene *s, int y, int x);
	enum reply (*wheel)(void *view, struct scene *s, int x, bool up, bool ctrl);
	/* Moves the cursor to the next search hit; false if there is none. */
	bool (*find)(void *view, struct scene *s, int dir);
	bool finds_more; /* find() also searches texts that are no frames */
	/* Stores the position of the cursor among the search hits.  NULL: hits are not counted. */
	void (*search_position)(void *view, const struct scene *s, struct standing *out);
	/* set_row_filter() shows only rows that match, independent of the lens, and takes
	 * ownership of the pattern; NULL: all rows.  row_filter() returns the pattern, borrowed.
	 * Both may be NULL. */
	void (*set_row_filter)(void *view, struct pattern *p);
	struct pattern *(*row_filter)(const void *view);
	/* Called before a search is typed to store the cursor, and with `back` to restore it if
	 * the selection is the same again.  NULL: the selection is enough. */
	void (*hold_cursor)(void *view, const struct scene *s, bool back);
	/* Stores the numbers of the selection; false if nothing is selected. */
	bool (*describe)(const void *view, const struct scene *s, struct row *out);
	/* Appends lines for the card of the selection.  NULL: it has none. */
	void (*card)(const void *view, const struct scene *s, struct buf *out);
	/* Returns the number of rows that scene.sure_only omits.  NULL: it omits none. */
	uint64_t (*omitted_rows)(const void *view, const struct scene *s);
	/* Returns true if the row of the cursor shows this column (columns.h).  The line below
	 * the view does not repeat it and has more room for the name.  NULL: it shows none. */
	bool (*shows_column)(const void *view, const struct scene *s, const char *column);
	/* Stores the source file and line under the cursor, for the editor: an empty path if the
	 * file was not found, false if there is no file.  NULL: those of the selected function. */
	bool (*source_location)(const void *view, const struct scene *s, struct buf *path,
		      uint32_t *line);
	/* Appends a caption for the line below the view if the cursor's place is more specific
	 * than the selection: "sim.c:16 in ", and the name "cmp"; otherwise false.  May be
	 * NULL. */
	bool (*caption)(const void *view, const struct scene *s, struct buf *out,
		      struct buf *name);
	/* save_state() appends the state for a session, words on one line; nothing for the
	 * initial state.  restore_state() reads them; false for unknown words.  Both may be
	 * NULL. */
	void (*save_state)(const void *view, struct buf *out);
	bool (*restore_state)(void *view, const char *words);
	/* sort_column() appends the name of the sort column, after `-` if reversed.
	 * set_sort_column() changes it; false for an unknown column.  NULL: no sorting. */
	void (*sort_column)(const void *view, struct buf *out);
	bool (*set_sort_column)(void *view, const char *column);
	/* Like save_state(), but also writes the initial state.  NULL: use save_state(). */
	void (*save_position)(const void *view, struct buf *out);
	/* After restore_state() for a profile that begins `by` later: subtracts that from its
	 * times.  NULL: the view has none. */
	void (*shift_times)(void *view, int64_t by);
};

/* The views, in the order of their digits. */
#define VIEWS(X)                                                                           \
	X(flame)                                                                           \
	X(tree)                                                                            \
	X(functions)                                                                       \
	X(callers)                                                                         \
	X(timeline)                                                                        \
	X(source)                                                                          \
	X(calls)                                                                           \
	X(info)                                                                            \
	X(sql)                                                                             \
	X(heat)

#define VIEW_DECLARED(name) extern const struct view_ops name##_view;
VIEWS(VIEW_DECLARED)
#undef VIEW_DECLARED

/* The same as a table that ends with NULL. */
extern const struct view_ops *const views[];
/* Returns the view of this name, or NULL. */
const struct view_ops *view_named(const char *name);

#endif
