/* tracedata.h - describes the fields of tracepoints: the section TRACING_DATA of perf.data, with
 * which perf and pnav decode the raw bytes of samples. */
#ifndef PNAV_SRC_COLLECT_TRACEDATA_H
#define PNAV_SRC_COLLECT_TRACEDATA_H

#include <stdbool.h>

#include "model/base/buf.h"

struct eventlist;

/* Returns true if an event of the list is a tracepoint; samples then contain its fields. */
bool tracedata_wanted(const struct eventlist *l);
/* Appends the section for the tracepoints of the list; nothing if there are none, or if tracefs is
 * not readable. */
void tracedata_section(const struct eventlist *l, struct buf *out);

#endif
