/* naive.h - the numbers of a profile, computed in the slow and obvious way.
 *
 * A profile is a list of events, each with its frames written out; a lens is applied to each
 * list of frames by itself, entry after entry, as pnav(1) describes it.  Nothing is shared with
 * model/: no ids, no tree of stacks, no checkpoints.  Tests compare the results of the model
 * with these. */
#ifndef PNAV_TESTS_LIB_NAIVE_H
#define PNAV_TESTS_LIB_NAIVE_H

#include <stdbool.h>
#include <stdint.h>

#include "model/lens/lens.h"
#include "model/profile/frames.h"

#define NAIVE_DEPTH 12 /* as recorded */
#define NAIVE_DEEP (NAIVE_DEPTH + NAIVE_ENTRIES) /* with frames of labels above */
#define NAIVE_FRAMES 24
#define NAIVE_ALL_FRAMES (NAIVE_FRAMES + 16) /* ... */
#define NAIVE_KEYS_OF_LABELS 3
#define NAIVE_TRACKS 5
#define NAIVE_GROUPS 2
#define NAIVE_EVENTS 400
#define NAIVE_ENTRIES 5
#define NAIVE_KEYS (NAIVE_ALL_FRAMES + 1)
#define NAIVE_NODES (NAIVE_EVENTS * NAIVE_DEEP)

enum naive_metric {
	NAIVE_TIME,
	NAIVE_CALLS,
	NAIVE_LINES,
	NAIVE_SAMPLES,
	NAIVE_BYTES,
	NAIVE_OPS,
};
#define NAIVE_METRICS 6

struct naive_frame {
	const char *name, *file, *module;
	uint32_t defined; /* the line of the definition */
	enum kind kind;
	struct line line;
	bool inlined;
	uint64_t address; /* 0: none */
};

enum naive_kind { NAIVE_STEP, NAIVE_SAMPLE, NAIVE_TOTAL, NAIVE_POINT };

struct naive_event {
	enum naive_kind kind;
	unsigned track;
	int64_t time;
	int64_t end; /* of steps */
	unsigned n;  /* frames, root first; 0: nothing runs */
	uint8_t frame[NAIVE_DEEP];
	uint8_t label[NAIVE_KEYS_OF_LABELS]; /* 0: none, else which value of naive_labels[] */
	bool left_out;                       /* by its labels */
	int64_t value[NAIVE_METRICS]; /* NAIVE_TIME is worked out */
};

struct naive_profile {
	struct naive_frame frame[NAIVE_ALL_FRAMES];
	unsigned n_frames;
	struct {
		const char *name;
		unsigned group;
	} track[NAIVE_TRACKS];
	unsigned n_tracks, n_groups;
	struct naive_event event[NAIVE_EVENTS];
	unsigned n_events;
	bool ordinal;                   /* the axis is no clock */
	enum naive_metric calls_metric; /* the value of the column `calls` */
	bool has_calls, has_lines;      /* the columns are there */
};

struct naive_entry {
	enum verb verb;
	enum subject subject;
	bool negated, off;
	enum { NAIVE_ANYWHERE, NAIVE_BEGINS, NAIVE_ENDS, NAIVE_WHOLE, NAIVE_RANGE } how;
	const char *text; /* letters only; of smart case unless NAIVE_WHOLE */
	unsigned key;     /* of `where` and `label` */
	int64_t low, high; /* of NAIVE_RANGE, in base units, both included */
};

struct naive_lens {
	enum naive_metric metric;
	bool has_from, has_to, percent; /* percent: billionths of the whole */
	int64_t from, to;
	struct naive_entry entry[NAIVE_ENTRIES];
	unsigned n_entries;
	enum granularity by;
	bool invert;
};

struct naive_numbers {
	int64_t self, total, calls, lines;
	bool present;
};

struct naive_node {
	unsigned parent; /* node 0 is the root */
	unsigned key;
	struct naive_numbers x;
};

/* A profile through a lens. */
struct naive_fold {
	unsigned key_of[NAIVE_ALL_FRAMES]; /* equal numbers: one key */
	struct naive_numbers row[NAIVE_KEYS];
	struct naive_node node[NAIVE_NODES];
	unsigned n_nodes;
	int64_t everything;
};

#define NAIVE_VALUES 4
/* The values of a key: the displayed text, and its number. */
struct naive_label {
	const char *key;
	bool is_number;
	const char *unit;
	const char *text[NAIVE_VALUES];
	int64_t number[NAIVE_VALUES], base[NAIVE_VALUES]; /* as written, in base units */
};
extern const struct naive_label naive_labels[NAIVE_KEYS_OF_LABELS];
/* Writes the profile with its labels applied to *out: events that `where` excludes are marked,
 * and frames of `label` are above the others. */
void naive_regroup(const struct naive_profile *p, const struct naive_lens *l,
		   struct naive_profile *out);

/* Returns true if two frames count as one. */
bool naive_same_key(enum granularity by, const struct naive_frame *a,
		    const struct naive_frame *b);
/* The pattern of an entry, as a user would write it, into text[64]. */
void naive_pattern(const struct naive_entry *e, char *text);
void naive_fold(const struct naive_profile *p, const struct naive_lens *l,
		struct naive_fold *out);
/* The range of time of one group: false when there is none; [*from, *to). */
bool naive_range(const struct naive_profile *p, const struct naive_lens *l,
		 unsigned group, int64_t *from, int64_t *to);
/* Gets the amount of metric m that an event has in [from, to). Returns true if the event is in that
 * range at all. */
bool naive_event_in(const struct naive_event *e, bool whole, int64_t from, int64_t to,
		    enum naive_metric m, int64_t *value);

#endif
