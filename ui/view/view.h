/* view.h - what a view is: one file, and a line of VIEWS below.
 *
 * A view looks at a scene and draws into a part of a canvas.  It keeps what belongs to it
 * alone (a scroll position, a sort column); what is looked at (the lens) and where the user
 * is (nav) are shared, so that views need not know each other.
 *
 *	arrange()  the fold, the selection or the area has changed: bring the view in line
 *	draw()     pure: the same scene, view and area give the same cells
 *	act()      an action; PASS leaves it to the application
 *	rows       names and numbers of what is selected, for the line below the view
 *
 * arrange() is called before act(), click() and draw() whenever something has changed. */
#ifndef PNAV_UI_VIEW_VIEW_H
#define PNAV_UI_VIEW_VIEW_H

#include <stdbool.h>

#include "ui/part/scene.h"
#include "ui/screen/canvas.h"

enum reply {
	REPLY_PASS,   /* not mine */
	REPLY_DONE,   /* done */
	REPLY_STACKS, /* show the selection where its stacks are seen */
	REPLY_RANGE,  /* make nav's range the range of the lens */
	REPLY_RANGE_STEP, /* the same, undone together with the steps before it */
	REPLY_MOMENT, /* show nav's range in the timeline, on nav's track */
};

struct view_ops {
	const char *name;  /* "flame" */
	char digit;        /* as in the line of views */
	enum action open;  /* the action that goes here */
	enum scope scope;  /* of its own keys */
	bool says_why;     /* with nothing to show it tells itself what is missing */
	bool hued;         /* its boxes have the colours of hues.h */
	bool no_details;   /* the detail pane would tell what the view does */
	const char *about; /* what it shows, for the help: a few lines */
	const char *enter; /* the word for what Enter does here */
	/* The most useful ones, for the bottom line, the first before the others; those of
	 * all views it adds itself.  ACTION_NONE ends. */
	const enum action *keys;
	/* Is it among the tabs?  NULL: always. */
	bool (*there)(const struct scene *s);
	void *(*create)(void);
	void (*destroy)(void *view);
	void (*arrange)(void *view, struct scene *s, struct area a);
	void (*draw)(const void *view, const struct scene *s, struct canvas *c,
		     struct area a);
	enum reply (*act)(void *view, struct scene *s, enum action action);
	/* Does one of `keys` do anything now?  NULL: they all do. */
	bool (*means)(const void *view, const struct scene *s, enum action action);
	enum reply (*click)(void *view, struct scene *s, int y, int x, bool twice);
	/* The mouse with its button down, and its wheel; NULL: nothing, and as the keys Up and
	 * Down. */
	enum reply (*drag)(void *view, struct scene *s, int y, int x);
	enum reply (*wheel)(void *view, struct scene *s, int x, bool up, bool ctrl);
	/* Goes to the next search hit; false when there is none, and nothing moved. */
	bool (*find)(void *view, struct scene *s, int dir);
	bool finds_more; /* than frames */
	/* Which of its hits the cursor is on, or behind.  NULL: it does not count them. */
	void (*hits)(void *view, const struct scene *s, struct standing *out);
	/* Only the rows that match are shown, without touching the lens: takes over the
	 * pattern, NULL: all rows.  And by which they are (borrowed).  Both may be NULL. */
	void (*narrow)(void *view, struct pattern *p);
	struct pattern *(*narrowed)(const void *view);
	/* Before a search is typed: keeps where the cursor is; then, `back`, it goes there
	 * again, when the selection is that of then.  NULL: the selection says it all. */
	void (*hold)(void *view, const struct scene *s, bool back);
	/* The numbers of the selection; false when nothing is selected. */
	bool (*describe)(const void *view, const struct scene *s, struct row *out);
	/* How many rows it leaves out while scene.sure_only is set.  NULL: it never does. */
	uint64_t (*unsure)(const void *view, const struct scene *s);
	/* Does the row of the cursor tell this column of the table (model/table/columns.h)?  What it
	 * tells the line below does not repeat: it has room for the whole name instead.
	 * NULL: it tells none. */
	bool (*tells)(const void *view, const struct scene *s, const char *column);
	/* The source file and line that the cursor is on, for the editor; no path where there is
	 * one that is not found, false when it is on none.  NULL: those of the selected
	 * function. */
	bool (*place)(const void *view, const struct scene *s, struct buf *path,
		      uint32_t *line);
	/* What the line below the view calls the place of the cursor, where that is finer than
	 * the selection: "sim.c:16 in ", and the name "cmp"; false when it is not.  May be
	 * NULL. */
	bool (*where)(const void *view, const struct scene *s, struct buf *out,
		      struct buf *name);
	/* What a session keeps of the view, in words on one line; nothing is nothing.  And
	 * back: false when the words mean nothing here.  Both may be NULL. */
	void (*keep)(const void *view, struct buf *out);
	bool (*recall)(void *view, const char *words);
	/* The column of its order, with `-` in front where that is turned round; and another one,
	 * false where it has no such column.  NULL: it has no order. */
	void (*sorted)(const void *view, struct buf *out);
	bool (*sort)(void *view, const char *column);
	/* Where it is just now, in words that recall() takes, also where that is as it began.
	 * NULL: keep() says all of it. */
	void (*stand)(const void *view, struct buf *out);
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
	X(sql)

#define VIEW_DECLARED(name) extern const struct view_ops name##_view;
VIEWS(VIEW_DECLARED)
#undef VIEW_DECLARED

/* The same as a table, ended by NULL. */
extern const struct view_ops *const views[];
/* The view of this name, or NULL. */
const struct view_ops *view_named(const char *name);

#endif
