/* event_names.h - perf's names of kernel events (perf-list(1)). */
#ifndef PNAV_SRC_DECODE_PERF_EVENT_NAMES_H
#define PNAV_SRC_DECODE_PERF_EVENT_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/base/buf.h"

/* Appends the name of an event from type and config of linux/perf_event.h: "cycles",
 * "L1-dcache-load-misses"; "raw 0x1a2" for events without a name. */
void event_name(struct buf *out, uint32_t type, uint64_t config);
/* Parses a name: hardware, software and cache events by perf's names and aliases ("cs", "faults"),
 * "rHEX" for raw events. Returns false for others. */
bool event_named(const char *name, size_t len, uint32_t *type, uint64_t *config);

#endif
