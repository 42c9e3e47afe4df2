/* callgrind.h - a part of a callgrind file on its way to a profile.  For callgrind*.c alone. */
#ifndef PNAV_SRC_DECODE_CALLGRIND_CALLGRIND_H
#define PNAV_SRC_DECODE_CALLGRIND_CALLGRIND_H

#include <stdbool.h>
#include <stdint.h>

#include "model/builder.h"
#include "model/vec.h"
#include "src/decode/common/callgraph.h"

#define CALLGRIND_EVENTS_MAX 30u

/* An event of the line `events:`. */
struct callgrind_event {
	metric_id metric;
	int64_t scale; /* of Time_(10ns): 10 */
};

/* What of a function a cost line is about. */
struct callgrind_place {
	frame_id frame;
	bool below; /* code of another file: a frame below the function's own */
};

struct callgrind_part {
	struct builder *b;
	track_id track;
	const struct callgrind_event *event;
	unsigned n_events;
	metric_id calls;
	struct callgraph *graph;
	VEC(function_id) function; /* [function of the graph] */
	VEC(struct callgrind_place) place; /* [place of the graph] */
};

/* Expands the part's graph and writes it as totals of its track, and what its functions cost
 * with all they call, as the file says it.  False with damage at `offset` in *e when the
 * profile takes no more. */
bool callgrind_write(struct callgrind_part *part, uint64_t offset, struct err *e);

#endif
