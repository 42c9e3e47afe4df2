/* scrubber.h - the run at the top of the screen: a line for each busy track, or for each busy
 * process if there are several, and the selected range.
 *
 * Times count from the first event, in the unit of the profile's axis. Profiles without time have
 * no scrubber: it has no rows, and its actions do nothing. */
#ifndef PNAV_UI_PART_SCRUBBER_H
#define PNAV_UI_PART_SCRUBBER_H

#include "model/base/vec.h"
#include "model/picture/curve.h"
#include "model/picture/layout.h"
#include "ui/part/scene.h"
#include "ui/screen/canvas.h"

/* The input of the curve; another input needs another curve. */
struct scrub_of {
	key_id key;
	enum granularity by;
	uint64_t tree, generation; /* the serial of the projection */
	uint64_t left_out; /* of the tracks */
	metric_id metric;
	int cols;
};

/* The input of the tracks' lines. */
struct scrub_lines_of {
	uint64_t of, generation, left_out;
	metric_id metric; /* the displayed metric */
	int cols, rows;
	bool done; /* the file was read completely */
	bool made;
};

#define SCRUBBER_TRACKS 5u

struct scrub_line {
	track_id track;      /* or the main track of its process, else the first one */
	process_id process;  /* its tracks are summed up; PROCESS_NONE: a single track */
	int64_t weight; /* of the whole run; the busiest line comes first */
	double *bin;    /* [column] */
};

struct scrubber {
	bool focus;
	bool placed;    /* the user moved the cursor */
	int64_t cursor; /* always within the run */
	int64_t duration;
	VEC(struct scrub_line) lines;
	track_id before[SCRUBBER_TRACKS]; /* of the previous lines */
	unsigned n_before;
	double peak; /* the highest bin of all lines */
	int rows, cols, label_cols;
	uint64_t folds;
	metric_id metric; /* the drawn metric: the displayed one, or a substitute */
	bool stands_in;   /* a substitute: the displayed metric has no values over time */
	/* the lines below the tracks */
	bool has_hits;  /* positions of matches */
	bool has_curve; /* the cost of the selection */
	/* another part of the screen needs the curve, with or without a line here */
	bool curve_asked;
	bool has_axis;  /* the axis of times */
	uint8_t *hit;   /* [column] */
	uint64_t hit_updates;
	struct layout layout;
	struct curve curve; /* may be incomplete */
	struct scrub_lines_of lines_of;
	struct scrub_of curve_of;
	struct curve seen; /* the last complete one */
	struct scrub_of seen_of;
	bool seen_all; /* it covers the whole file */
	double curve_peak;  /* the highest column of it */
	int64_t drag_from;  /* where the mouse button was pressed; -1: nowhere */
};

void scrubber_init(struct scrubber *sc);
void scrubber_release(struct scrubber *sc);
/* Returns the preferred number of rows on a screen of this height. */
int scrubber_rows(const struct scrubber *sc, const struct scene *s, int screen_h);
/* Sets s->again if work remains. */
void scrubber_arrange(struct scrubber *sc, struct scene *s, struct area a, int screen_h);
void scrubber_draw(const struct scrubber *sc, const struct scene *s, struct canvas *c,
		   struct area a);
/* Appends the position of the cursor if the scrubber has the focus, and "scrubber: time" if it
 * draws another metric than the displayed one. */
void scrubber_say(const struct scrubber *sc, const struct scene *s, struct buf *out);
/* Returns the cost of the selection over the run; while the file is still read, the last complete
 * curve. NULL: not available yet. */
const struct curve *scrubber_curve(const struct scrubber *sc);

/* ---- for the files of the scrubber ---- */
/* Returns the column of a time. */
int scrubber_column(const struct scrubber *sc, int64_t t);
bool scrubber_has_stacks(const struct track *t);
/* Returns true if the track has stacks and is selected. */
bool scrubber_looks_at(const struct scene *s, track_id i);
/* Returns the index of the drawn metric in a series; -1 if the series lacks it. */
int scrubber_metric_in(const struct series *s, metric_id metric);
/* Returns true if this thread has the number of a process without a name (`process 4711`). */
bool scrubber_is_main(const struct profile *p, process_id process, track_id track);
/* Chooses the tracks for at most `rows` lines, into sc->lines. */
void scrubber_choose_lines(struct scrubber *sc, const struct scene *s, int rows);

/* Sets the range [from, to) of the lens; an end of the run leaves it open there. */
void scrubber_set_range(const struct scrubber *sc, const struct scene *s, int64_t from,
			int64_t to, struct lens *l);
/* Performs an action. Returns true if it changed the range in *l. If there was nothing to change,
 * sets *why to the reason; otherwise leaves it unchanged. */
bool scrubber_act(struct scrubber *sc, const struct scene *s, enum action action,
		  struct lens *l, const char **why);
/* Handles the mouse at column x: the beginning of a range, or (drag) its other end. Returns true if
 * it changed the range in *l. */
bool scrubber_point(struct scrubber *sc, const struct scene *s, int x, bool drag,
		    struct lens *l);

#endif
