#include "src/decode/common/graph_totals.h"

#include <stdlib.h>
#include <string.h>

#include "model/base/mem.h"
#include "model/base/sum.h"

#define BREATHE 4096u /* totals */

/* The inclusive costs of the file become the totals of functions (stated.h) and rows of the
 * view `calls`, with averages as pstats and gprof print them.  The costs of the tree come from
 * the expansion. */

void
graph_totals_release(struct graph_totals *t)
{
	callgraph_free(t->graph);
	vec_release_all(&t->function, &t->place);
	idmap_release_all(&t->function_of, &t->place_of);
	t->function_of = t->place_of = (struct idmap){0};
	t->graph = NULL;
}

/* ---- data of the file ---- */

uint32_t
graph_totals_reserve(struct graph_totals *t, function_id f)
{
	if (!t->graph)
		t->graph = callgraph_new(t->n_metrics);
	*vec_push(&t->function) = f;
	return callgraph_function(t->graph);
}

uint32_t
graph_totals_function(struct graph_totals *t, function_id f)
{
	uint32_t i = idmap_get(&t->function_of, f);

	if (i != IDMAP_NONE)
		return i;
	i = graph_totals_reserve(t, f);
	idmap_put(&t->function_of, f, i);
	return i;
}

void
graph_totals_bind(struct graph_totals *t, uint32_t reserved, function_id f)
{
	struct callgraph *g = t->graph;
	uint32_t there = idmap_get(&t->function_of, f);

	/* its own lines are now lines of the function with the new name */
	for (uint32_t p = g->first_place[reserved]; p; p = g->places.at[p - 1].next) {
		const struct graph_place *place = &t->place.at[g->places.at[p - 1].place];
		if (!place->below)
			g->places.at[p - 1].place = graph_totals_place(
				t,
				builder_frame(t->b, f,
					      builder_frame_get(t->b, place->frame).line),
				false);
	}
	t->function.at[reserved] = f;
	if (there == IDMAP_NONE)
		idmap_put(&t->function_of, f, reserved);
	else if (there != reserved)
		callgraph_merge(g, reserved, there);
}

uint32_t
graph_totals_place(struct graph_totals *t, frame_id frame, bool below)
{
	uint64_t key = (uint64_t)frame << 1 | below;
	uint32_t i;

	if (!idmap_add(&t->place_of, key, t->place.n, &i))
		return i;
	*vec_push(&t->place) = (struct graph_place){frame, below};
	return i;
}

bool
graph_totals_self(struct graph_totals *t, uint32_t function, const int64_t *cost)
{
	frame_id frame = builder_frame(t->b, t->function.at[function], line_unknown());

	return callgraph_self(t->graph, function, graph_totals_place(t, frame, false), cost);
}

/* ---- results ---- */

/* Makes the stacks of all contexts; STACK_NONE if the profile accepts no more. */
static stack_id *
make_stacks(const struct graph_totals *t)
{
	const struct callgraph *g = t->graph;
	stack_id *stack = mem_alloc((size_t)g->contexts.n + 1, sizeof *stack);

	for (uint32_t c = 0; c < g->contexts.n; c++) {
		const struct callgraph_context *x = &g->contexts.at[c];
		stack_id above = x->parent == CALLGRAPH_NONE ? STACK_EMPTY : stack[x->parent];
		frame_id frame = builder_frame(t->b, t->function.at[x->function],
					       line_unknown());
		stack[c] = above == STACK_NONE ? STACK_NONE
					       : builder_child(t->b, above, frame);
	}
	return stack;
}

/* Returns the stack of a share of a context: the leaf at its line, or a frame below it. */
static stack_id
stack_of_share(const struct graph_totals *t, const stack_id *stack,
	       const struct callgraph_share *share)
{
	const struct graph_place *place = &t->place.at[share->place];
	uint32_t parent = t->graph->contexts.at[share->context].parent;
	stack_id above = place->below                ? stack[share->context]
			 : parent == CALLGRAPH_NONE ? STACK_EMPTY
						    : stack[parent];

	return above == STACK_NONE ? STACK_NONE : builder_child(t->b, above, place->frame);
}

static bool
write_shares(const struct graph_totals *t, struct series *s, const stack_id *stack,
	     uint64_t offset, struct err *e)
{
	const struct callgraph *g = t->graph;
	int64_t value[GRAPH_METRICS_MAX + 1] = {0};

	for (uint32_t i = 0; i < g->shares.n; i++) {
		memcpy(value, g->shares.cost + (size_t)i * g->n_metrics,
		       g->n_metrics * sizeof *value);
		if (!builder_total(t->b, s, stack_of_share(t, stack, &g->shares.at[i]),
				   value, offset, e))
			return false;
		if (t->in && i % BREATHE == BREATHE - 1)
			input_breathe(t->in);
	}
	memset(value, 0, sizeof value);
	for (uint32_t c = 0; c < g->contexts.n; c++) {
		value[t->n_metrics] = g->contexts.at[c].calls;
		if (g->contexts.at[c].calls &&
		    !builder_total(t->b, s, stack[c], value, offset, e))
			return false;
	}
	return true;
}

/* Marks the functions of stacks that have costs or calls: [function] 1; the caller frees it. */
static uint8_t *
mark_written(const struct callgraph *g)
{
	uint8_t *function = mem_zalloc((size_t)g->n_functions + 1, 1);
	uint8_t *context = mem_zalloc((size_t)g->contexts.n + 1, 1);

	for (uint32_t i = 0; i < g->shares.n; i++)
		context[g->shares.at[i].context] = 1;
	for (uint32_t c = g->contexts.n; c-- > 0;) {
		const struct callgraph_context *x = &g->contexts.at[c];
		if (!context[c] && !x->calls)
			continue;
		function[x->function] = 1;
		if (x->parent != CALLGRAPH_NONE)
			context[x->parent] = 1;
	}
	free(context);
	return function;
}

/* Returns for each function the stack of its heaviest caller that is in `written`, from which the
 * expansion went another way; STACK_EMPTY if there is none. The caller frees it. */
static stack_id *
stacks_of_callers(const struct graph_totals *t, const stack_id *stack, const uint8_t *written)
{
	const struct callgraph *g = t->graph;
	size_t n = (size_t)g->n_functions + 1;
	uint32_t *best = mem_zalloc(n, sizeof *best); /* [callee] index of an arc + 1 */
	stack_id *first = mem_zalloc(n, sizeof *first), *above = mem_zalloc(n, sizeof *above);

	for (uint32_t c = g->contexts.n; c-- > 0;)
		first[g->contexts.at[c].function] = stack[c];
	for (uint32_t a = 0; a < g->arcs.n; a++) {
		uint32_t *b = &best[g->arcs.at[a].callee];
		if (written[g->arcs.at[a].caller] &&
		    (!*b || g->arcs.cost[(size_t)a * g->n_metrics] >
				    g->arcs.cost[(size_t)(*b - 1) * g->n_metrics]))
			*b = a + 1;
	}
	for (uint32_t f = 0; f < g->n_functions; f++)
		above[f] = best[f] ? first[g->arcs.at[best[f] - 1].caller] : STACK_EMPTY;
	free_all(best, first);
	return above;
}

/* Functions of cycles may be in no context that has a cost, though the file states a cost of them:
 * each gets a stack without one, so that it is listed. */
static bool
write_unseen(const struct graph_totals *t, struct series *s, const stack_id *stack,
	     const int64_t *inclusive, uint64_t offset, struct err *e)
{
	const struct callgraph *g = t->graph;
	int64_t nothing[GRAPH_METRICS_MAX + 1] = {0};
	uint8_t *written = mark_written(g);
	stack_id *above = stacks_of_callers(t, stack, written);
	bool good = true;

	for (uint32_t f = 0; f < g->n_functions && good; f++) {
		bool costs = false;
		for (unsigned m = 0; m < g->n_metrics; m++)
			costs |= inclusive[(size_t)f * g->n_metrics + m] != 0;
		if (written[f] || !costs)
			continue;
		frame_id frame = builder_frame(t->b, t->function.at[f], line_unknown());
		stack_id own = builder_child(t->b, above[f], frame);
		good = builder_total(t->b, s, own, nothing, offset, e);
	}
	free_all(written, above);
	return good;
}

/* Writes the stated inclusive cost of each function, for every metric. */
static void
write_stated(const struct graph_totals *t, const int64_t *inclusive)
{
	const struct callgraph *g = t->graph;

	for (unsigned m = 0; m < t->n_metrics; m++) {
		builder_stated(t->b, t->track, t->metric[m], true);
		for (uint32_t f = 0; f < g->n_functions; f++)
			builder_stated_total(t->b, t->function.at[f],
					     inclusive[(size_t)f * g->n_metrics + m]);
	}
}

/* Returns the number of calls of a function by other functions, the divisor of its average
 * inclusive cost.  A call from itself lies within another call.  Returns 0 if the number is
 * unknown: because functions that it calls call it, or because its costs include those of its
 * calls from itself. */
static int64_t *
count_outer(const struct graph_totals *t, const int64_t *calls)
{
	const struct callgraph *g = t->graph;
	int64_t *outer = mem_copy(calls, g->n_functions, sizeof *outer);
	struct rings rings;

	callgraph_rings(g, &rings);
	for (uint32_t a = 0; a < g->arcs.n; a++) {
		const struct callgraph_arc *arc = &g->arcs.at[a];
		if (arc->caller == arc->callee && g->has_gross[arc->callee])
			outer[arc->callee] = difference_clipped(outer[arc->callee], arc->calls);
		else if (rings.of[arc->caller] == rings.of[arc->callee])
			outer[arc->callee] = 0;
	}
	for (uint32_t f = 0; f < g->n_functions; f++)
		if (rings.begin[rings.of[f] + 1] - rings.begin[rings.of[f]] > 1)
			outer[f] = 0;
	rings_release(&rings);
	return outer;
}

static void
set_average(struct callstats_row *row, enum call_time time, int64_t calls)
{
	if (calls <= 0)
		return;
	row->value[time][CALL_AVG] = row->value[time][CALL_TOTAL] / calls;
	row->has |= CALLSTATS_BIT(time, CALL_AVG);
}

/* Writes the rows of the view `calls`, for the first metric. */
static void
write_recorded(const struct graph_totals *t, const int64_t *inclusive)
{
	struct callrows *rows = builder_recorded_calls(t->b);
	const struct callgraph *g = t->graph;
	int64_t *self = mem_zalloc((size_t)g->n_functions + 1, sizeof *self);
	int64_t *calls = mem_copy(g->more_calls, g->n_functions, sizeof *calls);

	for (uint32_t a = 0; a < g->arcs.n; a++)
		calls[g->arcs.at[a].callee] =
			sum_clipped(calls[g->arcs.at[a].callee], g->arcs.at[a].calls);
	int64_t *outer = count_outer(t, calls);
	for (uint32_t i = 0; i < g->places.n; i++) /* code of other files is not part of its own */
		if (!t->place.at[g->places.at[i].place].below)
			self[g->places.at[i].function] =
				sum_clipped(self[g->places.at[i].function],
					    g->places.cost[(size_t)i * g->n_metrics]);
	for (uint32_t f = 0; f < g->n_functions; f++) {
		struct callstats_row row = {
			.track = t->track, .function = t->function.at[f], .calls = calls[f]};
		callstats_totals(&row, self[f], inclusive[(size_t)f * g->n_metrics]);
		set_average(&row, CALL_NET, calls[f]);
		set_average(&row, CALL_GROSS, outer[f]);
		callrows_add(rows, &row);
	}
	rows->per_call = true;
	rows->unit = (uint8_t)builder_metric_unit(t->b, t->metric[0]);
	free_all(self, calls, outer);
}

bool
graph_totals_write(struct graph_totals *t, uint64_t offset, struct err *e)
{
	metric_id metric[GRAPH_METRICS_MAX + 1];
	stack_id *stack;

	if (!t->graph)
		return true;
	bool calls = t->calls != METRIC_NONE;
	memcpy(metric, t->metric, t->n_metrics * sizeof *metric);
	metric[t->n_metrics] = t->calls;
	if (t->in)
		input_give(t->in);
	callgraph_expand(t->graph);
	if (t->in)
		input_take(t->in);
	struct series *s = builder_totals(t->b, t->track, metric, t->n_metrics + calls);
	stack = make_stacks(t);
	int64_t *inclusive = callgraph_inclusive(t->graph);
	bool good = write_shares(t, s, stack, offset, e) &&
		    write_unseen(t, s, stack, inclusive, offset, e);
	free(stack);
	write_stated(t, inclusive);
	if (calls)
		write_recorded(t, inclusive);
	free(inclusive);
	bool full = t->graph->contexts.n >= CALLGRAPH_CONTEXTS;
	builder_info(t->b, "contexts", "%u%s", (unsigned)t->graph->contexts.n,
		     full ? ", the limit: the lightest paths are left out" : "");
	return good;
}
