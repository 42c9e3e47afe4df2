#include "src/decode/common/idmap.h"

#include <stdlib.h>
#include <string.h>

#include "model/mem.h"

/* A decoder looks an id up for every record, and nearly all files number from 1 without
 * gaps: an array answers those with one load.  An array alone would let one id of 2^32
 * cost 16 GB, a hash table alone costs a probe where none is needed.  So an id goes into
 * the array while it is smaller than a few times the number of ids, and else into an
 * open-addressed table with linear probing.  The array's bound only ever grows; an id
 * that went into the table before stays there.  Invariant: an id is in one of them. */

#define DENSE_MIN 4096u
#define DENSE_RATE 4u

void
idmap_release(struct idmap *m)
{
	free(m->dense);
	free(m->slot);
	*m = (struct idmap){0};
}

/* The slot that holds the id, or the empty one where it would be. */
static struct idmap_slot *
find(const struct idmap *m, uint64_t id)
{
	size_t at = (size_t)((id * 0x9E3779B97F4A7C15u) >> 20) & (m->n_slots - 1);
	while (m->slot[at].index_1 && m->slot[at].id != id)
		at = (at + 1) & (m->n_slots - 1);
	return &m->slot[at];
}

uint32_t
idmap_get_far(const struct idmap *m, uint64_t id)
{
	return find(m, id)->index_1 - 1u; /* an empty slot gives IDMAP_NONE */
}

static void
grow_slots(struct idmap *m)
{
	struct idmap old = *m;
	m->n_slots = old.n_slots ? old.n_slots * 2 : 64;
	m->slot = mem_zalloc(m->n_slots, sizeof *m->slot);
	for (size_t i = 0; i < old.n_slots; i++)
		if (old.slot[i].index_1)
			*find(m, old.slot[i].id) = old.slot[i];
	free(old.slot);
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
	struct idmap_slot *s = m->used ? find(m, id) : NULL;
	if (s && s->index_1) {
		s->index_1 = index + 1;
		return;
	}
	if (id >= m->n_dense && id < DENSE_MIN + DENSE_RATE * (uint64_t)m->n)
		grow_dense(m, id);
	if (id < m->n_dense) {
		m->n += !m->dense[id];
		m->dense[id] = index + 1;
		return;
	}
	if (m->used * 2 >= m->n_slots)
		grow_slots(m);
	*find(m, id) = (struct idmap_slot){.id = id, .index_1 = index + 1};
	m->used++;
	m->n++;
}
