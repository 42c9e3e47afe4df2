/* outline.c - see outline.h.
 *
 * Sorting the children of all nodes after each fold would cost more than the fold, and a screen
 * shows a few hundred nodes.  So links are made on first use.  The arrays have an element for each
 * node, but come zeroed from the system, so unused pages cost nothing.
 *
 * A node with very many children has an order (order.h) instead of links: a function that
 * calls a million others is shown by its first fifty. */
#include "ui/part/outline.h"

#include <stdlib.h>

#include "model/base/mem.h"
#include "ui/part/steady.h"

#define AHEAD_LEVELS 64 /* about a screen */
#define STEADY_MAX 512u /* children; with more of them, the visible ones differ by more */

void
outline_init(struct outline *o)
{
	*o = (struct outline){0};
}

void
outline_release(struct outline *o)
{
	free(o->first);
	free(o->last);
	free(o->next);
	free(o->prev);
	free(o->thing);
	for (size_t i = 0; i < o->wide.n; i++) {
		free(o->wide.at[i].child);
		free(o->wide.at[i].place);
		order_release(&o->wide.at[i].order);
	}
	vec_release(&o->wide);
	map_release(&o->was);
	map_release(&o->is);
	*o = (struct outline){0};
}

void
outline_reset(struct outline *o, const struct fold *f, const struct profile *p)
{
	outline_release(o);
	o->fold = f;
	o->profile = p;
	o->n = f->tree->n;
	o->first = mem_zalloc(o->n, sizeof *o->first);
	o->last = mem_zalloc(o->n, sizeof *o->last);
	o->next = mem_zalloc(o->n, sizeof *o->next);
	o->prev = mem_zalloc(o->n, sizeof *o->prev);
}

bool
outline_shows(const struct outline *o, node_id n)
{
	return fold_shows(o->fold, n) && !(o->sure_only && fold_is_chance(o->fold, n));
}

bool
outline_is_empty(const struct outline *o)
{
	const struct projection *t = o->fold->tree;
	if (o->first[NODE_ROOT] && !o->sure_only)
		return o->first[NODE_ROOT] == NODE_NONE;
	for (node_id c = t->first_child[NODE_ROOT]; c != NODE_NONE; c = t->next_sibling[c])
		if (fold_shows(o->fold, c))
			return false;
	return true;
}

node_id
outline_above(const struct outline *o, node_id n)
{
	while (n != NODE_ROOT && !outline_shows(o, n))
		n = o->fold->tree->parent[n];
	return n;
}

/* ---- very many ---- */

struct outline_ranked {
	const struct outline *o;
	const node_id *child;
};

static int64_t
outline_rank(const void *of, uint32_t thing)
{
	const struct outline_ranked *r = of;
	return -fold_weight(r->o->fold, r->child[thing]);
}

static int
outline_compare(const void *of, uint32_t a, uint32_t b)
{
	const struct outline_ranked *r = of;
	const struct projection *t = r->o->fold->tree;
	return projection_compare_keys(t, r->o->profile, t->key[r->child[a]], t->key[r->child[b]],
				 false);
}

/* Moves the last requested node to the front: walks read the same node again and again. */
static struct outline_wide *
outline_wide_of(struct outline *o, node_id n)
{
	for (size_t i = 0; i < o->wide.n; i++)
		if (o->wide.at[i].of == n) {
			struct outline_wide w = o->wide.at[i];
			o->wide.at[i] = o->wide.at[0];
			o->wide.at[0] = w;
			return o->wide.at;
		}
	return NULL;
}

/* Returns the child at a place; NODE_NONE if there is none. */
static node_id
wide_at(const struct outline *o, struct outline_wide *w, int64_t place, struct pace *pace)
{
	struct outline_ranked r = {o, w->child};
	if (place < 0 || place >= w->order.n)
		return NODE_NONE;
	uint32_t thing = order_at(&w->order, (uint32_t)place,
				  &(struct order_by){outline_rank, outline_compare, &r, pace});
	w->place[thing] = (uint32_t)place + 1;
	return w->child[thing];
}

static int64_t
wide_place(const struct outline *o, struct outline_wide *w, node_id n)
{
	struct outline_ranked r = {o, w->child};
	uint32_t *place = &w->place[o->thing[n]];
	if (!*place)
		*place = 1 +
			 order_place(&w->order, o->thing[n],
				     &(struct order_by){outline_rank, outline_compare, &r, NULL});
	return *place - 1;
}

static void
order_children(struct outline *o, node_id n, uint32_t count, struct pace *pace)
{
	struct outline_wide w = {.of = n,
				 .child = mem_alloc(count, sizeof *w.child),
				 .place = mem_zalloc(count, sizeof *w.place)};
	struct outline_ranked r = {o, w.child};
	uint32_t shown = 0;
	if (!o->thing)
		o->thing = mem_zalloc(o->n, sizeof *o->thing);
	for (node_id c = o->fold->tree->first_child[n]; c != NODE_NONE && pace_on(pace, 1);
	     c = o->fold->tree->next_sibling[c]) {
		if (!fold_shows(o->fold, c))
			continue;
		w.all++;
		w.weight += (double)fold_weight(o->fold, c);
		if (outline_shows(o, c)) {
			o->thing[c] = shown;
			w.child[shown++] = c;
		}
	}
	order_init(&w.order);
	order_begin(&w.order, shown, &(struct order_by){outline_rank, outline_compare, &r, pace});
	o->first[n] = pace_gives_up(pace) ? NODE_NONE : wide_at(o, &w, 0, pace);
	o->last[n] = NODE_NONE; /* found when it is needed */
	*vec_push(&o->wide) = w;
}

/* ---- steady ---- */

static uint64_t
outline_path_hash(const struct projection *t, node_id n)
{
	uint64_t hash = 0;
	for (; n != NODE_ROOT; n = t->parent[n])
		hash = (hash + t->key[n] + 1) * 0x9E3779B97F4A7C15u;
	return hash;
}

/* A path with the same hash gets the same place, which is harmless. */
static size_t
place_before(const struct outline *o, uint64_t hash)
{
	uint32_t slot, place;
	if (!o->was.slot)
		return STEADY_NEW;
	slot = map_first(&o->was, hash);
	return map_probe(&o->was, &slot, hash, &place) ? place : STEADY_NEW;
}

/* A child about as heavy as its predecessor in the last picture stays behind it. */
static void
keep_places(struct outline *o, node_id *order, uint32_t n)
{
	const struct projection *t = o->fold->tree;
	struct steady *at = mem_alloc(n, sizeof *at);
	node_id *ranked = mem_alloc(n, sizeof *ranked);
	for (uint32_t i = 0; i < n; i++) {
		ranked[i] = order[i];
		at[i] = (struct steady){fold_weight(o->fold, order[i]),
					place_before(o, outline_path_hash(t, order[i])), i};
	}
	steady_sort(at, n);
	for (uint32_t i = 0; i < n; i++) {
		order[i] = ranked[at[i].id];
		map_insert(&o->is, outline_path_hash(t, order[i]), i);
	}
	free(ranked);
	free(at);
}

/* ---- links ---- */

static void
outline_link_children(struct outline *o, node_id n, struct pace *pace)
{
	uint32_t count = 0;
	for (node_id c = o->fold->tree->first_child[n]; c != NODE_NONE && pace_on(pace, 1);
	     c = o->fold->tree->next_sibling[c])
		count++;
	o->first[n] = o->last[n] = NODE_NONE;
	if (!count || pace_gives_up(pace)) /* there may be more than were counted */
		return;
	if (count > OUTLINE_WIDE) {
		order_children(o, n, count, pace);
		return;
	}
	node_id *order = mem_alloc(count, sizeof *order);
	uint32_t ranked = fold_children(o->fold, o->profile, n, order, count), shown = 0;
	for (uint32_t i = 0; i < ranked; i++)
		if (outline_shows(o, order[i]))
			order[shown++] = order[i];
	if (o->steady && shown && shown <= STEADY_MAX)
		keep_places(o, order, shown);
	for (uint32_t i = 0; i < shown; i++) {
		o->prev[order[i]] = i ? order[i - 1] : NODE_NONE;
		o->next[order[i]] = i + 1 < shown ? order[i + 1] : NODE_NONE;
	}
	if (shown) {
		o->first[n] = order[0];
		o->last[n] = order[shown - 1];
	}
	free(order);
}

void
outline_make(struct outline *o, const struct fold *f, const struct profile *p, bool sure_only,
	     const struct outline *before, struct pace *pace)
{
	node_id n = NODE_ROOT;
	outline_reset(o, f, p);
	o->sure_only = sure_only;
	o->steady = before != NULL;
	if (before && before->is.slot)
		map_copy(&o->was, &before->is);
	for (int i = 0; i < AHEAD_LEVELS && n != NODE_NONE && !pace_gives_up(pace); i++) {
		outline_link_children(o, n, pace);
		n = o->first[n];
	}
}

void
outline_all(const struct outline *o, node_id n, uint32_t *all, double *weight)
{
	*all = 0;
	*weight = 0;
	for (size_t i = 0; i < o->wide.n; i++)
		if (o->wide.at[i].of == n) {
			*all = o->wide.at[i].all;
			*weight = o->wide.at[i].weight;
			return;
		}
	for (node_id c = o->fold->tree->first_child[n]; c != NODE_NONE;
	     c = o->fold->tree->next_sibling[c])
		if (fold_shows(o->fold, c)) {
			++*all;
			*weight += (double)fold_weight(o->fold, c);
		}
}

node_id
outline_first(struct outline *o, node_id n)
{
	if (!o->first[n])
		outline_link_children(o, n, NULL);
	return o->first[n];
}

node_id
outline_last(struct outline *o, node_id n)
{
	if (!o->first[n])
		outline_link_children(o, n, NULL);
	struct outline_wide *w =
		o->wide.n && o->last[n] == NODE_NONE ? outline_wide_of(o, n) : NULL;
	if (w)
		o->last[n] = wide_at(o, w, (int64_t)w->order.n - 1, NULL);
	return o->last[n];
}

bool
outline_has(const struct outline *o, node_id n)
{
	if (o->first[n])
		return o->first[n] != NODE_NONE;
	for (node_id c = o->fold->tree->first_child[n]; c != NODE_NONE;
	     c = o->fold->tree->next_sibling[c])
		if (outline_shows(o, c))
			return true;
	return false;
}

/* A node without numbers in this range is not shown and has no links, so it has no siblings. */
static node_id
sibling(struct outline *o, node_id n, node_id *links, int dir)
{
	if (n == NODE_ROOT)
		return NODE_NONE;
	node_id parent = o->fold->tree->parent[n];
	outline_first(o, parent);
	struct outline_wide *w = links[n] || !o->wide.n ? NULL : outline_wide_of(o, parent);
	if (w && outline_shows(o, n))
		links[n] = wide_at(o, w, wide_place(o, w, n) + dir, NULL);
	return links[n] ? links[n] : NODE_NONE;
}

node_id
outline_next(struct outline *o, node_id n)
{
	return sibling(o, n, o->next, 1);
}

node_id
outline_prev(struct outline *o, node_id n)
{
	return sibling(o, n, o->prev, -1);
}

uint32_t
outline_depth(const struct outline *o, node_id n)
{
	uint32_t depth = 0;
	for (; n != NODE_ROOT; n = o->fold->tree->parent[n])
		depth++;
	return depth;
}
