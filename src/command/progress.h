/* progress.h - the line on stderr, where that is a terminal, that says how far slow work is. */
#ifndef PNAV_SRC_COMMAND_PROGRESS_H
#define PNAV_SRC_COMMAND_PROGRESS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "model/base/pace.h"
#include "model/profile/profile.h"
#include "src/load.h"

#define PROGRESS_MS 200 /* from one picture of the line to the next */

/* Draws the line for a file that is being loaded. */
void progress_load(const char *file, const struct load_state *s);
/* Removes the line. */
void progress_clear(void);

/* Work that comes after loading: export, store. */
struct progress {
	struct pace pace; /* first: the rests of whoever waits draw the line */
	const char *file, *doing;
	atomic_uint_fast64_t events; /* the work adds the events that it has read */
	uint64_t all;     /* events of the profile */
	int64_t start, next; /* ns on the monotonic clock */
	bool shown;
};

/* `file` and `doing` ("writing") stay the caller's. */
void progress_init(struct progress *g, const char *file, const char *doing,
		   const struct profile *p);
/* Calls call(ctx) and returns when it has returned.  Where stderr is a terminal the call runs on
 * a thread of its own, and the line is drawn meanwhile and removed at the end. */
void progress_call(struct progress *g, void (*call)(void *ctx), void *ctx);
/* Prints a warning about `file` (a name) while the line may be there. */
void progress_warn(const void *file, const char *text);

#endif
