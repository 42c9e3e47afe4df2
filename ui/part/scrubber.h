/* scrubber.h - the run as a line a busy track, or a busy process where there are several, and the
 * range that is looked at.
 *
 * Times count from the first event, in the unit of the profile's axis.  Profiles without
 * time have no scrubber: it has no rows then, and its actions do nothing. */
#ifndef PNAV_UI_PART_SCRUBBER_H
#define PNAV_UI_PART_SCRUBBER_H

#include "model/base/vec.h"
#include "model/picture/curve.h"
#include "model/picture/layout.h"
#include "ui/part/scene.h"
#include "ui/screen/canvas.h"

/* What the curve was made of: another one, another curve. */
struct scrub_of {
	key_id key;
	enum granularity by;
	uint64_t tree, generation; /* the serial of the projection */
	uint64_t left_out; /* of the tracks */
	metric_id metric;
	int cols;
};

/* And the lines of the tracks. */
struct scrub_lines_of {
	uint64_t of, generation, left_out;
	metric_id metric; /* that is looked at */
	int cols, rows;
	bool done; /* all was read */
	bool made;
};

#define SCRUBBER_TRACKS 5u

struct scrub_line {
	track_id track;      /* or the main one of its process, else the first */
	process_id process;  /* whose tracks it sums up; PROCESS_NONE: it is the track's own */
	int64_t weight; /* of the whole run, to put the busiest first */
	double *bin;    /* [column] */
};

struct scrubber {
	bool focus;
	bool placed;    /* the cursor was moved */
	int64_t cursor; /* always within the run */
	int64_t duration;
	VEC(struct scrub_line) lines;
	track_id before[SCRUBBER_TRACKS]; /* of the lines that there were last */
	unsigned n_before;
	double peak; /* the highest bin of all lines */
	int rows, cols, label_cols;
	uint64_t folds;
	metric_id metric; /* that is drawn: the one looked at, or what stands for it */
	bool stands_in;   /* the one looked at has nothing over time */
	/* lines below those of the tracks */
	bool has_hits;  /* where matches are */
	bool has_curve; /* what the selection costs */
	bool curve_asked; /* by another part of the screen: it is made even without a line here */
	bool has_axis;  /* the times */
	uint8_t *hit;   /* [column] */
	uint64_t hit_updates;
	struct layout layout;
	struct curve curve; /* as far as it is made */
	struct scrub_lines_of lines_of;
	struct scrub_of curve_of;
	struct curve seen; /* the last one that was whole */
	struct scrub_of seen_of;
	bool seen_all; /* the file was read then */
	double curve_peak;  /* of that: the highest column of all */
	int64_t drag_from;  /* where the mouse went down; -1: nowhere */
};

void scrubber_init(struct scrubber *sc);
void scrubber_release(struct scrubber *sc);
/* How many rows it wants on a screen of this height. */
int scrubber_rows(const struct scrubber *sc, const struct scene *s, int screen_h);
/* Sets s->again while there is more to do. */
void scrubber_arrange(struct scrubber *sc, struct scene *s, struct area a, int screen_h);
void scrubber_draw(const struct scrubber *sc, const struct scene *s, struct canvas *c,
		   struct area a);
/* Appends where the cursor is while it has the focus, and "scrubber: time" where another
 * metric is drawn than the one looked at. */
void scrubber_say(const struct scrubber *sc, const struct scene *s, struct buf *out);
/* What the selection costs over the run; while more is read, what it did when it was worked out
 * last.  NULL: not known, or not yet. */
const struct curve *scrubber_curve(const struct scrubber *sc);

/* ---- for the files of the scrubber ---- */
/* The column of a moment. */
int scrubber_column(const struct scrubber *sc, int64_t t);
bool scrubber_has_stacks(const struct track *t);
/* Has it stacks, and is it looked at? */
bool scrubber_looks_at(const struct scene *s, track_id i);
/* The index of the metric in a series that is drawn; -1: it has none. */
int scrubber_metric_in(const struct series *s, metric_id metric);
/* Is it the thread that gives a process without a name (`process 4711`) its number? */
bool scrubber_is_main(const struct profile *p, process_id process, track_id track);
/* The tracks of at most so many lines go into sc->lines. */
void scrubber_choose_lines(struct scrubber *sc, const struct scene *s, int rows);

/* Puts [from, to) into the lens; ends of the run are left open. */
void scrubber_set_range(const struct scrubber *sc, const struct scene *s, int64_t from,
			int64_t to, struct lens *l);
/* Does an action; true when it changed the range in *l.  Where there was nothing to change,
 * *why tells it; else it is left alone. */
bool scrubber_act(struct scrubber *sc, const struct scene *s, enum action action,
		  struct lens *l, const char **why);
/* The mouse at column x: the begin of a range, or (drag) its other end.  True when it
 * changed the range in *l. */
bool scrubber_point(struct scrubber *sc, const struct scene *s, int x, bool drag,
		    struct lens *l);

#endif
