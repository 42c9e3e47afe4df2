/* threadlook.h - one look at all threads of some processes: what each does and waits for, and its
 * stack.
 *
 *	struct threadlook *l = threadlook_new(true);
 *	threadlook_take(l, pid, n, &records);      -- as often as wanted
 *	threadlook_say(l, &text);
 *	threadlook_free(l);
 *
 * A look is records of a recording (record.h): a sample of the event `threads` for each thread,
 * with the fields `state`, `call`, `waits_for` and `waited_ms`, which readers know as labels.
 *
 * A waiting thread is examined from outside and not disturbed.  A running one is stopped by
 * ptrace(2) for the copy of its stack, well below a millisecond. */
#ifndef PNAV_SRC_COLLECT_THREADLOOK_H
#define PNAV_SRC_COLLECT_THREADLOOK_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "model/base/buf.h"

struct eventlist;
struct threadlook;

/* interpreters: their frames are shown. */
struct threadlook *threadlook_new(bool interpreters);
void threadlook_free(struct threadlook *l);
/* Returns the events of the records, for a perfwriter; owned by the look. */
const struct eventlist *threadlook_events(const struct threadlook *l);
/* Looks at all threads of these processes; of all processes with pid NULL.  Appends the records,
 * and the end of a round.  Returns the number of threads, without those that ended meanwhile. */
size_t threadlook_take(struct threadlook *l, const pid_t *pid, size_t n, struct buf *out);
/* Lets go threads that did not stop at once when they were examined.  Call it now and then after a
 * look; the end of the process does the same.  Collects all children of the process. */
void threadlook_settle(void);
/* Appends lines about the last look: each deadlock, and threads that could not be examined. */
void threadlook_say(const struct threadlook *l, struct buf *out);

#endif
