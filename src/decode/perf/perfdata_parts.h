/* perfdata_parts.h - reads a recording that is a directory, as `perf record --threads` makes it: an
 * ordinary file `data`, and beside it `data.0`, `data.1`, ..., one per buffer, which contain
 * records without a header. */
#ifndef PNAV_SRC_DECODE_PERF_PERFDATA_PARTS_H
#define PNAV_SRC_DECODE_PERF_PERFDATA_PARTS_H

#include <stdbool.h>

#include "src/decode/perf/perfdata_file.h"

/* Returns true if the file, whose header was read, has others beside it. */
bool perfdata_has_parts(struct perfdata_file *head);
/* Passes the records of all files beside `head`, merged by time except for single records; `take`
 * stores the time of the last record that has one in `newest`. A damaged file ends at the damage,
 * the others continue; *e reports the first damage. */
bool perfdata_walk_parts(const struct perfdata_file *head, perfdata_take *take, void *arg,
			 uint64_t *newest, struct err *e);

#endif
