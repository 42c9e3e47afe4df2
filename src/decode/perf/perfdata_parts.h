/* perfdata_parts.h - a recording that is a directory, as `perf record --threads` makes it:
 * a file `data` as any other, and beside it `data.0`, `data.1`, ..., one a buffer, which
 * are records without a header. */
#ifndef PNAV_SRC_DECODE_PERF_PERFDATA_PARTS_H
#define PNAV_SRC_DECODE_PERF_PERFDATA_PARTS_H

#include <stdbool.h>

#include "src/decode/perf/perfdata_file.h"

/* Does a file, whose header was read, say that it has others beside it? */
bool perfdata_has_parts(struct perfdata_file *head);
/* Gives the records of all files beside `head`, so that their times rise but for single
 * records; `newest` is where `take` leaves the time of the last one that has any.  A file
 * that is damaged ends there, the others go on; the first damage is told in *e. */
bool perfdata_walk_parts(const struct perfdata_file *head, perfdata_take *take, void *arg,
			 uint64_t *newest, struct err *e);

#endif
