/* layout.h - what runs when, in columns of a screen: level of detail for drawing.
 *
 * A column covers a span of time. If it holds few events, they are read one by one. If it holds
 * many, the cost is the series' blocks (a thousandth of the events), and the column shows the
 * dominant stack. Times are absolute, in the unit of the axis.
 *
 * The layout draws nodes of a projection, so filters, hiding, granularity and inversion apply.
 * The duration of a sample (layout_hold.c) is its weight, if that is a time; else the interval
 * of its event, else the usual distance of two samples on busy tracks. It never extends beyond
 * the next sample of its series. Times without samples stay empty.
 * Samples of memory that is held say how it changes: it is held until the next change, and pictures
 * show what is held (layout_held.c).
 *
 *	struct layout l;
 *	layout_init(&l);
 *	layout_look(&l, profile, fold->tree);         -- after each fold
 *	struct layout_lane lane = {.series = series};
 *	layout_lane_look(&l, profile, &lane, fold->metric);
 *	layout_slice(&l, &lane, when, depth, &slice);      -- or a picture: cells.h
 */
#ifndef PNAV_MODEL_PICTURE_LAYOUT_H
#define PNAV_MODEL_PICTURE_LAYOUT_H

#include <stdbool.h>
#include <stdint.h>

#include "model/fold/project.h"
#include "model/profile/profile.h"

/* A cached result of layout_hold(): the usual distance of two samples of one event. */
struct layout_usual {
	const struct series *series; /* one of the series with these samples */
	uint64_t of, events;         /* cache key: the serial of the profile's names, and its
				      * number of events then */
	int64_t gap;
};
#define LAYOUT_USUAL 8u

/* The cache key of what is held: a series and its metric, and the profile, whose memory may be
 * that of an earlier one. */
struct layout_held_key {
	const struct series *series;
	uint64_t of, events; /* as in struct layout_usual */
	uint64_t n;          /* of the series */
	uint8_t metric;      /* `held` of its lane */
};
#define LAYOUT_HELD_LEVELS 11u

struct layout {
	const struct profile *p;
	const struct projection *t;
	bool all_shown; /* no stack was dropped */
	uint16_t *depth; /* [node] frames from the root; the root has 0; at most 65535 */
	/* private */
	key_id *same; /* [key] the first nameless frame of its module, else the key itself;
		       * n_same */
	uint32_t n_same;
	uint32_t same_functions, same_frames; /* sizes of the profile's tables then */
	uint64_t same_of; /* the serial of its names */
	int same_by;
	uint32_t depth_cap; /* of the next three arrays, too */
	int64_t *ran, *begun; /* [node] scratch of cells.c: zero between two columns */
	uint32_t *met;
	const struct series *block_of; /* the series whose block is in `keep` and `node` */
	uint64_t block, block_n;
	int64_t block_hold;
	uint8_t block_weight;
	uint16_t *keep;
	node_id *node;
	int64_t *time;
	uint8_t *call;
	struct layout_usual usual[LAYOUT_USUAL];
	size_t n_usual, next_usual;
	/* what is held before an event of a series, in one of its metrics */
	struct layout_held_key held_of;
	int64_t *held; /* [stack] n_held */
	uint32_t n_held;
	uint64_t held_event;
	int64_t *held_sum; /* of what is drawn, by groups of stacks, by groups of these, ... */
	size_t held_level[LAYOUT_HELD_LEVELS]; /* where the groups of a level begin */
	unsigned n_held_levels;
	uint32_t held_stacks; /* the number of stacks in these sums that hold anything */
	int64_t held_cap;     /* no stack counts for more in these sums */
	bool held_summed;     /* false: the sums must be made anew */
	struct layout_held_key most_of; /* cached: layout_held_most() */
	int64_t most;
};

void layout_init(struct layout *l);
void layout_release(struct layout *l);
/* Prepares for p and t (borrowed until the next call). O(nodes). */
void layout_look(struct layout *l, const struct profile *p, const struct projection *t);

/* A series in the layout: set {.series}, then call layout_lane_look(). */
struct layout_lane {
	const struct series *series;
	int64_t hold; /* duration of a sample whose weight is not a time */
	uint8_t weight; /* 1 + the metric of the series that is the duration of a sample, or 0 */
	uint8_t held; /* 1 + the metric of the series that says how held memory changes, or 0 */
	int64_t start, end; /* of the run; what is held ends there */
	/* private: cached results of blocks that were walked */
	uint16_t *low; /* [block] the smallest number of frames that continue across one of its
		        * events */
	uint32_t n_low;
};
/* Drops the cached blocks. Call it at the end, and whenever the projection has changed. */
void layout_lane_release(struct layout_lane *lane);

/* Finds the duration of the lane's samples: their weight if a metric (preferably `metric`) is a
 * time in ns; else layout_hold(). */
void layout_lane_look(struct layout *l, const struct profile *p, struct layout_lane *lane,
		      metric_id metric);
/* Returns the duration of a sample of this series whose weight is not a time: the interval that
 * the file states. Else the median distance of samples of the same metrics, on those tracks of
 * the file that have at least half as many as the busiest. 1 if there are no two samples. For
 * steps: unlimited. */
int64_t layout_hold(struct layout *l, const struct profile *p, const struct series *s);
/* Writes the sum of metric m of the lane's series in each of n columns that share [from, to).
 * Samples are spread over their duration. Of held memory it writes what is held at the end of each
 * column. */
void layout_bins(const struct layout_lane *lane, unsigned m, int64_t from, int64_t to, unsigned n,
		 double *out);
/* Returns the part of the metric that samples before event i, the first at or after `edge`, have
 * behind it: the last one may last longer. Sets its stack if the part is not 0. */
double layout_behind(const struct layout_lane *lane, unsigned m, uint64_t i, int64_t edge,
		     uint32_t *stack);
/* Returns true if the samples are so rare that reading all costs less than sums by columns. */
bool layout_is_rare(const struct layout_lane *lane, int64_t from, int64_t to, unsigned n);
/* Some stacks in groups. */
struct layout_choice {
	const uint8_t *in; /* [stack] 0, or 1 + its group; NULL: all stacks are in group 0 */
	uint32_t n_stacks; /* later stacks are not chosen */
	double unit;       /* values are multiplied by it */
	unsigned step;     /* distance of columns in the result */
};
/* Adds samples, one by one, to out[column * step + group], in proportion to their time in each
 * column. */
void layout_spread(const struct layout_lane *lane, unsigned m, const struct layout_choice *of,
		   int64_t from, int64_t to, unsigned n, double *out);
/* Returns when event i of the lane, e, ceases to be visible. A step ends when the next begins; a
 * sample ends after its duration, or when the next begins. A sample lasts at least one unit. */
int64_t layout_event_end(const struct layout_lane *lane, uint64_t i, const struct event *e);

/* Returns the node drawn for an event; NODE_NONE: nothing. */
node_id layout_node(const struct layout *l, const struct series *s, uint64_t event);

/* Sets out[i] in the columns that show a node with hit[node] != 0; leaves others unchanged. A
 * column with many events is tested by the dominant stacks of its blocks and by one full block.
 * So a rare short hit may be missed, but a mark is never wrong. */
void layout_hits(struct layout *l, const struct series *s, const uint8_t *hit,
		 int64_t from, int64_t to, unsigned n, uint8_t *out);

/* Returns the sum of metric m of a series (index in the series) in [from, to) over everything
 * shown, or over the nodes with of[node] == 1 if `of` is not NULL. It is exact if everything is
 * shown, or for at most `exact` events, which are read one by one. Else it only separates larger
 * from smaller sums, and a node that dominates no block counts as 0. Returns 0 for a series that
 * is not sorted. */
#define LAYOUT_SUM_EVENTS 512u /* enough for a sort order */
int64_t layout_sum(const struct layout *l, const struct series *s, unsigned m,
		   const uint8_t *of, int64_t from, int64_t to, uint64_t exact);

/* ---- held memory (layout_held.c) ---- */

/* Returns true if the metric is memory that is held: `live`, `live ...`, `inuse...`, in bytes. */
bool layout_is_held(const struct profile *p, metric_id m);
/* Returns 1 + the index of that metric of the series which a lane shows; 0 if it shows none. */
uint8_t layout_held_metric(const struct profile *p, const struct series *s, metric_id metric);
/* Returns how much all stacks hold before a moment. */
int64_t layout_held_at(const struct series *s, unsigned m, int64_t time);
/* Writes how much they hold at the end of each of n columns that share [from, to). */
void layout_held_bins(const struct series *s, unsigned m, int64_t from, int64_t to, unsigned n,
		      double *out);
/* Calls `give` for stacks that are drawn and hold memory before a moment, in order of their ids,
 * each with a part of it; the parts are near the sum of all. If more than `most` stacks hold any,
 * it takes those at equal distances of the running sum, at most `most`, and reads no others but
 * their neighbours: O(most log stacks), and once for each projection O(stacks). Returns how many
 * numbers it has read. The lane is one with `held`. */
typedef void (*layout_held_give)(void *ctx, stack_id s, int64_t part);
uint64_t layout_held_parts(struct layout *l, const struct layout_lane *lane, int64_t time,
			   uint32_t most, layout_held_give give, void *ctx);
/* Returns the most that is held at any moment, at least 1; of a long series, at one of a block's
 * begins. */
int64_t layout_held_most(struct layout *l, const struct layout_lane *lane);

/* ---- slices ---- */

struct layout_slice {
	bool shown;   /* false: nothing runs there; start and end are those of the gap */
	node_id node; /* the frame of the slice */
	uint64_t event; /* the event that holds at the requested time */
	uint64_t first; /* the event that begins the slice */
	int64_t start, end;
	bool start_known, end_known; /* false: start or end lies at least this far */
};

/* Finds the slice at a time: of the frame at this depth (1: the root frame), or of the deepest
 * frame if the stack is less deep. One call reads at most some hundred thousand events and
 * caches the result, so a repeated call gets farther. Returns false if there are no events. */
bool layout_slice(struct layout *l, struct layout_lane *lane, int64_t when, unsigned depth,
		  struct layout_slice *out);

/* Finds the next (dir > 0) or previous event, at another time than event *i, at which a slice at
 * this depth begins. Depth 0: at which the picture changes (of samples, the next sample). With
 * `hit`: at which a frame with bit 1 of hit[node] begins. Sets *i to the end of the search.
 * Returns false if nothing was found; *ended is true if the series ended, false if the limit of
 * one call was reached. */
bool layout_step(struct layout *l, struct layout_lane *lane, int dir, unsigned depth,
		 const uint8_t *hit, uint64_t *i, bool *ended);

#endif
