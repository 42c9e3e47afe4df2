#include "src/decode/callgrind/callgrind.h"

#include <stdlib.h>
#include <string.h>

#include "model/mem.h"

/* A context is the stack of its functions, without lines; what it spends itself is its leaf,
 * at the line that the file names.  The file's own inclusive costs become rows of the view
 * `calls`: those of the tree are the expansion's. */

/* The stacks of all contexts, STACK_NONE where the profile takes no more. */
static stack_id *
make_stacks(const struct callgrind_part *part)
{
	const struct callgraph *g = part->graph;
	stack_id *stack = mem_alloc((size_t)g->n_contexts + 1, sizeof *stack);

	for (uint32_t c = 0; c < g->n_contexts; c++) {
		const struct callgraph_context *x = &g->context[c];
		stack_id above = x->parent == CALLGRAPH_NONE ? STACK_EMPTY : stack[x->parent];
		frame_id frame = builder_frame(part->b, part->function.at[x->function],
					       line_unknown());
		stack[c] = above == STACK_NONE ? STACK_NONE
					       : builder_child(part->b, above, frame);
	}
	return stack;
}

/* Where a share of a context is spent: the leaf at its line, or one below it. */
static stack_id
stack_of_share(const struct callgrind_part *part, const stack_id *stack,
	       const struct callgraph_share *share)
{
	const struct callgrind_place *place = &part->place.at[share->place];
	uint32_t parent = part->graph->context[share->context].parent;
	stack_id above = place->below                ? stack[share->context]
			 : parent == CALLGRAPH_NONE ? STACK_EMPTY
						    : stack[parent];

	return above == STACK_NONE ? STACK_NONE : builder_child(part->b, above, place->frame);
}

static bool
write_shares(const struct callgrind_part *part, struct series *s, const stack_id *stack,
	     uint64_t offset, struct err *e)
{
	const struct callgraph *g = part->graph;
	int64_t value[CALLGRIND_EVENTS_MAX + 1] = {0};

	for (uint32_t i = 0; i < g->n_shares; i++) {
		memcpy(value, g->shared + (size_t)i * g->n_metrics, g->n_metrics * sizeof *value);
		if (!builder_total(part->b, s, stack_of_share(part, stack, &g->share[i]), value,
				   offset, e))
			return false;
	}
	memset(value, 0, sizeof value);
	for (uint32_t c = 0; c < g->n_contexts; c++) {
		value[part->n_events] = g->context[c].calls;
		if (g->context[c].calls &&
		    !builder_total(part->b, s, stack[c], value, offset, e))
			return false;
	}
	return true;
}

/* What each function costs with all it calls, by the arcs into it; by those out of it where
 * it is called by none.  Of the first event. */
static void
write_recorded(const struct callgrind_part *part)
{
	const struct callgraph *g = part->graph;
	struct callstats *rows = builder_recorded_calls(part->b);
	int64_t *in = mem_zalloc((size_t)g->n_functions + 1, sizeof *in);
	int64_t *out = mem_zalloc((size_t)g->n_functions + 1, sizeof *out);
	int64_t *calls = mem_zalloc((size_t)g->n_functions + 1, sizeof *calls);
	int64_t *self = mem_zalloc((size_t)g->n_functions + 1, sizeof *self);

	for (uint32_t a = 0; a < g->n_arcs; a++) {
		const struct callgraph_arc *arc = &g->arc[a];
		int64_t cost = g->arc_cost[(size_t)a * g->n_metrics];
		calls[arc->callee] += arc->calls;
		in[arc->callee] += cost;
		out[arc->caller] += arc->caller != arc->callee ? cost : 0;
	}
	for (uint32_t f = 0; f < g->n_functions; f++)
		out[f] += g->self[(size_t)f * g->n_metrics];
	for (uint32_t i = 0; i < g->n_places; i++) /* code of other files is not its own */
		if (!part->place.at[g->place[i].place].below)
			self[g->place[i].function] += g->place_cost[(size_t)i * g->n_metrics];
	for (uint32_t f = 0; f < g->n_functions; f++) {
		struct callstats_row *row =
			callstats_add(rows, part->track, part->function.at[f]);
		row->calls = calls[f];
		row->value[CALL_NET][CALL_TOTAL] = self[f];
		row->value[CALL_GROSS][CALL_TOTAL] = in[f] > out[f] ? in[f] : out[f];
		row->has = CALLSTATS_BIT(CALL_NET, CALL_TOTAL) |
			   CALLSTATS_BIT(CALL_GROSS, CALL_TOTAL);
	}
	rows->per_call = true;
	rows->metric = METRIC_NONE; /* totals of stacks stay the expansion's, in every view */
	free(in);
	free(out);
	free(calls);
	free(self);
}

bool
callgrind_write(struct callgrind_part *part, uint64_t offset, struct err *e)
{
	metric_id metric[CALLGRIND_EVENTS_MAX + 1];
	stack_id *stack;

	for (unsigned m = 0; m < part->n_events; m++)
		metric[m] = part->event[m].metric;
	metric[part->n_events] = part->calls;
	callgraph_expand(part->graph);
	struct series *s = builder_totals(part->b, part->track, metric, part->n_events + 1);
	stack = make_stacks(part);
	bool good = write_shares(part, s, stack, offset, e);
	free(stack);
	write_recorded(part);
	builder_info(part->b, "contexts", "%u", (unsigned)part->graph->n_contexts);
	return good;
}
