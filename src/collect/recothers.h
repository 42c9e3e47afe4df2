/* recothers.h - what later records need of dropped ones that belong to no process: maps of the
 * kernel, its generated functions, names of control groups.
 *
 *	struct recothers o = {0};
 *	recothers_take(&o, record);
 *	... o.records ...
 *	recothers_release(&o);
 *
 * New control groups may come for days.  Of those that have ended, the last megabytes are kept. */
#ifndef PNAV_SRC_COLLECT_RECOTHERS_H
#define PNAV_SRC_COLLECT_RECOTHERS_H

#include <linux/perf_event.h>
#include <stddef.h>

#include "model/base/buf.h"

struct recothers {
	struct buf records;
	size_t most; /* bytes; then the oldest are dropped; 0: not known yet */
};

void recothers_take(struct recothers *o, const struct perf_event_header *record);
void recothers_release(struct recothers *o);

#endif
