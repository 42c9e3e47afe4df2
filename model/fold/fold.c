#include "model/fold/fold.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/mem.h"
#include "model/base/vec.h"
#include "model/fold/stated_totals.h"

/* Projects, tallies, scatters and adds up (numbers.c). */

struct fold *
fold_new(void)
{
	struct fold *f = mem_zalloc(1, sizeof *f);

	f->only_track = TRACK_NONE;
	lens_init(&f->lens);
	tally_init(&f->tally);
	tally_init(&f->base_tally);
	return f;
}

void
fold_free(struct fold *f)
{
	if (!f || f->more_owners) {
		if (f)
			f->more_owners--;
		return;
	}
	projection_free(f->tree);
	numbers_release(&f->now);
	numbers_release(&f->base);
	tally_release(&f->tally);
	tally_release(&f->base_tally);
	changes_release(&f->changes);
	foldusage_release(&f->usage);
	lens_release(&f->lens);
	free(f->stated);
	free(f->base_stated);
	free(f->tracks);
	free(f->base_tracks);
	free(f->chosen);
	free(f);
}

static bool
slice_of(struct slice *s, uint8_t **tracks, const struct profile *p, const struct lens *l,
	 track_id only, struct err *e)
{
	s->metric = lens_metric(l, p, e);
	if (s->metric == METRIC_NONE || !lens_range(l, p, &s->from, &s->to, &s->whole, e))
		return false;
	uint8_t *keep = lens_tracks(l, p);
	for (track_id t = 0; t < p->n_tracks; t++)
		keep[t] = keep[t] && (only == TRACK_NONE || only == t);
	s->tracks = *tracks = keep;
	return true;
}

/* Finds the stacks whose paths are inverted. */
static void
tally_recorded(struct tally *t, const struct profile *p, const struct lens *l,
	       struct pace *pace)
{
	struct slice whole = {.metric = p->events_metric, .whole = true};

	tally_init(t);
	t->pace = pace;
	if (l->invert)
		tally_count(t, p, &whole);
}

/* Returns true if a value is below 0. Siblings are ordered by their amounts then, which only a
 * whole tree has. */
static bool
has_losses(const struct tally *t, uint32_t n_stacks)
{
	int64_t signs = 0;

	for (stack_id s = 0; s < n_stacks; s++)
		signs |= t->cell[s].value;
	return signs < 0;
}

static bool
fold_project(struct fold *f, const struct profile *p, const struct lens *l,
	     const struct slice *now)
{
	bool few = f->few && l->invert && !f->compares;
	struct first_rows first = {.rows = f->first.rows, .counts = f->first.counts};
	struct tally all;
	/* which paths are inverted depends on what was recorded, not only on the stacks */
	bool grown = f->valid && (f->of != p->names.serial || f->tree->n_stacks != p->stacks.n ||
				  (l->invert && f->generation != p->generation));
	bool limited = f->at_once && f->at_once < PROJECT_NODES_MAX;

	f->generation = p->generation;
	f->of = p->names.serial;
	if (f->valid && !grown && lens_same_shape(&f->lens, l) && (limited || !f->partial) &&
	    !f->tree->few)
		return true;
	projection_free(f->tree);
	f->tree = NULL;
	f->partial = f->valid = false;
	tally_recorded(&all, p, l, f->pace);
	f->tally.pace = f->pace;
	if (few) {
		tally_count(&f->tally, p, now);
		few = !has_losses(&f->tally, p->stacks.n);
	}
	first.shown = &f->tally;
	first.metric_is_calls = now->metric == p->calls_metric;
	if (!pace_gives_up(f->pace))
		f->tree = projection_paced(p, l, &all,
					   limited ? f->at_once : PROJECT_NODES_MAX,
					   few ? &first : NULL, f->pace);
	tally_release(&all);
	f->partial = f->tree && ((limited && f->tree->depth_cut) || f->tree->few);
	return f->tree != NULL;
}

/* For a profile that is itself a comparison: its first track, or file, against the rest. */
static void
compare_tracks(const struct profile *p, uint8_t *base, uint8_t *now)
{
	for (track_id t = 0; t < p->n_tracks; t++) {
		base[t] = base[t] && profile_is_base(p, t);
		now[t] = now[t] && !profile_is_base(p, t);
	}
}

bool
fold_fits(const struct profile *p, const struct lens *l, const struct lens *base,
	  struct err *e)
{
	int64_t from, to;
	bool whole;

	return lens_metric(l, p, e) != METRIC_NONE &&
	       lens_range(l, p, &from, &to, &whole, e) &&
	       (!base || fold_fits(p, base, NULL, e));
}

/* Finds out which changes exceed chance. Then the numbers of several files of a side become
 * those of an average file, and those of a normalized base are scaled to the same whole. */
static void
compare_fold(struct fold *f, const struct profile *p, const struct slice *now,
	     const struct slice *before)
{
	struct changes_asks asks = {
		.p = p, .tree = f->tree, .now = now, .base = before, .pace = f->pace,
		.now_numbers = &f->now, .base_numbers = &f->base,
	};

	changes_make(&f->changes, &asks);
	double by = 1.0 / f->changes.averaged[0];
	double base_by = f->changes.scale / f->changes.averaged[1];
	numbers_scale(&f->now, f->tree->n, by, f->pace);
	numbers_scale(&f->base, f->tree->n, base_by, f->pace);
	changes_weigh(&f->changes, &asks);
}

/* Returns true if the lens hides or drops some stacks. */
static bool
narrows(const struct lens *l)
{
	for (size_t i = 0; i < l->entries.n; i++)
		if (l->entries.at[i].verb != VERB_TRACK && !l->entries.at[i].off)
			return true;
	return false;
}

static void
drop_stated(struct fold *f)
{
	free(f->stated);
	free(f->base_stated);
	f->stated = f->base_stated = NULL;
}

/* Computes all requested numbers; returns false if cancelled. */
static bool
fold_count(struct fold *f, const struct profile *p, const struct lens *l, const struct slice *now,
	   const struct slice *before)
{
	f->tally.pace = f->base_tally.pace = f->pace;
	drop_stated(f);
	if (!f->tree->few) /* else its order has needed them */
		tally_count(&f->tally, p, now);
	f->stated = stated_totals(p, now, narrows(l));
	f->estimated = stated_estimated(&p->stated, now->tracks);
	numbers_gather(&f->now, f->tree, &f->tally, now->metric == p->calls_metric, f->pace);
	f->events = f->tally.events;
	if (!f->compares)
		tally_release(&f->tally); /* the next one finds its memory in the heap */
	numbers_sum(&f->now, f->tree, f->pace);
	foldusage_make(&f->usage, p, f->tree, now, f->pace);
	if (f->compares) {
		tally_count(&f->base_tally, p, before);
		f->base_stated = stated_totals(p, before, narrows(l));
		numbers_make(&f->base, f->tree, &f->base_tally,
			     before->metric == p->calls_metric, f->pace);
		compare_fold(f, p, now, before);
		f->events += f->base_tally.events;
	} else {
		changes_release(&f->changes);
	}
	f->metric = now->metric;
	f->from = now->from;
	f->to = now->to;
	f->whole = now->whole;
	f->tally.pace = f->base_tally.pace = NULL;
	return !pace_gives_up(f->pace);
}

/* Drops the tree, since incomplete numbers are meaningless. */
static bool
fold_give_up(struct fold *f)
{
	projection_free(f->tree);
	f->tree = NULL;
	f->valid = f->partial = false;
	return false;
}

bool
fold_is_of(const struct fold *f, const struct profile *p, const struct lens *l)
{
	return f->valid && f->counted && !f->based && !f->partial && f->of == p->names.serial &&
	       f->generation == p->generation && f->counted_track == f->only_track &&
	       lens_equal(&f->lens, l);
}

struct fold *
fold_beside(struct fold *made, const struct profile *p, const struct lens *l)
{
	if (made && fold_is_of(made, p, l)) {
		made->more_owners++;
		return made;
	}
	struct fold *f = fold_new();
	if (made)
		fold_begin_with(f, made);
	return f;
}

bool
fold_update(struct fold *f, const struct profile *p, const struct lens *l,
	    const struct lens *base, struct err *e)
{
	struct slice now, before = {0};
	uint8_t *now_tracks = NULL, *base_tracks = NULL;
	/* a file without tracks is a side, too */
	bool sides = p->comparison == COMPARE_FILES || (p->comparison && p->n_tracks > 1);
	bool itself = !base && sides && f->only_track == TRACK_NONE;

	if (!base && fold_is_of(f, p, l))
		return true;
	assert(!f->more_owners);
	if (!slice_of(&now, &now_tracks, p, l, f->only_track, e))
		return false;
	f->counted = false;
	if ((base || itself) &&
	    !slice_of(&before, &base_tracks, p, base ? base : l, f->only_track, e)) {
		free(now_tracks);
		return false;
	}
	if (itself)
		compare_tracks(p, base_tracks, now_tracks);
	f->compares = base || itself;
	f->run = lens_run(p);
	bool done = fold_project(f, p, l, &now) && fold_count(f, p, l, &now, &before);
	free(f->tracks);
	f->tracks = now_tracks;
	free(f->base_tracks);
	f->base_tracks = base_tracks;
	f->base_from = before.from;
	f->base_to = before.to;
	f->base_whole = before.whole;
	if (!done)
		return fold_give_up(f);
	struct lens copy;
	lens_copy(&copy, l);
	lens_release(&f->lens);
	f->lens = copy;
	f->valid = f->counted = true;
	f->based = base != NULL;
	f->counted_track = f->only_track;
	free(f->chosen);
	f->chosen = lens_tracks(l, p);
	f->n_chosen = p->n_tracks;
	return true;
}

struct slice
fold_slice(const struct fold *f, const struct profile *p, uint8_t **tracks)
{
	*tracks = mem_zalloc((size_t)p->n_tracks + 1, 1);
	for (track_id t = 0; t < p->n_tracks; t++)
		(*tracks)[t] = fold_has_track(f, t);
	return (struct slice){f->metric, f->whole, f->from, f->to, *tracks};
}

struct slice
fold_side(const struct fold *f, bool base)
{
	if (base)
		return (struct slice){f->metric, f->base_whole, f->base_from, f->base_to,
				      f->base_tracks};
	return (struct slice){f->metric, f->whole, f->from, f->to, f->tracks};
}

/* ---- replacing the displayed fold ---- */

void
fold_begin_with(struct fold *f, const struct fold *shown)
{
	struct lens copy;

	projection_free(f->tree);
	f->tree = shown->tree ? projection_ref(shown->tree) : NULL;
	f->counted = false;
	f->valid = shown->valid;
	f->partial = shown->partial;
	f->generation = shown->generation;
	f->of = shown->of;
	f->only_track = shown->only_track;
	f->at_once = shown->at_once;
	lens_copy(&copy, &shown->lens);
	lens_release(&f->lens);
	f->lens = copy;
}

void
fold_settle(struct fold *f)
{
	f->partial = false;
}

void
fold_swap(struct fold *a, struct fold *b)
{
	struct fold keep = *a;

	*a = *b;
	*b = keep;
}

int64_t
fold_recorded(const struct fold *f, const struct profile *p)
{
	struct slice slice = {f->metric, f->whole, f->from, f->to, NULL};
	struct tally all;
	int64_t sum = 0;

	if (!lens_has_tracks(&f->lens))
		return f->now.everything;
	uint8_t *tracks = lens_tracks(&f->lens, p);
	bool beside = false; /* the lens has tracks of programs beside the command */
	for (track_id t = 0; t < p->n_tracks; t++)
		beside |= tracks[t] && profile_is_outside(p, t);
	for (track_id t = 0; t < p->n_tracks; t++)
		tracks[t] = (!p->comparison || !profile_is_base(p, t)) &&
			    (beside || !profile_is_outside(p, t));
	slice.tracks = tracks;
	tally_init(&all);
	all.pace = f->pace;
	tally_count(&all, p, &slice);
	for (stack_id s = 1; s < all.n && !pace_gives_up(f->pace); s++)
		sum += all.cell[s].value;
	tally_release(&all);
	free(tracks);
	return sum;
}

/* ---- flat rows ---- */

#define ROW_STEPS 4u /* of a pace: a row misses the caches, and allocates */

struct sides
fold_sides(const struct fold *f, node_id node)
{
	return (struct sides){numbers_exact_total(&f->now, node),
			      f->compares ? numbers_exact_total(&f->base, node) : 0};
}

bool
fold_shows(const struct fold *f, node_id node)
{
	return f->now.present[node] || (f->compares && f->base.present[node]);
}

void
fold_take_stated(const struct fold *f, key_id key, int64_t *total, int64_t *base_total)
{
	if (key == KEY_NONE || f->tree->by != BY_FUNCTION)
		return;
	if (f->stated && f->stated[key] != STATED_NONE)
		*total = f->stated[key];
	if (f->base_stated && f->base_stated[key] != STATED_NONE)
		*base_total = f->base_stated[key];
}

/* Returns cleared numbers of n keys: those that the fold has. */
static struct key_numbers
numbers_of_keys(const struct fold *f, size_t n)
{
	return (struct key_numbers){
		.self = mem_zalloc(n, sizeof(int64_t)),
		.total = mem_zalloc(n, sizeof(int64_t)),
		.calls = f->now.calls ? mem_zalloc(n, sizeof(int64_t)) : NULL,
		.lines = f->now.lines ? mem_zalloc(n, sizeof(int64_t)) : NULL,
		.base_self = f->compares ? mem_zalloc(n, sizeof(int64_t)) : NULL,
		.base_total = f->compares ? mem_zalloc(n, sizeof(int64_t)) : NULL,
		.by = f->now.by,
		.base_by = f->compares ? f->base.by : 1,
	};
}

/* Adds the recorded numbers of a node to those at `to`. */
static void
row_add_node(const struct fold *f, node_id i, const struct key_numbers *of, size_t to)
{
	const struct projection *t = f->tree;
	bool own = !t->inverted || t->parent[i] == NODE_ROOT;

	numbers_add(&f->now, t, i, &of->self[to], &of->total[to]);
	if (of->base_self)
		numbers_add(&f->base, t, i, &of->base_self[to], &of->base_total[to]);
	if (of->calls && own)
		of->calls[to] += f->now.recorded.calls[i];
	if (of->lines && own)
		of->lines[to] += f->now.recorded.lines[i];
}

/* Returns true if the node occurs, or was called. */
static bool
has_row(const struct fold *f, node_id i)
{
	return fold_shows(f, i) || (f->now.calls && f->now.recorded.calls[i]);
}

bool
fold_add_self(const struct fold *f, node_id node, int64_t *self)
{
	if (!has_row(f, node))
		return false;
	*self += numbers_recorded_self(&f->now, f->tree, node);
	return true;
}

struct row
fold_row_of(const struct fold *f, key_id key)
{
	const struct projection *t = f->tree;
	struct row row = {.key = key};
	struct key_numbers of = {.self = &row.self, .total = &row.total,
				 .calls = f->now.calls ? &row.calls : NULL,
				 .lines = f->now.lines ? &row.lines : NULL,
				 .base_self = f->compares ? &row.base_self : NULL,
				 .base_total = &row.base_total};
	bool found = false;

	for (node_id i = 0; (i = projection_find(t, i + 1, t->n, key)) < t->n;)
		if (has_row(f, i)) {
			row_add_node(f, i, &of, 0);
			found = true;
		}
	if (!of.calls || !found)
		row.calls = -1;
	if (!of.lines || !found)
		row.lines = -1;
	if (found)
		fold_take_stated(f, key, &row.total, &row.base_total);
	row_scale(&row, f->now.by, f->base.by);
	return row;
}

key_id
fold_hottest(const struct fold *f)
{
	const struct projection *t = f->tree;
	int64_t *self = mem_zalloc((size_t)t->n_keys + 1, sizeof *self), best = 0;
	key_id hottest = KEY_NONE;

	for (node_id i = 1; i < t->n; i++)
		fold_add_self(f, i, &self[t->key[i]]);
	for (node_id i = 1; i < t->n; i++)
		if (self[t->key[i]] > best && has_row(f, i)) {
			best = self[t->key[i]];
			hottest = t->key[i];
		}
	free(self);
	return hottest;
}

void
fold_rows(const struct fold *f, struct rows *out)
{
	fold_rows_paced(f, out, NULL);
}

void
fold_rows_paced(const struct fold *f, struct rows *out, struct pace *pace)
{
	const struct projection *t = f->tree;
	size_t n_keys = (size_t)t->n_keys + 1;
	uint8_t *has = mem_zalloc(n_keys, 1);

	rows_release(out);
	for (node_id i = 1; i < t->n && pace_on(pace, 1); i++)
		if (!has[t->key[i]] && has_row(f, i)) {
			has[t->key[i]] = 1;
			out->n++;
		}
	out->key = mem_alloc((size_t)out->n + 1, sizeof *out->key);
	out->of = numbers_of_keys(f, n_keys);
	out->cap = out->n;
	out->n = 0;
	for (node_id i = 1; i < t->n && pace_on(pace, ROW_STEPS); i++) {
		key_id key = t->key[i];
		if (!has[key] || !has_row(f, i))
			continue;
		if (has[key] == 1) {
			has[key] = 2;
			out->key[out->n++] = key;
		}
		row_add_node(f, i, &out->of, key);
	}
	for (uint32_t i = 0; i < out->n && !pace_gives_up(pace); i++) {
		int64_t none, key = out->key[i];
		fold_take_stated(f, (key_id)key, &out->of.total[key],
				 out->of.base_total ? &out->of.base_total[key] : &none);
	}
	free(has);
}

struct node_numbers
fold_numbers_of_nodes(const struct fold *f)
{
	return (struct node_numbers){f->tree, &f->now, f->compares ? &f->base : NULL};
}

struct row
fold_node_row(const struct fold *f, node_id node)
{
	struct node_numbers in = fold_numbers_of_nodes(f);

	return row_of_node(&in, node);
}
