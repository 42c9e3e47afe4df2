/* temporary.h - temporary files of encoders, and lists of numbers in such files. */
#ifndef PNAV_SRC_ENCODE_TEMPORARY_H
#define PNAV_SRC_ENCODE_TEMPORARY_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "model/base/buf.h"
#include "model/base/err.h"

/* Creates a file in $TMPDIR, else /tmp, and sets `path` to its name. Returns its descriptor, or -1
 * with *e. The caller should unlink it immediately, since a killed program leaves named files
 * behind. */
int temporary_open(struct buf *path, struct err *e);
/* Copies the file to a stream, whose write errors stay in it. Returns false with *e if the file
 * cannot be read. */
bool temporary_copy(int fd, FILE *out, struct err *e);

/* A list of numbers that may exceed memory: filled in nearly ascending order of positions, then
 * read in order. The last SPILL_WINDOW numbers are in memory. Earlier ones are in a file, which is
 * created when the list exceeds the window. */
#define SPILL_WINDOW (1u << 16)

struct spill {
	int64_t *window; /* positions base and up */
	uint64_t base, n;
	uint64_t read;   /* the next position to read */
	int file;        /* -1: not created yet */
	bool failed;
	struct err e;    /* the reason, if it failed */
};

void spill_init(struct spill *s);
void spill_release(struct spill *s);
/* Empties the list; keeps the file. */
void spill_reset(struct spill *s);
/* Adds a position for a number that is set later, and returns it. */
uint64_t spill_add(struct spill *s);
void spill_set(struct spill *s, uint64_t place, int64_t value);
/* Ends the filling: the numbers are read from the first on. */
void spill_rewind(struct spill *s);
int64_t spill_next(struct spill *s);

#endif
