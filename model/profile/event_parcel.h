/* event_parcel.h - a run of events, packed to be passed to another thread.
 *
 *	size_t bytes = parcel_pack(at, &p, &run, labels);	-- into PARCEL_BYTES of memory
 *	struct parcel *p = parcel_unpack(at, &run, labels);	-- there
 */
#ifndef PNAV_MODEL_PROFILE_EVENT_PARCEL_H
#define PNAV_MODEL_PROFILE_EVENT_PARCEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/profile/event_run.h"
#include "model/profile/labels.h"

struct series;

/* The data that accompany a run. */
struct parcel {
	struct series *series;
	int64_t before; /* time of the event before the run */
	uint32_t n;
	uint8_t n_columns;
	bool labelled, summed;
	int64_t sum[EVENT_RUN_VALUES]; /* of each column, if `summed` */
};

/* Upper bound of a packed parcel. */
#define PARCEL_BYTES                                                                        \
	(sizeof(struct parcel) + (3 + EVENT_RUN_VALUES) * 16 +                              \
	 (2 + EVENT_RUN_VALUES) * EVENT_RUN_MAX * sizeof(int64_t))

/* Writes a parcel and its run of p->n events, at least one, to `at`. `at` is aligned for a
 * number of any size and has PARCEL_BYTES. labels[] is read if p->labelled. Returns the size in
 * bytes, rounded so that the next parcel is aligned, too. */
size_t parcel_pack(void *at, const struct parcel *p, const struct event_run *run,
		   const labels_id *labels);
/* Reads a parcel; returns a pointer into `at`. Sets *bytes to its size. */
const struct parcel *parcel_unpack(const void *at, struct event_run *run, labels_id *labels,
				   size_t *bytes);

#endif
