/* nav.h - where the user is: the selected frame and the zoom, shared by all views.
 *
 * Node ids hold for one fold only, so the selection is kept as the path of keys that leads
 * to it.  After a fold has changed nav_settle() finds the path again; where it is gone, the
 * heaviest node with the same function is the selection, so that it survives filters,
 * inversion and another granularity.  A selection that only has no numbers now (it did not
 * run in this range, or on these tracks) stays the selection and is `away` until it has. */
#ifndef PNAV_UI_PART_NAV_H
#define PNAV_UI_PART_NAV_H

#include <stdbool.h>

#include "model/fold/fold.h"
#include "model/base/vec.h"

struct nav_path {
	VEC(key_id) keys; /* root first */
};

struct nav {
	node_id node; /* the selection; NODE_ROOT: all; away: what is shown above it */
	bool away;    /* key and path are not among what is shown now */
	struct nav_path path;
	key_id key;           /* of the node; KEY_NONE: all */
	function_id function; /* the last function that was selected; UINT32_MAX: none */
	node_id zoom;
	struct nav_path zoom_path;
	VEC(uint32_t) zoom_steps; /* depths of the zooms before this one */
	enum granularity by;      /* what the keys are */
	bool inverted;
	bool proposed;  /* nobody chose it: see nav_propose() */
	uint64_t moves; /* counts the changes of the selection */
	/* What a view asks for with REPLY_RANGE and REPLY_MOMENT: [from, to) from the first
	 * event of the track's file. */
	track_id track;
	int64_t from, to;
	uint64_t jumps; /* counts the moments asked for */
	unsigned deep;  /* so many frames down, from the root, is the one meant; 0: any */
	/* What the timeline shows while it is the view that is open: [from, to) from the first
	 * event; both 0: it is not. */
	int64_t window_from, window_to;
	track_id window_track; /* of its cursor, as long as it shows something */
};

void nav_init(struct nav *n);
void nav_release(struct nav *n);
void nav_select(struct nav *n, const struct fold *f, const struct profile *p,
		node_id node);
/* Selects what is called by this key: the heaviest node that has it. */
void nav_select_key(struct nav *n, const struct fold *f, const struct profile *p,
		    key_id key);
/* The same for a view that shows a row as the selection while nothing is selected: until
 * somebody moves it, it may be proposed anew. */
void nav_propose(struct nav *n, const struct fold *f, const struct profile *p, key_id key);
/* Nobody has selected anything yet. */
static inline bool
nav_is_free(const struct nav *n)
{
	return n->proposed || (n->key == KEY_NONE && !n->away);
}
/* The selection as it is, kept in *held, an initialised one (whatever it held), and back
 * again, in this fold or another. */
void nav_hold(const struct nav *n, struct nav *held);
void nav_back(struct nav *n, const struct nav *held, const struct fold *f,
	      const struct profile *p);
/* Zooms to a node; going out goes through the zooms before. */
void nav_zoom(struct nav *n, const struct fold *f, node_id node);
bool nav_zoom_out(struct nav *n, const struct fold *f);
/* The fold has changed. */
void nav_settle(struct nav *n, const struct fold *f, const struct profile *p);
/* Is a on the way from the root to b (or b itself)? */
bool nav_is_above(const struct fold *f, node_id a, node_id b);

#endif
