/* curve.c - see curve.h.
 *
 * A column is the difference of two prefix sums over the chosen stacks. The next sum is computed
 * from the last one by reading the events between, or from the nearest checkpoint, whichever is
 * cheaper: the former with few events per column, the latter with many. tally.c does the same
 * for all stacks at once. For a hundred columns, that would take a hundred times the memory of
 * all stacks; here a sum is one number.
 *
 * A step or sample that extends over the edge of a column counts up to it (layout_bins.c). For a
 * series with few samples per column, each sample is read instead: of thirty thousand threads most
 * have a handful.  Of memory that is held, a column has the sum before its end. */
#include "model/picture/curve.h"

#include <stdlib.h>
#include <string.h>

#include "model/base/mem.h"
#include "model/base/sum.h"
#include "model/base/wide.h"

#define COLUMN_COST 32u /* cost of finding where it ends, in events */
#define PIECE 1024u
#define LOOKED_AT 64u /* events of a short series */

void
curve_init(struct curve *c)
{
	*c = (struct curve){.done = true};
}

void
curve_release(struct curve *c)
{
	free(c->value);
	free(c->whole);
	free(c->in);
	free(c->tracks);
	curve_init(c);
}

static void
begin_series(struct curve *c)
{
	c->col = 0;
	c->at = 0;
	c->sum = c->before = 0;
	c->behind = 0;
}

void
curve_begin(struct curve *c, const struct profile *p, const struct curve_of *of)
{
	curve_release(c);
	c->p = p;
	c->layout = of->layout;
	c->metric = of->metric;
	c->end = of->end;
	c->cols = of->cols;
	c->value = mem_zalloc(of->cols, sizeof *c->value);
	c->whole = of->no_whole ? NULL : mem_zalloc(of->cols, sizeof *c->whole);
	c->in = (uint8_t *)mem_dup((const char *)of->in, of->n_stacks);
	c->n_stacks = of->n_stacks;
	c->all = of->n_stacks > 1 && !memchr(c->in + 1, 0, of->n_stacks - 1);
	c->tracks = (uint8_t *)mem_dup((const char *)of->tracks, of->n_tracks);
	c->n_tracks = of->n_tracks;
	c->done = false;
}

static bool
is_in(const struct curve *c, uint32_t stack_and_flags)
{
	stack_id stack = stack_and_flags & STEP_STACK;
	return stack != STACK_EMPTY && stack < c->n_stacks && c->in[stack];
}

/* Returns the sum of events [a, b). */
static int64_t
add_events(struct curve *c, const struct series *s, unsigned m, uint64_t a, uint64_t b)
{
	int64_t value[PIECE], sum = 0;
	uint32_t stack[PIECE];

	c->events += b - a;
	while (a < b) {
		const struct chunk *chunk = series_chunk(s, a);
		uint32_t from = (uint32_t)(a - chunk->first), n = chunk->n - from;
		if (n > b - a)
			n = (uint32_t)(b - a);
		if (n > PIECE)
			n = PIECE;
		chunk_adds(s, chunk, from, n, m, chunk_end(s, chunk), value);
		chunk_stacks(chunk, from, n, stack);
		for (uint32_t i = 0; i < n; i++)
			if (is_in(c, stack[i]))
				sum += value[i];
		a += n;
	}
	return sum;
}

/* Returns the sum at a checkpoint; -1: before all events. */
static int64_t
add_checkpoint(struct curve *c, const struct series *s, unsigned m, int64_t checkpoint)
{
	int64_t value[PIECE], sum = 0;
	uint32_t seen = checkpoint < 0 ? 0 : s->checkpoint[checkpoint].n;

	for (uint32_t from = 0, n; from < seen; from += n) {
		n = seen - from < PIECE ? seen - from : PIECE;
		memset(value, 0, n * sizeof *value);
		series_checkpoint_add(s, (uint32_t)checkpoint, m, from, n, 1, value);
		for (uint32_t i = 0; i < n; i++)
			if (is_in(c, s->seen[from + i]))
				sum += value[i];
	}
	return sum;
}

/* Moves the sum to event i, the cheaper way; returns the cost. */
static uint64_t
reach(struct curve *c, const struct series *s, unsigned m, uint64_t i)
{
	int64_t near = series_checkpoint_near(s, i);
	uint64_t there = near < 0 ? 0 : s->checkpoint[near].events,
		 seen = near < 0 ? 0 : s->checkpoint[near].n, on = i - c->at,
		 jump = (there < i ? i - there : there - i) + seen;

	if (on <= jump) {
		c->sum += add_events(c, s, m, c->at, i);
	} else {
		c->sum = add_checkpoint(c, s, m, near);
		if (there < i)
			c->sum += add_events(c, s, m, there, i);
		else
			c->sum -= add_events(c, s, m, i, there);
	}
	c->at = i;
	return on <= jump ? on : jump;
}

/* Computes the next column of a series; returns the cost. */
static uint64_t
next_column(struct curve *c, const struct series *s, unsigned m, int64_t start)
{
	int64_t unit = profile_metric_unit(c->p, s, m);
	int64_t edge = sum_clipped(start, wide_part_up(0, c->end, c->cols, c->col + 1));
	uint64_t i = series_find(s, edge), cost = COLUMN_COST + reach(c, s, m, i);
	bool held = c->lane.held == m + 1;
	int64_t sum = c->sum;
	double behind = 0;
	uint32_t stack;
	struct event e;

	if (i && role_lasts((enum metric_role)s->role[m]) && series_event(s, i - 1, &e) &&
	    e.end > edge && is_in(c, e.stack))
		sum -= series_lasts(s, m, edge, e.end);
	if (s->kind == SERIES_SAMPLES && !held)
		behind = layout_behind(&c->lane, m, i, edge, &stack);
	if (behind != 0 && !is_in(c, stack))
		behind = 0;
	c->value[c->col++] +=
		(double)unit * ((double)(sum - c->before) + c->behind - behind);
	c->behind = behind;
	if (!held)
		c->before = sum;
	return cost;
}

/* True if one of the chosen stacks is in the series; of a long series it is not known. */
static bool
may_have(const struct curve *c, const struct series *s)
{
	uint32_t stack[LOOKED_AT];

	if (s->n > LOOKED_AT || s->n_chunks != 1)
		return true;
	chunk_stacks(&s->chunk[0], 0, (uint32_t)s->n, stack);
	for (uint32_t i = 0; i < s->n; i++)
		if (is_in(c, stack[i]))
			return true;
	return false;
}

/* Computes all columns of a series whose samples are rarer than these; returns the cost. */
static uint64_t
add_rare(struct curve *c, const struct layout_lane *lane, unsigned m, int64_t start)
{
	const struct series *s = lane->series;
	struct layout_choice of = {c->in, c->n_stacks,
				   (double)profile_metric_unit(c->p, s, m), 1};

	layout_spread(lane, m, &of, start, sum_clipped(start, c->end), c->cols, c->value);
	c->events += s->n;
	c->col = c->cols;
	return s->n + 1;
}

/* Adds all stacks of a series, from its blocks. `both`: the chosen stacks are all of them, too.
 * Returns the cost. */
static uint64_t
add_whole(struct curve *c, const struct layout_lane *lane, unsigned m, int64_t start, bool both)
{
	const struct series *s = lane->series;
	double unit = (double)profile_metric_unit(c->p, s, m);
	double *bin = mem_alloc(c->cols, sizeof *bin);

	layout_bins(lane, m, start, sum_clipped(start, c->end), c->cols, bin);
	for (unsigned i = 0; i < c->cols; i++)
		c->whole[i] += unit * bin[i];
	for (unsigned i = 0; both && i < c->cols; i++)
		c->value[i] += unit * bin[i];
	if (both)
		c->col = c->cols;
	free(bin);
	uint64_t most = (uint64_t)c->cols * BLOCK_EVENTS / 2;
	return (s->n < most ? s->n : most) + (uint64_t)c->cols * COLUMN_COST / 2;
}

/* Returns the index of the metric in a series with columns; -1: it has none. */
static int
curve_metric_of(const struct curve *c, const struct series *s)
{
	if ((s->kind != SERIES_STEPS && s->kind != SERIES_SAMPLES) || !s->sorted || !s->n)
		return -1;
	for (unsigned i = 0; i < s->n_metrics; i++)
		if (s->metric[i] == c->metric)
			return (int)i;
	return -1;
}

/* Continues a series, by at least one column; returns the cost. */
static uint64_t
add_some(struct curve *c, const struct series *s, unsigned m, int64_t start)
{
	uint64_t cost = 0;

	if (!c->col && !c->whole && !may_have(c, s)) {
		c->col = c->cols;
		return s->n + 1;
	}
	if (!c->col) {
		c->lane = (struct layout_lane){.series = s};
		layout_lane_look(c->layout, c->p, &c->lane, c->metric);
		bool rare = !c->lane.held &&
			    layout_is_rare(&c->lane, start, sum_clipped(start, c->end), c->cols);
		bool both = c->whole && rare && c->all && c->p->stacks.n == c->n_stacks;
		if (c->whole)
			cost = add_whole(c, &c->lane, m, start, both);
		if (rare)
			return both ? cost : cost + add_rare(c, &c->lane, m, start);
	}
	return cost + next_column(c, s, m, start);
}

bool
curve_go_on(struct curve *c, uint64_t budget)
{
	uint64_t cost = 0;

	while (!c->done && cost < budget) {
		if (c->track >= c->n_tracks || c->track >= c->p->n_tracks) {
			c->done = true;
			break;
		}
		const struct track *t = &c->p->track[c->track];
		if (!c->tracks[c->track] || c->series >= t->n_series) {
			c->track++;
			c->series = 0;
			cost++;
			continue;
		}
		const struct series *s = t->series[c->series];
		int m = curve_metric_of(c, s);
		if (m >= 0)
			cost += add_some(c, s, (unsigned)m, c->p->group[t->group].start);
		if (m < 0 || c->col == c->cols) {
			c->series++;
			cost++;
			begin_series(c);
		}
	}
	return c->done;
}

static void
choose_stacks(const struct projection *t, const uint8_t *has, uint8_t *in)
{
	for (stack_id s = 0; s < t->n_stacks; s++)
		in[s] = t->node_of[s] != NODE_NONE && has[t->node_of[s]];
}

void
curve_stacks_of(const struct projection *t, key_id key, uint8_t *in)
{
	uint8_t *has = mem_zalloc(t->n, 1);

	has[NODE_ROOT] = key == KEY_NONE;
	for (node_id i = 1; i < t->n; i++)
		has[i] = has[t->parent[i]] || t->key[i] == key;
	choose_stacks(t, has, in);
	free(has);
}

void
curve_stacks_below(const struct projection *t, node_id node, uint8_t *in)
{
	uint8_t *has = mem_zalloc(t->n, 1);

	has[node] = 1;
	for (node_id i = node + 1; i < t->n; i++)
		has[i] = has[t->parent[i]];
	choose_stacks(t, has, in);
	free(has);
}
