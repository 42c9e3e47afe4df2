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
 * Each of them may carry a set of labels beside (labels.h), in a series that says so.
 *
 * Events lie in chunks that never move.  Within a chunk each column is packed: offsets
 * from its base, 0, 1, 2, 3, 4 or 8 bytes wide, whatever they need, and when the chunk is full as
 * many bits; a column of equal values needs none.
 *
 * So that a time range costs the stacks and not the events, some chunks end with a
 * *checkpoint*: the sums per stack of everything in the series before it.  A range is the
 * difference of two checkpoints and the parts of chunks around its ends.  A checkpoint
 * is taken as soon as all those before it cost less than two bytes an event, or one where
 * samples have few stacks.  So that drawing costs the columns of the screen, every BLOCK_EVENTS
 * events there is a *block*: sums of everything before it, and the stack that was seen longest
 * in it.
 *
 * Times are in the unit of the group's axis (ns, or an ordinal), as the file has them;
 * what users see counts from the group's first event. */
#ifndef PNAV_MODEL_TRACKS_H
#define PNAV_MODEL_TRACKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "model/profile/labels.h"
#include "model/profile/metrics.h"
#include "model/profile/names.h"
#include "model/profile/stacks.h"
#include "model/profile/totals.h"

typedef uint32_t track_id;
#define TRACK_NONE UINT32_MAX
typedef uint32_t process_id;
#define PROCESS_NONE UINT32_MAX

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

/* What an event adds to a metric of this role: `value` is the number that it carries for the
 * metric, `lasts` how long it lasts (steps), `flags` its STEP_ ones; each is looked at by the
 * roles alone that need it. */
static inline int64_t
role_adds(enum metric_role role, int64_t value, int64_t lasts, uint32_t flags)
{
	switch (role) {
	case ROLE_VALUE:
		return value;
	case ROLE_EVENTS:
		return 1;
	case ROLE_TIME:
		return lasts;
	case ROLE_CALLS:
		return (flags & STEP_CALL) != 0;
	case ROLE_LINES:
		return (flags & STEP_LINE) != 0;
	}
	return 0;
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
	uint16_t *bases; /* NULL; or of each COLUMN_GROUP values their own base: column_base() */
	uint32_t step;   /* of bits: what an offset counts */
	uint8_t width;   /* bytes a value: 0, 1, 2, 3, 4, 8 */
	uint8_t bits;    /* a value, when the width is 0; 0: it is not packed so */
	uint8_t shift;   /* of bases: bits that they leave out */
	bool zeros;      /* of bits: offset 0 is the value 0, the base has offset 1 */
};
#define COLUMN_BITS_MAX 56u /* with those before it in a byte, a word */
#define COLUMN_SLACK 8u     /* bytes behind a column of bits that may be read */

/* Times rise: a few of them that follow each other need less room than all of a chunk. */
#define COLUMN_GROUP 32u

/* What the offset of value i counts from. */
static inline int64_t
column_base(const struct column *c, uint32_t i)
{
	if (!c->bases)
		return c->base;
	uint64_t offset = (uint64_t)c->bases[i / COLUMN_GROUP] << c->shift;
	return (int64_t)((uint64_t)c->base + offset * c->step);
}

/* Three bytes, the lowest first. */
static inline uint32_t
column_get_3(const void *at, uint32_t i)
{
	const uint8_t *p = (const uint8_t *)at + (size_t)i * 3;

	return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16;
}

/* The same where a byte lies behind them. */
static inline uint32_t
column_get_3_of_4(const void *at, uint32_t i)
{
	uint32_t word;

	memcpy(&word, (const uint8_t *)at + (size_t)i * 3, sizeof word);
	return __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? __builtin_bswap32(word) & 0xFFFFFF
						      : word & 0xFFFFFF;
}

/* Eight bytes, the lowest first. */
static inline uint64_t
column_word(const uint8_t *at)
{
	uint64_t word;

	memcpy(&word, at, sizeof word);
	return __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? __builtin_bswap64(word) : word;
}

/* Offset i of a column of bits. */
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

struct chunk {
	uint64_t first; /* ordinal of its first event in the series */
	uint32_t n, cap;
	uint32_t checkpoint; /* taken before its first event; UINT32_MAX: none */
	struct column time;
	struct column labels; /* of a labelled series: the set of each event */
	struct column stack;  /* as chunk_stack() turns it; of points all 0 */
	uint8_t turned;       /* 1: of steps */
	struct column *value; /* those of the metrics of the series that have ROLE_VALUE, as
			       * series_number() reads them; of points the value and the place */
	/* Of valued steps that are all there: a bit of each whose value is held, and how many lie
	 * before each 64 of them.  NULL: all are.  See chunk_value(). */
	uint64_t *own;
	uint16_t *own_before;
};

/* A step whose value is not held has that of the call to whose stack it returns, which is one of
 * so many before it; STACK_EMPTY has 0. */
#define CHUNK_VALUE_BACK 64u

int64_t chunk_value_before(const struct chunk *c, uint32_t i);

/* A step's flags are its highest bits: turned by their number, the word is small where the
 * stack's id is, and the column as narrow as the ids allow. */
#define STEP_FLAG_BITS 3

static inline uint32_t
step_turned(uint32_t step)
{
	return step << STEP_FLAG_BITS | step >> (32 - STEP_FLAG_BITS);
}

/* The stack of event i with its STEP_ flags; STACK_EMPTY of points. */
static inline uint32_t
chunk_stack(const struct chunk *c, uint32_t i)
{
	uint32_t v = (uint32_t)column_get(&c->stack, i);

	return c->turned ? v >> STEP_FLAG_BITS | v << (32 - STEP_FLAG_BITS) : v;
}

/* The value of step i of a valued series. */
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

/* Those of events [from, from + n). */
void chunk_stacks(const struct chunk *c, uint32_t from, uint32_t n, uint32_t *out);

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

#define SERIES_METRICS_MAX 32

struct series_pending;

struct series {
	track_id track;  /* the one that it belongs to */
	uint8_t kind;   /* enum series_kind */
	bool floating;  /* points: values are the bits of doubles */
	bool valued;    /* steps: each has a value that is shown beside it, never summed */
	bool turns;     /* steps are turns of tasks on a processor, and no calls */
	bool labelled;  /* each event has a set of labels */
	bool sorted;    /* times never went down; a reader may search */
	uint8_t n_metrics;
	metric_id metric[SERIES_METRICS_MAX];
	uint8_t role[SERIES_METRICS_MAX];   /* enum metric_role of metric[] */
	uint8_t column[SERIES_METRICS_MAX]; /* chunk.value[] for ROLE_VALUE; else UINT8_MAX */
	uint8_t part[SERIES_METRICS_MAX];   /* enum value_part: what of that */
	uint8_t n_columns;
	uint8_t first; /* metric with ROLE_VALUE, which says how much a sample weighs; UINT8_MAX:
			* none, each weighs 1 */

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
	labels_id next_labels; /* of the event that is appended next */
	int64_t interval; /* of samples: from one to the next while it runs, as the file says;
			   * 0: it does not */
	struct series_pending *pending; /* where its next events wait (series_pending.h);
					 * NULL: none do */
	uint64_t given; /* the round of the builder in which runs of it are written beside */
	int64_t longest; /* of the events of the last block: what makes it dominant */

	/* totals, which lie in chunks only where they are labelled: the sums
	 * [stack / TOTALS_PAGE][metric]; where that of ROLE_EVENTS is 0, nothing was given
	 * of the stack. */
	struct totals *page;
	uint32_t n_pages;
};

/* The number that metric m takes of an event's columns; 0 where it takes none. */
static inline int64_t
series_number_of(const struct series *s, unsigned m, const int64_t *columns)
{
	uint8_t at = s->column[m];

	return at == UINT8_MAX ? 0 : value_part((enum value_part)s->part[m], columns[at]);
}

/* The number that event i of a chunk carries for metric m of its series, which has ROLE_VALUE. */
static inline int64_t
series_number(const struct series *s, const struct chunk *c, uint32_t i, unsigned m)
{
	return value_part((enum value_part)s->part[m], column_get(&c->value[s->column[m]], i));
}

/* What a value of a state, or a mark, is called. */
struct value_name {
	int64_t value;
	name_id name;
};
#define VALUE_NAMES_MAX 4096u /* of a track */

struct track {
	name_id name;
	uint8_t kind; /* enum track_kind */
	uint8_t unit; /* enum unit: of the axis for stacks */
	name_id value_unit; /* counters and states: the unit as the file says it */
	uint32_t group;     /* the file it comes from */
	process_id under;   /* its process; PROCESS_NONE: it stands for itself */
	bool has_time;      /* start and end are set */
	int64_t start, end; /* first and last event (the end of the last slice) */
	struct value_name *value_name; /* in the order of their values */
	uint32_t n_value_names, value_names_cap;
	uint64_t events;    /* the file's records on it, as the decoder counts them */
	struct series **series;
	uint32_t n_series;
};

/* The first moment of part i of n of [from, to); i == n: its end. */
int64_t series_edge(int64_t from, int64_t to, unsigned n, unsigned i);

/* A sum per metric of a series over time: out[i] = what lies in part i of n of [from, to)
 * (series_edge()), of the metric with this index in the series.  Costs n
 * searches and n blocks, however many events. */
void series_bins(const struct series *s, unsigned metric, int64_t from, int64_t to,
		 unsigned n, int64_t *out);

/* All of that metric, without a search. */
int64_t series_whole(const struct series *s, unsigned metric);

/* out[i]: what event from + i of a chunk adds to metric m of its series, i < n; the event
 * behind the chunk, or the end of the series, is at `next`. */
void chunk_adds(const struct series *s, const struct chunk *c, uint32_t from, uint32_t n,
		unsigned m, int64_t next, int64_t *out);

/* What a value of the track is called; NAME_EMPTY where the file does not say. */
name_id track_value_name(const struct track *t, int64_t value);

/* The ordinal of the first event at or after t (binary search; s->sorted). */
uint64_t series_find(const struct series *s, int64_t t);

struct event {
	int64_t time;
	int64_t end; /* steps: when the next one begins, or the track ends */
	uint32_t stack; /* with STEP_ flags */
	int64_t value;  /* points; valued steps; samples: of metric `first` of the series */
	labels_id labels; /* LABELS_NONE where the series has none */
	int64_t place;  /* points: their number among all points of the profile, as read */
};

/* Event number i; false when i >= s->n. */
bool series_event(const struct series *s, uint64_t i, struct event *out);

/* Adds `sign` times the sums of metric m of a checkpoint to out[i], for the stacks
 * s->seen[from + i], i < n; those that were not seen then have none. */
void series_checkpoint_add(const struct series *s, uint32_t checkpoint, unsigned m,
			   uint32_t from, uint32_t n, int64_t sign, int64_t *out);

/* The checkpoint nearest to event i: its index, or -1 for the beginning. */
int64_t series_checkpoint_near(const struct series *s, uint64_t i);

/* When the event behind a chunk begins, or the last one of its series ends. */
int64_t chunk_end(const struct series *s, const struct chunk *c);

/* The chunk that holds event i, i < s->n. */
const struct chunk *series_chunk(const struct series *s, uint64_t i);

#endif
