/* builder_unique.c - gives tracks names that tell them apart.
 *
 * Users choose tracks by name, and filters match names.  A file may name two tracks alike: a thread
 * before and after exec, a file that is read twice.  At the end of a file, the second track of a
 * name becomes `NAME (2)`, and its overlap lanes `NAME (2) (overlap N)`. */
#include <stdlib.h>
#include <string.h>

#include "model/base/mem.h"
#include "model/build/builder_inside.h"
#include "model/profile/running.h"

/* Returns true if another track has the name of t. Without one, adds it to the map. */
static bool
has_other(const struct profile *p, struct map *seen, track_id t)
{
	uint64_t hash = map_hash_pair(p->track[t].name, 0);
	uint32_t slot, i;

	slot = map_first(seen, hash);
	while (map_probe(seen, &slot, hash, &i))
		if (p->track[i].name == p->track[t].name)
			return i != t;
	map_insert(seen, hash, t);
	return false;
}

static bool
is_taken(const struct profile *p, const struct map *seen, name_id name)
{
	uint64_t hash = map_hash_pair(name, 0);
	uint32_t slot = map_first(seen, hash), i;

	while (map_probe(seen, &slot, hash, &i))
		if (p->track[i].name == name)
			return true;
	return false;
}

/* Names t after `owner`, which has the new name: NAME (overlap N). */
static void
rename_lane(struct builder *b, track_id t, name_id was, track_id owner)
{
	struct profile *p = b->p;
	struct name now = names_get(&p->names, p->track[owner].name);
	struct buf text = BUF_INIT;

	buf_add(&text, now.at, now.len);
	struct name lane = names_get(&p->names, p->track[t].name);
	size_t skip = names_get(&p->names, was).len;
	buf_add(&text, lane.at + skip, lane.len - skip);
	p->track[t].name = builder_name(b, buf_str(&text), text.len);
	buf_release(&text);
}

/* Names t NAME (2), or with the first higher number that no track has, nor gets from the file.
 * `again` is the number of the last one of this name, or 0. */
static void
rename_track(struct builder *b, struct map *seen, track_id t, unsigned *again)
{
	struct profile *p = b->p;
	struct name own = names_get(&p->names, p->track[t].name);
	struct buf text = BUF_INIT;
	name_id name;

	*again += !*again;
	do {
		buf_reset(&text);
		own = names_get(&p->names, p->track[t].name);
		buf_add(&text, own.at, own.len);
		buf_addf(&text, " (%u)", ++*again);
		name = builder_name(b, buf_str(&text), text.len);
	} while (is_taken(p, seen, name));
	p->track[t].name = name;
	map_insert(seen, map_hash_pair(name, 0), t);
	buf_release(&text);
}

/* Adds the tracks that are new since the file before to the profile's map. Returns true if another
 * track has the name of one of them. */
static bool
any_twice(struct profile *p)
{
	bool any = false;

	if (!p->tracks_by_name.slot)
		map_init(&p->tracks_by_name);
	for (; p->n_by_name < p->n_tracks; p->n_by_name++)
		any |= has_other(p, &p->tracks_by_name, p->n_by_name);
	return any;
}

void
builder_unique_tracks(struct builder *b)
{
	struct profile *p = b->p;
	struct map *seen = &p->tracks_by_name;

	if (!any_twice(p)) /* of the names that the file gives, which so are taken */
		return;
	track_id *owner = running_owners(p);
	name_id *was = mem_alloc((size_t)p->n_tracks + 1, sizeof *was);
	unsigned *again = mem_zalloc((size_t)p->names.n + 1, sizeof *again); /* [name before] */
	for (track_id t = 0; t < p->n_tracks; t++)
		was[t] = p->track[t].name;
	for (track_id t = b->first_track; t < p->n_tracks; t++) {
		bool lane = owner[t] < t;
		if (lane && p->track[owner[t]].name != was[owner[t]])
			rename_lane(b, t, was[owner[t]], owner[t]);
		if (has_other(p, seen, t))
			rename_track(b, seen, t, &again[was[t]]);
	}
	for (actor_id i = 0; i < p->n_actors; i++) {
		track_id t = p->actor[i].track;
		if (t != TRACK_NONE && t < p->n_tracks && p->actor[i].name == was[t])
			p->actor[i].name = p->track[t].name;
	}
	free(again);
	free(was);
	free(owner);
}

void
builder_unique_discard(struct profile *p)
{
	if (p->n_by_name <= p->n_tracks)
		return;
	map_release(&p->tracks_by_name);
	p->n_by_name = 0;
}
