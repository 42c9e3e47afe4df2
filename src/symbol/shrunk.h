/* shrunk.h - survives executed files that become shorter while they are read. */
#ifndef PNAV_SRC_SYMBOL_SHRUNK_H
#define PNAV_SRC_SYMBOL_SHRUNK_H

#include <stdbool.h>

/* From now on a page of a mapped file that is not there any more reads as zeros, instead of ending
 * the program with SIGBUS.  Call it before a file is mapped: it does nothing if that is so already.
 * SIGBUS for any other reason goes to the handler that was there before. */
void shrunk_survive(void);

/* Returns true if a page was missing since the program's start: names and code that were read since
 * then may be incomplete. */
bool shrunk_seen(void);

#endif
