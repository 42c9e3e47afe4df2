/* recpast.h - what later records need of earlier ones that are dropped: names and maps of the tasks
 * that live.
 *
 *	struct recpast *p = recpast_new();
 *	recpast_take(p, record);       -- each dropped record, in the order of their arrival
 *	recpast_write(p, &sink, &e);   -- the state after them, as records
 *	recpast_free(p);
 *
 * The memory depends on the tasks that live, or have just ended, and on the addresses at which they
 * map something, not on the number of records. */
#ifndef PNAV_SRC_COLLECT_RECPAST_H
#define PNAV_SRC_COLLECT_RECPAST_H

#include <linux/perf_event.h>
#include <stdbool.h>

#include "model/base/err.h"

struct collect_sink;
struct recpast;

struct recpast *recpast_new(void);
void recpast_free(struct recpast *p);
/* Records that describe nothing are ignored, but not the ends of rounds. */
void recpast_take(struct recpast *p, const struct perf_event_header *record);
/* Passes the state to the sink.  Returns false with *e if the sink failed. */
bool recpast_write(const struct recpast *p, const struct collect_sink *sink, struct err *e);

#endif
