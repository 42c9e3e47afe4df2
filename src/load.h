/* load.h - a file on its way into a profile, on a thread of its own.
 *
 * The decoder's thread holds the profile's lock and hands it over, at record boundaries,
 * to a reader that calls load_lock(); so looking never waits for loading.  A reader may
 * keep pointers into the profile only while it holds the lock; ids stay valid. */
#ifndef PNAV_SRC_LOAD_H
#define PNAV_SRC_LOAD_H

#include <stdbool.h>
#include <stdint.h>

#include "model/err.h"
#include "model/profile.h"
#include "src/input/input.h"

struct load;

struct load_state {
	bool done;          /* nothing more will come */
	bool stopped;       /* by load_stop() */
	uint64_t bytes;     /* of the file as it lies on disk, or of the pipe, so far */
	uint64_t size;      /* of the file; 0 where it is not known */
	int64_t elapsed_ns;
	uint64_t generation; /* changes when the profile has */
	const char *format; /* decoder's name once it is known, else NULL */
};

/* Begins to read `path` ("-": standard input, or descriptor `fd` when >= 0) into p, which
 * stays the caller's. */
struct load *load_start(struct profile *p, const char *path, int fd,
			const struct format_options *options);
void load_lock(struct load *l);
void load_unlock(struct load *l);
struct load_state load_state(struct load *l);
/* Asks the decoder to end early; what was read stays. */
void load_stop(struct load *l);
/* Waits for the end; with a timeout (ms, < 0 for none).  True when done. */
bool load_wait(struct load *l, int timeout_ms);
/* After the end: what went wrong, or an empty err. */
struct err load_error(struct load *l);
/* Stops, joins, frees. */
void load_free(struct load *l);

#endif
