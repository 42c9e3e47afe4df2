/* plain.h - files of this machine that somebody else may have put there. */
#ifndef PNAV_SRC_SYMBOL_PLAIN_H
#define PNAV_SRC_SYMBOL_PLAIN_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Opens a plain file for reading, to be closed by fclose(); a FIFO of that name does not hold
 * the caller up.  `own`: only one of root's or of the user's own.  Its bytes in *size, which may
 * be NULL.  NULL where there is no such file. */
FILE *symbol_open_plain(const char *path, bool own, uint64_t *size);

#endif
