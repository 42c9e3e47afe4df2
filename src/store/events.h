/* events.h - converts a profile through a lens to rows of samples. Both the writer of a store and
 * the hash of its content use it. */
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
	int64_t samples; /* the number of samples; 0: none */
	labels_id labels;
};

struct store_events {
	struct shown *shown;
	struct paths *paths;
	int64_t start;  /* of the file, on the clock of the store; needed to cut long steps */
	int64_t grid;   /* steps are cut at multiples of this, in ns */
	/* Takes a row; false ends the iteration. */
	bool (*row)(void *ctx, const struct events_row *row);
	void *ctx;
	struct err *fault;
};

/* Returns the metric that rows of other metrics contain as `samples`; METRIC_NONE if there is
 * none. */
metric_id events_counted(const struct profile *p);

/* Returns the interval at which steps of a profile of this length are cut: one column of its
 * picture, and at most a second. */
int64_t events_grid(int64_t length_ns);
/* Passes all rows to row(), track by track. Returns false with *fault set, or if row() returned
 * false. */
bool events_walk(struct store_events *x);

#endif
