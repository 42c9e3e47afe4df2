/* heir.h - ends a process with much memory quickly. */
#ifndef PNAV_SRC_COMMAND_RECORD_HEIR_H
#define PNAV_SRC_COMMAND_RECORD_HEIR_H

/* Call this when only the end of the process is left. Afterwards its parent need not wait until its
 * memory is freed, if that is much. Does nothing if the system does not support it. */
void heir_take_memory(void);

#endif
