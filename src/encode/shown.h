/* shown.h - what a lens shows, for encoders: nodes with numbers of every metric, and events.
 *
 *	struct shown s;
 *	if (!shown_open(&s, job, SHOWN_LINES, e)) ...
 *	shown_load(&s, TRACK_NONE, e)         -- or track after track: s.track.at[i]
 *	for (uint32_t i = 0; i < shown_nodes(&s); i++)
 *		... n = shown_node(&s, i)
 *		... shown_frame(&s, s.tree->key[n]), shown_self(&s, n)[m], s.metric.at[m]
 *	shown_close(&s);
 *
 * No encoder walks the profile by itself: what is written is what report prints, because
 * both are the fold of one lens. */
#ifndef PNAV_SRC_ENCODE_SHOWN_H
#define PNAV_SRC_ENCODE_SHOWN_H

#include <stdbool.h>
#include <stdint.h>

#include "model/base/vec.h"
#include "model/fold/fold.h"
#include "model/fold/single.h"
#include "src/encode/encoder.h"

enum {
	SHOWN_LINES = 1u,    /* a tree of lines where the lens asks for functions */
	SHOWN_ADDRESSES = 32u, /* and of the addresses of leaves, where there are any */
	SHOWN_ONE = 2u,      /* the lens's metric alone */
	SHOWN_FIRST = 8u,    /* the lens's metric before the others */
	SHOWN_DIFF = 16u,    /* of a comparison: what is now less what was; else one is refused */
	SHOWN_WHOLE = 4u,    /* values are whole numbers: of metrics with decimals rounded,
			      * which is warned of */
};

struct shown {
	const struct encode_job *job;
	const struct profile *p;
	struct lens lens;
	struct fold *fold;     /* of the lens's metric: perhaps the job's */
	struct fold *others;   /* of the other metrics, one after the other; NULL: not yet */
	const struct projection *tree;
	VEC(metric_id) metric; /* what is written, in the order of the profile, `samples` first */
	unsigned main;         /* which of them is the lens's */
	VEC(track_id) track;   /* that the lens shows and that have stacks */
	uint8_t *shows;        /* [track] whether the lens shows it, whichever is loaded */
	bool has_time;         /* some of them: see shown_times.h */
	int64_t *base; /* [group] what times count from */
	/* of what was loaded last */
	int64_t *self;         /* [node * metric.n + metric] */
	const int64_t *calls;  /* [node]; NULL: not counted */
	const uint8_t *present; /* [node] it or something below was recorded */
	/* private */
	unsigned flags;
	atomic_uint_fast64_t *events; /* the job's, which may end before this */
	int64_t *total;        /* [node * metric.n + metric] of shown_totals() */
	int64_t *scale;        /* [metric] what a whole one is in units of the metric */
	struct single single;  /* what single tracks have; used when has_single */
	bool has_single, is_single; /* there is one; it is what was loaded */
};

/* What a node is a frame of. */
struct shown_frame {
	name_id name, file, module; /* NAME_EMPTY where not known */
	uint32_t defined;           /* the line of the definition; 0: not known */
	uint32_t line;              /* that executes; 0: not known */
	enum kind kind;
	bool is_function;           /* else a file or module as a whole */
};

/* Looks at the job's profile through its lens.  False with usage in *e when that does not
 * fit, without an error where the job's pace gave up; nothing is to be closed then. */
bool shown_open(struct shown *s, const struct encode_job *job, unsigned flags, struct err *e);
void shown_close(struct shown *s);
/* Numbers of one track, or of all that the lens shows (TRACK_NONE).  Of a track, the tree has
 * only the branches that it reaches, and the time goes into these alone, however many tracks
 * and nodes there are.  False with usage in *e. */
bool shown_load(struct shown *s, track_id track, struct err *e);

/* Appends the title of the job, or `otherwise`, and that its stacks are estimates where they
 * are. */
void shown_title(const struct shown *s, const char *otherwise, struct buf *out);

struct shown_frame shown_frame(const struct shown *s, key_id key);
/* The name, file or module as programs read it: UTF-8 without controls, appended. */
void shown_name(const struct shown *s, name_id id, struct buf *out);
/* The same as people read it, in pictures: nothing in it turns or hides what stands beside. */
void shown_name_people(const struct shown *s, name_id id, struct buf *out);

/* The nodes to look at, rising: all others have nothing, and no node below them. */
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

/* [metric] what was spent in a node itself. */
static inline const int64_t *
shown_self(const struct shown *s, node_id node)
{
	return s->self + (size_t)node * s->metric.n;
}

/* Some metric has something in the node itself; or it was seen, with nothing, and nothing
 * below it was. */
bool shown_has_self(const struct shown *s, node_id node);
/* A value of metric i as it is written: rounded where that is a whole number and the metric has
 * decimals. */
int64_t shown_whole(const struct shown *s, size_t i, int64_t value);
/* Totals from selves: [node * metric.n + metric], of shown_nodes() alone, until the next is
 * loaded. */
const int64_t *shown_totals(struct shown *s);
/* "ns", "bytes", ... of metric i. */
enum unit shown_unit(const struct shown *s, size_t i);
/* The range in the times of the tracks' first events. */
int64_t shown_length(const struct shown *s);

#endif
