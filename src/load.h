/* load.h - files on their way into a profile, on a thread of its own.
 *
 * The decoder's thread holds the profile's lock and hands it over, at record boundaries,
 * to a reader that calls load_lock(); so looking never waits for loading.  A reader may
 * keep pointers into the profile only while it holds the lock; ids stay valid. */
#ifndef PNAV_SRC_LOAD_H
#define PNAV_SRC_LOAD_H

#include <stdbool.h>
#include <stdint.h>

#include "model/base/err.h"
#include "model/profile/profile.h"
#include "src/input/input.h"

struct load;

struct load_state {
	bool done;          /* nothing more will come */
	bool stopped;       /* by load_stop() */
	uint64_t bytes;     /* of the files as they lie on disk, or of the pipe, so far */
	uint64_t size;      /* of all files; 0 where it is not known */
	int64_t elapsed_ns;
	uint64_t generation; /* changes when the profile has */
	const char *format; /* the first decoder's name once it is known, else NULL */
};

/* Begins to read `path` ("-": standard input, or descriptor `fd` when >= 0) into p, which
 * stays the caller's. */
struct load *load_start(struct profile *p, const char *path, int fd,
			const struct format_options *options);
/* The same for n files, one after the other, a group each; with n > 1 the names of tracks
 * begin with the file's.  A file that is refused leaves no group. */
struct load *load_start_files(struct profile *p, const char *const *paths, size_t n,
			      const struct format_options *options);
void load_lock(struct load *l);
void load_unlock(struct load *l);
struct load_state load_state(struct load *l);
/* Asks the decoder to end early; what was read stays. */
void load_stop(struct load *l);
/* Waits for the end; with a timeout (ms, < 0 for none).  True when done. */
bool load_wait(struct load *l, int timeout_ms);
/* After the end: what went wrong with file i, or an empty err. */
struct err load_file_error(struct load *l, size_t i);
/* After the end: no file could be read as a profile at all. */
bool load_refused(struct load *l);
/* Stops, joins, frees. */
void load_free(struct load *l);

#endif
