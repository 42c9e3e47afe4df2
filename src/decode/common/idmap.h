/* idmap.h - from the ids that a file uses to indexes into a decoder's own columns.
 *
 * Files number things from 1 or by address; a damaged file numbers them with anything.
 * Small ids lie in an array that grows with the count of ids, all others in a map, so memory
 * follows what was put and never the value of an id.
 *
 *	struct idmap m = {0};
 *	idmap_put(&m, id, index);
 *	if (idmap_get(&m, id) != IDMAP_NONE) ...
 *	idmap_release(&m); */
#ifndef PNAV_SRC_DECODE_COMMON_IDMAP_H
#define PNAV_SRC_DECODE_COMMON_IDMAP_H

#include <stddef.h>
#include <stdint.h>

#include "model/base/map.h"
#include "model/base/vec.h"

#define IDMAP_NONE UINT32_MAX

struct idmap_far {
	uint64_t id;
	uint32_t index;
};

/* A zero-initialised list is empty. */
struct idmap {
	uint32_t *dense; /* [id] -> index + 1 */
	size_t n_dense;
	struct map map; /* of the ids in `far` */
	VEC(struct idmap_far) far;
	size_t n;
};

void idmap_release(struct idmap *m);
uint32_t idmap_get_far(const struct idmap *m, uint64_t id);
/* Puts an id, or changes its index; index < IDMAP_NONE. */
void idmap_put(struct idmap *m, uint64_t id, uint32_t index);

static inline uint32_t
idmap_get(const struct idmap *m, uint64_t id)
{
	if (id < m->n_dense && m->dense[id])
		return m->dense[id] - 1;
	return m->far.n ? idmap_get_far(m, id) : IDMAP_NONE;
}

#endif
