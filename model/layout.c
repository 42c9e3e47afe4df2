/* layout.c - see layout.h.
 *
 * A column with up to EXACT_EVENTS events is exact: each event's share of the column is
 * added to its node, and the node with the largest sum is drawn.  A column with more is
 * made from the blocks under it: each votes for the stack that it was longest in, with
 * the time that something ran.  That reads n / 1024 small records for a whole screen,
 * in order; a tree of coarser summaries above the blocks would save a fraction of a
 * millisecond at 100 million events and cost memory at every size.  When a filter drops
 * what a block was longest in, the events of a few blocks a column are read instead.
 *
 * Everything reads events a block at a time (layout_load_block), and the last block stays:
 * walks back and forth around the cursor hit it.
 *
 * Invariants: weight[] is all zero and touched empty between two calls; keep(0) == 0. */
#include "model/layout.h"

#include <assert.h>
#include <stdlib.h>

#include "model/layout_inside.h"
#include "model/mem.h"
#include "model/span.h"
#include "model/vec.h"

#define EXACT_EVENTS 256u
#define SEARCHED_BLOCKS 2u  /* read in full, a column */

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
	free(l->depth);
	free(l->weight);
	free(l->touched);
	free(l->keep);
	free(l->node);
	free(l->time);
	free(l->call);
	*l = (struct layout){0};
}

void
layout_look(struct layout *l, const struct profile *p, const struct projection *t)
{
	l->p = p;
	l->t = t;
	l->block_of = NULL;
	if (t->n > l->depth_cap) {
		free(l->depth);
		free(l->weight);
		l->depth = mem_alloc(t->n, sizeof *l->depth);
		l->weight = mem_zalloc(t->n, sizeof *l->weight);
		l->depth_cap = t->n;
	}
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

static int
by_length(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
	return (x > y) - (x < y);
}

int64_t
layout_hold(const struct series *s)
{
	int64_t gap[255];
	size_t n = 0;
	if (s->kind != SERIES_SAMPLES || s->n < 2)
		return INT64_MAX;
	uint64_t pairs = s->n - 1, step = pairs / 255 + 1;
	for (uint64_t i = 0; i < pairs && n < 255; i += step) {
		struct event e;
		series_event(s, i, &e);
		gap[n++] = e.end - e.time;
	}
	qsort(gap, n, sizeof *gap, by_length);
	int64_t usual = gap[n / 2];
	return usual < 1 ? 4 : usual > INT64_MAX / 4 ? INT64_MAX : usual * 4;
}

/* ---- reading ---- */

node_id
layout_node_before(const struct layout *l, const struct layout_lane *lane, uint64_t i)
{
	const struct series *s = lane->series;
	struct event e;
	for (unsigned tries = 0; i > 0 && tries < BLOCK_EVENTS; tries++) {
		series_event(s, --i, &e);
		if (s->kind == SERIES_SAMPLES && e.end - e.time > lane->hold)
			return NODE_NONE;
		node_id n = node_of(l, step_of(s, e.stack));
		if (n != NODE_NONE)
			return n;
	}
	return NODE_NONE;
}

uint16_t
layout_common(const struct layout *l, node_id a, node_id b)
{
	const node_id *parent = l->t->parent;
	if (a == NODE_NONE || b == NODE_NONE)
		return 0;
	while (a != b)
		if (a > b)
			a = parent[a];
		else
			b = parent[b];
	return l->depth[a];
}

/* The call of this stack's leaf begins or ends: its frame does not go on. */
static uint16_t
cut_call(const struct layout *l, uint32_t step, uint16_t keep)
{
	stack_id s = step & STEP_STACK;
	if (l->t->inverted || s == STACK_EMPTY || s >= l->t->n_stacks)
		return keep;
	node_id call = l->t->call_of[s];
	if (call == NODE_NONE || call == NODE_ROOT || l->depth[call] > keep)
		return keep;
	return (uint16_t)(l->depth[call] - 1);
}

void
layout_load_block(struct layout *l, const struct layout_lane *lane, uint64_t b)
{
	const struct series *s = lane->series;
	uint64_t first = b * BLOCK_EVENTS, end = first + BLOCK_EVENTS, i = first;
	if (end > s->n)
		end = s->n;
	if (l->block_of == s && l->block == b && l->block_n == end - first &&
	    l->block_hold == lane->hold)
		return;
	bool steps = s->kind == SERIES_STEPS;
	node_id before = layout_node_before(l, lane, first);
	struct event e = {0};
	uint32_t last = STACK_EMPTY;
	int64_t last_time = 0;
	if (first) {
		series_event(s, first - 1, &e);
		last = step_of(s, e.stack);
		last_time = e.time;
	}
	while (i < end) {
		const struct chunk *c = series_chunk(s, i);
		for (uint32_t at = (uint32_t)(i - c->first); at < c->n && i < end;
		     at++, i++) {
			uint32_t step = step_of(s, c->stack[at]),
				 k = (uint32_t)(i - first);
			node_id n = node_of(l, step);
			l->time[k] = column_get(&c->time, at);
			l->node[k] = n;
			l->call[k] = steps && step & STEP_CALL;
			l->keep[k] = KEEP_ALL;
			if (!steps && i && l->time[k] - last_time > lane->hold)
				before = NODE_NONE;
			if (n != NODE_NONE) {
				uint16_t keep = layout_common(l, before, n);
				if (steps && step & STEP_CALL)
					keep = cut_call(l, step, keep);
				if (steps && step & STEP_RETURN && keep)
					keep = cut_call(l, last, keep);
				l->keep[k] = keep;
				before = n;
			}
			last = step;
			last_time = l->time[k];
		}
	}
	if (!first && l->keep[0] == KEEP_ALL)
		l->keep[0] = 0;
	l->block_of = s;
	l->block = b;
	l->block_n = end - first;
	l->block_hold = lane->hold;
}

/* Reads events one after the other without searching for each. */
struct reader {
	const struct series *s;
	const struct chunk *c;
	uint64_t i;
	uint32_t at;
};

static struct reader
reader_at(const struct series *s, uint64_t i)
{
	const struct chunk *c = i < s->n ? series_chunk(s, i) : NULL;
	return (struct reader){s, c, i, c ? (uint32_t)(i - c->first) : 0};
}

static inline void
reader_next(struct reader *r, struct event *e)
{
	const struct chunk *c = r->c;
	assert(c); /* not asked beyond the last event */
	e->stack = c->stack[r->at];
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

/* ---- columns ---- */

static void
weigh(struct layout *l, node_id n, int64_t weight)
{
	if (!l->weight[n]) {
		vec_room(l->touched, l->touched_cap, l->n_touched + 1);
		l->touched[l->n_touched++] = n;
	}
	l->weight[n] += weight;
}

/* The heaviest node, and the sum of all; weights are zero afterwards. */
static node_id
heaviest(struct layout *l, int64_t *sum)
{
	node_id best = NODE_NONE;
	int64_t most = 0;
	*sum = 0;
	for (uint32_t i = 0; i < l->n_touched; i++) {
		node_id n = l->touched[i];
		if (l->weight[n] > most) {
			most = l->weight[n];
			best = n;
		}
		*sum += l->weight[n];
		l->weight[n] = 0;
	}
	l->n_touched = 0;
	return best;
}

static uint8_t
share_of(int64_t part, int64_t whole)
{
	if (part >= whole)
		return 255;
	int share = (int)((double)part / (double)whole * 255);
	return (uint8_t)(share < 1 ? 1 : share);
}

/* The event that holds when the column begins, and those in it. */
static void
column_exact(struct layout *l, const struct layout_lane *lane, int64_t from, int64_t to,
	     uint64_t first, uint64_t end, struct layout_column *out)
{
	const struct series *s = lane->series;
	struct event e;
	int64_t sum, longest = -1;
	uint64_t start = first ? first - 1 : 0;
	struct reader r = reader_at(s, start);
	out->exact = true;
	while (r.i < end) {
		reader_next(&r, &e);
		node_id n = node_of(l, step_of(s, e.stack));
		int64_t until = seen_until(lane, &e);
		int64_t a = e.time > from ? e.time : from, b = until < to ? until : to;
		if (n == NODE_NONE || until < from || (until == from && e.time < from))
			continue;
		/* one that lasts for nothing is still seen */
		weigh(l, n, b > a ? b - a : 1);
	}
	out->node = heaviest(l, &sum);
	if (out->node == NODE_NONE)
		return;
	out->share = share_of(sum, to - from);
	for (r = reader_at(s, start); r.i < end;) {
		reader_next(&r, &e);
		int64_t until = seen_until(lane, &e);
		int64_t a = e.time > from ? e.time : from, b = until < to ? until : to;
		if (b - a > longest && node_of(l, step_of(s, e.stack)) == out->node) {
			longest = b - a;
			out->event = r.i - 1;
		}
	}
}

/* Which metric of a series of steps is its time; -1: none. */
static int
time_metric(const struct series *s)
{
	for (unsigned m = 0; m < s->n_metrics; m++)
		if (s->role[m] == ROLE_TIME)
			return (int)m;
	return -1;
}

/* How much ran in a block: of samples, how many there are. */
static int64_t
block_weight(const struct series *s, int metric, uint64_t b)
{
	if (metric < 0)
		return b + 1 < s->n_blocks ? BLOCK_EVENTS
					   : (int64_t)(s->n - b * BLOCK_EVENTS);
	int64_t next = b + 1 < s->n_blocks
			       ? s->block_sum[(b + 1) * s->n_metrics + (size_t)metric]
			       : s->sum[metric];
	return next - s->block_sum[b * s->n_metrics + (size_t)metric];
}

static void
column_from_blocks(struct layout *l, const struct layout_lane *lane, int64_t from,
		   int64_t to, uint64_t first, uint64_t end, struct layout_column *out)
{
	const struct series *s = lane->series;
	int metric = time_metric(s);
	uint64_t a = first / BLOCK_EVENTS, b = (end - 1) / BLOCK_EVENTS;
	uint64_t dropped = 0;
	int64_t sum, all = 0;
	for (uint64_t i = a; i <= b; i++) {
		node_id n = node_of(l, step_of(s, s->block[i].dominant));
		int64_t weight = block_weight(s, metric, i);
		all += weight;
		if (n != NODE_NONE && weight > 0)
			weigh(l, n, weight);
		else
			dropped++;
	}
	if (!l->n_touched && dropped) {
		uint64_t step = (b - a) / SEARCHED_BLOCKS + 1;
		for (uint64_t i = a; i <= b; i += step) {
			layout_load_block(l, lane, i);
			for (uint64_t k = 0; k < l->block_n; k++)
				if (l->node[k] != NODE_NONE)
					weigh(l, l->node[k], 1);
		}
		out->node = heaviest(l, &sum);
		out->share = 1;
		return;
	}
	out->node = heaviest(l, &sum);
	out->share = share_of(sum, metric >= 0 && to - from > all ? to - from : all);
}

/* How many frames go on from the column before. */
static uint16_t
kept(struct layout *l, const struct layout_lane *lane, const struct layout_column *a,
     const struct layout_column *b)
{
	uint16_t low = layout_common(l, a->node, b->node);
	if (!a->exact || !b->exact || b->event <= a->event ||
	    b->event - a->event > 4 * EXACT_EVENTS)
		return low;
	for (uint64_t i = a->event + 1; i <= b->event && low; i++) {
		layout_load_block(l, lane, i / BLOCK_EVENTS);
		uint16_t keep = l->keep[i % BLOCK_EVENTS];
		low = keep < low ? keep : low;
	}
	return low;
}

void
layout_columns(struct layout *l, const struct layout_lane *lane, int64_t from,
	       int64_t to, unsigned n, struct layout_column *out)
{
	const struct series *s = lane->series;
	uint64_t first = 0;
	for (unsigned i = 0; i < n; i++)
		out[i] = (struct layout_column){.node = NODE_NONE};
	if (!drawable(s) || to <= from)
		return;
	for (unsigned i = 0; i < n; i++) {
		int64_t a = span_part(from, to, n, i),
			b = span_part(from, to, n, i + 1);
		if (b <= a)
			b = a + 1;
		if (!i || to - from < n)
			first = series_find(s, a);
		uint64_t end = series_find(s, b);
		if (end - first <= EXACT_EVENTS)
			column_exact(l, lane, a, b, first, end, &out[i]);
		else
			column_from_blocks(l, lane, a, b, first, end, &out[i]);
		if (i && out[i].node != NODE_NONE)
			out[i].keep = kept(l, lane, &out[i - 1], &out[i]);
		first = end;
	}
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
	struct reader r = reader_at(s, (a + (b - a) / 2) * BLOCK_EVENTS);
	for (unsigned k = 0; k < BLOCK_EVENTS && r.c; k++) {
		reader_next(&r, &e);
		node_id n = node_of(l, step_of(s, e.stack));
		if (n != NODE_NONE && hit[n])
			return true;
	}
	return false;
}

void
layout_hits(struct layout *l, const struct series *s, const uint8_t *hit, int64_t from,
	    int64_t to, unsigned n, uint8_t *out)
{
	if (!drawable(s) || to <= from)
		return;
	uint64_t first = series_find(s, from);
	for (unsigned i = 0; i < n; i++) {
		uint64_t end = series_find(s, span_part(from, to, n, i + 1));
		if (!out[i] &&
		    column_hits(l, s, hit, span_part(from, to, n, i), first, end))
			out[i] = 1;
		first = end;
	}
}
