/* eventlist.h - the events to count: the names after -e, as in perf-list(1). */
#ifndef PNAV_SRC_COLLECT_EVENTLIST_H
#define PNAV_SRC_COLLECT_EVENTLIST_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>

#include "model/base/buf.h"
#include "model/base/err.h"
#include "model/base/vec.h"

#define EVENTLIST_MAX 128u

/* One event, and its counters. */
struct collect_event {
	char *name; /* the requested name; NULL: the CPU's time, by any event */
	struct perf_event_attr attr;
	VEC(uint64_t) ids; /* of its counters */
	char *probed; /* the file of a probe (uprobes.h); NULL: it is another event */
	const char *format; /* of the recorder's own tracepoint: its fields, as a file `format` of
			     * tracefs; NULL: tracefs has it */
};

struct eventlist {
	VEC(struct collect_event) at;
};

/* Appends the events of a list with commas: hardware, software and cache events, rHEX,
 * SYSTEM:TRACEPOINT, where * and ? match several, uprobe:/PATH:FUNCTION, groups in {}; each but the
 * last may end in :u, :k (only the user's or the kernel's side).  Sets type, config and exclusions
 * in the attrs; tracepoints and probes have a period of one.  Returns false with usage in *e for an
 * unknown name, a missing or unreadable tracepoint, or more than EVENTLIST_MAX events. */
bool eventlist_add(struct eventlist *l, const char *names, struct err *e);
/* Sets *out to the folder events/ of tracefs; returns false with errno: ENOENT if it is not
 * mounted. */
bool eventlist_tracefs(struct buf *out);
/* Adds one without a name, all fields zero. */
struct collect_event *eventlist_push(struct eventlist *l);
/* A zero-initialised list is empty. */
void eventlist_release(struct eventlist *l);

#endif
