/* kept.h - keeps an input that could not be stored, and cannot be read again, in a file. */
#ifndef PNAV_SRC_COMMAND_RECORD_KEPT_H
#define PNAV_SRC_COMMAND_RECORD_KEPT_H

#include <stdbool.h>

#include "model/base/buf.h"
#include "src/input/copied.h"
#include "src/outfile.h"

struct kept {
	struct input_copy copy;
	struct outfile file;
	bool open;
};

/* Appends the folder for such files, which it creates. Returns false with errno if there can be
 * none. */
bool kept_folder(struct buf *path);
/* Creates the file for the bytes of `name`, if that can be read only once. It has no name yet. If
 * it cannot be created, prints a warning and keeps nothing. */
void kept_open(struct kept *k, const char *name);
/* Returns the copy for the input's options; NULL if there is none. */
struct input_copy *kept_copy(struct kept *k);
/* If the file is wanted and complete, names it and reports its path; otherwise removes it. */
void kept_close(struct kept *k, const char *name, bool wanted);

#endif
