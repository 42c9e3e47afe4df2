/* progress.h - a progress line on stderr for slow work, if stderr is a terminal. */
#ifndef PNAV_SRC_COMMAND_PROGRESS_H
#define PNAV_SRC_COMMAND_PROGRESS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "model/base/pace.h"
#include "model/profile/profile.h"
#include "src/load.h"

#define PROGRESS_MS 200 /* interval between updates of the line */

/* Draws the line for a file that is being loaded. */
void progress_load(const char *file, const struct load_state *s);
/* Removes the line. */
void progress_clear(void);

/* Work after loading: export, store. */
struct progress {
	struct pace pace; /* first member: when the work yields, the line is drawn */
	const char *file, *doing;
	atomic_uint_fast64_t events; /* the work counts the events that it has read here */
	uint64_t all;     /* events of the profile */
	int64_t start, next; /* ns on the monotonic clock */
	bool shown;
};

/* Borrows `file` and `doing` ("writing"). */
void progress_init(struct progress *g, const char *file, const char *doing,
		   const struct profile *p);
/* Calls call(ctx) and waits for it. If stderr is a terminal, the call runs on a separate thread
 * while the line is drawn; the line is removed at the end. */
void progress_call(struct progress *g, void (*call)(void *ctx), void *ctx);
/* Prints a warning about `file` (a name), with or without the line on the screen. */
void progress_warn(const void *file, const char *text);

#endif
