/* nav.h - the selected frame and the zoom, which all views share.
 *
 * Node ids are valid for one fold only, so the selection is kept as a path of keys.  After a
 * new fold nav_settle() looks the path up again.  If it is gone, the heaviest node of the same
 * function is selected, so the selection survives filters, inversion and another granularity.
 * The lost path is selected again as soon as a fold shows it, unless the user has selected
 * another frame meanwhile: undo gives the selection back.
 * A selection that only has no numbers in this range or on these tracks stays selected and is
 * `away` until it has some. */
#ifndef PNAV_UI_PART_NAV_H
#define PNAV_UI_PART_NAV_H

#include <stdbool.h>

#include "model/base/vec.h"
#include "model/fold/fold.h"

struct nav_path {
	VEC(key_id) keys; /* root first */
};

/* A path that a fold no longer showed, and the tree that it was from. */
struct nav_lost {
	struct nav_path path;
	enum granularity by;
	bool inverted, proposed;
};
#define NAV_LOST 16u

struct nav {
	node_id node; /* the selection; NODE_ROOT: all; if away, the nearest visible node above */
	bool away;    /* the current fold does not show key and path */
	struct nav_path path;
	struct nav_lost lost[NAV_LOST]; /* since the user's last choice, the oldest first */
	unsigned n_lost;
	key_id key;           /* of the node; KEY_NONE: all */
	function_id function; /* the last selected function; UINT32_MAX: none */
	node_id zoom;
	struct nav_path zoom_path;
	VEC(uint32_t) zoom_steps; /* depths of the previous zooms */
	enum granularity by;      /* of the keys */
	bool inverted;
	bool proposed;  /* the user did not choose it: see nav_propose() */
	uint64_t moves; /* number of changes of the selection so far */
	/* The target of REPLY_RANGE, REPLY_MOMENT and REPLY_WHY: [from, to) since the first event
	 * of the track's or actor's file. */
	track_id track;
	actor_id actor; /* also that under the timeline's cursor; ACTOR_NONE: the track's */
	int64_t from, to;
	uint64_t jumps; /* number of REPLY_MOMENTs so far */
	unsigned deep;  /* depth of the target's frame, from the root; 0: any */
	/* The window of the timeline while that view is open: [from, to) since the first event;
	 * otherwise both are 0. */
	int64_t window_from, window_to;
	track_id window_track; /* of its cursor, while it shows any track */
};

void nav_init(struct nav *n);
void nav_release(struct nav *n);
void nav_select(struct nav *n, const struct fold *f, const struct profile *p,
		node_id node);
/* Selects the heaviest node with this key. */
void nav_select_key(struct nav *n, const struct fold *f, const struct profile *p,
		    key_id key);
/* Like nav_select_key(), for a view that marks a row while nothing is selected.  A later proposal
 * replaces it until the user moves the selection. */
void nav_propose(struct nav *n, const struct fold *f, const struct profile *p, key_id key);
/* Returns true if the user has selected nothing yet. */
static inline bool
nav_is_free(const struct nav *n)
{
	return n->proposed || (n->key == KEY_NONE && !n->away);
}
/* nav_hold() copies the selection into *held, which is initialised; nav_back() restores it, in
 * the same fold or another. */
void nav_hold(const struct nav *n, struct nav *held);
void nav_back(struct nav *n, const struct nav *held, const struct fold *f,
	      const struct profile *p);
/* Zooms to a node; nav_zoom_out() returns to the previous zoom, false if there is none. */
void nav_zoom(struct nav *n, const struct fold *f, node_id node);
bool nav_zoom_out(struct nav *n, const struct fold *f);
/* Call it before nav_settle() if the fold is of another profile, which a lens derived anew from a
 * file that has grown: frames of labels have other ids in it.  `was`: the previous profile. */
void nav_carry(struct nav *n, const struct profile *was, const struct profile *now);
/* Call it after a new fold: finds selection and zoom in it. */
void nav_settle(struct nav *n, const struct fold *f, const struct profile *p);
/* Returns true if a is an ancestor of b, or b itself. */
bool nav_is_above(const struct fold *f, node_id a, node_id b);

#endif
