/* builder_named.c - finds tracks, processes and series again, for files that are read in parts.
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

track_id
builder_track_named(struct builder *b, const void *name, size_t len, enum track_kind kind)
{
	track_id t = builder_track_of(b, builder_track_name(b, name, len));

	return t != TRACK_NONE && b->p->track[t].kind == kind ? t : TRACK_NONE;
}

process_id
builder_process_named(struct builder *b, const void *name, size_t len)
{
	return builder_process_of(b, builder_track_name(b, name, len));
}

struct carried *
builder_carried(struct builder *b)
{
	return &b->carried;
}

void
builder_metric_interval(struct builder *b, metric_id m, int64_t interval)
{
	b->own[m].interval = interval > 0 ? interval : 0;
}

/* Returns true if the first n metrics of a series of samples are these, before the count of
 * events that the builder may add. */
static bool
has_metrics(const struct series *s, const metric_id *metrics, unsigned n)
{
	if (s->kind != SERIES_SAMPLES || s->n_metrics < n || s->n_metrics > n + 1)
		return false;
	for (unsigned i = 0; i < n; i++)
		if (s->metric[i] != metrics[i])
			return false;
	return s->n_metrics == n || s->role[n] == ROLE_EVENTS;
}

struct series *
builder_samples_once(struct builder *b, track_id t, const metric_id *metrics, unsigned n)
{
	const struct track *track = &b->p->track[t];

	for (uint32_t i = 0; i < track->n_series; i++)
		if (has_metrics(track->series[i], metrics, n))
			return track->series[i];
	return builder_samples(b, t, metrics, n);
}
