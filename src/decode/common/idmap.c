#include "src/decode/common/idmap.h"

#include <stdlib.h>
#include <string.h>

#include "model/base/mem.h"

/* A decoder looks up an id for every record, and nearly all files number from 1 without gaps:
 * an array needs one load for that.  But in an array alone, one id of 2^32 would cost 16 GB,
 * and a hash table alone costs a probe for every look-up.  So an id goes into the array if it
 * is smaller than a few times the number of ids, otherwise into a map.  The array's bound only
 * grows, and ids that are in the map stay there.  Invariant: an id is in one of the two. */

#define DENSE_MIN 4096u
#define DENSE_RATE 4u

void
idmap_release(struct idmap *m)
{
	free(m->dense);
	map_release(&m->map);
	vec_release(&m->far);
	*m = (struct idmap){0};
}

static uint64_t
hash_of(uint64_t id)
{
	return id * 0x9E3779B97F4A7C15u;
}

/* Returns the entry of an id that is not in the array; NULL if there is none. */
static struct idmap_far *
idmap_find(const struct idmap *m, uint64_t id)
{
	uint64_t hash = hash_of(id);
	uint32_t slot, i;

	if (!m->far.n)
		return NULL;
	slot = map_first(&m->map, hash);
	while (map_probe(&m->map, &slot, hash, &i))
		if (m->far.at[i].id == id)
			return &m->far.at[i];
	return NULL;
}

uint32_t
idmap_get_far(const struct idmap *m, uint64_t id)
{
	const struct idmap_far *known = idmap_find(m, id);
	return known ? known->index : IDMAP_NONE;
}

static void
grow_dense(struct idmap *m, uint64_t id)
{
	size_t want = m->n_dense ? m->n_dense : 64;
	while (want <= id)
		want *= 2;
	m->dense = mem_realloc(m->dense, want, sizeof *m->dense);
	memset(m->dense + m->n_dense, 0, (want - m->n_dense) * sizeof *m->dense);
	m->n_dense = want;
}

void
idmap_put(struct idmap *m, uint64_t id, uint32_t index)
{
	struct idmap_far *known = idmap_find(m, id);
	if (known) {
		known->index = index;
		return;
	}
	if (id >= m->n_dense && id < DENSE_MIN + DENSE_RATE * (uint64_t)m->n)
		grow_dense(m, id);
	if (id < m->n_dense) {
		m->n += !m->dense[id];
		m->dense[id] = index + 1;
		return;
	}
	map_insert(&m->map, hash_of(id), (uint32_t)m->far.n);
	*vec_push(&m->far) = (struct idmap_far){.id = id, .index = index};
	m->n++;
}
