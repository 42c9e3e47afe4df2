/* firefox_inside.h - shared by the files that write the Firefox Profiler's form. */
#ifndef PNAV_SRC_ENCODE_FIREFOX_INSIDE_H
#define PNAV_SRC_ENCODE_FIREFOX_INSIDE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "model/base/vec.h"
#include "src/encode/json_text.h"
#include "src/encode/shown_times.h"
#include "src/encode/track_ids.h"

#define MS 1000000 /* ns */

/* A sample of a thread whose samples must be sorted. */
struct firefox_sample {
	int64_t time, weight;
	node_id node;
	uint32_t place;
};

/* One end of a flow. */
struct firefox_flow {
	track_id track;
	uint32_t number;
	int64_t time;
	bool arrives;
};

struct firefox_writer {
	struct shown shown;
	FILE *out;
	struct track_ids ids;
	struct names strings;
	uint32_t *frame_of;  /* [key] index + 1 */
	uint32_t *func_of;   /* [key or function] index + 1 */
	uint32_t *source_of, *resource_of; /* [name] index + 1 */
	VEC(key_id) frame;
	VEC(struct shown_frame) func;
	VEC(uint32_t) frame_func;
	VEC(name_id) source, resource;
	enum { STACKS, TIMES, WEIGHTS, COUNT } writes; /* the column of samples being written */
	const struct series *series;
	int column;
	VEC(struct firefox_sample) gathered; /* of a thread: used if several series have samples */
	bool loses_samples; /* a thread was written as sums, */
	bool loses_times;   /* although it has samples */
	bool large;         /* there are values that readers round */
	bool axis_ns, metric_ns;
	uint64_t n;
	int64_t before; /* of a counter */
	double before_real;
	VEC(struct firefox_flow) flow; /* by track */
	uint32_t flows; /* seen so far */
};

static inline void
milliseconds(struct firefox_writer *x, int64_t v, bool ns)
{
	json_decimals(x->out, v, ns ? 6 : 0);
}

static inline void
comma(struct firefox_writer *x)
{
	if (x->n++)
		putc(',', x->out);
}

/* ---- firefox_text.c ---- */
/* Return the index of a text, or of a name, in the table of strings. */
uint32_t firefox_string(struct firefox_writer *x, const char *at, size_t len);
uint32_t firefox_name(struct firefox_writer *x, name_id id);
/* Writes the name of a track, or of its process. */
void firefox_own_text(struct firefox_writer *x, track_id t,
		      void (*name)(const struct track_ids *ids, track_id t, struct buf *out));
/* Writes `head`, then n times the value. */
void firefox_constants(struct firefox_writer *x, const char *head, const char *value, uint64_t n);

/* ---- firefox_points.c ---- */
/* The kinds of markers for flows, of `markerSchema`. */
extern const char firefox_flow_schema[];
/* Finds the flows between the tracks. */
void firefox_find_flows(struct firefox_writer *x);
/* Writes the markers of a track: its marks if `marks` is set, and the ends of its flows. */
void firefox_write_markers(struct firefox_writer *x, track_id t, bool marks);
void firefox_write_counters(struct firefox_writer *x);

#endif
