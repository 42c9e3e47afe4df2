/* recpast.h - what later records need of earlier ones that are dropped: names and maps of the tasks
 * that live.
 *
 *	struct recpast *p = recpast_new();
 *	recpast_command(p, pid);       -- for a process that the user records beside all others
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
#include <stdint.h>
#include <sys/types.h>

#include "model/base/err.h"
#include "model/base/vec.h"

struct collect_sink;
struct recpast;
struct recpast_pids {
	VEC(pid_t) at;
};

struct recpast *recpast_new(void);
void recpast_free(struct recpast *p);
/* Records that describe nothing are ignored, but not the ends of rounds. */
void recpast_take(struct recpast *p, const struct perf_event_header *record);
/* Marks a process of the command that the user records. Later children of it are marked, too. */
void recpast_command(struct recpast *p, uint32_t pid);
/* Appends the marked processes that live. */
void recpast_commanded(const struct recpast *p, struct recpast_pids *pids);
/* Passes the state to the sink.  Returns false with *e if the sink failed. */
bool recpast_write(const struct recpast *p, const struct collect_sink *sink, struct err *e);

#endif
