/* shown.h - the profile through a lens, for encoders: nodes with values of every metric, and
 * events.
 *
 *	struct shown s;
 *	if (!shown_open(&s, job, SHOWN_LINES, e)) ...
 *	shown_load(&s, TRACK_NONE, e)         -- or track after track: s.track.at[i]
 *	for (uint32_t i = 0; i < shown_nodes(&s); i++)
 *		... n = shown_node(&s, i)
 *		... shown_frame(&s, s.tree->key[n]), shown_self(&s, n)[m], s.metric.at[m]
 *	shown_close(&s);
 *
 * No encoder reads the profile directly. So exports and reports agree, because both are the fold of
 * one lens. */
#ifndef PNAV_SRC_ENCODE_SHOWN_H
#define PNAV_SRC_ENCODE_SHOWN_H

#include <stdbool.h>
#include <stdint.h>

#include "model/base/vec.h"
#include "model/fold/fold.h"
#include "model/fold/single.h"
#include "src/encode/encoder.h"

enum {
	SHOWN_LINES = 1u,    /* a tree of lines if the lens asks for functions */
	SHOWN_ADDRESSES = 32u, /* and of the addresses of leaves, if there are any */
	SHOWN_ONE = 2u,      /* only the metric of the lens */
	SHOWN_FIRST = 8u,    /* the metric of the lens before the others */
	/* of a comparison: the difference to the base; without it comparisons are refused */
	SHOWN_DIFF = 16u,
	SHOWN_WHOLE = 4u,    /* values are whole numbers: metrics with decimals are rounded, with a
			      * warning */
};

struct shown {
	const struct encode_job *job;
	const struct profile *p;
	struct lens lens;
	struct fold *fold;     /* of the metric of the lens; may be the job's */
	struct fold *others;   /* of the other metrics, one after the other; NULL: not yet made */
	const struct projection *tree;
	/* the metrics to write, in the order of the profile, `samples` first */
	VEC(metric_id) metric;
	unsigned main;         /* the index of the lens's metric among them */
	VEC(track_id) track;   /* tracks that the lens shows and that have stacks */
	uint8_t *shows;        /* [track] 1 if the lens shows it, loaded or not */
	bool has_time;         /* some of them have times: see shown_times.h */
	int64_t *base; /* [group] the origin of its times */
	/* of the last shown_load() */
	int64_t *self;         /* [node * metric.n + metric] */
	const int64_t *calls;  /* [node]; NULL: not counted */
	const uint8_t *present; /* [node] 1 if it or a node below was recorded */
	/* private */
	unsigned flags;
	atomic_uint_fast64_t *events; /* the job's counter; it may end before this */
	int64_t *total;        /* [node * metric.n + metric] of shown_totals() */
	int64_t *scale;        /* [metric] the number of units of the metric in a whole one */
	struct single single;  /* the numbers of single tracks; used if has_single */
	bool has_single, is_single; /* it exists; it is what was loaded */
};

/* The frame of a node. */
struct shown_frame {
	name_id name, file, module; /* NAME_EMPTY if unknown */
	uint32_t defined;           /* the line of the definition; 0: unknown */
	uint32_t line;              /* the executed line; 0: unknown */
	enum kind kind;
	bool is_function;           /* otherwise a file or module as a whole */
};

/* Applies the lens to the job's profile. Returns false with usage in *e if the lens does not fit,
 * and without an error if the job's pace cancelled. Nothing needs to be closed then. */
bool shown_open(struct shown *s, const struct encode_job *job, unsigned flags, struct err *e);
void shown_close(struct shown *s);
/* Loads the numbers of one track, or of all that the lens shows (TRACK_NONE). For a single track,
 * the tree has only the branches that it reaches, and the cost depends on these alone, not on the
 * number of tracks and nodes. Returns false with usage in *e. */
bool shown_load(struct shown *s, track_id track, struct err *e);

/* Appends the title of the job, or `otherwise`; and a note if its stacks are estimates. */
void shown_title(const struct shown *s, const char *otherwise, struct buf *out);

struct shown_frame shown_frame(const struct shown *s, key_id key);
/* Appends a name, file or module in the form for programs: UTF-8 without control characters. */
void shown_name(const struct shown *s, name_id id, struct buf *out);
/* Appends the same in the form for people, for pictures: no character in it moves or hides its
 * neighbours. */
void shown_name_people(const struct shown *s, name_id id, struct buf *out);

/* Returns the number of nodes to visit, in ascending order; all other nodes have no values, and
 * none below. */
static inline uint32_t
shown_nodes(const struct shown *s)
{
	return s->is_single ? (uint32_t)s->single.node.n : s->tree->n - 1;
}

static inline node_id
shown_node(const struct shown *s, uint32_t i)
{
	return s->is_single ? s->single.node.at[i] : i + 1;
}

/* Returns [metric] the self of a node. */
static inline const int64_t *
shown_self(const struct shown *s, node_id node)
{
	return s->self + (size_t)node * s->metric.n;
}

/* Returns true if a displayed track has points: counters, states, marks. */
bool shown_has_points(const struct shown *s);
/* Returns true if a track with stacks has values of the metric. */
bool shown_has_metric(const struct shown *s, metric_id m);
/* Returns true if calls are counted in series of these kinds of a track: 1u << enum series_kind. */
bool shown_has_calls(const struct shown *s, track_id track, unsigned kinds);
/* Returns true if some metric has a self here; or if the node was recorded with zeros, and no node
 * below it was recorded. */
bool shown_has_self(const struct shown *s, node_id node);
/* Returns a value of metric i in the written form: rounded if whole numbers are written and the
 * metric has decimals. */
int64_t shown_whole(const struct shown *s, size_t i, int64_t value);
/* Computes totals: [node * metric.n + metric], for shown_nodes() alone, valid until the next
 * load. */
const int64_t *shown_totals(struct shown *s);
/* Returns the unit of metric i. */
enum unit shown_unit(const struct shown *s, size_t i);
/* Returns the length of the range on the axis of the tracks' first events. */
int64_t shown_length(const struct shown *s);

#endif
