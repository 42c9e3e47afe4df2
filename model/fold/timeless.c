#include "model/fold/timeless.h"

static bool
series_has(const struct series *s, metric_id m)
{
	for (unsigned i = 0; s->n && s->kind != SERIES_POINTS && i < s->n_metrics; i++)
		if (s->metric[i] == m)
			return true;
	return false;
}

/* Returns true if a track of the fold has the metric in a series with, or without time. */
static bool
timeless_has(const struct fold *f, const struct profile *p, metric_id m, bool timed)
{
	for (track_id t = 0; t < p->n_tracks; t++)
		for (uint32_t i = 0; fold_has_track(f, t) && i < p->track[t].n_series; i++) {
			const struct series *s = p->track[t].series[i];
			if ((s->kind != SERIES_TOTALS) == timed && series_has(s, m))
				return true;
		}
	return false;
}

bool
timeless_range(const struct fold *f, const struct profile *p)
{
	return !f->whole && f->metric != METRIC_NONE && timeless_has(f, p, f->metric, false) &&
	       !timeless_has(f, p, f->metric, true);
}

void
timeless_say(const struct fold *f, const struct profile *p, struct buf *out)
{
	profile_show_name(p, p->metric[f->metric].name, out);
	buf_adds(out, " is known for the whole run only, and a range has none of it");
	for (metric_id m = 0; m < p->n_metrics; m++)
		if (profile_metric_shown(p, m) && timeless_has(f, p, m, true)) {
			buf_adds(out, ": --metric ");
			profile_show_name(p, p->metric[m].name, out);
			buf_adds(out, " has times");
			return;
		}
}
