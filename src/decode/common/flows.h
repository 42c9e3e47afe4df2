/* flows.h - flows of a trace: slices that hand work to others, as edges between threads.
 *
 *	struct flows f = {.at = VEC_INIT};
 *	flows_add(&f, id, track, time_ns, FLOW_BEGINS);   -- of each event, in the order of the file
 *	flows_bind(&f, &cast);                            -- before cast_write()
 *	flows_write(&f, &cast);                           -- after cast_rename()
 *	flows_release(&f);
 *
 * The events of one id, in the order of time, are a chain: each leads to the next. */
#ifndef PNAV_SRC_DECODE_COMMON_FLOWS_H
#define PNAV_SRC_DECODE_COMMON_FLOWS_H

#include <stdint.h>

#include "model/base/vec.h"
#include "src/decode/common/cast.h"

/* Properties of an event. */
#define FLOW_BEGINS 1u /* nothing leads to it */
#define FLOW_ENDS 2u   /* it leads to nothing */
#define FLOW_NEXT 4u   /* it is the begin of the next slice of its thread */
#define FLOW_LINK 8u   /* the edge to it is EDGE_LINK: a parent in another process */

struct flow_event {
	uint64_t id;
	int64_t time_ns;
	uint32_t track; /* of the cast */
	uint32_t order;
	uint8_t bits; /* FLOW_ ones */
};

/* Zero-initialised, it is empty. */
struct flows {
	VEC(struct flow_event) at;
	struct idmap actor_of; /* track of the cast -> actor */
};

void flows_add(struct flows *f, uint64_t id, uint32_t track, int64_t time_ns, unsigned bits);
/* Moves events with FLOW_NEXT to the slices at which they point. */
void flows_bind(struct flows *f, struct cast *c);
/* Writes the edges. Tracks without events get none. */
void flows_write(struct flows *f, struct cast *c);
void flows_release(struct flows *f);

#endif
