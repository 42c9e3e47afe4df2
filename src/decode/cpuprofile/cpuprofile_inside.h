/* cpuprofile_inside.h - the data of a profile of V8 while it is read.  For cpuprofile*.c only. */
#ifndef PNAV_SRC_DECODE_CPUPROFILE_INSIDE_H
#define PNAV_SRC_DECODE_CPUPROFILE_INSIDE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/base/buf.h"
#include "model/build/builder.h"
#include "model/profile/packed.h"
#include "src/decode/cpuprofile/cpuprofile_nodes.h"
#include "src/input/input.h"
#include "src/input/rows_json.h"

struct cpuprofile {
	struct input *in;
	struct builder *b;
	struct err *e;
	struct rows_json r;
	struct v8_nodes nodes;
	struct packed sample; /* ids of nodes */
	struct packed delta;  /* or the times themselves; us, ns from `fine_from` on */
	size_t fine_from;
	bool has_samples, are_times;
	bool falls;    /* some samples may be older than one before them */
	int64_t lasts; /* ns to the last of them, where not */
	struct json_digits start, end; /* their unit depends on the form */
	struct buf title;
	uint64_t unknown;
};

/* ---- cpuprofile_samples.c ---- */

/* Writes all samples in the order of time to a series of the track, and declares their metrics.
 * Returns false with c->e set if the profile accepts no more, or times exceed 2^63. */
bool cpuprofile_put_samples(struct cpuprofile *c, track_id track);

#endif
