#include "model/callstats.h"

#include <stdlib.h>

#include "model/callwalk.h"
#include "model/mem.h"
#include "model/profile.h"

/* Rows of statistics: what the replay of a track's steps (callreplay.c) knows of each
 * function, and what a file without a timeline says itself. */

static void
row_of(const struct replay_known *k, track_id track, struct callstats *out)
{
	struct callstats_row *row = callstats_add(out, track, k->function);

	row->calls = k->calls;
	for (unsigned t = 0; t < CALL_TIMES; t++) {
		const struct replay_numbers *n = &k->of[t];
		if (!n->n)
			continue;
		row->value[t][CALL_TOTAL] = replay_shown(n->total);
		row->value[t][CALL_MIN] = n->min;
		row->value[t][CALL_AVG] = replay_shown(n->total / n->n);
		row->value[t][CALL_MAX] = n->max;
		row->has |= CALLSTATS_ALL(t);
	}
	callstats_totals(row, replay_shown(k->net), replay_shown(k->gross));
}

static void
compute_track(struct replay *r, const struct slice *s, track_id t, struct callstats *out)
{
	const struct track *track = &r->p->track[t];
	int64_t from, to;

	replay_range(r->p, s, t, &from, &to);
	for (uint32_t i = 0; i < track->n_series; i++)
		if (track->series[i]->kind == SERIES_STEPS)
			replay_series(r, track->series[i], from, to, s->whole);
	for (size_t i = 0; i < r->known.n; i++) {
		row_of(&r->known.at[i], t, out);
		r->place[r->known.at[i].function] = 0;
	}
	r->known.n = 0;
}

void
callstats_compute(const struct profile *p, const struct slice *s, struct callstats *out)
{
	struct replay r = {.p = p};

	if (callwalk_has_calls(p)) {
		r.place = mem_zalloc(p->frames.n_functions, sizeof *r.place);
		for (track_id t = 0; t < p->n_tracks; t++)
			if (!s->tracks || s->tracks[t])
				compute_track(&r, s, t, out);
		out->per_call = true;
	}
	/* what files without a timeline say has no place in a range of time */
	for (uint32_t i = 0; s->whole && p->recorded.per_call && i < p->recorded.n; i++) {
		const struct callstats_row *row = &p->recorded.at[i];
		if (!s->tracks || s->tracks[row->track])
			*callstats_add(out, row->track, row->function) = *row;
		out->per_call = true;
	}
	replay_release(&r);
}
