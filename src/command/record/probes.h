/* probes.h - recordings with a probe (uprobes.h).
 *
 * The kernel does not pass a probe on to new threads and processes.  So the whole system is
 * sampled, and what belongs to other processes is dropped. */
#ifndef PNAV_SRC_COMMAND_RECORD_PROBES_H
#define PNAV_SRC_COMMAND_RECORD_PROBES_H

#include <linux/perf_event.h>
#include <stdbool.h>

#include "src/command/record/record_options.h"

/* Returns false for samples of processes other than the given ones. */
bool probes_want(const struct record_options *o, const struct perf_event_header *record);
/* Returns true once the given processes have ended. */
bool probes_ended(const struct record_options *o);

#endif
