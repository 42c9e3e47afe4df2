/* browse_cache.h - packed copies of large files, which open at once: `cache on` in pnavrc. */
#ifndef PNAV_SRC_COMMAND_BROWSE_BROWSE_CACHE_H
#define PNAV_SRC_COMMAND_BROWSE_BROWSE_CACHE_H

#include <stdbool.h>
#include <stdint.h>

#include "model/profile/profile.h"
#include "src/load.h"
#include "src/options.h"

struct browse_cache {
	char *copy; /* the path of the copy; NULL: none is kept of these files */
	bool reads; /* it exists and is read in place of the file */
};

/* Looks for a copy of the only file of *o. `least`: the size from which on files have copies; 0: no
 * cache. Files that are read with options of a format, pipes, stores and comparisons have none. */
void browse_cache_begin(struct browse_cache *c, uint64_t least, const struct options *o,
			bool compare);
/* Returns true if the copy that is read turned out to be damaged; removes it. False while it is
 * being read. */
bool browse_cache_spoiled(struct browse_cache *c, struct load *l);
/* Sets *e to the message about a copy whose damage was found after its first part was displayed;
 * returns e. */
const struct err *browse_cache_fault(struct err *e);
/* Writes the copy of a file that was read completely (`whole`), in a process of its own, and
 * removes the oldest copies beyond 4 GB. Removes a copy that could not be read. Call it when the
 * screen is closed. */
void browse_cache_end(struct browse_cache *c, const struct profile *p, bool whole);

#endif
