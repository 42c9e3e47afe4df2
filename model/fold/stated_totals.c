#include "model/fold/stated_totals.h"

#include <stdlib.h>

#include "model/base/mem.h"
#include "model/base/sum.h"

/* A stated total may replace the sum of the stacks only if it covers all of them. So every track
 * with the metric must have a block. */

static bool
stated_totals_has_metric(const struct track *t, metric_id metric)
{
	for (uint32_t i = 0; i < t->n_series; i++)
		for (unsigned m = 0; m < t->series[i]->n_metrics; m++)
			if (t->series[i]->metric[m] == metric)
				return true;
	return false;
}

static bool
is_chosen(const struct slice *s, track_id t)
{
	return !s->tracks || s->tracks[t];
}

/* Returns true if the blocks cover the whole slice. They are in the order of their tracks. */
static bool
covers(const struct profile *p, const struct slice *s, bool narrowed)
{
	const struct stated *g = &p->stated;
	uint8_t *stated = mem_zalloc((size_t)p->n_tracks + 1, 1);
	bool good = true;

	for (uint32_t i = 0; i < g->n_blocks; i++)
		if (g->block[i].metric == s->metric && !(g->block[i].estimated && narrowed))
			stated[g->block[i].track] = 1;
	for (track_id t = 0; t < p->n_tracks && good; t++)
		good = stated[t] || !is_chosen(s, t) ||
		       !stated_totals_has_metric(&p->track[t], s->metric);
	free(stated);
	return good;
}

int64_t *
stated_totals(const struct profile *p, const struct slice *s, bool narrowed)
{
	const struct stated *g = &p->stated;

	if (!g->n_blocks || !s->whole || !covers(p, s, narrowed))
		return NULL;
	int64_t *out = mem_alloc((size_t)p->frames.n_functions + 1, sizeof *out);
	for (function_id f = 0; f < p->frames.n_functions; f++)
		out[f] = STATED_NONE;
	for (uint32_t i = 0; i < g->n_blocks; i++) {
		const struct stated_block *b = &g->block[i];
		if (b->metric != s->metric || !is_chosen(s, b->track))
			continue;
		for (uint32_t k = b->first; k < b->first + b->n; k++) {
			int64_t *to = &out[g->row[k].function];
			/* the builder does not bound sums that a file states */
			*to = sum_clipped(*to == STATED_NONE ? 0 : *to, g->row[k].total);
		}
	}
	return out;
}
