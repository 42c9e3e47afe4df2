/* priority.h - the scheduling priority of the recorder. */
#ifndef PNAV_SRC_COLLECT_PRIORITY_H
#define PNAV_SRC_COLLECT_PRIORITY_H

#include <stdint.h>

struct priority {
	int nice;
	uint64_t slice_ns;      /* 0: the system's */
	unsigned long slack_ns; /* of timers; 0: the default */
};

/* Gives the calling thread the best nice value, the shortest time slice, and exact timers.
 * Threads and processes started later inherit them.  Returns the previous values. */
struct priority priority_raise(void);
/* Sets those values again. */
void priority_restore(struct priority old);

#endif
