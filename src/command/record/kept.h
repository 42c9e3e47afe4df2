/* kept.h - what could not be stored and cannot be read again, in a file for another try. */
#ifndef PNAV_SRC_COMMAND_RECORD_KEPT_H
#define PNAV_SRC_COMMAND_RECORD_KEPT_H

#include <stdbool.h>

#include "src/input/copied.h"
#include "src/outfile.h"

struct kept {
	struct input_copy copy;
	struct outfile file;
	bool open;
};

/* Makes the file that the bytes of `name` go to, if they can be read only once.  It has no name
 * yet.  Where it cannot be made, a warning says so, and nothing is kept. */
void kept_open(struct kept *k, const char *name);
/* The copy of an input's options; NULL if there is none. */
struct input_copy *kept_copy(struct kept *k);
/* Gives the file its name if it is wanted and whole, and says where it lies; else nothing of it
 * is left. */
void kept_close(struct kept *k, const char *name, bool wanted);

#endif
