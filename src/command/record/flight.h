/* flight.h - `pnav record --ring T`: keeps the last seconds, and writes them when something
 * happens. */
#ifndef PNAV_SRC_COMMAND_RECORD_FLIGHT_H
#define PNAV_SRC_COMMAND_RECORD_FLIGHT_H

#include <linux/perf_event.h>
#include <stdbool.h>

#include "model/base/buf.h"
#include "model/base/err.h"
#include "src/command/record/record_options.h"

struct collect;
struct flight;

/* Files are `out`, out.2, out.3, ...  `line`: the command line for them.  Blocks SIGUSR2, so call
 * it after the command was started.  Everything is borrowed. */
struct flight *flight_new(const struct record_options *o, const struct collect *c, const char *out,
			  char *const *line);
void flight_free(struct flight *f);
/* Takes a record of the collection. */
bool flight_take(void *flight, const struct perf_event_header *record, struct err *e);
/* Writes a file if a trigger holds since the last call, or SIGUSR2 came.  A process of its own does
 * so, and the recording goes on. */
void flight_idle(struct flight *f);
/* After the collection: writes a file if the command has failed or a signal ended the recording.
 * Appends what was written to `said`.  Returns false if a file could not be written. */
bool flight_end(struct flight *f, struct buf *said);

#endif
