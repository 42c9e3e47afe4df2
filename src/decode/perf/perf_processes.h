/* perf_processes.h - the processes that perf's threads are of. */
#ifndef PNAV_DECODE_PERF_PERF_PROCESSES_H
#define PNAV_DECODE_PERF_PERF_PROCESSES_H

#include <stdint.h>

#include "model/builder.h"
#include "src/decode/common/idmap.h"

/* All zero to begin with. */
struct perf_processes {
	struct idmap process; /* pid -> process_id */
};

void perf_processes_release(struct perf_processes *x);
/* Track t is of a thread of this process.  A number below 1 is none. */
void perf_processes_put(struct perf_processes *x, struct builder *b, int64_t pid, track_id t);

#endif
