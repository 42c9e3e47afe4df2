/* priority.h - the scheduling priority of the recorder. */
#ifndef PNAV_SRC_COLLECT_PRIORITY_H
#define PNAV_SRC_COLLECT_PRIORITY_H

/* Gives the calling thread the best nice value available to it.  Processes forked later inherit it.
 * Returns the previous value. */
int priority_raise(void);
/* Sets that value again. */
void priority_restore(int nice);

#endif
