/* tracks.h - what runs over time, in columns.
 *
 * A track (a thread, a core, a module, a counter...) holds one or more *series*: runs
 * of events of one shape, so that an event costs what it carries and no more.
 *
 *	SERIES_STEPS    time, stack          the stack holds until the next step
 *	SERIES_SAMPLES  time, stack, values  one value per metric of the series
 *	SERIES_TOTALS   stack, values        no time: sums per stack
 *	SERIES_POINTS   time, value          counters, states, marks
 *
 * Events lie in chunks that never move.  Within a chunk each column is packed: offsets
 * from its first value, 0, 1, 2, 4 or 8 bytes wide, whatever they need; a column of
 * equal values needs none.
 *
 * So that a time range costs the stacks and not the events, some chunks end with a
 * *checkpoint*: the sums per stack of everything in the series before it.  A range is the
 * difference of two checkpoints and the parts of chunks around its ends.  A checkpoint
 * is taken as soon as all those before it cost less than two bytes an event.  So that drawing
 * costs the columns of the screen, every BLOCK_EVENTS events there is a *block*: sums of
 * everything before it, and the stack that was seen longest in it.
 *
 * Times are in the unit of the group's axis (ns, or an ordinal), as the file has them;
 * what users see counts from the group's first event. */
#ifndef PNAV_MODEL_TRACKS_H
#define PNAV_MODEL_TRACKS_H

#include <stdbool.h>
#include <stdint.h>

#include "model/metrics.h"
#include "model/names.h"
#include "model/stacks.h"

typedef uint32_t track_id;
#define TRACK_NONE UINT32_MAX

enum track_kind {
	TRACK_THREAD,
	TRACK_CORE,
	TRACK_TASK,
	TRACK_MODULE,
	TRACK_COUNTER,
	TRACK_STATE,
	TRACK_MARKS,
};
/* "thread", "core", ... as the column `kind` of the view `tracks`. */
const char *track_kind_name(enum track_kind kind);

enum series_kind { SERIES_STEPS, SERIES_SAMPLES, SERIES_TOTALS, SERIES_POINTS };

/* Flags kept beside the stack of a step. */
#define STEP_CALL 0x80000000u   /* begins a call of the leaf */
#define STEP_RETURN 0x40000000u /* ends the call of the leaf that ran before */
#define STEP_LINE 0x20000000u   /* enters the line of the leaf */
#define STEP_STACK 0x1FFFFFFFu  /* the stack itself */

/* A packed column of a chunk. */
struct column {
	void *at; /* NULL while width is 0 */
	int64_t base;
	uint8_t width; /* bytes a value: 0, 1, 2, 4, 8 */
};

static inline int64_t
column_get(const struct column *c, uint32_t i)
{
	switch (c->width) {
	case 0:
		return c->base;
	case 1:
		return c->base + ((const uint8_t *)c->at)[i];
	case 2:
		return c->base + ((const uint16_t *)c->at)[i];
	case 4:
		return c->base + ((const uint32_t *)c->at)[i];
	default:
		return (int64_t)((uint64_t)c->base + ((const uint64_t *)c->at)[i]);
	}
}

/* Adds `sign` times values [from, from + n) to out[0..n). */
void column_add(const struct column *c, uint32_t from, uint32_t n, int64_t sign, int64_t *out);

struct chunk {
	uint64_t first; /* ordinal of its first event in the series */
	uint32_t n, cap;
	uint32_t checkpoint; /* taken before its first event; UINT32_MAX: none */
	struct column time;
	uint32_t *stack;      /* with STEP_ flags; NULL for points */
	struct column *value; /* one a metric of the series that has ROLE_VALUE; of points
			       * the value and the place */
};

/* Sums per stack of all events before a chunk, packed.  Every CHECKPOINT_KEY-th, a key,
 * counts from the beginning of the series, the others from the key before them: what came
 * since fits into a byte or two a stack where sums of everything need eight. */
#define CHECKPOINT_KEY 8u
struct checkpoint {
	uint64_t events; /* how many lie before it */
	uint32_t n;      /* stacks seen until then: the first n of series->seen */
	uint32_t key;    /* the checkpoint that it counts from; its own number: from zero */
	struct column *sum; /* [metric of the series], n values each */
};

#define BLOCK_EVENTS 1024u
/* Events BLOCK_EVENTS * i and up; the last one is still filling. */
struct block {
	int64_t time;      /* of its first event */
	stack_id dominant; /* longest (steps), largest first metric (samples) */
	int64_t min, max;  /* of points */
};

#define SERIES_METRICS_MAX 8

struct series {
	track_id track;  /* the one that it belongs to */
	uint8_t kind;   /* enum series_kind */
	bool floating;  /* points: values are the bits of doubles */
	bool valued;    /* steps: each has a value that is shown beside it, never summed */
	bool sorted;    /* times never went down; a reader may search */
	uint8_t n_metrics;
	metric_id metric[SERIES_METRICS_MAX];
	uint8_t role[SERIES_METRICS_MAX];   /* enum metric_role of metric[] */
	uint8_t column[SERIES_METRICS_MAX]; /* which chunk.value[], for ROLE_VALUE */
	uint8_t n_columns;

	uint64_t n; /* events */
	int64_t last_time;
	int64_t end_time; /* when the last step ends: last_time unless the decoder knows */
	struct chunk *chunk;
	uint32_t n_chunks, chunks_cap;
	struct checkpoint *checkpoint;
	uint32_t n_checkpoints, checkpoints_cap;
	uint64_t checkpoint_bytes; /* of all their sums */
	stack_id *seen; /* stacks in order of first appearance */
	uint32_t n_seen, seen_cap;
	struct block *block;
	int64_t *block_sum; /* [block][metric]: sums before the block */
	uint32_t n_blocks, blocks_cap;
	int64_t sum[SERIES_METRICS_MAX]; /* of all events so far; a step that still lasts
					  * has not been added */
	int64_t longest; /* of the events of the last block: what makes it dominant */

	/* totals: [stack / TOTALS_PAGE], NULL where nothing was given, else the sums
	 * [stack % TOTALS_PAGE][metric].  Those of one stack lie together, because stacks
	 * come in any order; where that of ROLE_EVENTS is 0, nothing was given. */
	int64_t **page;
	uint32_t n_pages;
};

#define TOTALS_PAGE 1024u

struct track {
	name_id name;
	uint8_t kind; /* enum track_kind */
	uint8_t unit; /* enum unit: of the axis for stacks */
	name_id value_unit; /* counters and states: the unit as the file says it */
	uint32_t group;     /* the file it comes from */
	bool has_time;      /* start and end are set */
	int64_t start, end; /* first and last event (the end of the last slice) */
	uint64_t events;    /* the file's records on it, as the decoder counts them */
	struct series **series;
	uint32_t n_series;
};

/* A sum per metric of a series over time: out[i] = what lies in [from + i*w, from +
 * (i+1)*w), w = (to - from) / n, of the metric with this index in the series.  Costs n
 * searches and n blocks, however many events. */
void series_bins(const struct series *s, unsigned metric, int64_t from, int64_t to,
		 unsigned n, int64_t *out);

/* The ordinal of the first event at or after t (binary search; s->sorted). */
uint64_t series_find(const struct series *s, int64_t t);

struct event {
	int64_t time;
	int64_t end; /* steps: when the next one begins, or the track ends */
	uint32_t stack; /* with STEP_ flags */
	int64_t value;  /* points; valued steps; samples: of metric 0 of the series */
	int64_t place;  /* points: their number among all points of the profile, as read */
};

/* Event number i; false when i >= s->n. */
bool series_event(const struct series *s, uint64_t i, struct event *out);

/* Adds `sign` times the sums of metric m of a checkpoint to out[i], for the stacks
 * s->seen[from + i], i < n; those that were not seen then have none. */
void series_checkpoint_add(const struct series *s, uint32_t checkpoint, unsigned m,
			   uint32_t from, uint32_t n, int64_t sign, int64_t *out);

/* The chunk that holds event i, i < s->n. */
const struct chunk *series_chunk(const struct series *s, uint64_t i);

#endif
