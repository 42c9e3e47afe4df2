/* copied.h - a copy of what is read once: of a pipe, or of a server. */
#ifndef PNAV_SRC_INPUT_COPIED_H
#define PNAV_SRC_INPUT_COPIED_H

#include <stdbool.h>
#include <stdint.h>

/* Where the bytes go, as they come: a compressed profile is copied compressed. */
struct input_copy {
	int fd;
	uint64_t bytes; /* written */
	int failed;     /* why no more are written: an errno, or 0 */
};

/* Returns true if this name, "-" or a URL, is read once: from a terminal, a pipe or a server. */
bool input_passes_by(const char *path);
/* Copies what is left of an open file.  False if not all could be read and written. */
bool input_copy_rest(int fd, struct input_copy *to);

#endif
