/* load.h - reads files into a profile on a separate thread.
 *
 * The decoder's thread holds the profile's lock. At record boundaries it hands the lock to a reader
 * that calls load_lock(), so readers never wait for the end of loading. A reader may keep pointers
 * into the profile only while it holds the lock; ids stay valid. */
#ifndef PNAV_SRC_LOAD_H
#define PNAV_SRC_LOAD_H

#include <stdbool.h>
#include <stdint.h>

#include "model/base/err.h"
#include "model/profile/profile.h"
#include "src/input/input.h"

struct load;

struct load_state {
	bool done;          /* the loading is over */
	bool stopped;       /* by load_stop() */
	uint64_t bytes;     /* read so far, of the files before decompression or of the pipe */
	uint64_t size;      /* of all files; 0 if unknown */
	int64_t elapsed_ns;
	uint64_t generation; /* changes whenever the profile does */
	const char *format; /* name of the first file's format; NULL until it is known */
};

/* Starts to read `path` ("-": standard input, or descriptor `fd` if >= 0) into p, which the caller
 * keeps. */
struct load *load_start(struct profile *p, const char *path, int fd,
			const struct format_options *options);
/* The same for n files, one after the other, a group each. If n > 1, names of tracks begin with the
 * name of their file. A refused file leaves no group. */
struct load *load_start_files(struct profile *p, const char *const *paths, size_t n,
			      const struct format_options *options);
void load_lock(struct load *l);
void load_unlock(struct load *l);
struct load_state load_state(struct load *l);
/* Asks the decoder to end early; what was read stays. */
void load_stop(struct load *l);
/* Waits for the end, at most timeout_ms (< 0: no limit). Returns true if the loading is over. */
bool load_wait(struct load *l, int timeout_ms);
/* After the end: returns the error of file i, or an empty one. */
struct err load_file_error(struct load *l, size_t i);
/* After the end: returns true if no file could be read as a profile. */
bool load_refused(struct load *l);
/* Stops and joins the thread, and frees. */
void load_free(struct load *l);

#endif
