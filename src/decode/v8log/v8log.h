/* v8log.h - the state while ticks of V8's log are read, in either notation.  For v8log*.c only. */
#ifndef PNAV_SRC_DECODE_V8LOG_V8LOG_H
#define PNAV_SRC_DECODE_V8LOG_V8LOG_H

#include <stdbool.h>
#include <stdint.h>

#include "model/base/err.h"
#include "model/base/vec.h"
#include "model/build/builder.h"
#include "src/input/input.h"

struct v8_tick {
	int64_t time_ns;
	uint64_t offset; /* in the file; keeps the order of ticks with equal times */
	stack_id stack;
	labels_id labels;
};

struct v8_out {
	struct builder *b;
	struct err *e;
	VEC(struct v8_tick) tick;
	VEC(frame_id) frame; /* of the current tick, leaf first */
	frame_id unknown;
	name_id state_key;
};

/* Returns the frame of a piece of code: `FUNCTION FILE:LINE:COLUMN` of JavaScript, or a plain
 * name. */
frame_id v8_frame(struct v8_out *o, name_id name, bool javascript);
/* Adds the tick whose frames are in o->frame, and the state of the engine (negative: unknown). */
void v8_tick_add(struct v8_out *o, int64_t time_ns, int64_t vm_state, uint64_t offset);

/* Each reads one notation; returns false with the error in *o->e. */
bool v8_read_json(struct v8_out *o, struct input *in);
bool v8_read_raw(struct v8_out *o, struct input *in);

#endif
