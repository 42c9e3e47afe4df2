/* once.h - messages of children that run again and again, each printed once an hour.
 *
 * Two lines that differ in their numbers alone are one message. */
#ifndef PNAV_SRC_COMMAND_RECORD_ONCE_H
#define PNAV_SRC_COMMAND_RECORD_ONCE_H

#include <stdbool.h>
#include <stdint.h>

#include "model/base/buf.h"
#include "model/base/vec.h"

struct once_line {
	uint64_t hash;    /* of the line without its numbers */
	int64_t shown_ns; /* when it was printed, of a monotonic clock */
	unsigned hidden;  /* how often it came since */
};

struct once {
	int ends[2];     /* a pipe; children write into the second one, -1: as it is */
	struct buf line; /* not complete yet */
	VEC(struct once_line) lines;
};

/* Without a pipe, children print by themselves. */
void once_init(struct once *o);
void once_release(struct once *o);
/* Makes the standard error of the calling child the pipe. */
void once_join(const struct once *o);
/* Prints what children have written, on standard error; at the end also a line that is not
 * complete, and how often others came. */
void once_print(struct once *o, bool ends);

#endif
