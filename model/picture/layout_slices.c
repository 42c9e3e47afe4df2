/* layout_slices.c - slices of the layout, and steps from one to the next.
 *
 * keep(i) is the number of frames that continue when event i happens: the depth of the common
 * ancestor of the stacks before and after. Frames that are other calls of the same function,
 * according to the event's flags, do not count. A gap (nothing runs, or the stack is dropped) by
 * itself ends nothing: a suspended call continues when it is resumed. A slice at depth d begins
 * at the last event with keep < d. Walking back to it event by event could take the whole run,
 * so the lowest keep of each block is cached: the next walk skips whole blocks. */
#include <stdlib.h>
#include <string.h>

#include "model/base/mem.h"
#include "model/base/vec.h"
#include "model/picture/layout_inside.h"

#define WALKED_BLOCKS 160u /* blocks read in full per walk */
#define LOW_UNKNOWN UINT16_MAX

void
layout_lane_release(struct layout_lane *lane)
{
	free(lane->low);
	lane->low = NULL;
	lane->n_low = 0;
}

static uint16_t
low_of(const struct layout_lane *lane, uint64_t b)
{
	return b < lane->n_low ? lane->low[b] : LOW_UNKNOWN;
}

/* Caches the lowest keep of the loaded block, unless it is still filling. */
static void
remember_low(struct layout *l, struct layout_lane *lane)
{
	uint16_t low = KEEP_ALL;
	if (l->block_n < BLOCK_EVENTS)
		return;
	if (l->block >= lane->n_low) {
		uint32_t n = (uint32_t)vec_grown(lane->n_low, (size_t)l->block + 1);
		lane->low = mem_realloc(lane->low, n, sizeof *lane->low);
		memset(lane->low + lane->n_low, 0xFF, (n - lane->n_low) * sizeof *lane->low);
		lane->n_low = n;
	}
	for (uint64_t k = 0; k < l->block_n; k++)
		low = l->keep[k] < low ? l->keep[k] : low;
	lane->low[l->block] = low;
}

/* Returns true if no slice at `depth` begins in block b; loads the block if that is unknown. */
static bool
goes_on_over(struct layout *l, struct layout_lane *lane, uint64_t b, unsigned depth,
	     unsigned *patience)
{
	const struct series *s = lane->series;
	uint16_t low = low_of(lane, b);
	if (low != LOW_UNKNOWN && low >= depth)
		return true;
	if (*patience && (l->block_of != s || l->block != b))
		--*patience;
	layout_load_block(l, lane, b);
	remember_low(l, lane);
	return false;
}

static void
find_start(struct layout *l, struct layout_lane *lane, unsigned depth,
	   struct layout_slice *out)
{
	const struct series *s = lane->series;
	unsigned patience = WALKED_BLOCKS;
	uint64_t b = out->event / BLOCK_EVENTS, i = out->event;
	out->start_known = false;
	for (;; b--) {
		if (!goes_on_over(l, lane, b, depth, &patience)) {
			for (uint64_t k = i % BLOCK_EVENTS + 1; k-- > 0;)
				if (l->keep[k] < depth) {
					out->first = b * BLOCK_EVENTS + k;
					out->start = l->time[k];
					out->start_known = true;
					return;
				}
		}
		if (!b || !patience)
			break;
		i = b * BLOCK_EVENTS - 1;
	}
	struct event e;
	out->first = b * BLOCK_EVENTS;
	series_event(s, out->first, &e);
	out->start = e.time;
	out->start_known = !b;
}

/* Returns where the sequence of invisible events that ends before event i began. */
static int64_t
end_before(const struct layout *l, const struct layout_lane *lane, uint64_t i)
{
	const struct series *s = lane->series;
	struct event e;
	int64_t end = 0;
	for (unsigned tries = 0; i > 0 && tries < 4 * BLOCK_EVENTS; tries++) {
		series_event(s, --i, &e);
		if (node_of(l, step_of(s, e.stack)) != NODE_NONE)
			return layout_event_end(lane, i, &e);
		end = e.time;
	}
	return end;
}

static void
layout_find_end(struct layout *l, struct layout_lane *lane, unsigned depth,
		struct layout_slice *out)
{
	const struct series *s = lane->series;
	unsigned patience = WALKED_BLOCKS;
	uint64_t i = out->event + 1;
	struct event e;
	out->end_known = true;
	for (uint64_t b = i / BLOCK_EVENTS; i < s->n; b++) {
		if (!goes_on_over(l, lane, b, depth, &patience)) {
			for (uint64_t k = i % BLOCK_EVENTS; k < l->block_n; k++)
				if (l->keep[k] < depth) {
					out->end = end_before(l, lane,
							      b * BLOCK_EVENTS + k);
					return;
				}
		}
		i = (b + 1) * BLOCK_EVENTS;
		if (!patience && i < s->n) {
			series_event(s, i, &e);
			out->end = e.time;
			out->end_known = false;
			return;
		}
	}
	out->end = end_before(l, lane, s->n);
}

/* Finds the span before event i in which nothing is drawn; at an edge of the lane it ends with the
 * lane. */
static void
find_gap(struct layout *l, const struct layout_lane *lane, uint64_t i,
	 struct layout_slice *out)
{
	const struct series *s = lane->series;
	uint64_t first = i > BLOCK_EVENTS ? i - BLOCK_EVENTS : 0;
	uint64_t last = s->n - i > BLOCK_EVENTS ? i + BLOCK_EVENTS : s->n, k;
	struct event e = {.time = lane->start};
	bool runs = false;
	for (k = i; k > first && !runs; k--) {
		series_event(s, k - 1, &e);
		runs = node_of(l, step_of(s, e.stack)) != NODE_NONE;
	}
	out->start_known = runs || !first;
	out->start = runs ? layout_event_end(lane, k, &e) : first ? e.time : lane->start;
	for (runs = false, k = i; k < last && !runs; k++) {
		series_event(s, k, &e);
		runs = node_of(l, step_of(s, e.stack)) != NODE_NONE;
	}
	out->end_known = runs || last == s->n;
	out->end = runs || last < s->n ? e.time : lane->end;
	out->end = out->end > out->start ? out->end : out->start;
}

bool
layout_slice(struct layout *l, struct layout_lane *lane, int64_t when, unsigned depth,
	     struct layout_slice *out)
{
	const struct series *s = lane->series;
	struct event e;
	*out = (struct layout_slice){.node = NODE_NONE};
	if (!drawable(s))
		return false;
	uint64_t behind = when == INT64_MAX ? s->n : series_find(s, when + 1);
	out->event = behind ? behind - 1 : 0;
	series_event(s, out->event, &e);
	node_id n = node_of(l, step_of(s, e.stack));
	int64_t until = layout_event_end(lane, out->event, &e);
	if (!behind || n == NODE_NONE || (until <= when && e.time < when)) {
		find_gap(l, lane, behind, out);
		return true;
	}
	if (!depth || depth > l->depth[n])
		depth = l->depth[n];
	while (l->depth[n] > depth)
		n = l->t->parent[n];
	out->shown = true;
	out->node = n;
	if (lane->held) { /* what is held changes with each event */
		out->first = out->event;
		out->start = e.time;
		out->end = until;
		out->start_known = out->end_known = true;
		return true;
	}
	find_start(l, lane, depth, out);
	layout_find_end(l, lane, depth, out);
	return true;
}

/* ---- stepping ---- */

/* Returns true if event k of the loaded block begins something worth a stop. */
static bool
layout_slices_begins(const struct layout *l, const struct series *s, uint64_t k,
		     unsigned depth, const uint8_t *hit, node_id before)
{
	node_id n = l->node[k];
	if (n == NODE_NONE)
		return !depth && !hit && before != NODE_NONE && s->kind == SERIES_STEPS;
	if (hit) {
		/* frames above `keep` are new: look for a hit among them */
		for (; n != NODE_ROOT && l->depth[n] > l->keep[k]; n = l->t->parent[n])
			if (hit[n] & 2)
				return true;
		return false;
	}
	if (depth)
		return l->depth[n] >= depth && l->keep[k] < depth;
	return s->kind == SERIES_SAMPLES || n != before || l->keep[k] < l->depth[n];
}

bool
layout_step(struct layout *l, struct layout_lane *lane, int dir, unsigned depth,
	    const uint8_t *hit, uint64_t *i, bool *ended)
{
	const struct series *s = lane->series;
	unsigned patience = WALKED_BLOCKS;
	struct event here;
	*ended = true;
	if (!drawable(s))
		return false;
	bool inside = series_event(s, *i, &here);
	while (dir > 0 ? *i + 1 < s->n : *i > 0) {
		uint64_t at = dir > 0 ? *i + 1 : *i - 1, b = at / BLOCK_EVENTS;
		*i = at;
		if (depth && !hit && goes_on_over(l, lane, b, depth, &patience)) {
			*i = dir > 0 ? b * BLOCK_EVENTS + BLOCK_EVENTS - 1
				     : b * BLOCK_EVENTS;
			continue;
		}
		if (hit && patience)
			patience -= b != l->block || l->block_of != s;
		layout_load_block(l, lane, b);
		uint64_t k = at % BLOCK_EVENTS;
		node_id before = k ? l->node[k - 1] : layout_node_before(l, lane, at);
		/* an end and a begin at one moment are one stop */
		if (!(inside && l->time[k] == here.time) &&
		    layout_slices_begins(l, s, k, depth, hit, before))
			return true;
		if (!patience) {
			*ended = false;
			return false;
		}
	}
	return false;
}
