/* hybrid.h - events of processors with cores of two kinds. perf samples them as two events, of
 * which one may have nearly all samples:
 *
 *	cpu_atom/cycles/P	efficiency cores	46 samples
 *	cpu_core/cycles/P	performance cores	83,482 samples
 *
 * If they are all events of a file, its default metric is the number of samples, which counts both.
 * With other events beside them, which have samples, too, it is the event of the performance
 * cores. */
#ifndef PNAV_SRC_DECODE_PERF_HYBRID_H
#define PNAV_SRC_DECODE_PERF_HYBRID_H

#include <stdbool.h>
#include <stddef.h>

#include "model/build/builder.h"

#define HYBRID_EVENTS 16u

/* Zero-initialised, it has seen no events. */
struct hybrid {
	unsigned events; /* all that may be the default */
	unsigned n;
	struct {
		name_id name;
		metric_id metric;
	} at[HYBRID_EVENTS]; /* [n] those of one kind of cores */
};

/* Call for each new event that may be the default. `preferred` is the name of the event that is the
 * default otherwise. */
void hybrid_event(struct hybrid *h, struct builder *b, name_id name, metric_id metric,
		  name_id preferred, metric_id samples);

#endif
