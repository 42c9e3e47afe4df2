/* chrono.c - see chrono.h.
 *
 * The value of the metric in each column costs a few binary searches per series (layout_bins); only
 * the chosen series is read.  Those sums ignore filters and the zoom, so the CANDIDATES best series
 * are kept, and the first one with visible frames wins.  Choosing the longest single stack was
 * rejected: it preferred a track that slept in one stack to two workers whose stacks change with
 * each sample. */
#include "ui/part/chrono.h"

#include <stdlib.h>
#include <string.h>

#include "model/base/mem.h"
#include "model/base/sum.h"
#include "model/base/wide.h"
#include "model/lens/lens.h"
#include "ui/part/chains.h"
#include "ui/part/show.h"

#define CANDIDATES 4
#define TRACK_STEPS 4096u /* steps of a pace: a search in each column */

struct chrono_best {
	double value[CANDIDATES]; /* 0: none */
	size_t lane[CANDIDATES];
};

void
chrono_init(struct chrono *c)
{
	*c = (struct chrono){0};
	layout_init(&c->layout);
	cells_init(&c->cells);
}

void
chrono_release(struct chrono *c)
{
	layout_release(&c->layout);
	cells_release(&c->cells);
	vec_release(&c->lanes);
	vec_release(&c->starts);
	free(c->best);
	free(c->row);
	free(c->as);
	*c = (struct chrono){0};
}

static bool
is_drawn(const struct scene *s, track_id t, const struct series *r)
{
	if (r->kind != SERIES_STEPS && r->kind != SERIES_SAMPLES)
		return false;
	if (s->fold->only_track != TRACK_NONE && s->fold->only_track != t)
		return false;
	return r->sorted && r->n && fold_has_track(s->fold, t);
}

/* ---- the track of a column ---- */

static void
propose(struct chrono_best *b, size_t lane, double value)
{
	int at = CANDIDATES;
	while (at > 0 && value > b->value[at - 1])
		at--;
	for (int i = CANDIDATES - 1; i > at; i--) {
		b->value[i] = b->value[i - 1];
		b->lane[i] = b->lane[i - 1];
	}
	if (at < CANDIDATES) {
		b->value[at] = value;
		b->lane[at] = lane;
	}
}

/* Returns the index of the metric in a series.  If the series lacks it: 0 with `or_first`, else
 * -1. */
static int
chrono_metric_in(const struct series *r, metric_id metric, bool or_first)
{
	for (unsigned m = 0; m < r->n_metrics; m++)
		if (r->metric[m] == metric)
			return (int)m;
	return or_first && r->n_metrics ? 0 : -1;
}

static void
propose_lane(struct chrono *c, size_t at, unsigned m, int64_t from, int64_t to)
{
	double *value = mem_alloc(c->n, sizeof *value);
	layout_bins(&c->lanes.at[at], m, from, to, c->n, value);
	for (unsigned k = 0; k < c->n; k++)
		if (value[k] > 0)
			propose(&c->best[k], at, value[k]);
	free(value);
}

static void
find_lanes(struct chrono *c, const struct scene *s, struct pace *pace)
{
	for (track_id t = 0; t < s->p->n_tracks && pace_on(pace, TRACK_STEPS); t++) {
		const struct track *track = &s->p->track[t];
		bool drawn = false;
		for (uint32_t i = 0; i < track->n_series; i++) {
			struct layout_lane lane = {.series = track->series[i]};
			if (!is_drawn(s, t, lane.series))
				continue;
			drawn = true;
			layout_lane_look(&c->layout, s->p, &lane, s->fold->metric);
			*vec_push(&c->lanes) = lane;
			*vec_push(&c->starts) = s->p->group[track->group].start;
		}
		c->tracks += drawn;
		c->track = drawn ? t : c->track;
	}
}

static void
find_best(struct chrono *c, const struct scene *s, int64_t from, int64_t to, struct pace *pace)
{
	bool any = false;
	memset(c->best, 0, c->n * sizeof *c->best);
	for (size_t i = 0; i < c->lanes.n; i++)
		any |= chrono_metric_in(c->lanes.at[i].series, s->fold->metric, false) >= 0;
	for (size_t i = 0; i < c->lanes.n && pace_on(pace, TRACK_STEPS); i++) {
		int m = chrono_metric_in(c->lanes.at[i].series, s->fold->metric, !any);
		if (m >= 0)
			propose_lane(c, i, (unsigned)m, sum_clipped(c->starts.at[i], from),
				     sum_clipped(c->starts.at[i], to));
	}
}

/* ---- the picture ---- */

/* True if the known rows still fit the scene.  With chains they depend on the numbers, since a
 * frame with a cost of its own is not a link. */
static bool
knows_rows(struct chrono *c, const struct scene *s)
{
	struct chrono_of of = {s->fold->tree->serial, s->fold->generation, s->chains ? s->folds : 0,
			       s->nav->zoom, s->chains};
	struct chrono_of *had = &c->rows_of;
	bool same = c->row && had->tree == of.tree && had->generation == of.generation &&
		    had->folds == of.folds && had->zoom == of.zoom && had->chains == of.chains;
	*had = of;
	return same;
}

/* Numbers the rows of the nodes below the zoomed one; a chain has one row, that of its end. */
static void
number_rows(struct chrono *c, const struct scene *s, struct pace *pace)
{
	const struct projection *t = s->fold->tree;
	if (knows_rows(c, s))
		return;
	c->row = mem_realloc(c->row, t->n, sizeof *c->row);
	c->as = mem_realloc(c->as, t->n, sizeof *c->as);
	node_id zoom = chain_end(s, s->nav->zoom);
	uint16_t *base = mem_zalloc(t->n, sizeof *base); /* 1 plus the row */
	base[zoom] = 1;
	c->row[NODE_ROOT] = 0;
	c->as[NODE_ROOT] = NODE_ROOT;
	for (node_id n = 1; n < t->n && pace_on(pace, 1); n++) {
		bool link = chain_is_link(s, n);
		uint16_t above = base[t->parent[n]];
		if (n != zoom && above && above <= CHRONO_ROWS_MAX)
			base[n] = (uint16_t)(above + !link);
		c->row[n] = n == zoom || link || !base[n] ? 0 : (uint16_t)(base[n] - 1);
		c->as[n] = link ? NODE_NONE : n;
	}
	free(base);
	for (struct piece x = piece_back(1, t->n); piece_prev(&x, pace);)
		for (node_id n = x.to; n-- > x.from;)
			if (c->as[n] == NODE_NONE)
				c->as[n] = c->as[outline_first(s->outline, n)];
	if (pace_gives_up(pace)) {
		free(c->row);
		c->row = NULL;
	}
}

static void
draw_column(struct chrono *c, unsigned k, int64_t from, int64_t to)
{
	const struct chrono_best *b = &c->best[k];
	for (int i = 0; i < CANDIDATES && b->value[i] > 0; i++) {
		int64_t start = c->starts.at[b->lane[i]];
		cells_column(&c->cells, &c->layout, &c->lanes.at[b->lane[i]],
			     sum_clipped(start, from), sum_clipped(start, to));
		if (cells_at(&c->cells, k, 1).node != NODE_NONE)
			return;
		cells_drop(&c->cells);
	}
	cells_column(&c->cells, &c->layout, NULL, from, to);
}

bool
chrono_look(struct chrono *c, const struct scene *s, unsigned cols, struct pace *pace)
{
	c->n = cols;
	c->tracks = 0;
	c->track = TRACK_NONE;
	c->lanes.n = c->starts.n = 0;
	if (!c->row || c->rows_of.tree != s->fold->tree->serial ||
	    c->rows_of.generation != s->fold->generation)
		layout_look(&c->layout, s->p, s->fold->tree);
	cells_begin(&c->cells, NULL);
	if (lens_run(s->p) <= 0)
		return false;
	int64_t from, to;
	show_range(s, &from, &to);
	c->best = mem_realloc(c->best, cols, sizeof *c->best);
	number_rows(c, s, pace);
	if (pace_gives_up(pace))
		return false;
	cells_begin(&c->cells, &(struct cells_rows){c->row, c->as});
	find_lanes(c, s, pace);
	find_best(c, s, from, to, pace);
	for (unsigned k = 0; k < cols && pace_on(pace, PACE_STEPS); k++) {
		int64_t a = wide_part(from, to, cols, k), b = wide_part(from, to, cols, k + 1);
		draw_column(c, k, a, b > a ? b : sum_clipped(a, 1));
	}
	if (pace_gives_up(pace))
		return false;
	cells_join(&c->cells, &c->layout);
	return c->tracks > 0;
}

bool
chrono_box(const struct chrono *c, const struct scene *s, unsigned row, int *x,
	   struct chrono_box *out)
{
	size_t n;
	const struct cell_box *box = cells_boxes(&c->cells, row + 1, &n);
	for (size_t i = 0; i < n; i++) {
		if (box[i].x < *x || box[i].astray)
			continue;
		*out = (struct chrono_box){chain_head(s, box[i].node), box[i].node, box[i].x,
					   box[i].w, &box[i]};
		*x = box[i].x + box[i].w;
		return true;
	}
	return false;
}
