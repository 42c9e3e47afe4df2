/* tracks.h - events over time, stored in columns.
 *
 * A track (a thread, a core, a module, a counter, ...) holds one or more *series*. A series is a
 * sequence of events of one shape, so that an event stores only what it has.
 *
 *	SERIES_STEPS    time, stack          the stack holds until the next step
 *	SERIES_SAMPLES  time, stack, values  one value per metric of the series
 *	SERIES_TOTALS   stack, values        no time: sums per stack
 *	SERIES_POINTS   time, value          counters, states, marks
 *
 * Events of a labelled series also have a label set each (labels.h).
 *
 * Events lie in chunks that never move. Each column of a chunk is packed as offsets from its
 * base, 0, 1, 2, 3, 4 or 8 bytes wide as the values need. A full chunk is packed to bits. A
 * column of equal values needs no bytes.
 *
 * Some chunks begin with a *checkpoint*: the sums per stack of all earlier events of the series.
 * The numbers of a time range are the difference of two checkpoints plus the parts of chunks at
 * its ends. So the cost of a range depends on the number of stacks, not of events. A checkpoint
 * is taken as soon as all those before it cost less than two bytes an event, or in every chunk
 * if samples have few stacks.
 *
 * Every BLOCK_EVENTS events there is a *block*: the sums of everything before it, and its
 * dominant stack. So the cost of drawing depends on the columns of the screen.
 *
 * Times are in the unit of the group's axis (ns, or an ordinal), as in the file. Displayed times
 * count from the group's first event. */
#ifndef PNAV_MODEL_PROFILE_TRACKS_H
#define PNAV_MODEL_PROFILE_TRACKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "model/base/sum.h"
#include "model/profile/labels.h"
#include "model/profile/metrics.h"
#include "model/profile/names.h"
#include "model/profile/stacks.h"
#include "model/profile/totals.h"
#include "model/profile/wallclock.h"

typedef uint32_t track_id;
#define TRACK_NONE UINT32_MAX
typedef uint32_t process_id;
#define PROCESS_NONE UINT32_MAX

struct process {
	name_id name;
	bool outside; /* recorded beside the command: a lens without tracks leaves it out */
};

enum track_kind {
	TRACK_THREAD,
	TRACK_CORE,
	TRACK_TASK,
	TRACK_MODULE,
	TRACK_COUNTER,
	TRACK_STATE,
	TRACK_MARKS,
};
/* Returns "thread", "core", ...: the values of the column `kind` in the view `tracks`. */
const char *track_kind_name(enum track_kind kind);

enum series_kind { SERIES_STEPS, SERIES_SAMPLES, SERIES_TOTALS, SERIES_POINTS };

/* Flags stored in the high bits of a step's stack. */
#define STEP_CALL 0x80000000u   /* begins a call of the leaf */
#define STEP_RETURN 0x40000000u /* ends the call of the leaf that ran before */
#define STEP_LINE 0x20000000u   /* enters the line of the leaf */
#define STEP_STACK 0x1FFFFFFFu  /* mask of the stack id */

/* Returns what an event adds to a metric of this role. `value` is the event's number for the
 * metric, `lasts` the duration of a step, `flags` its STEP_ flags. Each role reads only the
 * argument it needs. */
static inline int64_t
role_adds(enum metric_role role, int64_t value, int64_t lasts, uint32_t flags)
{
	switch (role) {
	case ROLE_VALUE:
		return value;
	case ROLE_EVENTS:
		return 1;
	case ROLE_TIME:
	case ROLE_WALL:
		return lasts;
	case ROLE_CALLS:
		return (flags & STEP_CALL) != 0;
	case ROLE_LINES:
		return (flags & STEP_LINE) != 0;
	}
	return 0;
}

/* Returns true if a step adds its duration. */
static inline bool
role_lasts(enum metric_role role)
{
	return role == ROLE_TIME || role == ROLE_WALL;
}

static inline bool
role_has_flags(enum metric_role role)
{
	return role == ROLE_CALLS || role == ROLE_LINES;
}

/* A packed column of a chunk. */
struct column {
	void *at; /* NULL while width is 0 */
	int64_t base;
	uint16_t *bases; /* NULL, or one base for each COLUMN_GROUP values: column_base() */
	uint32_t step;   /* of a column of bits: the unit of an offset */
	uint8_t width;   /* bytes per value: 0, 1, 2, 3, 4 or 8 */
	uint8_t bits;    /* bits per value if width is 0; 0: not packed to bits */
	uint8_t shift;   /* of bases: low bits that they omit */
	bool zeros;      /* of a column of bits: offset 0 is the value 0, and the base has offset
			  * 1 */
};
#define COLUMN_BITS_MAX 56u /* together with up to 7 earlier bits of its first byte, a value fits
			     * a 64-bit word */
#define COLUMN_SLACK 8u     /* readable bytes required after a column of bits */

/* Values per entry of `bases`. Times increase, so a few consecutive ones span a smaller range
 * than the whole chunk. */
#define COLUMN_GROUP 32u

/* Returns the value from which the offset of value i counts. */
static inline int64_t
column_base(const struct column *c, uint32_t i)
{
	if (!c->bases)
		return c->base;
	uint64_t offset = (uint64_t)c->bases[i / COLUMN_GROUP] << c->shift;
	return (int64_t)((uint64_t)c->base + offset * c->step);
}

/* Reads a little-endian value of three bytes. */
static inline uint32_t
column_get_3(const void *at, uint32_t i)
{
	const uint8_t *p = (const uint8_t *)at + (size_t)i * 3;

	return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16;
}

/* Reads the same; at least one readable byte must follow the value. */
static inline uint32_t
column_get_3_of_4(const void *at, uint32_t i)
{
	uint32_t word;

	memcpy(&word, (const uint8_t *)at + (size_t)i * 3, sizeof word);
	return __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? __builtin_bswap32(word) & 0xFFFFFF
						      : word & 0xFFFFFF;
}

/* Reads a little-endian word of eight bytes. */
static inline uint64_t
column_word(const uint8_t *at)
{
	uint64_t word;

	memcpy(&word, at, sizeof word);
	return __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? __builtin_bswap64(word) : word;
}

/* Returns offset i of a column of bits. */
static inline uint64_t
column_offset(const struct column *c, uint32_t i)
{
	uint64_t bit = (uint64_t)i * c->bits;

	return column_word((const uint8_t *)c->at + bit / 8) >> bit % 8 &
	       ((UINT64_C(1) << c->bits) - 1);
}

static inline int64_t
column_of_bits(const struct column *c, uint32_t i, int64_t base)
{
	uint64_t offset = column_offset(c, i);

	if (!c->zeros)
		return (int64_t)((uint64_t)base + offset * c->step);
	return offset ? (int64_t)((uint64_t)base + (offset - 1) * c->step) : 0;
}

static inline int64_t
column_get(const struct column *c, uint32_t i)
{
	int64_t base = column_base(c, i);

	switch (c->width) {
	case 0:
		return c->bits ? column_of_bits(c, i, base) : base;
	case 1:
		return base + ((const uint8_t *)c->at)[i];
	case 2:
		return base + ((const uint16_t *)c->at)[i];
	case 3:
		return base + column_get_3(c->at, i);
	case 4:
		return base + ((const uint32_t *)c->at)[i];
	default:
		return (int64_t)((uint64_t)base + ((const uint64_t *)c->at)[i]);
	}
}

/* Adds `sign` times values [from, from + n) to out[0..n). */
void column_add(const struct column *c, uint32_t from, uint32_t n, int64_t sign, int64_t *out);
/* Writes these values to out[0..n). */
void column_values(const struct column *c, uint32_t from, uint32_t n, int64_t *out);

/* Frees the memory of a column and empties it. */
void column_release(struct column *c);

#define CHUNK_MAX 65536u /* events of a chunk */

struct chunk {
	uint64_t first; /* index of its first event in the series */
	uint32_t n, cap;
	uint32_t checkpoint; /* taken before its first event; UINT32_MAX: none */
	struct column time;
	struct column labels; /* of a labelled series: the label set of each event */
	struct column stack;  /* as rotated by step_turned() if `turned`; all 0 for points */
	uint8_t turned;       /* 1 for steps: stacks are rotated */
	struct column *value; /* one per ROLE_VALUE column of the series, read by
			       * series_number(); of points: the value and the place */
	/* Set if a valued series omits values that chunk_value_before() can derive. `own` has a
	 * bit per step, set if its value is stored. own_before counts the stored values before
	 * each 64 steps. NULL: all values are stored. See chunk_value(). */
	uint64_t *own;
	uint16_t *own_before;
};

/* A step without a stored value has the value of the call to whose stack it returns. That call
 * is at most CHUNK_VALUE_BACK steps earlier. STACK_EMPTY has the value 0. */
#define CHUNK_VALUE_BACK 64u

int64_t chunk_value_before(const struct chunk *c, uint32_t i);

/* The flags of a step are its highest bits. Rotating the word by their number makes it small
 * where the stack id is small, so the column needs few bits. */
#define STEP_FLAG_BITS 3

static inline uint32_t
step_turned(uint32_t step)
{
	return step << STEP_FLAG_BITS | step >> (32 - STEP_FLAG_BITS);
}

/* Returns the stack of event i with its STEP_ flags; STACK_EMPTY for points. */
static inline uint32_t
chunk_stack(const struct chunk *c, uint32_t i)
{
	uint32_t v = (uint32_t)column_get(&c->stack, i);

	return c->turned ? v >> STEP_FLAG_BITS | v << (32 - STEP_FLAG_BITS) : v;
}

/* Returns the value of step i of a valued series. */
static inline int64_t
chunk_value(const struct chunk *c, uint32_t i)
{
	if (!c->own)
		return column_get(&c->value[0], i);
	uint64_t word = c->own[i / 64], bit = UINT64_C(1) << i % 64;
	if (!(word & bit))
		return chunk_value_before(c, i);
	return column_get(&c->value[0], c->own_before[i / 64] +
						(uint32_t)__builtin_popcountll(word & (bit - 1)));
}

/* Writes the stacks of events [from, from + n) to out[0..n), as chunk_stack() returns them. */
void chunk_stacks(const struct chunk *c, uint32_t from, uint32_t n, uint32_t *out);

/* The sums per stack of all events before a chunk, packed. Every CHECKPOINT_KEY-th checkpoint is
 * a key and counts from the beginning of the series. The others count from the key before them:
 * such differences fit a byte or two per stack, where full sums need eight. */
#define CHECKPOINT_KEY 8u
struct checkpoint {
	uint64_t events; /* number of events before it */
	uint32_t n;      /* number of stacks seen so far: the first n of series->seen */
	uint32_t key;    /* index of the checkpoint it counts from; its own index: it counts from
			  * zero */
	struct column *sum; /* [metric of the series], n values each */
};

#define BLOCK_EVENTS 1024u
/* Events BLOCK_EVENTS * i and up; the last block is still filling. */
struct block {
	int64_t time;      /* time of its first event */
	stack_id dominant; /* stack with the longest time (steps) or the largest first metric
			    * (samples) */
	int64_t min, max;  /* of the values of points */
};

#define SERIES_METRICS_MAX 32

struct series_pending;
struct series_prefix;

struct series {
	track_id track;  /* the track that it belongs to */
	uint8_t kind;   /* enum series_kind */
	bool floating;  /* of points: values are the bits of doubles */
	bool valued;    /* of steps: each has a value that views show beside it and never sum */
	bool turns;     /* of steps: they are turns of tasks on a processor, not calls */
	bool labelled;  /* each event has a label set */
	bool derived;   /* of samples: they do not count as events of the track */
	bool sorted;    /* times never decreased, so readers may search by time */
	uint8_t n_metrics;
	metric_id metric[SERIES_METRICS_MAX];
	uint8_t role[SERIES_METRICS_MAX];   /* enum metric_role of metric[] */
	uint8_t column[SERIES_METRICS_MAX]; /* index in chunk.value[] for ROLE_VALUE, else
					     * UINT8_MAX */
	uint8_t part[SERIES_METRICS_MAX];   /* enum value_part: the part of that column's number */
	uint8_t n_columns;
	uint8_t first; /* the ROLE_VALUE metric that is the weight of a sample; UINT8_MAX: every
		        * sample weighs 1 */

	uint64_t n; /* number of events */
	int64_t last_time;
	int64_t end_time; /* end of the last step; equals last_time unless the decoder knows more */
	struct chunk *chunk;
	uint32_t n_chunks, chunks_cap;
	struct checkpoint *checkpoint;
	uint32_t n_checkpoints, checkpoints_cap;
	uint64_t checkpoint_bytes; /* memory of the sums of all checkpoints */
	stack_id *seen; /* stacks in order of first appearance */
	uint32_t n_seen, seen_cap;
	struct block *block;
	int64_t *block_sum; /* [block][metric]: sums of all events before the block */
	uint32_t n_blocks, blocks_cap;
	int64_t sum[SERIES_METRICS_MAX]; /* sums of all events so far, without the duration of a
					  * step that has not ended */
	const struct wall_clock *clock; /* of ROLE_WALL; NULL: no metric has it. The owner of the
					 * series keeps it. */
	labels_id next_labels; /* label set of the next appended event */
	int64_t interval; /* of samples: the time between two while the program runs, as the file
			   * states it; 0: not stated */
	struct series_prefix *prefix; /* sums that a packed profile states (series_prefix.h); NULL:
				       * all are computed */
	struct series_pending *pending; /* buffer of its newest events (series_pending.h); NULL:
					 * none */
	uint64_t given; /* the builder's round in which the writer thread (series_beside.c) has
			 * runs of it */
	int64_t longest; /* the largest weight in the last block, which decides its dominant
			  * stack */

	/* The sums of totals, which are in chunks only if they are labelled: [page][metric]. The
	 * pages before the first and after the last that has any are left out, since a file may
	 * have thousands of tracks. A stack whose sum of ROLE_EVENTS is 0 has no total. */
	struct totals *page;
	uint32_t n_pages, first_page;
};

/* Returns the first stack of the i-th page. */
static inline stack_id
series_page_stack(const struct series *s, uint32_t i)
{
	return (s->first_page + i) * TOTALS_PAGE;
}

/* Returns the number of metric m from the columns of an event; 0 if the metric uses no column. */
static inline int64_t
series_number_of(const struct series *s, unsigned m, const int64_t *columns)
{
	uint8_t at = s->column[m];

	return at == UINT8_MAX ? 0 : value_part((enum value_part)s->part[m], columns[at]);
}

/* Returns the number of event i of a chunk for metric m of its series, which must have
 * ROLE_VALUE. */
static inline int64_t
series_number(const struct series *s, const struct chunk *c, uint32_t i, unsigned m)
{
	return value_part((enum value_part)s->part[m], column_get(&c->value[s->column[m]], i));
}

/* Returns the duration of the part [from, to) of a step for metric m, whose role must be
 * role_lasts(). */
static inline int64_t
series_lasts(const struct series *s, unsigned m, int64_t from, int64_t to)
{
	return s->role[m] == ROLE_WALL ? wall_clock_between(s->clock, from, to)
				       : difference_clipped(to, from);
}

/* The name of a value of a state, or of a mark. */
struct value_name {
	int64_t value;
	name_id name;
};
#define VALUE_NAMES_MAX 4096u /* per track */

#define RECORDED_UNKNOWN (-1)

struct track {
	name_id name;
	uint8_t kind; /* enum track_kind */
	uint8_t unit; /* enum unit: of the time axis */
	name_id value_unit; /* of counters and states: the unit as written in the file */
	uint32_t group;     /* index of the file it comes from */
	process_id under;   /* its process, or PROCESS_NONE */
	bool has_time;      /* start and end are valid */
	int64_t start, end; /* times of the first and last event; `end` includes the last slice */
	struct value_name *value_name; /* sorted by value */
	uint32_t n_value_names, value_names_cap;
	uint64_t events;    /* number of records of the file on this track, as the decoder counts
			     * them */
	int64_t recorded_ns; /* of a host in a store: the sum of the durations of its profiles; each
			      * such track is a run of its own (model/fold/runs.h). 0: no host;
			      * RECORDED_UNKNOWN: profiles of its side do not
			      * say how long they took */
	struct series **series;
	uint32_t n_series;
};

/* Writes a histogram over time: out[i] is the sum of a metric of the series in part i of n of
 * [from, to), which begins at wide_part_up(). `metric` is an index into s->metric. Cost: n searches
 * and n blocks, independent of the number of events. */
void series_bins(const struct series *s, unsigned metric, int64_t from, int64_t to,
		 unsigned n, int64_t *out);

/* Returns the sum of that metric over all events, without a search. */
int64_t series_whole(const struct series *s, unsigned metric);

/* Writes to out[i], i < n, what event from + i of a chunk adds to metric m of its series.
 * `next` is the time of the event after the chunk, or the end of the series. */
void chunk_adds(const struct series *s, const struct chunk *c, uint32_t from, uint32_t n,
		unsigned m, int64_t next, int64_t *out);

/* Returns the name of a value of the track; NAME_EMPTY if the file has none. */
name_id track_value_name(const struct track *t, int64_t value);

/* Returns the index of the first event at or after t; s->n if there is none. Binary search, so
 * s->sorted must hold. */
uint64_t series_find(const struct series *s, int64_t t);

struct event {
	int64_t time;
	int64_t end; /* of steps: when the next one begins, or the track ends */
	uint32_t stack; /* with STEP_ flags */
	int64_t value;  /* of points and valued steps; of samples: the number of the series'
			 * metric `first` */
	labels_id labels; /* LABELS_NONE if the series has no labels */
	int64_t place;  /* of points: index among all points of the profile, in the order of
			 * reading */
};

/* Returns the index of a metric of the profile in a series; -1 if the series lacks it. */
static inline int
series_metric(const struct series *s, metric_id m)
{
	for (unsigned i = 0; i < s->n_metrics; i++)
		if (s->metric[i] == m)
			return (int)i;
	return -1;
}

/* Reads event i into *out; returns false if i >= s->n. */
bool series_event(const struct series *s, uint64_t i, struct event *out);

/* Adds `sign` times the sums of metric m at a checkpoint to out[i], for the stacks s->seen[from
 * + i], i < n. Stacks first seen after the checkpoint add nothing. */
void series_checkpoint_add(const struct series *s, uint32_t checkpoint, unsigned m,
			   uint32_t from, uint32_t n, int64_t sign, int64_t *out);

/* Returns the index of the checkpoint nearest to event i; -1 for the beginning of the series. */
int64_t series_checkpoint_near(const struct series *s, uint64_t i);

/* Returns when the event after the chunk begins, or when the last event of the series ends. */
int64_t chunk_end(const struct series *s, const struct chunk *c);

/* Returns the chunk that holds event i; i < s->n. */
const struct chunk *series_chunk(const struct series *s, uint64_t i);

#endif
