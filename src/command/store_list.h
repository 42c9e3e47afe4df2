/* store_list.h - `pnav store --list`: what a store holds, as a table. */
#ifndef PNAV_SRC_COMMAND_STORE_LIST_H
#define PNAV_SRC_COMMAND_STORE_LIST_H

#include "src/store/held.h"

enum list_format { LIST_TEXT, LIST_CSV, LIST_NDJSON };

/* Asks a server what it holds, and shows that it waits. Returns false with *e set; call
 * held_release() in any case. */
bool store_list_read(struct store_held *h, const struct store_url *url, const char *address,
		     struct err *e);
/* Prints a row for each service. */
void store_list_write(const struct store_held *h, enum list_format format);
/* Appends a time in seconds, as 2024-05-01T12:00:00Z. */
void store_list_time(struct buf *out, int64_t ns);

#endif
