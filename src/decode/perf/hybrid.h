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

/* Zero-initialised, it has seen no events. */
struct hybrid {
	unsigned events;
	bool paired;
	name_id first; /* the first event of such a core; NAME_EMPTY: none */
	metric_id metric, core; /* of the first; of the performance cores */
};

/* Call for each new event that may be the default, after its metric became the default or not. */
void hybrid_event(struct hybrid *h, struct builder *b, name_id name, metric_id metric,
		  metric_id samples);

#endif
