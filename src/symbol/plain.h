/* plain.h - opens files that other users of the machine may have planted. */
#ifndef PNAV_SRC_SYMBOL_PLAIN_H
#define PNAV_SRC_SYMBOL_PLAIN_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Opens a plain file for reading; close it with fclose(). A FIFO does not block it. `own`: only
 * files of root or of the user. *size, which may be NULL, receives the number of bytes. NULL if
 * there is no such file. */
FILE *symbol_open_plain(const char *path, bool own, uint64_t *size);

#endif
