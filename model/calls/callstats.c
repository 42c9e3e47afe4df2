#include "model/calls/callstats.h"

#include <stdlib.h>

#include "model/base/mem.h"
#include "model/calls/callwalk.h"
#include "model/profile/profile.h"

/* Makes rows of statistics: from what the replay of a track's steps (callreplay.c) knows of each
 * function, and from what a file without a timeline states. */

static void
callstats_row_of(const struct replay_known *k, track_id track, struct callstats *out)
{
	struct callstats_row *row = callstats_add(out, track, k->function);

	row->calls = k->calls;
	for (unsigned t = 0; t < CALL_TIMES; t++) {
		const struct replay_numbers *n = &k->of[t];
		if (!n->n)
			continue;
		row->value[t][CALL_TOTAL] = wide_clipped(n->total);
		row->value[t][CALL_MIN] = n->min;
		row->value[t][CALL_AVG] = wide_clipped(wide_div(n->total, wide_of_unsigned(n->n)));
		row->value[t][CALL_MAX] = n->max;
		row->has |= CALLSTATS_ALL(t);
	}
	callstats_totals(row, wide_clipped(k->net), wide_clipped(k->gross));
}

struct computing {
	struct callwalk walk; /* must be first: its callbacks cast their context */
	struct callstats *out;
};

static void
track_ends(void *ctx, track_id t)
{
	const struct computing *c = ctx;

	for (size_t i = 0; i < c->walk.r.known.n; i++) {
		const struct replay_known *k = &c->walk.r.known.at[i];
		bool nothing = !k->calls && !wide_clipped(k->net) && !wide_clipped(k->gross);
		if (c->walk.r.lanes && nothing)
			continue; /* only the callers of what runs on this lane */
		callstats_row_of(k, t, c->out);
	}
}

void
callstats_compute(const struct profile *p, const struct slice *s, struct callstats *out,
		  struct pace *pace)
{
	if (callwalk_has_calls(p)) {
		struct computing c = {.out = out};
		callwalk_init(&c.walk, p, s, false);
		c.walk.r.ctx = &c;
		c.walk.ends = track_ends;
		while (!callwalk_run(&c.walk, pace_piece(pace, UINT32_MAX)) && pace_portion(pace))
			;
		callwalk_release(&c.walk);
		out->per_call = true;
	}
	/* rows that files without a timeline state belong to no range of time */
	for (uint32_t i = 0; s->whole && p->recorded.per_call && i < p->recorded.n; i++) {
		struct callstats_row row = callrows_get(&p->recorded, i);
		if (!s->tracks || s->tracks[row.track])
			*callstats_add(out, row.track, row.function) = row;
		out->per_call = true;
	}
}
