/* elfdata.h - addresses of named data in an ELF file, for readers of other processes' memory.
 *
 * src/symbol/ knows functions only, and opens debug files for them; this reads just the table of
 * symbols. */
#ifndef PNAV_SRC_COLLECT_ELFDATA_H
#define PNAV_SRC_COLLECT_ELFDATA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct elfdata {
	const char *name; /* wanted */
	uint64_t address; /* as the file states it; 0: not found */
};

/* Finds the addresses of `n` names in a 64-bit file of this machine's byte order, and *first, the
 * address of the file's first byte in memory.  Returns false if the file cannot be read. */
bool elfdata_find(const char *path, struct elfdata *out, size_t n, uint64_t *first);

#endif
