/* perfdata_stacks.h - converts the addresses of samples to stacks of the profile. */
#ifndef PNAV_SRC_DECODE_PERF_PERFDATA_STACKS_H
#define PNAV_SRC_DECODE_PERF_PERFDATA_STACKS_H

#include <stdbool.h>

#include "src/decode/common/stack_queue.h"
#include "src/decode/perf/perfdata_frames.h"

/* A sample that waits for its stack. */
struct perfdata_asked {
	struct perfdata_sample s; /* borrows memory until it has its stack */
	const struct perfdata_attr *a;
	uint32_t process; /* of its thread; UINT32_MAX: none */
	unsigned mode;
};

/* Adds the next item of the queue; the maps must not change until it has its stack. Returns false
 * if taking an item does. */
bool perfdata_ask(struct stack_queue *queue, const struct perfdata_frames *f,
		  const struct perfdata_tasks *t, const struct perfdata_asked *q);
/* Gives the path of a sample whose stack is new. */
void perfdata_path(struct stack_queue *queue, struct perfdata_frames *f,
		   const struct perfdata_tasks *t, const struct perfdata_asked *q,
		   bool big_endian);

#endif
