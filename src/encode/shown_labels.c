#include <stdlib.h>
#include <string.h>

#include "model/base/map.h"
#include "model/base/mem.h"
#include "src/encode/shown_times.h"

/* The numbers of a track by node and label set.  A fold knows no labels, so this file adds up the
 * events.  The rest of the fold (sums without labels, calls that lie elsewhere) has no label, so
 * the numbers of a node always equal those of the fold. */

struct shown_cell {
	node_id node;
	labels_id labels;
};

struct gathering {
	const struct shown *s;
	const struct series *series;
	int column[SERIES_METRICS_MAX]; /* [metric of the series] of s->metric; -1: none */
	VEC(struct shown_cell) cell;
	VEC(int64_t) value; /* [cell * metrics + metric] */
	struct map of;
};

static int64_t *
cell_of(struct gathering *g, node_id node, labels_id labels)
{
	uint64_t key = (uint64_t)labels << 32 | node;
	uint64_t hash = (key ^ key >> 29) * 0x9E3779B97F4A7C15u;
	uint32_t slot, i;
	size_t n = g->s->metric.n;

	if (g->cell.n) {
		slot = map_first(&g->of, hash);
		while (map_probe(&g->of, &slot, hash, &i))
			if (g->cell.at[i].node == node && g->cell.at[i].labels == labels)
				return g->value.at + (size_t)i * n;
	}
	map_insert(&g->of, hash, (uint32_t)g->cell.n);
	*vec_push(&g->cell) = (struct shown_cell){node, labels};
	for (size_t m = 0; m < n; m++)
		*vec_push(&g->value) = 0;
	return g->value.at + g->value.n - n;
}

static void
shown_gather(void *ctx, const struct shown_sample *e)
{
	struct gathering *g = ctx;

	if (e->labels == LABELS_NONE || e->node == NODE_ROOT)
		return;
	int64_t *value = cell_of(g, e->node, e->labels);
	for (unsigned k = 0; k < g->series->n_metrics; k++) {
		if (g->column[k] < 0)
			continue;
		if (role_lasts((enum metric_role)g->series->role[k]) || !e->before)
			value[g->column[k]] += shown_adds(g->series, k, e);
	}
}

static void
gather_series(struct gathering *g, const struct series *series)
{
	const struct shown *s = g->s;

	g->series = series;
	for (unsigned k = 0; k < series->n_metrics; k++) {
		g->column[k] = -1;
		for (size_t m = 0; m < s->metric.n; m++)
			if (s->metric.at[m] == series->metric[k])
				g->column[k] = (int)m;
	}
	if (series->kind == SERIES_TOTALS)
		shown_labelled_sums(s, series, shown_gather, g);
	else
		shown_samples(s, series, shown_gather, g);
}

/* Reports what a node has beyond its cells. */
static void
emit_rest(const struct gathering *g, const int64_t *emitted,
	  void (*emit)(void *ctx, node_id node, labels_id labels, const int64_t *value), void *ctx)
{
	const struct shown *s = g->s;
	size_t n = s->metric.n;
	int64_t *rest = mem_alloc(n + 1, sizeof *rest);

	for (uint32_t i = 0; i < shown_nodes(s); i++) {
		node_id v = shown_node(s, i);
		bool has = false;
		for (size_t m = 0; m < n; m++) {
			rest[m] = shown_self(s, v)[m] - emitted[(size_t)v * n + m];
			has |= rest[m] != 0;
		}
		if (has)
			emit(ctx, v, LABELS_NONE, rest);
	}
	free(rest);
}

void
shown_by_labels(const struct shown *s, track_id track,
		void (*emit)(void *ctx, node_id node, labels_id labels, const int64_t *value),
		void *ctx)
{
	const struct track *t = &s->p->track[track];
	size_t n = s->metric.n;
	struct gathering g = {.s = s};

	map_init(&g.of);
	for (uint32_t i = 0; i < t->n_series; i++)
		if (t->series[i]->labelled && t->series[i]->kind != SERIES_POINTS)
			gather_series(&g, t->series[i]);
	int64_t *emitted = mem_zalloc((size_t)s->tree->n * n + 1, sizeof *emitted);
	for (size_t c = 0; c < g.cell.n; c++) {
		bool has = false;
		int64_t *value = g.value.at + c * n;
		for (size_t m = 0; m < n; m++) {
			value[m] = shown_whole(s, m, value[m]);
			emitted[(size_t)g.cell.at[c].node * n + m] += value[m];
			has |= value[m] != 0;
		}
		if (has)
			emit(ctx, g.cell.at[c].node, g.cell.at[c].labels, value);
	}
	emit_rest(&g, emitted, emit, ctx);
	free(emitted);
	map_release(&g.of);
	vec_release(&g.cell);
	vec_release(&g.value);
}
