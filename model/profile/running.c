/* running.c - see running.h. */
#include "model/profile/running.h"

#include <string.h>

bool
running_is_wait(const struct profile *p, metric_id m)
{
	static const char *const words[] = {"off-cpu", "offcpu", "runnable"};
	struct name n = names_get(&p->names, p->metric[m].name);

	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (n.len == strlen(words[i]) && !memcmp(n.at, words[i], n.len))
			return p->metric[m].unit == UNIT_NS;
	return false;
}

static bool
is_base(const struct profile *p, metric_id m)
{
	const struct metric *x = &p->metric[m];

	return !x->unused && !x->computed && m != p->calls_metric && !running_is_wait(p, m) &&
	       (x->unit == UNIT_NS || x->unit == UNIT_SAMPLES);
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
	size_t len = strcspn(event.at, ":"); /* a modifier follows, as in page-faults:u */

	for (size_t i = 0; i < sizeof moments / sizeof *moments; i++)
		if (strlen(moments[i]) == len && !memcmp(event.at, moments[i], len))
			return true;
	return false;
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

static bool
has_metric(const struct series *s, metric_id m)
{
	for (unsigned i = 0; i < s->n_metrics; i++)
		if (s->metric[i] == m)
			return true;
	return false;
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
	       (s->kind == SERIES_STEPS || s->kind == SERIES_SAMPLES) && has_metric(s, base) &&
	       (base != p->events_metric || !has_moments(p, s));
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

track_id
running_owner(const struct profile *p, track_id t)
{
	static const char mark[] = " (overlap ";
	const struct track *lane = &p->track[t];
	struct name name = names_get(&p->names, lane->name);
	const char *at = name.len ? memmem(name.at, name.len, mark, sizeof mark - 1) : NULL;

	if (!at || name.at[name.len - 1] != ')')
		return t;
	name_id of = names_find(&p->names, name.at, (size_t)(at - name.at));
	for (track_id owner = t; owner-- > 0;) {
		const struct track *x = &p->track[owner];
		if (x->name == of && x->under == lane->under && x->group == lane->group)
			return owner;
	}
	return t;
}
