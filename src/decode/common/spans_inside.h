/* spans_inside.h - shared by the files of spans.h; no other file includes it.
 *
 * spans.c          collects spans
 * spans_parents.c  finds parents, names tracks, writes facts
 * spans_lanes.c    orders the spans of a track, and writes them as steps
 * spans_write.c    writes steps, edges and marks */
#ifndef PNAV_SRC_DECODE_COMMON_SPANS_INSIDE_H
#define PNAV_SRC_DECODE_COMMON_SPANS_INSIDE_H

#include "src/decode/common/spans.h"

static inline uint64_t
spans_hash(struct span_id id)
{
	uint64_t hash = id.span ^ id.trace * UINT64_C(0x9E3779B97F4A7C15);

	return (hash ^ hash >> 32) * UINT64_C(0xD6E8FEB86659FD93);
}

/* Returns the first span with this id, or SPAN_NONE; the others follow as `same`. */
static inline uint32_t
spans_find(const struct spans *s, struct span_id id)
{
	uint64_t hash = spans_hash(id);
	uint32_t slot, i;

	if (!s->span.n)
		return SPAN_NONE;
	slot = map_first(&s->span_of, hash);
	while (map_probe(&s->span_of, &slot, hash, &i))
		if (s->span.at[i].id.span == id.span && s->span.at[i].id.trace == id.trace)
			return i;
	return SPAN_NONE;
}

/* Returns the local parent, or SPAN_NONE. */
static inline uint32_t
spans_local(const struct spans *s, uint32_t i)
{
	uint32_t up = s->span.at[i].up;

	return up != SPAN_NONE && s->span.at[up].track == s->span.at[i].track ? up : SPAN_NONE;
}

/* ---- spans_parents.c ---- */
/* Finds all parents. */
void spans_parents(struct spans *s);
/* Gives tracks their displayed names. */
void spans_name_tracks(struct spans *s);
void spans_report(struct spans *s);

/* ---- spans_lanes.c ---- */
struct spans_lane {
	track_id track;
	name_id name;
	actor_id actor; /* ACTOR_NONE: not made yet */
	struct series *values; /* NULL: not made yet */
};

/* The state of a span while its track is written. */
struct lane_span {
	int64_t first;        /* when it starts on its lane */
	int64_t last;         /* when it and its local descendants have ended */
	uint32_t holds;       /* the lane that it holds, or NO_LANE */
	uint32_t called;      /* the lane with its call */
	uint32_t descendants; /* number of open local descendants */
	bool open;
};

struct spans_writer {
	struct spans *s;
	struct err *e;
	metric_id time;
	int64_t spent; /* ns of all steps */
	struct lane_span *of; /* [span] */
	stack_id *stack;  /* [span] its path, STACK_NONE: not known yet */
	uint32_t *depth;  /* [span] number of its local ancestors */
	uint32_t *lane;   /* [span] index in `lanes` of its call */
	VEC(struct spans_lane) lanes;
};

/* Writes the spans of a track, whose indexes are `index`, sorted by their place in the file. */
bool spans_lanes_write(struct spans_writer *w, uint32_t track, const uint32_t *index, uint32_t n);

#endif
