/* marks.h - places in a profile that have a name, and how a place is said in words.
 *
 * Ids of nodes hold for one fold, ids of functions for one load.  A place is the path of
 * names as the browser shows them, so that it can be found again in another fold, another
 * load, or another recording of the same program. */
#ifndef PNAV_UI_APP_MARKS_H
#define PNAV_UI_APP_MARKS_H

#include "ui/view/view.h"

struct place {
	VEC(char *) names; /* root first; none: all */
};

void place_release(struct place *p);
void place_add(struct place *p, const char *name);
void place_copy(struct place *to, const struct place *from); /* `to` is uninitialised */
/* The path to a node; *out is empty. */
void place_of(const struct scene *s, node_id node, struct place *out);
/* The node there: the heaviest where several have the same name.  The deepest that still
 * is on the way, and *whole false, when the path ends early. */
node_id place_find(const struct scene *s, const struct place *p, bool *whole);

struct mark {
	char *name;
	struct moment from, to; /* the range; open: the whole run */
	struct place place;     /* the selection; none: all */
};

struct marks {
	VEC(struct mark) list;
};

void marks_release(struct marks *m);
/* The name is copied, the place taken over.  A mark of this name is replaced. */
void marks_put(struct marks *m, const char *name, struct moment from, struct moment to,
	       struct place *place);
void marks_remove(struct marks *m, size_t i);

#endif
