/* tracedata.h - what the fields of tracepoints mean: the section TRACING_DATA of perf.data, from
 * which perf and pnav read the raw bytes of their samples. */
#ifndef PNAV_SRC_COLLECT_TRACEDATA_H
#define PNAV_SRC_COLLECT_TRACEDATA_H

#include <stdbool.h>

#include "model/base/buf.h"

struct eventlist;

/* Whether an event of the list is a tracepoint: then samples have its fields. */
bool tracedata_wanted(const struct eventlist *l);
/* Appends the section for the tracepoints of the list; nothing where there are none, or where
 * tracefs cannot be read. */
void tracedata_section(const struct eventlist *l, struct buf *out);

#endif
