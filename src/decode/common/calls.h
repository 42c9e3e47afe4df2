/* calls.h - the calls of one thread that are open, where a file tells entries and exits in the
 * order of time; they become steps.
 *
 *	struct calls c = {0};
 *	calls_begin(&c, b, track);
 *	calls_now(&c, time);   calls_enter(&c, key, frame, offset, e);
 *	calls_now(&c, time);   calls_leave(&c, calls_below(&c, key), offset, e);
 *	calls_end(&c, offset, e);
 *	calls_release(&c);
 *
 * A key is what an exit finds its call by: a method, a depth. */
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

/* A zero-initialised list is empty. */
struct calls {
	struct builder *b; /* borrowed */
	track_id track;
	struct series *series; /* NULL until calls_begin() */
	VEC(struct call_open) open; /* innermost last */
	int64_t now;
	bool any;
};

void calls_begin(struct calls *c, struct builder *b, track_id track);
/* From here on it is this time; where that is before the last one, it stays: false. */
bool calls_now(struct calls *c, int64_t time);
/* One that was running already: it is on the stack from the next step on, and no call. */
void calls_push(struct calls *c, uint64_t key, frame_id frame);
/* What is open holds from now on. */
bool calls_step(struct calls *c, uint32_t flags, uint64_t offset, struct err *e);
bool calls_enter(struct calls *c, uint64_t key, frame_id frame, uint64_t offset, struct err *e);
/* How many are open below the innermost with this key; all that are, where none has it. */
size_t calls_below(const struct calls *c, uint64_t key);
/* All but the first `left` return. */
bool calls_leave(struct calls *c, size_t left, uint64_t offset, struct err *e);
/* The track ends now, and with it what is open, which is no complete call. */
bool calls_end(struct calls *c, uint64_t offset, struct err *e);
void calls_release(struct calls *c);

#endif
