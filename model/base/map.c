#include "model/base/map.h"

#include <stdlib.h>
#include <string.h>

#include "model/base/mem.h"

/* A slot keeps the upper half of its key's hash beside the index. So a probe rejects all but one
 * in four billion wrong candidates without reading the owner's columns (each such read is a
 * cache miss), and growing needs no key at all. */

#define MAP_START 64u

void
map_init(struct map *m)
{
	*m = (struct map){0};
	map_grow(m);
}

void
map_release(struct map *m)
{
	free(m->slot);
	m->slot = NULL;
	m->mask = m->used = 0;
}

void
map_copy(struct map *to, const struct map *from)
{
	size_t slots = from->slot ? (size_t)from->mask + 1 : 0;

	*to = *from;
	if (!slots)
		return;
	to->slot = mem_alloc(slots, sizeof *to->slot);
	memcpy(to->slot, from->slot, slots * sizeof *to->slot);
}

void
map_grow(struct map *m)
{
	uint64_t *old = m->slot;
	size_t n_old = old ? (size_t)m->mask + 1 : 0;

	m->mask = (uint32_t)(n_old ? n_old * 2 - 1 : MAP_START - 1);
	m->slot = mem_zalloc((size_t)m->mask + 1, sizeof *m->slot);
	for (size_t i = 0; i < n_old; i++) {
		if (!old[i])
			continue;
		uint32_t at = map_first(m, old[i]);
		while (m->slot[at])
			at = (at + 1) & m->mask;
		m->slot[at] = old[i];
	}
	free(old);
}
