/* answers_blocks.c - calls during which all other threads stop, such as a collection of garbage.
 *
 * A candidate is a long span in which exactly one lane runs. It counts if one call covers it, which
 * did not run before or after it, and if half of the lanes run before it and after it: a program
 * with one busy thread is no stall. */
#include "model/answer/answers_inside.h"
#include "model/base/sum.h"

#define LANES_FEW 3u
#define LOOKS 4 /* moments on each side, within half the length of the span */

/* A lane at a moment: where it is in the tree. */
struct glance {
	const struct series *lane; /* one that runs */
	node_id node;
	unsigned running;
};

/* Returns the node of a lane at a moment; NODE_NONE if it does not run. */
static node_id
node_at(const struct answers_work *w, const struct answers_running *r, const struct series *s,
	int64_t when)
{
	int64_t origin = w->p->group[w->p->track[s->track].group].start;
	int64_t time = sum_clipped(origin, when);
	uint64_t i = series_find(s, sum_clipped(time, 1));
	struct event e;

	if (!i || !series_event(s, i - 1, &e))
		return NODE_NONE;
	stack_id stack = e.stack & STEP_STACK;
	if (stack == STACK_EMPTY || stack >= w->fold->tree->n_stacks ||
	    (s->kind == SERIES_SAMPLES && difference_clipped(time, e.time) > r->usual))
		return NODE_NONE;
	return w->fold->tree->node_of[stack];
}

static struct glance
glance_at(struct answers_work *w, const struct answers_running *r, int64_t when)
{
	struct glance g = {.node = NODE_NONE};

	for (track_id t = 0; t < w->p->n_tracks; t++)
		for (uint32_t i = 0; i < w->p->track[t].n_series; i++) {
			const struct series *s = w->p->track[t].series[i];
			if (w->p->track[t].group != r->group ||
			    !answers_is_lane(w, s, r->kind, r->base))
				continue;
			node_id node = node_at(w, r, s, when);
			if (node == NODE_NONE)
				continue;
			g.running++;
			g.lane = s;
			g.node = node;
		}
	return g;
}

/* Returns the deepest node that is above both or one of them. */
static node_id
common(const struct projection *t, node_id a, node_id b)
{
	while (a != b)
		if (a > b)
			a = t->parent[a];
		else
			b = t->parent[b];
	return a;
}

/* Returns true if at least half of the lanes run on this side of the span, on average. */
static bool
others_run(struct answers_work *w, const struct answers_running *r, int64_t edge, int64_t step)
{
	unsigned running = 0;

	for (int i = 1; i <= LOOKS; i++)
		running += glance_at(w, r, edge + step * i).running;
	return running >= LOOKS * 2 && 2 * running >= LOOKS * r->lanes;
}

/* Returns the call that blocks all others in the span; NODE_NONE if none does. */
static node_id
blocking_call(struct answers_work *w, const struct answers_running *r,
	      const struct answers_span *x)
{
	const struct projection *t = w->fold->tree;
	int64_t length = x->to - x->from, step = length / (2 * LOOKS);
	struct glance g = glance_at(w, r, x->from + length / 2);
	const struct series *lane = g.lane;
	node_id node = g.node;

	if (!lane || step < 1 || x->from - length / 2 < r->from ||
	    x->to + length / 2 > r->to)
		return NODE_NONE;
	for (int i = 1; i < 2 * LOOKS && node != NODE_ROOT; i++) {
		g = glance_at(w, r, x->from + step * i);
		if (g.lane != lane || g.running != 1)
			return NODE_NONE;
		node = common(t, node, g.node);
	}
	node_id before = node_at(w, r, lane, x->from - step);
	node_id after = node_at(w, r, lane, x->to + step);
	if (node == NODE_ROOT || (before != NODE_NONE && common(t, node, before) == node) ||
	    (after != NODE_NONE && common(t, node, after) == node))
		return NODE_NONE;
	return others_run(w, r, x->from, -step) && others_run(w, r, x->to, step) ? node : NODE_NONE;
}

void
answers_find_blocks(struct answers_work *w, const struct answers_running *r, double limit,
		    struct answers_blocks *out)
{
	size_t k = 0;

	*out = (struct answers_blocks){.longest = {0, 0}};
	if (r->lanes < LANES_FEW)
		return;
	for (size_t i = 0; i < r->alone.n && pace_on(w->pace, 256); i++) {
		struct answers_span x = r->alone.at[i], piece = {x.from, x.to};
		while (k && r->idle.at[k - 1].to > x.from)
			k--;
		/* the spans in which nothing runs divide it */
		for (; piece.from < x.to; piece.from = k < r->idle.n ? r->idle.at[k++].to : x.to) {
			while (k < r->idle.n && r->idle.at[k].to <= piece.from)
				k++;
			bool cut = k < r->idle.n && r->idle.at[k].from < x.to;
			piece.to = cut ? r->idle.at[k].from : x.to;
			double length = (double)(piece.to - piece.from);
			node_id node = length >= limit ? blocking_call(w, r, &piece) : NODE_NONE;
			if (node != NODE_NONE) {
				out->count++;
				out->total += length;
				if (length > (double)(out->longest.to - out->longest.from)) {
					out->longest = piece;
					out->key = w->fold->tree->key[node];
				}
			}
			if (!cut)
				break;
		}
	}
}
