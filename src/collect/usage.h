/* usage.h - what all threads of the system wait for, read and write, from /proc, as samples.
 *
 *	struct taskusage *u = usage_new();
 *	usage_events(u, &list);              -- before the counters of the list are opened
 *	usage_add(u, pid);                   -- each process that runs already
 *	usage_take(u, record);               -- each record about tasks
 *	usage_look(u, &list, false, &out);   -- often; does nothing before its time
 *	usage_free(u);
 *
 * A sample has no stack.  Its period is what the counter of the thread gained since the last look:
 *
 *	waiting      ns ready to run without a CPU
 *	blocked      ns waiting for the end of block I/O
 *	io           bytes read from and written to storage
 *	thread-time  ns that the thread existed */
#ifndef PNAV_SRC_COLLECT_USAGE_H
#define PNAV_SRC_COLLECT_USAGE_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <sys/types.h>

struct buf;
struct eventlist;
struct taskusage;

/* Finds out which counters this system has. */
struct taskusage *usage_new(void);
void usage_free(struct taskusage *u);
/* Appends an event for each of these counters. */
void usage_events(struct taskusage *u, struct eventlist *list);
/* Adds the threads of a running process; their counters count from now on. */
void usage_add(struct taskusage *u, pid_t pid);
/* Notes new threads. */
void usage_take(struct taskusage *u, const struct perf_event_header *record);
/* Reads the counters of some threads and appends samples; `ends`: of all threads, at once.  `list`
 * has the events with the ids of their counters.  Uses at most 0.4 % of a CPU: for very many
 * threads it takes longer than half a second. */
void usage_look(struct taskusage *u, const struct eventlist *list, bool ends, struct buf *out);
/* Appends why counters are missing, on one line without its end; nothing if all are there. */
void usage_say(const struct taskusage *u, struct buf *out);

#endif
