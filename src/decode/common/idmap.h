/* idmap.h - maps the ids of a file to indexes of a decoder's own columns.
 *
 * Files use ids from 1 on, or addresses; a damaged file uses any numbers. Small ids are in an array
 * that grows with the number of ids, all others in a map. So memory depends on the number of ids,
 * never on their values.
 *
 *	struct idmap m = {0};
 *	idmap_put(&m, id, index);
 *	if (idmap_get(&m, id) != IDMAP_NONE) ...
 *	idmap_release(&m); */
#ifndef PNAV_SRC_DECODE_COMMON_IDMAP_H
#define PNAV_SRC_DECODE_COMMON_IDMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/base/map.h"
#include "model/base/vec.h"

#define IDMAP_NONE UINT32_MAX

struct idmap_far {
	uint64_t id;
	uint32_t index;
};

/* Zero-initialised, it is empty. */
struct idmap {
	uint32_t *dense; /* [id] index + 1 */
	size_t n_dense;
	struct map map; /* of the ids in `far` */
	VEC(struct idmap_far) far;
	size_t n;
};

void idmap_release(struct idmap *m);
#define idmap_release_all(...) MEM_EACH(idmap_release, __VA_ARGS__)
uint32_t idmap_get_far(const struct idmap *m, uint64_t id);
/* Adds an id, or changes its index; index < IDMAP_NONE. */
void idmap_put(struct idmap *m, uint64_t id, uint32_t index);

static inline uint32_t
idmap_get(const struct idmap *m, uint64_t id)
{
	if (id < m->n_dense && m->dense[id])
		return m->dense[id] - 1;
	return m->far.n ? idmap_get_far(m, id) : IDMAP_NONE;
}

/* Sets *index to that of the id. A new id gets the index `next`; returns true then. */
static inline bool
idmap_add(struct idmap *m, uint64_t id, size_t next, uint32_t *index)
{
	*index = idmap_get(m, id);
	if (*index != IDMAP_NONE)
		return false;
	*index = (uint32_t)next;
	idmap_put(m, id, *index);
	return true;
}

#endif
