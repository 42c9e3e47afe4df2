#include "model/fold/single.h"

#include <stdlib.h>
#include <string.h>

#include "model/base/mem.h"
#include "model/base/ordered.h"

/* The columns of the tally and of the nodes are as long as those of a fold, and zero except
 * where the track has numbers. Its stacks are collected first, and only these are cleared for
 * the next track. A track with more events than there are stacks costs the stacks, as a fold
 * does. */

void
single_init(struct single *x, const struct profile *p, const struct fold *f)
{
	uint32_t n = f->tree->n;

	*x = (struct single){.p = p, .tree = *f->tree, .track = TRACK_NONE};
	x->slice = (struct slice){.whole = f->whole, .from = f->from, .to = f->to};
	x->tree.first_child = mem_alloc(n, sizeof *x->tree.first_child);
	x->tree.next_sibling = mem_alloc(n, sizeof *x->tree.next_sibling);
	/* fills with NODE_NONE */
	memset(x->tree.first_child, 0xff, n * sizeof *x->tree.first_child);
	memset(x->tree.next_sibling, 0xff, n * sizeof *x->tree.next_sibling);
	x->self = mem_zalloc(n, sizeof *x->self);
	x->present = mem_zalloc(n, 1);
	x->listed = mem_zalloc(n, 1);
	tally_init(&x->tally);
	tally_clear(&x->tally, p);
	if (x->tally.calls)
		x->calls = mem_zalloc(n, sizeof *x->calls);
	x->had = mem_zalloc(x->tally.n, 1);
}

void
single_release(struct single *x)
{
	free(x->tree.first_child);
	free(x->tree.next_sibling);
	free(x->self);
	free(x->calls);
	free(x->present);
	free(x->listed);
	free(x->had);
	vec_release(&x->node);
	vec_release(&x->stack);
	tally_release(&x->tally);
}

/* ---- the stacks of a track ---- */

static void
has_stack(struct single *x, stack_id s)
{
	if (s == STACK_EMPTY || s >= x->tree.n_stacks || x->had[s])
		return;
	x->had[s] = 1;
	*vec_push(&x->stack) = s;
}

static void
find_events(struct single *x, const struct series *s)
{
	uint32_t stack[BLOCK_EVENTS];

	for (uint64_t at = 0; at < s->n;) {
		const struct chunk *c = series_chunk(s, at);
		uint32_t i = (uint32_t)(at - c->first);
		uint32_t n = c->n - i < BLOCK_EVENTS ? c->n - i : BLOCK_EVENTS;
		chunk_stacks(c, i, n, stack);
		for (uint32_t k = 0; k < n; k++)
			has_stack(x, stack[k] & STEP_STACK);
		at += n;
	}
}

static void
find_sums(struct single *x, const struct series *s)
{
	unsigned events = 0;

	while (events < s->n_metrics && s->role[events] != ROLE_EVENTS)
		events++;
	for (uint32_t i = 0; events < s->n_metrics && i < s->n_pages; i++) {
		const struct totals *sums = &s->page[(size_t)i * s->n_metrics + events];
		for (uint32_t at = 0; sums->at && at < TOTALS_PAGE; at++)
			if (totals_get(sums, at))
				has_stack(x, series_page_stack(s, i) + at);
	}
}

static void
single_find_stacks(struct single *x)
{
	const struct track *t = &x->p->track[x->track];

	for (uint32_t i = 0; i < t->n_series; i++) {
		const struct series *s = t->series[i];
		if (s->kind == SERIES_TOTALS)
			find_sums(x, s);
		else if (s->kind != SERIES_POINTS && s->n < x->tree.n_stacks)
			find_events(x, s);
		else if (s->kind != SERIES_POINTS)
			for (stack_id k = 1; k < x->tree.n_stacks; k++)
				has_stack(x, k);
	}
}

static void
list_path(struct single *x, node_id v)
{
	for (; v != NODE_NONE && v != NODE_ROOT && !x->listed[v]; v = x->tree.parent[v]) {
		x->listed[v] = 1;
		*vec_push(&x->node) = v;
	}
}

ORDERED_NUMBERS(rising, node_id)

static void
sort_nodes(struct single *x)
{
	size_t n = x->node.n;

	if (n < x->tree.n / 32) {
		if (n)
			qsort(x->node.at, n, sizeof *x->node.at, rising);
		return;
	}
	x->node.n = 0;
	for (node_id v = 1; v < x->tree.n; v++)
		if (x->listed[v])
			*vec_push(&x->node) = v;
}

static void
find_nodes(struct single *x)
{
	for (size_t i = 0; i < x->stack.n; i++) {
		list_path(x, x->tree.node_of[x->stack.at[i]]);
		list_path(x, x->tree.call_of[x->stack.at[i]]);
	}
	sort_nodes(x);
	/* from the last to the first, so that children keep their order */
	for (size_t i = x->node.n; i-- > 0;) {
		node_id v = x->node.at[i], up = x->tree.parent[v];
		x->tree.next_sibling[v] = x->tree.first_child[up];
		x->tree.first_child[up] = v;
	}
}

/* ---- numbers ---- */

static void
forget_numbers(struct single *x)
{
	for (size_t i = 0; x->counted && i < x->stack.n; i++) {
		stack_id s = x->stack.at[i];
		x->tally.cell[s] = (struct tally_cell){0};
		if (x->tally.calls)
			x->tally.calls[s] = 0;
		if (x->tally.lines)
			x->tally.lines[s] = 0;
	}
	for (size_t i = 0; x->counted && i < x->node.n; i++) {
		node_id v = x->node.at[i];
		x->self[v] = 0;
		x->present[v] = 0;
		if (x->calls)
			x->calls[v] = 0;
	}
	x->counted = false;
}

static void
forget_track(struct single *x)
{
	forget_numbers(x);
	for (size_t i = 0; i < x->stack.n; i++)
		x->had[x->stack.at[i]] = 0;
	for (size_t i = 0; i < x->node.n; i++) {
		node_id v = x->node.at[i];
		x->listed[v] = 0;
		x->tree.first_child[v] = x->tree.next_sibling[v] = NODE_NONE;
	}
	x->tree.first_child[NODE_ROOT] = NODE_NONE;
	x->stack.n = x->node.n = 0;
}

void
single_track(struct single *x, track_id t)
{
	forget_track(x);
	x->track = t;
	single_find_stacks(x);
	find_nodes(x);
}

/* Does the same as numbers_make(). */
void
single_count(struct single *x, metric_id m)
{
	const struct projection *t = &x->tree;
	const node_id *value_of = m == x->p->calls_metric ? t->call_of : t->node_of;

	forget_numbers(x);
	x->counted = true;
	x->slice.metric = m;
	tally_add_track(&x->tally, x->p, &x->slice, x->track);
	for (size_t i = 0; i < x->stack.n; i++) {
		stack_id s = x->stack.at[i];
		if (value_of[s] != NODE_NONE)
			x->self[value_of[s]] += x->tally.cell[s].value;
		if (t->node_of[s] != NODE_NONE)
			x->present[t->node_of[s]] |= x->tally.cell[s].hits != 0;
		if (t->call_of[s] != NODE_NONE && x->calls)
			x->calls[t->call_of[s]] += x->tally.calls[s];
	}
	for (size_t i = x->node.n; i-- > 0;) {
		node_id v = x->node.at[i];
		x->present[t->parent[v]] |= x->present[v];
		if (t->inverted && x->calls)
			x->calls[t->parent[v]] += x->calls[v];
	}
	/* the root is not in the list */
	x->self[NODE_ROOT] = 0;
	x->present[NODE_ROOT] = 0;
	if (x->calls)
		x->calls[NODE_ROOT] = 0;
}
