#include "model/fold/runs.h"

#include <stdlib.h>

#include "model/base/mem.h"
#include "model/base/sum.h"
#include "model/lens/lens.h"

void
runs_release(struct side_runs *r)
{
	free(r->of);
	free(r->recorded);
	*r = (struct side_runs){0};
}

/* Returns true if the track belongs to this side and is chosen. */
static bool
is_of_side(const struct profile *p, const struct slice *s, bool base, track_id t)
{
	return s->tracks[t] && p->track[t].group < p->n_groups && profile_is_base(p, t) == base;
}

/* Returns true if all tracks of this side are hosts of one store. */
static bool
are_hosts(const struct profile *p, const struct slice *s, bool base)
{
	uint32_t n = 0;

	for (track_id t = 0; t < p->n_tracks; t++) {
		if (!is_of_side(p, s, base, t))
			continue;
		if (!p->track[t].recorded_ns)
			return false;
		n++;
	}
	return n > 0;
}

/* Returns the length of the part of a range that lies in the run of the profile. */
static double
longest(const struct profile *p, const struct slice *s)
{
	int64_t run = sum_clipped(lens_run(p), 1), from = s->from < 0 ? 0 : s->from;
	int64_t to = s->to > run ? run : s->to;

	return to > from ? (double)to - (double)from : 0;
}

static void
add_hosts(struct side_runs *r, const struct profile *p, const struct slice *s, bool base)
{
	double most = s->whole ? 0 : longest(p, s);

	r->n = 0;
	r->recorded = mem_zalloc((size_t)p->n_tracks + 1, sizeof *r->recorded);
	for (track_id t = 0; t < p->n_tracks; t++) {
		if (!is_of_side(p, s, base, t))
			continue;
		double ns = (double)p->track[t].recorded_ns;
		bool unknown = p->track[t].recorded_ns == RECORDED_UNKNOWN;
		ns = unknown ? 1 : s->whole || ns < most ? ns : most;
		r->timeless |= unknown;
		r->recorded[r->n] = ns;
		r->all += ns;
		r->of[t] = r->n++;
	}
}

void
runs_make(struct side_runs *r, const struct profile *p, const struct slice *s, bool base)
{
	*r = (struct side_runs){.n = 1};
	if (p->comparison != COMPARE_FILES || p->n_groups <= p->n_base)
		return;
	r->of = mem_alloc((size_t)p->n_tracks + 1, sizeof *r->of);
	for (track_id t = 0; t < p->n_tracks; t++)
		r->of[t] = RUN_NONE;
	r->n = base ? p->n_base : p->n_groups - p->n_base;
	if (r->n == 1 && are_hosts(p, s, base)) {
		add_hosts(r, p, s, base);
		return;
	}
	for (track_id t = 0; t < p->n_tracks; t++)
		if (is_of_side(p, s, base, t))
			r->of[t] = p->track[t].group - (base ? 0 : p->n_base);
}
