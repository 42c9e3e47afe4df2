/* made.h - a track of random events, and the expected picture of it (cells.h), computed by
 * plain loops over the events: no series, blocks or layout, only times and stacks. */
#ifndef PNAV_TESTS_LIB_MADE_H
#define PNAV_TESTS_LIB_MADE_H

#include "model/build/builder.h"
#include "model/fold/fold.h"
#include "model/picture/cells.h"

#define MADE 4000
#define DEPTH 7
#define FUNCTIONS 4
#define COLUMNS 130

/* A random event: the stack that runs from time to end, and the open calls. */
struct made_event {
	int64_t time, end;
	bool runs; /* something does, filtered or not */
	unsigned depth;
	unsigned function[DEPTH + 1]; /* [1..depth] */
	unsigned call[DEPTH + 1];     /* of samples the sample's number */
};

struct made {
	struct profile *p;
	struct builder *b;
	struct series *s;
	struct fold *fold;
	struct lens lens;
	struct layout l;
	struct layout_lane lane;
	metric_id metric;
	frame_id frame[FUNCTIONS];
	function_id function[FUNCTIONS];
	struct made_event event[MADE];
	unsigned n;
};

/* One track of steps, or of samples that may have weights, in m->p, by m->b. */
void made_begin(struct made *m, const char *track, bool steps, bool weighted);
/* The same in a profile of its own, for made_free(). */
struct made *made_new(bool steps, bool weighted);
void made_free(struct made *m);
stack_id made_stack(struct made *m, const struct made_event *e);
/* Calls, returns and times in which nothing runs, by chance; some last for nothing.  Less deep
 * where filters are to follow, which leave nothing else of most. */
void made_steps(struct made *m, uint64_t seed, unsigned n, bool filtered);
/* Some entries, for the lens and for the events. */
void made_filter(struct lens *l, struct made *const *made, unsigned tracks, uint64_t seed);
/* All is recorded: looks at it, through filters by chance where it is to be filtered. */
void made_look(struct made *m, bool filtered, uint64_t seed);
/* Appends n columns of the track in [from, to), as the timeline has them. */
void made_columns(struct made *m, struct cells *c, int64_t from, int64_t to, unsigned n);
/* All of that at once. */
struct made *made_by_steps(uint64_t seed, unsigned n, bool filtered);
/* Bursts of samples every 10 units or so; with weights that are sometimes longer than that. */
struct made *made_by_samples(uint64_t seed, unsigned n, bool filtered);

/* ---- the truth ---- */

struct made_cell_truth {
	int function; /* -1: nothing */
	int second;   /* -1: there is one function alone */
	unsigned fill; /* eighths that have begun */
	enum mix mix;
	int64_t sum[FUNCTIONS]; /* the time of each function */
	int64_t whole;          /* of all */
};

/* on[x][i]: in column x the rows above this one show the callers of event i; `astray`: the
 * column shows a function with another caller.  A row narrows them. */
struct made_callers {
	bool on[COLUMNS][MADE];
	bool astray[COLUMNS];
};

/* Returns true if it is visible in [from, to). */
bool made_seen(const struct made_event *e, int64_t from, int64_t to);
/* At this row; 0: the leaf. */
unsigned made_function(const struct made_event *e, unsigned row);
/* The composition of a column at a row, of the events that are `on` (NULL: all), without its
 * shade. */
struct made_cell_truth made_most(const struct made *m, const bool *on, unsigned row, int64_t from,
				 int64_t to);
/* True if a cell shows this function: the first one, or one with an eighth. */
bool made_shows(const struct made_cell_truth *cell, unsigned function);
/* The truth of cell x of a row; call it for the rows above first. */
struct made_cell_truth made_cell(const struct made *m, struct made_callers *above, unsigned x,
				 unsigned row, int64_t from, int64_t to);

#endif
