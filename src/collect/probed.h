/* probed.h - which calls of probed functions belong to the recorded processes.
 *
 *	struct probed *p = probed_new(pids, n);
 *	bool now = probed_take(p, l, record, &late);   -- each record; those of `late` precede it
 *	samples -= probed_dropped(p);
 *	probed_free(p);
 *
 * The kernel does not pass a probe on to new threads and processes.  So probes count the calls of
 * the whole system (events.c), and those of other processes are dropped here. */
#ifndef PNAV_SRC_COLLECT_PROBED_H
#define PNAV_SRC_COLLECT_PROBED_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "model/base/buf.h"

struct eventlist;
struct probed;

/* Returns true if an event is a probe; `l` may be NULL. */
bool probed_any(const struct eventlist *l);
struct probed *probed_new(const pid_t *pid, size_t n);
/* Returns true if the record is to be passed on: a sample of the processes or of their later
 * children, or anything else than a sample.  Samples of processes that are not known wait for the
 * end of the round, since the fork may be in the ring of another CPU; that end appends those that
 * are wanted to `late`.  `l` has the ids of the counters. */
bool probed_take(struct probed *p, const struct eventlist *l,
		 const struct perf_event_header *record, struct buf *late);
/* Returns how many samples were dropped since the last call. */
uint64_t probed_dropped(struct probed *p);
void probed_free(struct probed *p);

#endif
