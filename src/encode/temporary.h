/* temporary.h - files that encoders need while they write, and numbers kept in one. */
#ifndef PNAV_SRC_ENCODE_TEMPORARY_H
#define PNAV_SRC_ENCODE_TEMPORARY_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "model/base/buf.h"
#include "model/base/err.h"

/* Makes a file in $TMPDIR, else /tmp, whose name goes into path: the caller's to unlink as soon as
 * it can, since a program that is killed leaves what has a name.  Its descriptor, or -1 with *e. */
int temporary_open(struct buf *path, struct err *e);
/* Writes what is in the file to a stream; faults of that stay in it.  False with *e. */
bool temporary_copy(int fd, FILE *out, struct err *e);

/* A list of numbers that is longer than memory should be: filled in nearly the order of
 * their places, then read in order.  The last ones are in memory, those before in a file,
 * which is made when there are so many. */
#define SPILL_WINDOW (1u << 16)

struct spill {
	int64_t *window; /* places base .. */
	uint64_t base, n;
	uint64_t read;   /* the place that is read next */
	int file;        /* -1: none yet */
	bool failed;
	struct err e;    /* then: why */
};

void spill_init(struct spill *s);
void spill_release(struct spill *s);
/* Empty again; the file is kept. */
void spill_reset(struct spill *s);
/* A place more, for a number that comes later. */
uint64_t spill_add(struct spill *s);
void spill_set(struct spill *s, uint64_t place, int64_t value);
/* Nothing is added or set from here on: the numbers are read from the first on. */
void spill_rewind(struct spill *s);
int64_t spill_next(struct spill *s);

#endif
