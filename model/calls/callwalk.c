#include "model/calls/callwalk.h"

#include <stdlib.h>
#include <string.h>

#include "model/base/mem.h"
#include "model/profile/running.h"

/* The position of a walk is a track, a series of it, and the replay's event. So it can stop
 * after any event and continue later. Data about functions is per track and dropped with
 * it. */

enum { WALK = 1, WALK_LANES = 2 };

static bool
is_walked(const struct callwalk *w, const struct series *s)
{
	return s->kind == SERIES_STEPS && (w->turns || !s->turns);
}

void
callwalk_init(struct callwalk *w, const struct profile *p, const struct slice *s, bool turns)
{
	*w = (struct callwalk){
		.r.p = p, .range = *s, .n_tracks = p->n_tracks, .turns = turns};
	w->r.place = mem_zalloc((size_t)p->frames.n_functions + 1, sizeof *w->r.place);
	w->n_functions = p->frames.n_functions;
	w->range.tracks = NULL;
	w->tracks = mem_zalloc((size_t)p->n_tracks + 1, 1);
	track_id *owner = running_owners(p);
	for (track_id t = 0; t < p->n_tracks; t++)
		if (owner[t] != t)
			w->tracks[t] = w->tracks[owner[t]] = WALK_LANES;
	free(owner);
	for (track_id t = 0; t < p->n_tracks; t++) {
		bool walks = !s->tracks || s->tracks[t];
		w->tracks[t] |= walks ? WALK : 0;
		for (uint32_t i = 0; walks && i < p->track[t].n_series; i++)
			if (is_walked(w, p->track[t].series[i]))
				w->all += p->track[t].series[i]->n;
	}
}

void
callwalk_release(struct callwalk *w)
{
	replay_release(&w->r);
	free(w->tracks);
}

static void
end_track(struct callwalk *w)
{
	if (w->begun && w->ends)
		w->ends(w->r.ctx, w->track);
	for (size_t i = 0; i < w->r.known.n; i++)
		w->r.place[w->r.known.at[i].function] = 0;
	w->r.known.n = 0;
	w->begun = false;
}

/* Finds the next series of steps; returns false if there is none. */
static bool
next_series(struct callwalk *w)
{
	const struct profile *p = w->r.p;
	int64_t from, to;

	for (; w->track < w->n_tracks; w->track++, w->series = 0) {
		const struct track *t = &p->track[w->track];
		for (; w->tracks[w->track] & WALK && w->series < t->n_series; w->series++) {
			const struct series *s = t->series[w->series];
			if (!is_walked(w, s) || !s->n)
				continue;
			if (!w->begun && w->begins)
				w->begins(w->r.ctx, w->track);
			w->begun = true;
			replay_range(p, &w->range, w->track, &from, &to);
			w->r.lanes = w->tracks[w->track] & WALK_LANES;
			replay_begin(&w->r, s, from, to, w->range.whole);
			return true;
		}
		end_track(w);
	}
	return false;
}

bool
callwalk_run(struct callwalk *w, uint64_t events)
{
	uint32_t n = w->r.p->frames.n_functions;

	if (n > w->n_functions) {
		w->r.place = mem_realloc(w->r.place, n, sizeof *w->r.place);
		memset(w->r.place + w->n_functions, 0,
		       (n - w->n_functions) * sizeof *w->r.place);
		w->n_functions = n;
	}
	while (!w->done) {
		if (!w->r.series && !next_series(w)) {
			w->done = true;
			break;
		}
		uint64_t before = w->r.at;
		bool over = replay_some(&w->r, events);
		uint64_t now = w->r.at - before;
		w->read += now;
		events -= now < events ? now : events;
		if (over) {
			replay_end(&w->r);
			w->r.series = NULL;
			w->series++;
		}
		if (!events)
			break;
	}
	return w->done;
}

void
callwalk_progress(const struct callwalk *w, uint64_t *read, uint64_t *all)
{
	*read = w->read < w->all ? w->read : w->all;
	*all = w->all;
}

int64_t
callwalk_start(const struct callwalk *w)
{
	return w->r.p->group[w->r.p->track[w->track].group].start;
}

bool
callwalk_has_calls(const struct profile *p)
{
	return p->has_call_edges || (p->calls_metric != METRIC_NONE &&
				     p->metric[p->calls_metric].role == ROLE_CALLS);
}
