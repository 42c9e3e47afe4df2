/* pprof_types.h - the types of a pprof profile's values as metrics. */
#ifndef PNAV_SRC_DECODE_PPROF_TYPES_H
#define PNAV_SRC_DECODE_PPROF_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/build/builder.h"

/* How a unit's name is counted here: *factor of the base unit. */
bool pprof_unit(struct name name, enum unit *unit, int64_t *factor);
/* The metric of a type; `again`: another type has its name.  *factor is what values are
 * multiplied with. */
metric_id pprof_metric(struct builder *b, struct name type, struct name unit, bool again,
		       int64_t *factor);

#endif
