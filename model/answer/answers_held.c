/* answers_held.c - how much memory is held over time.
 *
 * Samples of a metric of live memory say it, with the stacks that hold it. Some tools, such as
 * massif, record stacks at a few moments and the size at many: then a counter says it. */
#include <string.h>

#include "model/answer/answers_inside.h"
#include "model/base/sum.h"
#include "model/picture/layout.h"

/* Returns the metric of held memory that a series with at least `least` samples has. */
static metric_id
held_metric(const struct answers_work *w, uint64_t least)
{
	const struct profile *p = w->p;

	for (track_id t = 0; t < p->n_tracks; t++)
		for (uint32_t i = 0; w->tracks[t] && i < p->track[t].n_series; i++) {
			const struct series *s = p->track[t].series[i];
			if (s->kind != SERIES_SAMPLES || s->n < least)
				continue;
			for (unsigned m = 0; m < s->n_metrics; m++)
				if (s->metric[m] != METRIC_NONE && layout_is_held(p, s->metric[m]))
					return s->metric[m];
		}
	return METRIC_NONE;
}

/* Returns the series of a counter of held memory; NULL if the track is none. */
static const struct series *
heap_series(const struct answers_work *w, track_id t)
{
	static const char *const names[] = {"heap", "heap.used", "heap live", "R heap"};
	const struct track *track = &w->p->track[t];
	struct name n = profile_own_name(w->p, track->group, track->name);
	struct name unit = names_get(&w->p->names, track->value_unit);

	if (!w->tracks[t] || track->kind != TRACK_COUNTER || unit.len != 5 ||
	    memcmp(unit.at, "bytes", 5))
		return NULL;
	for (size_t k = 0; k < sizeof names / sizeof *names; k++)
		if (n.len == strlen(names[k]) && !memcmp(n.at, names[k], n.len))
			for (uint32_t i = 0; i < track->n_series; i++)
				if (track->series[i]->kind == SERIES_POINTS &&
				    track->series[i]->sorted)
					return track->series[i];
	return NULL;
}

void
answers_find_held(struct answers_work *w, uint64_t least)
{
	w->heap = TRACK_NONE;
	w->live = held_metric(w, least);
	for (track_id t = 0; t < w->p->n_tracks && w->live == METRIC_NONE; t++) {
		const struct series *s = heap_series(w, t);
		if (s && s->n >= least) {
			w->heap = t;
			break;
		}
	}
	if (w->heap != TRACK_NONE)
		w->live = held_metric(w, 1);
}

static bool
is_heap_named(const struct answers_work *w, track_id t, struct name name)
{
	struct name own = profile_own_name(w->p, w->p->track[t].group, w->p->track[t].name);

	return own.len == name.len && !memcmp(own.at, name.at, name.len);
}

/* Returns the sum of the counters with the name of the first one, in all files, at a moment. */
static double
heap_at(const struct answers_work *w, int64_t when)
{
	const struct track *first = &w->p->track[w->heap];
	struct name name = profile_own_name(w->p, first->group, first->name);
	double held = 0;

	for (track_id t = w->heap; t < w->p->n_tracks; t++) {
		const struct series *s = is_heap_named(w, t, name) ? heap_series(w, t) : NULL;
		int64_t origin = w->p->group[w->p->track[t].group].start;
		uint64_t i = s ? series_find(s, sum_clipped(origin, when)) : 0;
		struct event e;
		if (i && series_event(s, i - 1, &e))
			held += answers_value(s, &e);
	}
	return held;
}

double
answers_held(const struct answers_work *w, int64_t when)
{
	struct slice slice = w->slice;
	double held = 0;

	if (w->heap != TRACK_NONE)
		return heap_at(w, when);
	slice.metric = w->live;
	slice.whole = false;
	slice.from = 0;
	slice.to = when;
	for (track_id t = 0; t < w->p->n_tracks; t++)
		if (w->tracks[t])
			held += (double)tally_track(w->p, t, &slice);
	return held;
}
