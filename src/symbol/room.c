/* room.c - see room.h.
 *
 * Under a limit on memory (ulimit -v) libdw died of SIGSEGV in its table of abbreviations, or of an
 * assertion in another. symbol_room() allocates address space and never writes to it: the pages
 * cost nothing, and a limit shows at once. */
#include "src/symbol/room.h"

#include <stdlib.h>
#include <sys/mman.h>

#include "model/base/mem.h"

void
symbol_room(uint64_t bytes)
{
	size_t n = bytes < SIZE_MAX ? (size_t)bytes : SIZE_MAX;
	void *at = mmap(NULL, n, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (at != MAP_FAILED)
		munmap(at, n);
	else
		free(mem_alloc(n, 1)); /* says how much is missing */
}
