/* event_names.h - what perf calls the events of the kernel (perf-list(1)). */
#ifndef PNAV_SRC_DECODE_PERF_EVENT_NAMES_H
#define PNAV_SRC_DECODE_PERF_EVENT_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/base/buf.h"

/* Appends the name of an event, as type and config of linux/perf_event.h say it:
 * "cycles", "L1-dcache-load-misses", "raw 0x1a2" for what has none. */
void event_name(struct buf *out, uint32_t type, uint64_t config);
/* The other way: hardware, software and cache events by perf's names and their other names
 * ("cs", "faults"), "rHEX" for raw ones.  False for what is none of them. */
bool event_named(const char *name, size_t len, uint32_t *type, uint64_t *config);

#endif
