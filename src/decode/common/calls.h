/* calls.h - the open calls of one thread, for files that contain entries and exits in the order of
 * time; converts them to steps.
 *
 *	struct calls c = {0};
 *	calls_begin(&c, b, track);
 *	calls_now(&c, time);   calls_enter(&c, key, frame, offset, e);
 *	calls_now(&c, time);   calls_leave(&c, calls_below(&c, key), offset, e);
 *	calls_end(&c, offset, e);
 *	calls_release(&c);
 *
 * A key identifies the call that an exit ends: a method, a depth. */
#ifndef PNAV_SRC_DECODE_COMMON_CALLS_H
#define PNAV_SRC_DECODE_COMMON_CALLS_H

#include <stdbool.h>
#include <stdint.h>

#include "model/base/err.h"
#include "model/base/vec.h"
#include "model/build/builder.h"

struct call_open {
	uint64_t key;
	stack_id stack;
};

/* Zero-initialised, it is empty. */
struct calls {
	struct builder *b; /* borrowed */
	track_id track;
	struct series *series; /* NULL until calls_begin() */
	VEC(struct call_open) open; /* innermost last */
	int64_t now;
	bool any;
};

void calls_begin(struct calls *c, struct builder *b, track_id track);
/* Sets the time. Returns false, and keeps the old time, if the new one is earlier. */
bool calls_now(struct calls *c, int64_t time);
/* Adds a call that began before the recording: it is on the stack from the next step on, and does
 * not count as a call. */
void calls_push(struct calls *c, uint64_t key, frame_id frame);
/* Appends a step with the current stack. */
bool calls_step(struct calls *c, uint32_t flags, uint64_t offset, struct err *e);
bool calls_enter(struct calls *c, uint64_t key, frame_id frame, uint64_t offset, struct err *e);
/* Returns the number of calls below the innermost with this key; of all calls if none has it. */
size_t calls_below(const struct calls *c, uint64_t key);
/* Ends all calls except the first `left`. */
bool calls_leave(struct calls *c, size_t left, uint64_t offset, struct err *e);
/* Ends the track, and the open calls, which are incomplete. */
bool calls_end(struct calls *c, uint64_t offset, struct err *e);
void calls_release(struct calls *c);

#endif
