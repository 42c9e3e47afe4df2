/* roots.h - finds files in the containers of this host. A recording has the path of a program as
 * its process sees it, under a root of its own. */
#ifndef PNAV_SRC_SYMBOL_ROOTS_H
#define PNAV_SRC_SYMBOL_ROOTS_H

#include <stdbool.h>

#include "src/symbol/places.h"

struct symbol_roots;

struct symbol_roots *symbol_roots_new(void); /* owned by the caller */
void symbol_roots_free(struct symbol_roots *r);
/* Passes the file at an absolute path under each root but this process's own to take() until it
 * returns true. The roots are those of the processes that run at the first call; of processes that
 * this user may not examine there are none. */
bool symbol_roots_find(struct symbol_roots *r, const char *path, symbol_take *take, void *ctx);

#define ROOTS_PATH_MOST 96u
/* Writes the path of the map that a JIT compiler writes for a process in a container, which has a
 * folder /tmp and a number of its own. Returns false if the process is gone. */
bool symbol_roots_jit(unsigned pid, char path[ROOTS_PATH_MOST]);

#endif
