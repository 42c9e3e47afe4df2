/* layout.h - what runs when, in columns of a screen: level of detail for drawing.
 *
 * A column stands for a span of time.  Where it holds few events they are read one by one;
 * where it holds many, it costs the series' blocks (a thousandth of the events), and
 * says which stack was seen longest.  Times are absolute, in the unit of the axis.
 *
 * What is drawn are nodes of a projection, so filters, hiding, granularity and inversion
 * count.  A sample lasts as long as it stands for (layout_hold.c): its weight, where that
 * is a time; else the interval of its event, else what usually lies between two on busy
 * tracks; never beyond the next one of its series.  Where nothing was sampled nothing is
 * drawn.
 *
 *	struct layout l;
 *	layout_init(&l);
 *	layout_look(&l, profile, fold->tree);         -- after each fold
 *	struct layout_lane lane = {.series = series};
 *	layout_lane_look(&l, profile, &lane, fold->metric);
 *	layout_slice(&l, &lane, when, depth, &slice);      -- or a picture: cells.h
 */
#ifndef PNAV_MODEL_LAYOUT_H
#define PNAV_MODEL_LAYOUT_H

#include <stdbool.h>
#include <stdint.h>

#include "model/profile/profile.h"
#include "model/fold/project.h"

/* What usually lies between two samples of one event, when the profile had so many events. */
struct layout_usual {
	const struct series *series; /* one of those that it is of */
	uint64_t of, events;         /* the serial of its profile's names, and what that had */
	int64_t gap;
};
#define LAYOUT_USUAL 8u

struct layout {
	const struct profile *p;
	const struct projection *t;
	bool all_shown; /* no stack was dropped */
	uint16_t *depth; /* [node] frames from the root; the root has 0; at most 65535 */
	/* private */
	key_id *same; /* [key] the first nameless frame of its module, else itself; n_same */
	uint32_t n_same;
	uint32_t same_functions, same_frames; /* of the profile then */
	uint64_t same_of; /* the serial of its names */
	int same_by;
	uint32_t depth_cap; /* of the next three, too */
	int64_t *ran, *begun; /* [node] of cells.c: zero between two columns */
	uint32_t *met;
	const struct series *block_of; /* whose block is in `keep` and `node` */
	uint64_t block, block_n;
	int64_t block_hold;
	uint8_t block_weight;
	uint16_t *keep;
	node_id *node;
	int64_t *time;
	uint8_t *call;
	struct layout_usual usual[LAYOUT_USUAL];
	size_t n_usual, next_usual;
};

void layout_init(struct layout *l);
void layout_release(struct layout *l);
/* Looks at p through t (borrowed until the next call).  O(nodes). */
void layout_look(struct layout *l, const struct profile *p, const struct projection *t);

/* A series as it is laid out: {.series}, then layout_lane_look(). */
struct layout_lane {
	const struct series *series;
	int64_t hold; /* how long a sample lasts, where its weight does not say it */
	uint8_t weight; /* 1 + the metric of the series that says how long a sample lasts, or 0 */
	/* private: what is remembered of the blocks that were walked */
	uint16_t *low; /* [block] the fewest frames that go on over one of its events */
	uint32_t n_low;
};
/* Forgets the blocks: at the end, and whenever the projection has changed. */
void layout_lane_release(struct layout_lane *lane);

/* Finds how long the samples of the lane's series last: their weight, where one of the
 * metrics (`metric` before others) is a time in ns; else layout_hold(). */
void layout_lane_look(struct layout *l, const struct profile *p, struct layout_lane *lane,
		      metric_id metric);
/* How long a sample of this series lasts when it does not say so itself: the interval that
 * the file tells; else the median distance of samples of the same metrics, on the tracks
 * of the file that have at least half as many as the one with most; 1 when there are no
 * two.  Of steps: for ever. */
int64_t layout_hold(struct layout *l, const struct profile *p, const struct series *s);
/* What metric m of the lane's series has in each of n columns that share [from, to): of samples
 * that are rarer than the columns the share of the time that each lasts. */
void layout_bins(const struct layout_lane *lane, unsigned m, int64_t from, int64_t to, unsigned n,
		 double *out);
/* Are they so rare? */
bool layout_is_rare(const struct layout_lane *lane, int64_t from, int64_t to, unsigned n);
/* The same of those stacks alone that in[stack] is not 0 of, n_stacks of them, of samples that
 * are so rare. */
void layout_bins_of(const struct layout_lane *lane, unsigned m, const uint8_t *in,
		    uint32_t n_stacks, int64_t from, int64_t to, unsigned n, double *out);
/* When event i of the lane, e, stops to be seen: a step when the next begins; a sample
 * when it has lasted, or the next begins.  A sample is seen for one unit at least. */
int64_t layout_event_end(const struct layout_lane *lane, uint64_t i, const struct event *e);

/* What is drawn for an event; NODE_NONE: nothing. */
node_id layout_node(const struct layout *l, const struct series *s, uint64_t event);

/* Sets out[i] in the columns where a node with hit[node] != 0 is seen; others stay.  Where a
 * column holds many events, what a block was longest in is looked at, and one block in
 * full: a rare short hit may be missed, a mark is never wrong. */
void layout_hits(struct layout *l, const struct series *s, const uint8_t *hit,
		 int64_t from, int64_t to, unsigned n, uint8_t *out);

/* How much of metric m of a series (its index there) lies in [from, to), of what is shown,
 * or with `of` of the nodes that it says 1 of:
 * exact where everything is, or where there are no more than `exact` events (which are read
 * then); else it tells more from less, and of what is nowhere longest in a block nothing.
 * Nothing of a series that is not sorted. */
#define LAYOUT_SUM_EVENTS 512u /* for an order */
int64_t layout_sum(const struct layout *l, const struct series *s, unsigned m,
		   const uint8_t *of, int64_t from, int64_t to, uint64_t exact);

/* ---- slices ---- */

struct layout_slice {
	bool shown;   /* false: nothing runs there; start and end are those of the gap */
	node_id node; /* the frame of the slice itself */
	uint64_t event; /* that holds at the moment asked for */
	uint64_t first; /* the event that begins the slice */
	int64_t start, end;
	bool start_known, end_known; /* false: it reaches at least so far */
};

/* The slice that holds at a moment: of the frame at this depth (1: the root frame), or of
 * the deepest when the stack is not so deep.  Reads some hundred thousand events at most, and
 * remembers what it read; asked again it gets farther.  False: no events. */
bool layout_slice(struct layout *l, struct layout_lane *lane, int64_t when, unsigned depth,
		  struct layout_slice *out);

/* The next (dir > 0) or previous event after event i at which a slice at this depth begins
 * (depth 0: at which anything that is drawn changes; of samples, the next sample); with
 * `hit`, one in which a frame with bit 1 of hit[node] begins.  *i is where the search ended; false
 * when nothing was found: *ended tells whether the series ended, or the patience. */
bool layout_step(struct layout *l, struct layout_lane *lane, int dir, unsigned depth,
		 const uint8_t *hit, uint64_t *i, bool *ended);

#endif
