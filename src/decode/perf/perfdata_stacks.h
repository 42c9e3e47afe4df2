/* perfdata_stacks.h - converts the addresses of samples to stacks of the profile. */
#ifndef PNAV_SRC_DECODE_PERF_PERFDATA_STACKS_H
#define PNAV_SRC_DECODE_PERF_PERFDATA_STACKS_H

#include <stddef.h>

#include "src/decode/perf/perfdata_frames.h"

/* A sample whose stack is requested. */
struct perfdata_asked {
	struct perfdata_sample s; /* borrows memory until perfdata_answer() */
	const struct perfdata_attr *a;
	uint32_t process; /* of its thread; UINT32_MAX: none */
	unsigned mode;
	struct hash128 identity; /* perfdata_ask() */
	bool remember;           /* insert the stack under its identity */
	stack_id stack;          /* perfdata_answer() */
};

#define PERFDATA_ASKED 32u /* the maximum number of samples collected */

/* Requests the stack of a sample; the maps must not change until perfdata_answer(). */
void perfdata_ask(struct perfdata_frames *f, const struct perfdata_tasks *t,
		  struct perfdata_asked *q);
/* Gets the stacks of n requests, in order. */
void perfdata_answer(struct perfdata_frames *f, const struct perfdata_tasks *t,
		     struct perfdata_asked *q, size_t n, bool big_endian);

#endif
