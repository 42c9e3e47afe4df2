/* scrubber.h - the run as a line a busy track, and the range that is looked at.
 *
 * Times count from the first event, in the unit of the profile's axis.  Profiles without
 * time have no scrubber: it has no rows then, and its actions do nothing. */
#ifndef PNAV_UI_PART_SCRUBBER_H
#define PNAV_UI_PART_SCRUBBER_H

#include "model/layout.h"
#include "model/vec.h"
#include "ui/part/scene.h"
#include "ui/screen/canvas.h"

struct scrub_line {
	track_id track;
	int64_t weight; /* of the whole run, to put the busiest first */
	int64_t *bin;   /* [column] */
};

struct scrubber {
	bool focus;
	bool placed;    /* the cursor was moved */
	int64_t cursor; /* always within the run */
	int64_t duration;
	VEC(struct scrub_line) lines;
	int64_t peak; /* the highest bin of all lines */
	int cols, label_cols;
	uint64_t folds;
	bool has_hits; /* a line below the others shows where matches are */
	uint8_t *hit;  /* [column] */
	uint64_t hit_updates;
	struct layout layout;
	int64_t drag_from; /* where the mouse went down; -1: nowhere */
};

void scrubber_init(struct scrubber *sc);
void scrubber_release(struct scrubber *sc);
/* How many rows it wants on a screen of this height. */
int scrubber_rows(const struct scene *s, int screen_h);
void scrubber_arrange(struct scrubber *sc, const struct scene *s, struct area a,
		      int screen_h);
void scrubber_draw(const struct scrubber *sc, const struct scene *s, struct canvas *c,
		   struct area a);
/* Puts [from, to) into the lens; ends of the run are left open. */
void scrubber_set_range(const struct scrubber *sc, const struct scene *s, int64_t from,
			int64_t to, struct lens *l);
/* Does an action; true when it changed the range in *l. */
bool scrubber_act(struct scrubber *sc, const struct scene *s, enum action action,
		  struct lens *l);
/* The mouse at column x: the begin of a range, or (drag) its other end.  True when it
 * changed the range in *l. */
bool scrubber_point(struct scrubber *sc, const struct scene *s, int x, bool drag,
		    struct lens *l);

#endif
