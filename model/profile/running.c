/* running.c - see running.h. */
#include "model/profile/running.h"

#include <stdlib.h>
#include <string.h>

#include "model/base/map.h"
#include "model/base/mem.h"

/* Returns true if the name of an event is one of n words; a modifier may follow, as in
 * page-faults:u. */
static bool
is_one_of(struct name event, const char *const *words, size_t n)
{
	size_t len = strcspn(event.at, ":");

	for (size_t i = 0; i < n; i++)
		if (strlen(words[i]) == len && !memcmp(event.at, words[i], len))
			return true;
	return false;
}

bool
running_is_off_cpu(const struct profile *p, metric_id m)
{
	static const char *const words[] = {"off-cpu", "offcpu", "offcpu-time"};

	return p->metric[m].unit == UNIT_NS &&
	       is_one_of(names_get(&p->names, p->metric[m].name), words,
			 sizeof words / sizeof *words);
}

bool
running_is_runnable(const struct profile *p, metric_id m)
{
	static const char *const runnable = "runnable";

	return p->metric[m].unit == UNIT_NS &&
	       is_one_of(names_get(&p->names, p->metric[m].name), &runnable, 1);
}

bool
running_is_wait(const struct profile *p, metric_id m)
{
	return running_is_off_cpu(p, m) || running_is_runnable(p, m);
}

static bool
is_base(const struct profile *p, metric_id m)
{
	const struct metric *x = &p->metric[m];

	return !x->unused && !x->computed && m != p->calls_metric && !running_is_wait(p, m) &&
	       (x->unit == UNIT_NS || x->unit == UNIT_SAMPLES);
}

/* Returns true for SYSTEM:EVENT, a tracepoint or a probe: what follows the colon is no modifier. */
static bool
is_tracepoint(struct name event)
{
	const char *colon = memchr(event.at, ':', event.len);

	return colon && !memchr(event.at, '/', event.len) &&
	       colon[1 + strspn(colon + 1, "ukhGHpPSDWeIb")] != '\0';
}

/* Returns true if the samples of this event are moments at which something happened, as a switch
 * or a fault, and do not show what runs between. */
static bool
running_is_moments(struct name event)
{
	static const char *const moments[] = {
		"context-switches", "cs", "page-faults", "faults", "minor-faults", "major-faults",
		"cpu-migrations", "migrations", "cgroup-switches", "alignment-faults",
		"emulation-faults", "bpf-output",
	};

	return is_tracepoint(event) ||
	       is_one_of(event, moments, sizeof moments / sizeof *moments);
}

metric_id
running_base(const struct profile *p)
{
	metric_id m = profile_default_metric(p);

	if (m != METRIC_NONE && is_base(p, m))
		return m;
	if (m != METRIC_NONE && running_is_moments(names_get(&p->names, p->metric[m].name)))
		return METRIC_NONE;
	for (m = 0; m < p->n_metrics; m++)
		if (profile_metric_shown(p, m) && is_base(p, m))
			return m;
	return METRIC_NONE;
}

/* Returns true if the samples of the series are moments or waits: to count them says nothing of
 * what runs between. */
static bool
has_moments(const struct profile *p, const struct series *s)
{
	for (unsigned i = 0; i < s->n_metrics; i++)
		if (s->metric[i] != METRIC_NONE &&
		    (running_is_wait(p, s->metric[i]) ||
		     running_is_moments(names_get(&p->names, p->metric[s->metric[i]].name))))
			return true;
	return false;
}

bool
running_fits(const struct profile *p, const struct series *s, metric_id base)
{
	return p->track[s->track].unit == UNIT_NS && s->sorted && s->n && !s->derived &&
	       (s->kind == SERIES_STEPS || s->kind == SERIES_SAMPLES) &&
	       series_metric(s, base) >= 0 &&
	       (base != p->events_metric || !has_moments(p, s));
}

uint8_t *
running_idle(const struct profile *p)
{
	const struct frames *f = &p->frames;
	function_id i = 0;

	while (i < f->n_functions && frames_get_function(f, i).kind != KIND_IDLE)
		i++;
	if (i == f->n_functions)
		return NULL;
	uint8_t *idle = mem_zalloc((size_t)p->stacks.n + 1, sizeof *idle);
	for (stack_id s = 1; s < p->stacks.n; s++) {
		function_id leaf = f->frame.function[p->stacks.frame[s]];
		idle[s] = frames_get_function(f, leaf).kind == KIND_IDLE;
	}
	return idle;
}

enum track_kind
running_kind(const struct profile *p, uint32_t group, metric_id base)
{
	static const enum track_kind kinds[] = {TRACK_THREAD, TRACK_TASK, TRACK_CORE};

	for (size_t k = 0; k < sizeof kinds / sizeof *kinds && base != METRIC_NONE; k++)
		for (track_id t = 0; t < p->n_tracks; t++) {
			const struct track *track = &p->track[t];
			if (track->kind != kinds[k] || track->group != group)
				continue;
			for (uint32_t i = 0; i < track->n_series; i++)
				if (running_fits(p, track->series[i], base))
					return kinds[k];
		}
	return TRACK_MARKS;
}

/* Returns the name before the mark of an overlap lane; UINT32_MAX if the track is none. */
static name_id
owner_name(const struct profile *p, const struct track *t)
{
	static const char mark[] = " (overlap ";
	struct name name = names_get(&p->names, t->name);
	const char *at = name.len ? memmem(name.at, name.len, mark, sizeof mark - 1) : NULL;

	if (!at || name.at[name.len - 1] != ')')
		return UINT32_MAX;
	return names_find(&p->names, name.at, (size_t)(at - name.at));
}

/* Returns the first track with this name that is of the same file and process as `t`; UINT32_MAX if
 * `first` has none. */
static uint32_t
first_named(const struct profile *p, const struct map *first, uint64_t hash, name_id name,
	    const struct track *t)
{
	uint32_t slot = map_first(first, hash), i;

	while (map_probe(first, &slot, hash, &i)) {
		const struct track *x = &p->track[i];
		if (x->name == name && x->under == t->under && x->group == t->group)
			return i;
	}
	return UINT32_MAX;
}

track_id *
running_owners(const struct profile *p)
{
	track_id *owner = mem_alloc((size_t)p->n_tracks + 1, sizeof *owner);
	track_id *last = mem_alloc((size_t)p->n_tracks + 1, sizeof *last); /* [first of a name] */
	struct map first;

	map_init(&first);
	for (track_id t = 0; t < p->n_tracks; t++) {
		const struct track *x = &p->track[t];
		uint32_t place = x->under ^ x->group << 16;
		name_id of = owner_name(p, x);
		uint32_t i = of == UINT32_MAX
				     ? UINT32_MAX
				     : first_named(p, &first, map_hash_pair(of, place), of, x);
		owner[t] = i == UINT32_MAX ? t : last[i];
		uint64_t hash = map_hash_pair(x->name, place);
		i = first_named(p, &first, hash, x->name, x);
		if (i == UINT32_MAX)
			map_insert(&first, hash, t);
		last[i == UINT32_MAX ? t : i] = t;
	}
	map_release(&first);
	free(last);
	return owner;
}
