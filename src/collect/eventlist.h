/* eventlist.h - which events are counted: the words behind -e, as perf-list(1) has them. */
#ifndef PNAV_SRC_COLLECT_EVENTLIST_H
#define PNAV_SRC_COLLECT_EVENTLIST_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>

#include "model/base/err.h"
#include "model/base/vec.h"

#define EVENTLIST_MAX 32u

/* One event, and the counters that count it. */
struct collect_event {
	char *name; /* as it was asked for; NULL: the CPU's time, whichever way */
	struct perf_event_attr attr;
	VEC(uint64_t) ids; /* of its counters */
};

struct eventlist {
	VEC(struct collect_event) at;
};

/* Appends the events of a list with commas: hardware, software and cache events, rHEX,
 * SYSTEM:TRACEPOINT; each may end in :u, :k (user's or kernel's side alone).  In the attrs
 * are type, config, and what is excluded; tracepoints have a period of one.  False with
 * usage in *e: a name that is none, a tracepoint that is not there or may not be looked at,
 * more than EVENTLIST_MAX. */
bool eventlist_add(struct eventlist *l, const char *names, struct err *e);
/* One more without a name, zero. */
struct collect_event *eventlist_push(struct eventlist *l);
/* Zero-initialised is empty. */
void eventlist_release(struct eventlist *l);

#endif
