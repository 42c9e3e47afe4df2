/* events.h - what a lens shows as rows of samples: the walk that a store and a hash of what
 * would be stored have in common. */
#ifndef PNAV_SRC_STORE_EVENTS_H
#define PNAV_SRC_STORE_EVENTS_H

#include <stdbool.h>
#include <stdint.h>

#include "src/encode/shown.h"
#include "src/store/paths.h"

struct events_row {
	track_id track;
	metric_id metric;
	int64_t time;   /* ns from the first event of the file */
	uint64_t stack; /* its hash */
	int64_t value;
	int64_t samples; /* that it tells, 0: none */
	labels_id labels;
};

struct events {
	struct shown *shown;
	struct paths *paths;
	int64_t start;  /* of the file, on the clock of the store: where long steps are cut */
	int64_t grid;   /* they are cut at whole ones of these, ns */
	/* Takes a row; false ends the walk. */
	bool (*row)(void *ctx, const struct events_row *row);
	void *ctx;
	struct err *fault;
};

/* The metric that rows of others tell as `samples`; METRIC_NONE where there is none. */
metric_id events_counted(const struct profile *p);

/* What steps of a profile of this length are cut at: so that a part of it is as long as its
 * picture has columns, and no more than a second. */
int64_t events_grid(int64_t length_ns);
/* Tells all rows, track by track.  False with *fault set, or when row() said so. */
bool events_walk(struct events *x);

#endif
