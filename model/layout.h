/* layout.h - what runs when, in columns of a screen: level of detail for drawing.
 *
 * A column stands for a span of time.  Where it holds few events they are read one by one;
 * where it holds many, it costs the series' blocks (a thousandth of the events), and
 * says which stack was seen longest.  Times are absolute, in the unit of the axis.
 *
 * What is drawn are nodes of a projection, so filters, hiding, granularity and inversion
 * count.  A sample holds until the next one, but not longer than `hold`: a thread that
 * sleeps is not drawn as if it ran on.
 *
 *	struct layout l;
 *	layout_init(&l);
 *	layout_look(&l, profile, fold->tree);         -- after each fold
 *	struct layout_lane lane = {series, layout_hold(series)};
 *	layout_columns(&l, &lane, from, to, n, columns);
 */
#ifndef PNAV_MODEL_LAYOUT_H
#define PNAV_MODEL_LAYOUT_H

#include <stdbool.h>
#include <stdint.h>

#include "model/profile.h"
#include "model/project.h"

struct layout {
	const struct profile *p;
	const struct projection *t;
	uint16_t *depth; /* [node] frames from the root; the root has 0; at most 65535 */
	/* private */
	uint32_t depth_cap; /* of weight too */
	int64_t *weight; /* [node] all 0 between two calls */
	node_id *touched;
	uint32_t n_touched, touched_cap;
	const struct series *block_of; /* whose block is in `keep` and `node` */
	uint64_t block, block_n;
	int64_t block_hold;
	uint16_t *keep;
	node_id *node;
	int64_t *time;
	uint8_t *call;
};

void layout_init(struct layout *l);
void layout_release(struct layout *l);
/* Looks at p through t (borrowed until the next call).  O(nodes). */
void layout_look(struct layout *l, const struct profile *p, const struct projection *t);

/* A series as it is laid out: {.series, .hold = layout_hold(series)}. */
struct layout_lane {
	const struct series *series;
	int64_t hold; /* how long a sample is seen at most */
	/* private: what is remembered of the blocks that were walked */
	uint16_t *low; /* [block] the fewest frames that go on over one of its events */
	uint32_t n_low;
};
/* Forgets the blocks: at the end, and whenever the projection has changed. */
void layout_lane_release(struct layout_lane *lane);

/* How long a sample of this series holds: four times what usually lies between two.  Of
 * steps: for ever. */
int64_t layout_hold(const struct series *s);

/* How many frames two nodes have in common, from the root; none with NODE_NONE. */
uint16_t layout_common(const struct layout *l, node_id a, node_id b);

/* What is drawn for an event; NODE_NONE: nothing. */
node_id layout_node(const struct layout *l, const struct series *s, uint64_t event);

struct layout_column {
	node_id node; /* what is seen longest; NODE_NONE: nothing that is shown */
	uint16_t
		keep; /* so many frames go on from the column before: their slices join */
	uint8_t share;  /* how much of the column is filled, in 255ths; at least 1 */
	bool exact;     /* its events were read one by one */
	uint64_t event; /* exact: one in which the node is seen */
};

/* n columns of [from, to), of steps or samples; nothing of a series that is not sorted. */
void layout_columns(struct layout *l, const struct layout_lane *lane, int64_t from,
		    int64_t to, unsigned n, struct layout_column *out);

/* Sets out[i] in the columns where a node with hit[node] != 0 is seen; others stay.  Where a
 * column holds many events, what a block was longest in is looked at, and one block in
 * full: a rare short hit may be missed, a mark is never wrong. */
void layout_hits(struct layout *l, const struct series *s, const uint8_t *hit,
		 int64_t from, int64_t to, unsigned n, uint8_t *out);

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
