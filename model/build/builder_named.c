/* builder_named.c - finds tracks and processes by their names, for files that are read in parts.
 *
 * The index is made with the first search. Names that are changed later are not found. */
#include "model/build/builder_inside.h"

static uint64_t
named_hash(name_id name)
{
	return map_hash_pair(name, UINT32_MAX);
}

/* Returns the first of n names, from `first` on, that is this one; UINT32_MAX if there is none.
 * name_of(p, i) is the i-th. */
static uint32_t
named_find(struct named *t, const struct profile *p, uint32_t first, uint32_t n, name_id name,
	   name_id (*name_of)(const struct profile *p, uint32_t i))
{
	uint64_t hash = named_hash(name);
	uint32_t i, slot, found = UINT32_MAX;

	for (t->n = t->n > first ? t->n : first; t->n < n; t->n++)
		map_insert(&t->map, named_hash(name_of(p, t->n)), t->n);
	if (!t->map.slot)
		return UINT32_MAX;
	slot = map_first(&t->map, hash);
	while (map_probe(&t->map, &slot, hash, &i))
		if (i < found && name_of(p, i) == name)
			found = i;
	return found;
}

static name_id
track_name_of(const struct profile *p, uint32_t i)
{
	return p->track[i].name;
}

static name_id
process_name_of(const struct profile *p, uint32_t i)
{
	return p->process[i].name;
}

track_id
builder_track_of(struct builder *b, name_id name)
{
	return named_find(&b->tracks_named, b->p, b->first_track, b->p->n_tracks, name,
			  track_name_of);
}

process_id
builder_process_of(struct builder *b, name_id name)
{
	return named_find(&b->processes_named, b->p, b->first_process, b->p->n_processes, name,
			  process_name_of);
}

struct carried *
builder_carried(struct builder *b)
{
	return &b->carried;
}
