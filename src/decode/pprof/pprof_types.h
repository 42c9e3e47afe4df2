/* pprof_types.h - the types of a pprof profile's values as metrics. */
#ifndef PNAV_SRC_DECODE_PPROF_TYPES_H
#define PNAV_SRC_DECODE_PPROF_TYPES_H

#include <stdbool.h>
#include <stdint.h>

#include "model/build/builder.h"

/* Converts the name of a unit to a unit of pnav; *factor is the number of base units in it. */
bool pprof_unit(struct name name, enum unit *unit, int64_t *factor);
/* Returns the metric of a type; `again`: another type has the same name.  Values are multiplied
 * by *factor. */
metric_id pprof_metric(struct builder *b, struct name type, struct name unit, bool again,
		       int64_t *factor);

#endif
