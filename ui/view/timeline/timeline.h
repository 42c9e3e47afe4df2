/* timeline.h - shared by the files of the timeline; no other file includes it.
 *
 * timeline.c         the view's functions, keys, mouse
 * timeline_cursor.c  moving the cursor, search
 * timeline_window.c  the visible part of the run
 * timeline_lanes.c   lanes and the rows that they get
 * timeline_columns.c the cells of a lane
 * timeline_cost.c    the place where a function costs most
 * timeline_list.c    the list of lines: folded processes, sums of lanes in the window
 * timeline_order.c   sorting of lanes
 * timeline_pins.c    pinned lanes and the order, as words
 * timeline_labels.c  labels of lanes
 * timeline_boxes.c   drawing stacks as boxes
 * timeline_draw.c    drawing lanes and the panel for the cursor
 * timeline_points.c  drawing lanes of points
 * timeline_states.c  rows of states above stacks, lines of threads that have states alone
 * timeline_edges.c   edges at the cursor, and moving along them
 * timeline_counter.c counters: bars, scale, peaks
 * timeline_ruler.c   the ruler, and times in words
 *
 * A lane is a series of a track.  Times count from the first event of the lane's file, as
 * everywhere in the browser. */
#ifndef PNAV_UI_VIEW_TIMELINE_TIMELINE_H
#define PNAV_UI_VIEW_TIMELINE_TIMELINE_H

#include "model/base/sum.h"
#include "model/base/vec.h"
#include "model/picture/arrows.h"
#include "model/picture/bands.h"
#include "model/picture/cells.h"
#include "model/picture/points.h"
#include "ui/view/view.h"

/* The cells of a lane of stacks; only visible lanes have them. */
struct lane_cells {
	struct cells shown;
	struct cells next; /* of the current window, made in portions */
};

struct lane {
	struct layout_lane run; /* its series */
	track_id track;
	uint32_t place; /* index of its series in the track */
	int64_t start; /* absolute time of the first event of its file */
	uint64_t measured; /* number of events when hold, min and max were computed */
	int need;          /* rows for all its frames, for the largest depth seen so far */
	int rows, y; /* on the screen, y from the top of the lanes; rows 0: not visible */
	struct lane_cells *cells;     /* of stacks; NULL: not made */
	int64_t seen_from, seen_to;   /* the range that cells.shown covers, if any */
	bool seen_whole;              /* cells.shown was made for the window, not adapted to it */
	struct point_column *point;   /* of points */
	double min, max;
	uint64_t stamp; /* timeline.stamp of the columns */
	int64_t sum;    /* of the metric in the window, at the last measurement */
	size_t stood;   /* position among all lanes at the last sorting, from 1; 0: none */
	bool points;    /* a series of points, not of stacks */
	bool idle;      /* no event of it is in the window */
	actor_id actor; /* of its track; ACTOR_NONE: it has no states and edges */
	bool states;    /* this lane shows the states of the actor */
	bool fellows;   /* its process has other lanes, so it is indented below a line for it */
	uint32_t pin;   /* position among the pinned lanes, from 1; 0: not pinned */
	char *pin_name; /* of a pinned lane: place and name, as a word of the state */
};

/* The kinds of lines in the list: a lane, the idle lanes together, a process above its threads, the
 * marks of a process together, the threads that have states alone, one of these. */
enum line_kind { LINE_LANE, LINE_IDLE, LINE_PROCESS, LINE_MARKS, LINE_ACTORS, LINE_ACTOR };

struct shelf {
	enum line_kind kind;
	size_t lane;      /* of LINE_LANE */
	process_id process; /* of LINE_PROCESS and LINE_MARKS, else PROCESS_NONE */
	uint32_t count;   /* lanes that it represents */
	int indent;
	int rows, y; /* on the screen, as in struct lane */
	actor_id actor; /* of LINE_ACTOR */
};

/* The states of an actor in the columns of the window; only visible actors have them. */
struct state_row {
	struct bands bands;
	struct band_column *column;
	uint64_t stamp; /* timeline.stamp of the columns */
};

enum timeline_order { ORDER_BUSIEST, ORDER_FILE, ORDER_NAME, ORDER_START, ORDER_COUNT };

/* A previous window; before a move along an edge, also the cursor. */
struct window {
	int64_t from, to;
	bool edge;
	actor_id actor;
	int64_t when;
	unsigned depth;
};

/* The edges at the cursor, and what they were searched for. */
struct timeline_edges {
	struct arrows found;
	actor_id actor; /* ACTOR_NONE: nothing was searched */
	int64_t from, to, when;
	uint64_t folds;
};

struct timeline {
	VEC(struct lane) lanes; /* in the order of the file */
	VEC(size_t) sorted;     /* indices of all lanes, in display order */
	VEC(struct shelf) list;  /* the lines, from top to bottom */
	enum timeline_order order;
	bool listed;      /* the list matches window and fold */
	size_t summed;    /* number of lanes measured for the list so far */
	int64_t sum_from, sum_to;
	uint64_t sum_folds;
	bool idle_open;
	bool scaled;      /* counters begin at their lowest value in the window, not at zero */
	struct processes {
		process_id *at;
		size_t n, cap;
	} closed, /* folded ones */
		marked; /* those whose marks are listed one by one */
	struct shelf kept; /* the cursor's line while the list is made; unused for a lane (sel) */
	uint32_t pins;
	VEC(char *) recalled_pins; /* of a restored state, */
	bool pins_due;             /* which are not pinned yet */
	bool has_metric;  /* some lane has the metric of the lens */
	size_t shared[2]; /* bytes of the common prefix of all names: of stacks, of points */
	int widest;       /* columns of the widest label */
	uint32_t above, below; /* lines scrolled away */
	struct layout layout;
	uint64_t folds, stamp;
	uint64_t tree, generation; /* serial of the tree and of the profile of the layout */
	uint64_t of;               /* serial of the names of the lanes' profile */
	size_t sel;       /* the selected lane, the last one under the cursor */
	size_t at, top;   /* the line of the cursor, the first visible line */
	int64_t from, to; /* the window */
	int64_t when;     /* time of the cursor */
	unsigned depth;   /* depth of the cursor's frame, 1: the root; 0: always the deepest */
	int deep;         /* frames scrolled away above, in the selected lane */
	struct layout_slice slice; /* under the cursor */
	bool has_slice;
	int64_t duration;
	int64_t range_from, range_to; /* range of the lens at the last arrange() */
	bool whole;                   /* it had no range */
	uint64_t jumps;
	bool own_range; /* the timeline itself sets the range: the window stays */
	VEC(struct window) before; /* previous windows to return to, the latest last */
	int64_t drag_from; /* time at which the mouse went down; -1: nowhere */
	struct timeline_held {
		size_t sel, top;
		int64_t from, to, when;
		unsigned depth;
		int deep;
	} held; /* the cursor when a search began */
	bool fresh;    /* neither the user nor another view has chosen a lane or a moment */
	bool recalled; /* a session's window waits for the first arrange() */
	int64_t recalled_from, recalled_to, recalled_when;
	size_t recalled_lane;    /* SIZE_MAX: the session has none */
	unsigned recalled_depth;
	int label_cols, cols; /* equal to the scrubber's, so that times are aligned */
	int lane_rows, panel_rows;
	int64_t made_from, made_to; /* the window of the columns */
	int made_cols;
	size_t laid;      /* lines of the list when rows were distributed; 0: anew */
	int laid_rows;    /* and the rows then */
	bool rows_wait;   /* they stay where they are until the keys rest */
	bool made_column; /* this portion has made a column of some lane */
	struct state_row **state_row; /* [actor], or NULL */
	uint32_t n_state_rows;
	bool lanes_have_states;
	bool actors_turned; /* the user opened or closed the threads that have states alone */
	actor_id wanted;    /* whose line the next list selects; ACTOR_NONE */
	struct timeline_edges edges;
	struct cells probe; /* a single column, to test whether anything runs there */
};

#define RULER_ROWS 1

/* The line under the cursor unless it is a lane; else NULL. */
static inline const struct shelf *
timeline_line(const struct timeline *v)
{
	return v->at < v->list.n && v->list.at[v->at].kind != LINE_LANE
		       ? &v->list.at[v->at]
		       : NULL;
}
/* The lane under the cursor, or NULL. */
static inline struct lane *
timeline_selected(struct timeline *v)
{
	return v->sel < v->lanes.n && !timeline_line(v) ? &v->lanes.at[v->sel] : NULL;
}
/* The actor under the cursor, or ACTOR_NONE. */
static inline actor_id
timeline_actor(const struct timeline *v)
{
	const struct shelf *line = timeline_line(v);
	if (line)
		return line->kind == LINE_ACTOR ? line->actor : ACTOR_NONE;
	return v->sel < v->lanes.n ? v->lanes.at[v->sel].actor : ACTOR_NONE;
}
/* The rows of a lane above its stacks: one for the states, if two rows are visible. */
static inline int
lane_state_rows(const struct lane *lane)
{
	return lane->states && lane->rows > 1;
}
static inline int
lane_stack_rows(const struct lane *lane)
{
	return lane->rows - lane_state_rows(lane);
}
/* Index of the metric that shows a series' activity: that of the lens, else the first. */
static inline unsigned
timeline_metric(const struct series *s, metric_id metric)
{
	for (unsigned i = 0; i < s->n_metrics; i++)
		if (s->metric[i] == metric)
			return i;
	return 0;
}
/* Returns true if the activity of the series is comparable with that of other lanes: it has the
 * metric of the lens, or no lane has it. */
bool timeline_compares(const struct timeline *v, const struct scene *s, const struct series *x);
static inline bool
lane_has_stacks(const struct lane *lane)
{
	return !lane->points;
}

static inline bool
lane_is_counter(const struct scene *s, const struct lane *lane)
{
	return s->p->track[lane->track].kind == TRACK_COUNTER;
}

/* Absolute time of a moment `at` after the first event of the lane's file; saturates. */
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

#define LEAF_ROWS 3 /* from here on the last row of a lane that hides deep frames is the leaves' */

/* Frames scrolled away above the lane's first row. */
static inline int
lane_deep(const struct timeline *v, const struct lane *lane)
{
	return lane_is_selected(v, lane) ? v->deep : 0;
}
/* Frames hidden below its last row. */
static inline int
lane_hides(const struct timeline *v, const struct lane *lane)
{
	int hidden = lane->need - lane_deep(v, lane) - lane_stack_rows(lane);
	return hidden > 0 ? hidden : 0;
}
/* Returns the depth that a row of stacks shows (1: the root frames); 0: the leaves of any depth. */
static inline unsigned
lane_depth(const struct timeline *v, const struct lane *lane, int row)
{
	int rows = lane_stack_rows(lane);
	bool leaves = rows == 1 || (rows >= LEAF_ROWS && row == rows - 1 && lane_hides(v, lane));
	return leaves ? 0u : (unsigned)(lane_deep(v, lane) + row + 1);
}

/* True for a lane that a line of the marks of this process represents. */
static inline bool
timeline_is_mark_of(const struct timeline *v, const struct scene *s, process_id process,
		    size_t lane)
{
	const struct lane *x = &v->lanes.at[lane];
	const struct track *t = &s->p->track[x->track];
	return t->kind == TRACK_MARKS && t->under == process && !x->idle && !x->pin;
}

void timeline_lane_release(struct lane *lane);
/* Makes the lanes of a new fold, lanes of stacks first. */
void timeline_look(struct timeline *v, const struct scene *s);
/* Computes hold, min and max of a lane's series if events were added. */
void timeline_measure(struct timeline *v, const struct scene *s, struct lane *lane);

/* ---- the order (timeline_order.c) ---- */
const char *timeline_order_word(const struct timeline *v);
/* Fills v->sorted with the indices of all lanes; their sums must be known. */
void timeline_sort(struct timeline *v, const struct scene *s);

/* ---- the list (timeline_list.c) ---- */
/* Updates the list for window and fold, a portion at a time; false while there is more to do. */
bool timeline_list(struct timeline *v, const struct scene *s);
/* Requests a new list for the same window and fold. */
void timeline_relist(struct timeline *v);
bool timeline_is_closed(const struct timeline *v, process_id process);
/* Returns true if the marks of a process are listed one by one. */
bool timeline_shows_marks(const struct timeline *v, process_id process);
/* Moves the cursor to any lane; or to the line above or below, false at the end. */
void timeline_select(struct timeline *v, size_t lane);
bool timeline_go_line(struct timeline *v, int by);
/* Moves the cursor to the lane of an actor, or to its line in the next list. */
void timeline_go_actor(struct timeline *v, actor_id actor);
/* Effects of keys: open or close the cursor's line, fold its process, pin its track, change
 * the order. */
void timeline_toggle(struct timeline *v);
void timeline_fold(struct timeline *v, struct scene *s);
void timeline_pin(struct timeline *v);
void timeline_next_order(struct timeline *v);

/* ---- labels (timeline_labels.c) ---- */
void timeline_measure_labels(struct timeline *v, const struct scene *s);
/* Width of the column of labels on a screen of w columns. */
int timeline_label_cols(const struct timeline *v, int w);
void timeline_label(const struct timeline *v, const struct scene *s, const struct lane *lane,
		    struct buf *out);
/* Appends the label of the process of the lane's track. */
void timeline_process_label(const struct scene *s, const struct lane *lane, struct buf *out);

/* Distributes the rows and makes columns of the visible lanes, for about a portion; there must be
 * lanes.  False while some are missing. */
bool timeline_lay_lanes(struct timeline *v, const struct scene *s);
/* Makes columns of one lane, at least one, until about `until_ns`; true if all are made.  Until
 * then the lane shows the previous cells, adapted to the window. */
bool timeline_columns(struct timeline *v, const struct scene *s, struct lane *lane,
		      int64_t until_ns);
/* Discards the columns, since nodes have other ids in a new tree. */
void timeline_drop_columns(struct lane *lane);

/* Stores the state under the cursor, or the time up to the next mark: [*from, *to).  False if
 * the lane has none there. */
bool timeline_phase(const struct timeline *v, const struct scene *s, const struct lane *lane,
		    int64_t *from, int64_t *to);
/* Finds the next state or mark after a moment (dir < 0: before it) that matches the search. */
bool timeline_find_phase(const struct scene *s, const struct lane *lane, int64_t from, int dir,
			 int64_t *when);
/* Finds the lane in which the selected function costs most in the range, and a moment when it
 * runs there.  False if it has no cost. */
bool timeline_find_cost(const struct timeline *v, const struct scene *s, size_t *lane,
			int64_t *when);
/* Moves the cursor to the first event in the window on the selected lane. */
void timeline_go_to_begin(struct timeline *v, const struct scene *s);

/* Returns true if the selected function is on the stack under the cursor. */
bool timeline_shows_key(const struct timeline *v, const struct scene *s);

/* ---- the cursor (timeline_cursor.c) ---- */
/* Finds the slice under the cursor. */
void timeline_find_slice(struct timeline *v, const struct scene *s);
/* Selects the frame under the cursor, after a movement. */
void timeline_settle(struct timeline *v, struct scene *s);
/* Move the cursor to the call that another view requests; and to the place where the selected
 * function costs most, unless the cursor is on it. */
void timeline_jump(struct timeline *v, struct scene *s);
void timeline_go_to_cost(struct timeline *v, struct scene *s);
/* Moves the cursor to the line above or below, on the frame of this depth. */
void timeline_go_lane(struct timeline *v, struct scene *s, int by, unsigned depth);
/* Says so if no chosen track has a counter, and returns false. */
bool timeline_say_counters(const struct timeline *v, struct scene *s);
/* Moves the cursor to the next lane with a counter, or says that there is none. */
void timeline_go_counter(struct timeline *v, struct scene *s);
/* On a lane with a counter moves to its highest (or lowest) point in the window; else false. */
bool timeline_go_peak(struct timeline *v, struct scene *s, bool highest);
/* Performs an action of movement; REPLY_PASS for others. */
enum reply timeline_move(struct timeline *v, struct scene *s, enum action action);
/* The view's find() and hold_cursor(). */
bool timeline_find(void *view, struct scene *s, int dir);
void timeline_hold_cursor(void *view, const struct scene *s, bool back);

/* ---- states (timeline_states.c) ---- */
/* Finds the actors of the lanes, after the lanes were made. */
void timeline_find_actors(struct timeline *v, const struct scene *s);
void timeline_release_states(struct timeline *v);
/* Lists the threads that have states in the window and no lane, the most active first. */
void timeline_list_actors(struct timeline *v, const struct scene *s);
bool timeline_actors_open(const struct timeline *v);
/* Makes the columns of an actor's states. */
void timeline_state_columns(struct timeline *v, const struct scene *s, actor_id actor);
/* Draws the states of an actor at line y, from column `left`. */
void timeline_draw_states(const struct timeline *v, const struct scene *s, struct canvas *c, int y,
			  int left, actor_id actor);
/* Gets the state of an actor at a moment since the begin of its file, and its extent [*from, *to),
 * absolute. Returns ACTOR_UNKNOWN with an empty extent if the actor has no states. */
enum actor_state timeline_state(const struct scene *s, actor_id actor, int64_t when, int64_t *from,
				int64_t *to);

/* ---- edges (timeline_edges.c) ---- */
/* Finds the edges at the cursor, unless keys come in quickly. */
void timeline_find_edges(struct timeline *v, struct scene *s);
/* Appends the state at the cursor with its duration, and the edges: what fits `cols` columns. */
void timeline_write_state(const struct timeline *v, const struct scene *s, int cols,
			  struct buf *out);
/* The view's hover(): the function of the box under the pointer, and what the box holds. */
bool timeline_hover(void *view, const struct scene *s, int y, int x, struct row *out,
		    struct buf *more);
/* The view's card(). */
void timeline_card(const void *view, const struct scene *s, struct buf *out);
/* Returns an edge at the cursor that arrives, or one that leaves; NULL if there is none. */
const struct arrow *timeline_edge(const struct timeline *v, bool arrives);
/* Marks the visible ends of the edges. */
void timeline_draw_edges(const struct timeline *v, const struct scene *s, struct canvas *c,
			 struct area a);
/* Moves the cursor to the other end of an edge that leaves (dir < 0: that arrives). */
enum reply timeline_follow(struct timeline *v, struct scene *s, int dir);
/* Makes the slice or state under the cursor the target of REPLY_WHY; REPLY_PASS: there is none. */
enum reply timeline_aim(const struct timeline *v, struct scene *s);

/* ---- pinned lanes (timeline_pins.c) ---- */
/* Pins a lane as the last one of those, or unpins it. */
void timeline_pin_lane(struct timeline *v, struct lane *lane, bool on);
/* Pins the lanes of a restored state, once they are there. */
void timeline_restore_pins(struct timeline *v);
/* Drops those that are not pinned yet. */
void timeline_forget_pins(struct timeline *v);
/* Appends the words of the order and of the pinned lanes, the first one first. */
void timeline_save_order(const struct timeline *v, struct buf *out);
/* Reads one of these words; returns its length, 0 if it is none. */
size_t timeline_restore_order(struct timeline *v, const char *word);

/* ---- the window ---- */
/* The view's save_state() and restore_state(). */
void timeline_save_state(const void *view, struct buf *out);
bool timeline_restore_state(void *view, const char *words);
void timeline_shift_times(void *view, int64_t by);
/* The view's save_position(): always, with the lane and the frame of the cursor. */
void timeline_save_position(const void *view, struct buf *out);
/* Sets the window to [from, to), clipped to the run and at least SPAN_MIN long. */
void timeline_set_window(struct timeline *v, int64_t from, int64_t to);
/* Call it when the range of the lens may have changed or the run has grown.  A window that showed
 * the range follows it; a window that the user chose stays if it overlaps the range. */
void timeline_follow_range(struct timeline *v, const struct scene *s);
/* Moves the cursor into the window; and the window to the cursor. */
void timeline_clamp_cursor(struct timeline *v);
void timeline_show_cursor(struct timeline *v);
void timeline_zoom(struct timeline *v, bool closer);
void timeline_pan(struct timeline *v, int dir);
/* Stores the window for timeline_step_back().  Call it before a jump or a zoom, not for each step
 * of a pan. */
void timeline_keep_window(struct timeline *v);
/* Returns to the previous window, else to the whole run; false if that is already shown. */
bool timeline_step_back(struct timeline *v);
/* Returns true if timeline_fit() changes the window. */
bool timeline_fit_has_effect(const struct timeline *v, const struct scene *s);
/* Sets the window to the slice, then to the range, then to the whole run. */
void timeline_fit(struct timeline *v, const struct scene *s);
/* The column of a moment; < 0 or >= cols outside the window. */
int timeline_column(const struct timeline *v, int64_t when);
/* The first moment of a column. */
int64_t timeline_moment(const struct timeline *v, int column);

/* ---- drawing ---- */
void timeline_draw_ruler(const struct timeline *v, const struct scene *s, struct canvas *c,
			 struct area a);
/* Draws a row of a lane of stacks (0: the leaves) at line y, from column `left`. */
void timeline_draw_boxes(const struct timeline *v, const struct scene *s, struct canvas *c,
			 int y, int left, const struct lane *lane, unsigned row);
/* Draws a lane of points from line y, column `left`. */
void timeline_draw_points(const struct timeline *v, const struct scene *s, struct canvas *c,
			  int y, int left, const struct lane *lane);
/* Finds the point after (dir > 0) or before a moment; false if there is none. */
bool timeline_next_point(const struct lane *lane, int64_t from, int dir, int64_t *when);
/* Draws the ticks of all marks of a process. */
void timeline_draw_all_marks(const struct timeline *v, const struct scene *s, struct canvas *c,
			     int y, int left, process_id process);
/* Appends the names of the marks of a process in the column of the cursor. */
void timeline_write_marks(const struct timeline *v, const struct scene *s, process_id process,
			  struct buf *out);
/* Returns the row of the zero line of a counter, the first being 0; -1: zero is not between the
 * ends of its scale, or at its lower end, or the counter has one row. */
int timeline_zero_row(const struct timeline *v, const struct lane *lane);
/* Draws a counter from line y, column `left`. */
void timeline_draw_counter(const struct timeline *v, struct canvas *c, int y, int left,
			   const struct lane *lane);
/* Appends the scale of a counter, the values of its lowest and highest bar, with a text between
 * them: "0 … 48 MB". */
void timeline_write_scale(const struct timeline *v, const struct scene *s, const struct lane *lane,
			  const char *between, struct buf *out);
/* Appends a value of a counter, whole numbers with all digits. */
void timeline_write_value(struct buf *out, double value);
/* Finds the next lane with a counter after the selected one; false if there is none. */
bool timeline_find_counter(const struct timeline *v, const struct scene *s, size_t *lane);
/* Finds the first moment in the window at which the counter is highest, or lowest. */
bool timeline_find_peak(const struct timeline *v, const struct lane *lane, bool highest,
			int64_t *when);
/* Appends the value at the cursor. */
void timeline_write_point(const struct timeline *v, const struct scene *s,
			  const struct lane *lane, struct buf *out);
/* Appends the labels of an event, if it has any. */
void timeline_write_labels(const struct scene *s, labels_id set, struct buf *out);
void timeline_draw(const void *view, const struct scene *s, struct canvas *c,
		   struct area a);

#endif
