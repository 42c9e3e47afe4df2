/* recring.h - keeps the records of the last seconds, for a recorder that writes them when something
 * has happened.
 *
 *	struct recring *r = recring_new(keep_ns, 0);
 *	recring_take(r, record);        -- each record, at once
 *	recring_write(r, &sink, &e);    -- any time, as often as wanted
 *	recring_free(r);
 *
 * Samples and switches older than that are dropped.  Names of tasks are kept as long as they live
 * or have a sample, and maps until others are made over them; see recpast.h. */
#ifndef PNAV_SRC_COLLECT_RECRING_H
#define PNAV_SRC_COLLECT_RECRING_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/base/err.h"

struct collect_sink;
struct recpast_pids;
struct recring;

/* `most_bytes`: less time is kept if its records are larger, by a block; 0: no limit. */
struct recring *recring_new(uint64_t keep_ns, uint64_t most_bytes);
void recring_free(struct recring *r);
/* Adds a record that arrives at `now` (record_now()). */
void recring_take(struct recring *r, const struct perf_event_header *record, uint64_t now);
/* Marks a process of the command that the user records, and its later children. */
void recring_command(struct recring *r, uint32_t pid);
/* Appends the marked processes that live before the records that are kept (recpast.h). */
void recring_commanded(const struct recring *r, struct recpast_pids *pids);
/* Passes all records to the sink, in the order of their arrival, and keeps them.  Returns false
 * with *e if the sink failed. */
bool recring_write(const struct recring *r, const struct collect_sink *sink, struct err *e);
/* Returns the time from the first record that is kept to `now`. */
uint64_t recring_span(const struct recring *r, uint64_t now);
/* Returns the number of samples that are kept. */
uint64_t recring_samples(const struct recring *r);

#endif
