/* wallclock.h - parses times in the forms "-1h", "now", "2024-05-01T12:00:00Z". */
#ifndef PNAV_SRC_STORE_WALLCLOCK_H
#define PNAV_SRC_STORE_WALLCLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "model/base/err.h"

struct wallclock {
	bool given;
	bool relative; /* ns counts from now */
	int64_t ns;    /* nanoseconds since 1970 in UTC, or from now */
};

/* Parses `now`, `now-1h`, `-90s` (units ns us ms s min m h d w, a decimal fraction), `@SECONDS`
 * since 1970, or an ISO 8601 date with an optional time, fraction and zone; the default zone is
 * UTC. Returns false with usage in *e, which names `what`. */
bool wallclock_read(struct wallclock *m, const char *what, const char *text, struct err *e);
/* Returns the time in ns since 1970; `now` has the same unit. */
int64_t wallclock_ns(const struct wallclock *m, int64_t now);
/* Parses a length of time as in such a moment, 90s or 30d, into ns. Returns false with usage in *e,
 * which names `what`, also for 0. */
bool wallclock_length(int64_t *ns, const char *what, const char *text, struct err *e);
/* Returns the second since 1970 that contains a time in ns, within the range of a DateTime. */
int64_t wallclock_seconds(int64_t ns);

#endif
