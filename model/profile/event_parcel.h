/* event_parcel.h - a run of events on its way to another thread, packed.
 *
 *	size_t bytes = parcel_pack(at, &p, &run, labels);	-- into PARCEL_BYTES of memory
 *	struct parcel *p = parcel_unpack(at, &run, labels);	-- there */
#ifndef PNAV_MODEL_EVENT_PARCEL_H
#define PNAV_MODEL_EVENT_PARCEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/profile/event_run.h"
#include "model/profile/labels.h"

struct series;

/* What goes along with a run. */
struct parcel {
	struct series *series;
	int64_t before; /* time of the event before the run */
	uint32_t n;
	uint8_t n_columns;
	bool labelled, summed;
	int64_t sum[EVENT_RUN_VALUES]; /* of each column, where that is known */
};

/* What any run takes at most. */
#define PARCEL_BYTES                                                                        \
	(sizeof(struct parcel) + (3 + EVENT_RUN_VALUES) * 16 +                              \
	 (2 + EVENT_RUN_VALUES) * EVENT_RUN_MAX * sizeof(int64_t))

/* Writes a parcel and its run, of p->n events, at least one, into PARCEL_BYTES at `at`, which
 * has room for a number of any size; labels[] where they are labelled.  How many bytes it took,
 * so that what comes behind it has such a place, too. */
size_t parcel_pack(void *at, const struct parcel *p, const struct event_run *run,
		   const labels_id *labels);
/* Reads it; the parcel stays where it is.  *bytes: how many it took. */
const struct parcel *parcel_unpack(const void *at, struct event_run *run, labels_id *labels,
				   size_t *bytes);

#endif
