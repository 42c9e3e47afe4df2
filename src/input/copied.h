/* copied.h - saves a copy of an input that can be read only once: a pipe, or a server's answer. */
#ifndef PNAV_SRC_INPUT_COPIED_H
#define PNAV_SRC_INPUT_COPIED_H

#include <stdbool.h>
#include <stdint.h>

/* The destination of the bytes. A compressed profile is copied compressed. */
struct input_copy {
	int fd;
	uint64_t bytes; /* written */
	int failed;     /* the errno that stopped the copy, or 0 */
};

/* Returns true if the input of this name, "-" or a URL, can be read only once: it comes from a
 * terminal, a pipe or a server. */
bool input_passes_by(const char *path);
/* Copies the rest of an open file. Returns false if a read or a write failed. */
bool input_copy_rest(int fd, struct input_copy *to);

#endif
