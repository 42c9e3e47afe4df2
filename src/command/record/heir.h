/* heir.h - the end of a process that has much memory. */
#ifndef PNAV_SRC_COMMAND_RECORD_HEIR_H
#define PNAV_SRC_COMMAND_RECORD_HEIR_H

/* To be called when nothing is left but to end: from then on whoever waits for this process
 * need not wait for its memory, where that is much.  Where it cannot be done, nothing is. */
void heir_take_memory(void);

#endif
