/* sparks.c - see sparks.h.
 *
 * A curve costs columns and checkpoints (curve.h), and the nodes of the tree for the choice of its
 * stacks.  With more nodes than NODES_MAX that choice alone takes longer than a key may, so there
 * are no curves then. */
#include "ui/part/sparks.h"

#include <stdlib.h>
#include <string.h>

#include "model/base/mem.h"
#include "model/base/sum.h"
#include "ui/screen/clock.h"

#define NODES_MAX 400000u
#define NARROW 120 /* columns from which a table has room for them */
#define WIDE 170   /* ... and more of it */
#define CURVES_MAX 4096u /* kept */
#define PIECE 20000u     /* events between two looks at the clock */

void
sparks_init(struct sparks *sp)
{
	*sp = (struct sparks){.folds = UINT64_MAX};
	map_init(&sp->map);
	layout_init(&sp->layout);
	curve_init(&sp->curve);
}

void
sparks_release(struct sparks *sp)
{
	vec_release(&sp->made);
	map_release(&sp->map);
	layout_release(&sp->layout);
	curve_release(&sp->curve);
	free(sp->chosen);
}

static bool
has_metric(const struct track *t, metric_id metric)
{
	for (uint32_t k = 0; k < t->n_series; k++) {
		const struct series *x = t->series[k];
		if (x->kind != SERIES_STEPS && x->kind != SERIES_SAMPLES)
			continue;
		for (unsigned m = 0; m < x->n_metrics; m++)
			if (x->metric[m] == metric)
				return true;
	}
	return false;
}

/* Finds the tracks whose events all curves add up; returns false if no track has any. */
static bool
choose_tracks(struct sparks *sp, const struct scene *s)
{
	bool any = false;

	free(sp->chosen);
	sp->chosen = mem_alloc((size_t)s->p->n_tracks + 1, 1);
	sp->n_chosen = s->p->n_tracks;
	for (uint32_t i = 0; i < s->p->n_tracks; i++) {
		bool has = has_metric(&s->p->track[i], s->fold->metric);
		any |= has;
		sp->chosen[i] = has && fold_has_track(s->fold, i);
	}
	return any;
}

/* Returns a number for the chosen tracks. */
static uint64_t
tracks_of(const struct scene *s)
{
	uint64_t sum = s->p->n_tracks;
	for (uint32_t i = 0; i < s->p->n_tracks; i++)
		sum = sum * 31 + fold_has_track(s->fold, i);
	return sum;
}

static void
sparks_forget(struct sparks *sp)
{
	sp->made.n = 0;
	map_release(&sp->map);
	map_init(&sp->map);
	curve_release(&sp->curve);
}

/* Forgets the curves if they are of other numbers; a range changes nothing. */
static void
follow(struct sparks *sp, const struct scene *s)
{
	const struct fold *f = s->fold;
	if (sp->folds == s->folds)
		return;
	uint64_t tracks = tracks_of(s);
	if (sp->folds == UINT64_MAX || sp->tree != f->tree->serial ||
	    sp->generation != f->generation || sp->metric != f->metric || sp->tracks != tracks) {
		sparks_forget(sp);
		sp->timed = choose_tracks(sp, s);
	}
	sp->folds = s->folds;
	sp->tree = f->tree->serial;
	sp->generation = f->generation;
	sp->metric = f->metric;
	sp->tracks = tracks;
}

int
sparks_cols(const struct scene *s, int w)
{
	if (w < NARROW || !s->sparks || s->fold->compares || lens_run(s->p) <= 0 ||
	    s->fold->tree->n > NODES_MAX || s->fold->tree->n_stacks > NODES_MAX)
		return 0;
	follow(s->sparks, s);
	return !s->sparks->timed ? 0 : w < WIDE ? SPARK_COLS / 2 : SPARK_COLS;
}

static uint64_t
sparks_hash_of(spark_id id)
{
	return (id + 1) * 0x9E3779B97F4A7C15u;
}

static const struct spark *
find(const struct sparks *sp, spark_id id)
{
	uint32_t slot = map_first(&sp->map, sparks_hash_of(id)), i;
	while (map_probe(&sp->map, &slot, sparks_hash_of(id), &i))
		if (sp->made.at[i].id == id)
			return &sp->made.at[i];
	return NULL;
}

static void
sparks_begin(struct sparks *sp, const struct scene *s, spark_id id)
{
	const struct projection *t = s->fold->tree;
	uint8_t *in = mem_zalloc(t->n_stacks, 1);
	if (id >> 32)
		curve_stacks_below(t, (node_id)id, in);
	else
		curve_stacks_of(t, (key_id)id, in);
	struct curve_of of = {&sp->layout, s->fold->metric, in, t->n_stacks, sp->chosen,
			      sp->n_chosen, sum_clipped(lens_run(s->p), 1), SPARK_COLS, true};
	curve_begin(&sp->curve, s->p, &of);
	sp->now = id;
	free(in);
}

static void
keep(struct sparks *sp)
{
	const double *value = sp->curve.value;
	double peak = 0;
	struct spark *out = vec_push(&sp->made);
	*out = (struct spark){.id = sp->now};
	for (unsigned i = 0; i < SPARK_COLS; i++)
		peak = value[i] > peak ? value[i] : peak;
	for (unsigned i = 0; i < SPARK_COLS; i++)
		if (value[i] > 0) {
			int level = (int)(value[i] / peak * 8 + 0.5);
			out->level[i] = (uint8_t)(level < 1 ? 1 : level > 8 ? 8 : level);
		}
	if (map_is_full(&sp->map))
		map_grow(&sp->map);
	map_insert(&sp->map, sparks_hash_of(sp->now), (uint32_t)sp->made.n - 1);
}

void
sparks_make(struct sparks *sp, struct scene *s, const spark_id *id, size_t n)
{
	int64_t until_ns = works_until(s->works, s->portion_ns);
	follow(sp, s);
	if (sp->made.n > CURVES_MAX)
		sparks_forget(sp);
	for (size_t i = 0; i < n;) {
		if (sp->curve.done && find(sp, id[i])) {
			i++;
			continue;
		}
		if (s->hurried) {
			s->later = true;
			return;
		}
		if (sp->curve.done)
			sparks_begin(sp, s, id[i]);
		while (!curve_go_on(&sp->curve, PIECE))
			if (clock_ns() >= until_ns) {
				s->again = true;
				return;
			}
		keep(sp);
		if (clock_ns() >= until_ns && i + 1 < n) {
			s->again = true;
			return;
		}
	}
}

void
sparks_draw(const struct sparks *sp, spark_id id, struct canvas *c, int y, int x, int w)
{
	const struct spark *spark = find(sp, id);
	for (int i = 0; spark && i < w; i++) {
		unsigned level = 0;
		for (int k = i * SPARK_COLS / w; k < (i + 1) * SPARK_COLS / w; k++)
			level = spark->level[k] > level ? spark->level[k] : level;
		if (level)
			canvas_char(c, y, x + i, INK_BAR, 0x2580 + level);
	}
}
