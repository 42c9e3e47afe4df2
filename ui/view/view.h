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
	REPLY_MOMENT, /* show nav's range in the timeline, on nav's track */
};

struct view_ops {
	const char *name;  /* "flame" */
	char digit;        /* as in the line of views */
	enum action open;  /* the action that goes here */
	enum scope scope;  /* of its own keys */
	bool says_why;     /* with nothing to show it tells itself what is missing */
	const char *about; /* what it shows, for the help: a few lines */
	const char *enter; /* the word for what Enter does here */
	const enum action
		*keys; /* the most useful ones, for the bottom line; ACTION_NONE ends */
	void *(*create)(void);
	void (*destroy)(void *view);
	void (*arrange)(void *view, struct scene *s, struct area a);
	void (*draw)(const void *view, const struct scene *s, struct canvas *c,
		     struct area a);
	enum reply (*act)(void *view, struct scene *s, enum action action);
	enum reply (*click)(void *view, struct scene *s, int y, int x, bool twice);
	/* Goes to the next search hit; false when there is none. */
	bool (*find)(void *view, struct scene *s, int dir);
	/* The numbers of the selection; false when nothing is selected. */
	bool (*describe)(const void *view, const struct scene *s, struct row *out);
	/* The source file and line that the cursor is on, for the editor; false when it is on
	 * none.  NULL: those of the selected function. */
	bool (*place)(const void *view, const struct scene *s, struct buf *path,
		      uint32_t *line);
	/* What the line below the view calls the place of the cursor, where that is finer than
	 * the selection: "sim.c:16 in cmp"; false when it is not.  May be NULL. */
	bool (*where)(const void *view, const struct scene *s, struct buf *out);
	/* What a session keeps of the view, in words on one line; nothing is nothing.  And
	 * back: false when the words mean nothing here.  Both may be NULL. */
	void (*keep)(const void *view, struct buf *out);
	bool (*recall)(void *view, const char *words);
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
	X(info)

#define VIEW_DECLARED(name) extern const struct view_ops name##_view;
VIEWS(VIEW_DECLARED)
#undef VIEW_DECLARED

/* The same as a table, ended by NULL. */
extern const struct view_ops *const views[];
/* The view of this name, or NULL. */
const struct view_ops *view_named(const char *name);

#endif
