/* timeline.h - what the files of the timeline share; nobody else includes it.
 *
 * timeline.c         what is shown: keys, mouse
 * timeline_cursor.c  the cursor, steps, search
 * timeline_window.c  which part of the run
 * timeline_lanes.c   the lanes and their rows
 * timeline_columns.c their columns
 * timeline_cost.c    where a function costs most
 * timeline_list.c    which of them are folded, and what they have in the window
 * timeline_order.c   their order
 * timeline_labels.c  what they are called
 * timeline_boxes.c   stacks as boxes
 * timeline_draw.c    how it looks: lanes, what is under the cursor
 * timeline_points.c  lanes of points
 * timeline_ruler.c   the ruler, and times in words
 *
 * A lane is a series of a track.  Times here count from the first event of the lane's
 * file, as everywhere in the browser. */
#ifndef PNAV_UI_VIEW_TIMELINE_H
#define PNAV_UI_VIEW_TIMELINE_H

#include "model/picture/cells.h"
#include "model/picture/points.h"
#include "model/base/sum.h"
#include "model/base/vec.h"
#include "ui/view/view.h"

/* What is shown of a lane of stacks: only those in sight have it. */
struct lane_cells {
	struct cells shown;
	struct cells next; /* those of the window, as far as they are made */
};

struct lane {
	struct layout_lane run; /* its series */
	track_id track;
	uint32_t place; /* of its series in the track */
	int64_t start; /* absolute time of the first event of its file */
	uint64_t measured; /* events when hold, min and max were found */
	int need;          /* rows for all its frames, as deep as was seen so far */
	int rows, y; /* on the screen, y from the top of the lanes; rows 0: not there */
	struct lane_cells *cells;     /* of stacks; NULL: none were made */
	int64_t seen_from, seen_to;   /* what those shown are of, where there are any */
	bool seen_whole;              /* they were made for the window, not only known of it */
	struct point_column *point;   /* of points */
	double min, max;
	uint64_t stamp; /* which window the columns were made for */
	int64_t sum;    /* of the metric in the window, when it was measured last */
	size_t stood;   /* where among all lanes, from 1, when they were ordered last; 0: nowhere */
	bool points;    /* its series is one of points, not of stacks */
	bool idle;      /* nothing of it is in the window */
	bool fellows;   /* there are others of its process: they stand under its line */
	uint32_t pin;   /* the order of those that stay on top; 0: it does not */
};

/* What stands in a line of the list: a lane, those that are idle, or a process over its
 * threads. */
enum line_kind { LINE_LANE, LINE_IDLE, LINE_PROCESS };

struct shelf {
	enum line_kind kind;
	size_t lane;      /* of LINE_LANE */
	process_id process; /* of LINE_PROCESS, else PROCESS_NONE */
	uint32_t count;   /* lanes that it stands for */
	int indent;
	int rows, y; /* on the screen, as those of a lane */
};

enum timeline_order { ORDER_BUSIEST, ORDER_FILE, ORDER_NAME, ORDER_START, ORDER_COUNT };

struct window {
	int64_t from, to;
};

struct timeline {
	VEC(struct lane) lanes; /* in the order of the file */
	VEC(size_t) sorted;     /* all of them as they are ordered */
	VEC(struct shelf) list;  /* what is shown of them, from top to bottom */
	enum timeline_order order;
	bool listed;      /* the list is of this window and this fold */
	size_t summed;    /* so many lanes are measured for it */
	int64_t sum_from, sum_to;
	uint64_t sum_folds;
	bool idle_open;
	VEC(process_id) closed; /* processes */
	struct shelf kept; /* the cursor's line while there is no list; of a lane: sel tells */
	uint32_t pins;
	bool has_metric;  /* some lane has the one that is looked at */
	size_t shared[2]; /* bytes that all names begin with: of stacks, of points */
	int widest;       /* columns of the widest label */
	uint32_t above, below; /* lines that are not on the screen */
	struct layout layout;
	uint64_t folds, stamp;
	uint64_t tree, generation; /* serial and profile of what the layout was made for */
	uint64_t of;               /* the serial of the names of the profile that lanes are of */
	size_t sel;       /* the selected lane, the last one that the cursor was on */
	size_t at, top;   /* the line of the cursor, the first line shown */
	int64_t from, to; /* the window */
	int64_t when;     /* the cursor */
	unsigned depth;   /* the frame it is on, 1: the root; 0: always the deepest */
	int deep;         /* frames scrolled away above, in the selected lane */
	struct layout_slice slice; /* under the cursor */
	bool has_slice;
	int64_t duration;
	int64_t range_from, range_to; /* of the lens, when it was looked at last */
	bool whole;                   /* it had none */
	uint64_t jumps;
	bool own_range; /* the range that changes now was set here: the window stays */
	VEC(struct window) before; /* that were zoomed out of sight, the last one at the end */
	int64_t drag_from; /* where the mouse went down; -1: nowhere */
	struct timeline_held {
		size_t sel, top;
		int64_t from, to, when;
		unsigned depth;
		int deep;
	} held; /* where a search began */
	bool recalled; /* a session's window waits for the first arrange() */
	int64_t recalled_from, recalled_to, recalled_when;
	size_t recalled_lane;    /* SIZE_MAX: not told */
	unsigned recalled_depth;
	struct area area;
	int label_cols, cols; /* as the scrubber has them, so that times are aligned */
	int lane_rows, panel_rows;
	int64_t made_from, made_to; /* what the columns were made for */
	int made_cols;
	bool made_column; /* of any lane, in this portion */
	struct cells probe; /* one column, to look whether anything is there */
};

#define RULER_ROWS 1

/* The line that the cursor is on, when that is no lane; else NULL. */
static inline const struct shelf *
timeline_line(const struct timeline *v)
{
	return v->at < v->list.n && v->list.at[v->at].kind != LINE_LANE
		       ? &v->list.at[v->at]
		       : NULL;
}
/* The lane that the cursor is on; NULL: there is none. */
static inline struct lane *
timeline_selected(struct timeline *v)
{
	return v->sel < v->lanes.n && !timeline_line(v) ? &v->lanes.at[v->sel] : NULL;
}
/* Which metric of a series stands for its activity: the one looked at, else the first. */
static inline unsigned
timeline_metric(const struct series *s, metric_id metric)
{
	for (unsigned i = 0; i < s->n_metrics; i++)
		if (s->metric[i] == metric)
			return i;
	return 0;
}
/* Can the activity of a lane be compared with that of others?  Not, where those have the
 * metric that is looked at, and it has not: bytes are no samples. */
bool timeline_compares(const struct timeline *v, const struct scene *s, const struct series *x);
bool lane_has_stacks(const struct lane *lane);

/* The time of an event of the lane that lies `at` after the first event of its file; the last
 * time of all where the sum passes it. */
static inline int64_t
lane_time(const struct lane *lane, int64_t at)
{
	return sum_clipped(lane->start, at);
}
static inline bool
lane_is_selected(const struct timeline *v, const struct lane *lane)
{
	return !timeline_line(v) && lane == &v->lanes.at[v->sel];
}

void timeline_lane_release(struct lane *lane);
/* The fold is another one: its lanes, those of stacks first. */
void timeline_look(struct timeline *v, const struct scene *s);
/* Finds what is known of a lane's series as a whole, unless it is known. */
void timeline_measure(struct timeline *v, const struct scene *s, struct lane *lane);

/* ---- the order (timeline_order.c) ---- */
const char *timeline_order_word(const struct timeline *v);
/* Fills v->sorted with the numbers of all lanes, whose sums are known. */
void timeline_sort(struct timeline *v, const struct scene *s);

/* ---- the list (timeline_list.c) ---- */
/* Brings the list in line with window and fold, a portion at a time; false while there is
 * more to do. */
bool timeline_list(struct timeline *v, const struct scene *s);
/* What decides the list has changed, without window and fold. */
void timeline_relist(struct timeline *v);
bool timeline_is_closed(const struct timeline *v, process_id process);
/* The cursor goes to a lane, wherever it is; to the line above or below, false at the end. */
void timeline_select(struct timeline *v, size_t lane);
bool timeline_go_line(struct timeline *v, int by);
/* What the keys do: open and close the line of the cursor, fold what the cursor is on or
 * in, pin its track, the next order. */
void timeline_toggle(struct timeline *v);
void timeline_fold(struct timeline *v, struct scene *s);
void timeline_pin(struct timeline *v);
void timeline_next_order(struct timeline *v);

/* ---- labels (timeline_labels.c) ---- */
void timeline_measure_labels(struct timeline *v, const struct scene *s);
/* How wide the column of labels is on a screen of w columns. */
int timeline_label_cols(const struct timeline *v, int w);
void timeline_label(const struct timeline *v, const struct scene *s, const struct lane *lane,
		    struct buf *out);
/* Of the process that the lane's track stands under. */
void timeline_process_label(const struct scene *s, const struct lane *lane, struct buf *out);

/* Shares out the rows and makes the columns of the lanes in sight, for about a portion;
 * there are lanes.  False while some of them are to come. */
bool timeline_lay_lanes(struct timeline *v, const struct scene *s);
/* Makes those of one, at least one, until about `until_ns`: true when they are all there.  Until
 * then it shows what was known of the window before. */
bool timeline_columns(struct timeline *v, const struct scene *s, struct lane *lane,
		      int64_t until_ns);
/* Its stacks are other nodes now: nothing is known of them. */
void timeline_drop_columns(struct lane *lane);

/* Where a name of so many columns is put that would begin at column x of a box that ends w columns
 * on: behind the cursor where that would cross it, and there is room for all of it, or it begins
 * right there. */
int timeline_name_place(const struct timeline *v, int x, int w, int cols);
/* The state that the cursor is in, or the time up to the next mark: [*from, *to).  False: the
 * lane has no such, or nothing yet. */
bool timeline_phase(const struct timeline *v, const struct scene *s, const struct lane *lane,
		    int64_t *from, int64_t *to);
/* The next state or mark behind a moment (dir < 0: before it) that is searched for. */
bool timeline_find_phase(const struct scene *s, const struct lane *lane, int64_t from, int dir,
			 int64_t *when);
/* Where the selected function costs most in the range: the lane, and a moment in which it
 * runs there.  False: nowhere. */
bool timeline_find_cost(const struct timeline *v, const struct scene *s, size_t *lane,
			int64_t *when);
/* The cursor goes to where something first runs in the window on the selected lane. */
void timeline_go_to_begin(struct timeline *v, const struct scene *s);

/* Is the selected function on the stack under the cursor? */
bool timeline_shows_key(const struct timeline *v, const struct scene *s);

/* ---- the cursor (timeline_cursor.c) ---- */
/* Finds the slice that it is on. */
void timeline_find_slice(struct timeline *v, const struct scene *s);
/* It was moved: its frame is the selection. */
void timeline_settle(struct timeline *v, struct scene *s);
/* To the call that another view asks for, and to where the selected function costs most,
 * unless it is there. */
void timeline_jump(struct timeline *v, struct scene *s);
void timeline_go_to_cost(struct timeline *v, struct scene *s);
/* To the line above or below, on the frame of this depth. */
void timeline_go_lane(struct timeline *v, struct scene *s, int by, unsigned depth);
/* What the keys of movement do; REPLY_PASS: it is none of them. */
enum reply timeline_move(struct timeline *v, struct scene *s, enum action action);
/* As the view's find() and hold(). */
bool timeline_find(void *view, struct scene *s, int dir);
void timeline_hold(void *view, const struct scene *s, bool back);

/* ---- the window ---- */
/* As the view's keep() and recall(). */
void timeline_keep(const void *view, struct buf *out);
bool timeline_recall(void *view, const char *words);
/* As keep, always, with the lane and the frame that the cursor is on. */
void timeline_stand(const void *view, struct buf *out);
/* Shows [from, to), as far as there is a run, and never less than can be told apart. */
void timeline_set_window(struct timeline *v, int64_t from, int64_t to);
/* The range of the lens may have changed, or the run have grown.  A window that showed the
 * range follows it; one that the user chose stays, unless nothing of the range is in it. */
void timeline_follow_range(struct timeline *v, const struct scene *s);
/* Brings the cursor into the window, and the window to the cursor. */
void timeline_clamp_cursor(struct timeline *v);
void timeline_show_cursor(struct timeline *v);
void timeline_zoom(struct timeline *v, bool closer);
void timeline_pan(struct timeline *v, int dir);
/* Remembers the window, to be stepped back to: before one that is another view of the
 * run, not for each step of a pan. */
void timeline_keep_window(struct timeline *v);
/* Back to the window before; without one to the whole run.  False: that is shown. */
bool timeline_step_back(struct timeline *v);
/* Shows the slice, then the range, then the whole run. */
void timeline_fit(struct timeline *v, const struct scene *s);
/* The column of a moment; < 0 or >= cols when it is not in the window. */
int timeline_column(const struct timeline *v, int64_t when);
/* The first moment of a column. */
int64_t timeline_moment(const struct timeline *v, int column);

/* ---- drawing ---- */
void timeline_draw_ruler(const struct timeline *v, const struct scene *s, struct canvas *c,
			 struct area a);
/* A row of a lane of stacks (0: the leaves) at line y, from column `left`. */
void timeline_draw_boxes(const struct timeline *v, const struct scene *s, struct canvas *c,
			 int y, int left, const struct lane *lane, unsigned row);
/* A lane of points, from line y, column `left`. */
void timeline_draw_points(const struct timeline *v, const struct scene *s, struct canvas *c,
			  int y, int left, const struct lane *lane);
/* The point after (dir > 0) or before a moment; false when there is none. */
bool timeline_next_point(const struct lane *lane, int64_t from, int dir, int64_t *when);
/* Appends the scale of a counter: "0 … 48 MB". */
void timeline_write_scale(const struct scene *s, const struct lane *lane, struct buf *out);
/* Appends what holds at the cursor. */
void timeline_write_point(const struct timeline *v, const struct scene *s,
			  const struct lane *lane, struct buf *out);
/* Appends the labels of an event, where it has some. */
void timeline_write_labels(const struct scene *s, labels_id set, struct buf *out);
void timeline_draw(const void *view, const struct scene *s, struct canvas *c,
		   struct area a);

#endif
