/* layout.c - see layout.h.
 *
 * All code reads events a block at a time (layout_load_block), and the last block is cached:
 * columns of a picture share blocks, and walks back and forth around the cursor hit it. Marks
 * read the dominant stacks of blocks, and one full block a column. That costs n / 1024 small
 * records for a whole screen, in order.
 *
 * Invariant: keep(0) == 0. */
#include "model/picture/layout.h"

#include <assert.h>
#include <stdlib.h>

#include "model/base/mem.h"
#include "model/base/sum.h"
#include "model/base/vec.h"
#include "model/base/wide.h"
#include "model/fold/nameless.h"
#include "model/picture/layout_inside.h"

#define EXACT_EVENTS 256u

void
layout_init(struct layout *l)
{
	*l = (struct layout){0};
	l->keep = mem_alloc(BLOCK_EVENTS, sizeof *l->keep);
	l->node = mem_alloc(BLOCK_EVENTS, sizeof *l->node);
	l->time = mem_alloc(BLOCK_EVENTS, sizeof *l->time);
	l->call = mem_alloc(BLOCK_EVENTS, sizeof *l->call);
}

void
layout_release(struct layout *l)
{
	free(l->same);
	free(l->depth);
	free(l->held);
	free(l->held_sum);
	free(l->ran);
	free(l->begun);
	free(l->met);
	free(l->keep);
	free(l->node);
	free(l->time);
	free(l->call);
	*l = (struct layout){0};
}

/* Replaces all keys of nameless frames of a module by the first of them. */
static void
find_same(struct layout *l, uint32_t n)
{
	const struct profile *p = l->p;
	bool frames = projection_has_frames(l->t);
	key_id *first = NULL; /* [module] the key + 1 */
	for (key_id key = 0; key < n; key++) {
		function_id id = frames ? p->frames.frame.function[key] : key;
		struct function f = profile_function(p, id);
		if (f.module == NAME_EMPTY)
			continue;
		struct name name = names_get(&p->names, f.name);
		if (!nameless_name(name.at, name.len))
			continue;
		if (!first) {
			first = mem_zalloc(p->names.n, sizeof *first);
			l->same = mem_realloc(l->same, n, sizeof *l->same);
			for (key_id i = 0; i < n; i++)
				l->same[i] = i;
			l->n_same = n;
		}
		if (!first[f.module])
			first[f.module] = key + 1;
		l->same[key] = first[f.module] - 1;
	}
	free(first);
}

/* Updates the keys if functions were added, or keys are of another kind. */
static void
look_same(struct layout *l)
{
	const struct frames *f = &l->p->frames;
	if (l->same_of == l->p->names.serial && l->same_by == (int)l->t->by &&
	    l->same_functions == f->n_functions && l->same_frames == f->n)
		return;
	l->same_of = l->p->names.serial;
	l->same_by = (int)l->t->by;
	l->same_functions = f->n_functions;
	l->same_frames = f->n;
	l->n_same = 0;
	uint32_t keys = projection_has_frames(l->t) ? f->n : f->n_functions;
	if (keys && projection_key_function(l->t, l->p, 0) != UINT32_MAX)
		find_same(l, keys);
}

void
layout_look(struct layout *l, const struct profile *p, const struct projection *t)
{
	l->p = p;
	l->t = t;
	l->block_of = NULL;
	l->held_summed = false;
	if (t->n > l->depth_cap) {
		free(l->depth);
		free(l->ran);
		free(l->begun);
		free(l->met);
		l->depth = mem_alloc(t->n, sizeof *l->depth);
		l->ran = mem_zalloc(t->n, sizeof *l->ran);
		l->begun = mem_zalloc(t->n, sizeof *l->begun);
		l->met = mem_zalloc(t->n, sizeof *l->met);
		l->depth_cap = t->n;
	}
	l->all_shown = true;
	for (stack_id i = 1; i < t->n_stacks && l->all_shown; i++)
		l->all_shown = t->node_of[i] != NODE_NONE && t->node_of[i] != NODE_ROOT;
	look_same(l);
	l->depth[NODE_ROOT] = 0;
	for (node_id i = 1; i < t->n; i++) {
		uint16_t up = l->depth[t->parent[i]];
		l->depth[i] = up < KEEP_ALL ? (uint16_t)(up + 1) : up;
	}
}

node_id
layout_node(const struct layout *l, const struct series *s, uint64_t event)
{
	struct event e;
	return series_event(s, event, &e) ? node_of(l, step_of(s, e.stack)) : NODE_NONE;
}

/* ---- reading ---- */

static int64_t
hold_in(const struct layout_lane *lane, const struct chunk *c, uint32_t at)
{
	return lane->weight ? series_number(lane->series, c, at, lane->weight - 1u) : lane->hold;
}

static int64_t
sample_hold(const struct layout_lane *lane, uint64_t i)
{
	const struct chunk *c = series_chunk(lane->series, i);
	return hold_in(lane, c, (uint32_t)(i - c->first));
}

/* Returns the deepest common ancestor. */
static node_id
common_node(const struct layout *l, node_id a, node_id b)
{
	while (a != b)
		if (a > b)
			a = l->t->parent[a];
		else
			b = l->t->parent[b];
	return a;
}

/* Returns how many frames two nodes share from the root; 0 if one is NODE_NONE. */
static uint16_t
layout_common(const struct layout *l, node_id a, node_id b)
{
	return a == NODE_NONE || b == NODE_NONE ? 0 : l->depth[common_node(l, a, b)];
}

/* Returns the node of this stack's leaf, if it is the leaf of a shown stack; else NODE_NONE. */
static node_id
leaf_node(const struct layout *l, uint32_t step)
{
	stack_id s = step & STEP_STACK;
	return l->t->leaf_of && s != STACK_EMPTY && s < l->t->n_stacks ? l->t->leaf_of[s]
								       : NODE_NONE;
}

/* Limits `keep` because the call of this stack's leaf begins or ends: its frame does not
 * continue. */
static uint16_t
cut_call(const struct layout *l, uint32_t step, uint16_t keep)
{
	node_id call = leaf_node(l, step);
	if (call == NODE_NONE || l->depth[call] > keep)
		return keep;
	return (uint16_t)(l->depth[call] - 1);
}

/* Returns which part of `before` continues after a step that is not shown, since calls end and
 * begin there, too. If nothing runs, all of it may continue. */
static node_id
cut_before(const struct layout *l, node_id before, uint32_t step, uint32_t last)
{
	node_id here = leaf_node(l, step);
	if (before == NODE_NONE)
		return before;
	uint16_t keep = here == NODE_NONE ? l->depth[before] : layout_common(l, before, here);
	if (step & STEP_CALL)
		keep = cut_call(l, step, keep);
	if (step & STEP_RETURN)
		keep = cut_call(l, last, keep);
	while (l->depth[before] > keep)
		before = l->t->parent[before];
	return before;
}

node_id
layout_node_before(const struct layout *l, const struct layout_lane *lane, uint64_t i)
{
	const struct series *s = lane->series;
	bool steps = s->kind == SERIES_STEPS;
	uint32_t later[BLOCK_EVENTS]; /* the steps after it that are not shown */
	unsigned n = 0;
	struct event e;
	while (i > 0 && n < BLOCK_EVENTS) {
		series_event(s, --i, &e);
		if (!steps && !goes_on_in_next(difference_clipped(e.end, e.time),
					       sample_hold(lane, i)))
			return NODE_NONE;
		later[n] = step_of(s, e.stack);
		node_id node = node_of(l, later[n]);
		for (; node != NODE_NONE && steps && n > 0; n--)
			node = cut_before(l, node, later[n - 1], later[n]);
		if (node != NODE_NONE)
			return node;
		n++;
	}
	return NODE_NONE;
}

void
layout_load_block(struct layout *l, const struct layout_lane *lane, uint64_t b)
{
	const struct series *s = lane->series;
	uint64_t first = b * BLOCK_EVENTS, end = first + BLOCK_EVENTS, i = first;
	if (end > s->n)
		end = s->n;
	if (l->block_of == s && l->block == b && l->block_n == end - first &&
	    l->block_hold == lane->hold && l->block_weight == lane->weight)
		return;
	bool steps = s->kind == SERIES_STEPS;
	node_id before = layout_node_before(l, lane, first);
	struct event e = {0};
	uint32_t last = STACK_EMPTY;
	int64_t last_time = 0, last_hold = 0;
	if (first) {
		series_event(s, first - 1, &e);
		last = step_of(s, e.stack);
		last_time = e.time;
		last_hold = sample_hold(lane, first - 1);
	}
	while (i < end) {
		const struct chunk *c = series_chunk(s, i);
		for (uint32_t at = (uint32_t)(i - c->first); at < c->n && i < end;
		     at++, i++) {
			uint32_t step = step_of(s, chunk_stack(c, at)),
				 k = (uint32_t)(i - first);
			node_id n = node_of(l, step);
			l->time[k] = column_get(&c->time, at);
			l->node[k] = n;
			l->call[k] = steps && step & STEP_CALL;
			l->keep[k] = KEEP_ALL;
			if (!steps && i && !goes_on_in_next(l->time[k] - last_time, last_hold))
				before = NODE_NONE;
			if (n != NODE_NONE) {
				uint16_t keep = layout_common(l, before, n);
				if (steps && step & STEP_CALL)
					keep = cut_call(l, step, keep);
				if (steps && step & STEP_RETURN && keep)
					keep = cut_call(l, last, keep);
				l->keep[k] = keep;
				before = n;
			} else if (steps) {
				before = cut_before(l, before, step, last);
			}
			last = step;
			last_time = l->time[k];
			last_hold = hold_in(lane, c, at);
		}
	}
	if (!first && l->keep[0] == KEEP_ALL)
		l->keep[0] = 0;
	l->block_of = s;
	l->block = b;
	l->block_n = end - first;
	l->block_hold = lane->hold;
	l->block_weight = lane->weight;
}

/* Reads events in sequence without a search for each. */
struct layout_reader {
	const struct series *s;
	const struct chunk *c;
	uint64_t i;
	uint32_t at;
};

static struct layout_reader
reader_at(const struct series *s, uint64_t i)
{
	const struct chunk *c = i < s->n ? series_chunk(s, i) : NULL;
	return (struct layout_reader){s, c, i, c ? (uint32_t)(i - c->first) : 0};
}

static inline void
reader_next(struct layout_reader *r, struct event *e)
{
	const struct chunk *c = r->c;
	assert(c); /* never called beyond the last event */
	e->stack = chunk_stack(c, r->at);
	e->time = column_get(&c->time, r->at);
	r->i++;
	if (++r->at < c->n) {
		e->end = column_get(&c->time, r->at);
		return;
	}
	r->at = 0;
	r->c = r->i < r->s->n ? c + 1 : NULL;
	e->end = r->c ? column_get(&r->c->time, 0) : r->s->end_time;
}

/* ---- hits ---- */

static bool
column_hits(struct layout *l, const struct series *s, const uint8_t *hit, int64_t from,
	    uint64_t first, uint64_t end)
{
	struct event e;
	if (end - first <= EXACT_EVENTS) {
		for (uint64_t i = first ? first - 1 : 0; i < end; i++) {
			series_event(s, i, &e);
			node_id n = node_of(l, step_of(s, e.stack));
			bool in = i >= first || (s->kind == SERIES_STEPS && e.end > from);
			if (n != NODE_NONE && hit[n] && in)
				return true;
		}
		return false;
	}
	uint64_t a = first / BLOCK_EVENTS, b = (end - 1) / BLOCK_EVENTS;
	for (uint64_t i = a; i <= b; i++) {
		node_id n = node_of(l, step_of(s, s->block[i].dominant));
		if (n != NODE_NONE && hit[n])
			return true;
	}
	struct layout_reader r = reader_at(s, (a + (b - a) / 2) * BLOCK_EVENTS);
	for (unsigned k = 0; k < BLOCK_EVENTS && r.c; k++) {
		reader_next(&r, &e);
		node_id n = node_of(l, step_of(s, e.stack));
		if (n != NODE_NONE && hit[n])
			return true;
	}
	return false;
}

/* Which of the n columns of [from, to) a moment is in, where columns begin after a moment: ((at
 * - from + 1) n - 1) / (to - from). */
static int64_t
last_column(int64_t from, int64_t to, unsigned n, int64_t at)
{
	wide next = wide_add(wide_between(from, at), wide_of(1));

	return wide_clipped(wide_div(wide_sub(wide_mul(next, wide_of(n)), wide_of(1)),
				     wide_between(from, to)));
}

/* Sample by sample, where there are fewer than columns. */
static void
sample_hits(struct layout *l, const struct series *s, const uint8_t *hit, int64_t from,
	    int64_t to, unsigned n, uint8_t *out)
{
	uint64_t end = series_find(s, to);
	struct event e;
	for (uint64_t i = series_find(s, from); i < end; i++) {
		series_event(s, i, &e);
		node_id node = node_of(l, step_of(s, e.stack));
		if (node != NODE_NONE && hit[node]) /* the column in whose span it lies */
			out[last_column(from, to, n, e.time)] = 1;
	}
}

void
layout_hits(struct layout *l, const struct series *s, const uint8_t *hit, int64_t from,
	    int64_t to, unsigned n, uint8_t *out)
{
	if (!drawable(s) || to <= from)
		return;
	if (s->kind == SERIES_SAMPLES && s->n <= n) {
		sample_hits(l, s, hit, from, to, n, out);
		return;
	}
	uint64_t first = series_find(s, from);
	for (unsigned i = 0; i < n; i++) {
		uint64_t end = series_find(s, wide_part(from, to, n, i + 1));
		if (!out[i] &&
		    column_hits(l, s, hit, wide_part(from, to, n, i), first, end))
			out[i] = 1;
		first = end;
	}
}
