#include "src/decode/ghcprof/ghcprof.h"

#include <stdlib.h>

#include "src/decode/common/json_read.h"

/* `-pj`: numbered cost centres, and a tree of nodes that refer to them.  A node's members
 * precede its children, so each node is known when the next one begins.  Keys come in any
 * order, so ticks become time after the whole document was read. */

struct json_node {
	int64_t id, entries, alloc, ticks;
	uint32_t at, parent; /* in `node`; UINT32_MAX: none */
	uint64_t offset;
};

struct json_centre {
	name_id label, module, place;
	int64_t id;
	bool has_id;
};

struct ghc_json {
	struct ghc_out *o;
	struct idmap centre_of; /* id -> frame */
	VEC(struct json_node) node;
	int64_t interval_us;
};

static bool
centre_take(struct rows_json *r, void *document, void *element)
{
	struct ghc_json *g = document;
	const struct json_centre *c = element;
	struct name label = builder_name_get(r->b, c->label);
	struct name module = builder_name_get(r->b, c->module);
	struct name place = builder_name_get(r->b, c->place);

	if (c->has_id && c->id >= 0)
		idmap_put(&g->centre_of, (uint64_t)c->id,
			  ghc_frame(g->o, label.at, label.len, module.at, module.len, place.at,
				    place.len));
	return true;
}

static void *
ghcprof_node_begin(struct rows_json *r, void *parent, void *own)
{
	struct ghc_json *g = r->context;
	struct json_node *x = own;

	x->id = -1;
	x->at = (uint32_t)g->node.n;
	x->parent = parent == g ? UINT32_MAX : ((struct json_node *)parent)->at;
	x->offset = r->offset;
	*vec_push(&g->node) = *x;
	return x;
}

static bool
ghcprof_node_take(struct rows_json *r, void *parent UNUSED, void *element)
{
	struct ghc_json *g = r->context;
	const struct json_node *x = element;

	g->node.at[x->at] = *x;
	return true;
}

static const struct json_list nodes;
static const struct json_row centre_rows[] = {
	{"id", ROW_NUMBER(struct json_centre, id), ROW_HAS(struct json_centre, has_id)},
	{"label", ROW_NAME(struct json_centre, label)},
	{"module", ROW_NAME(struct json_centre, module)},
	{"src_loc", ROW_NAME(struct json_centre, place)},
	{0},
};
static const struct json_row node_rows[] = {
	{"id", ROW_NUMBER(struct json_node, id)},
	{"entries", ROW_NUMBER(struct json_node, entries)},
	{"alloc", ROW_NUMBER(struct json_node, alloc)},
	{"ticks", ROW_NUMBER(struct json_node, ticks)},
	{"children", ROW_LIST(&nodes)},
	{0},
};
static const struct json_list nodes = {.rows = node_rows,
				       .size = sizeof(struct json_node),
				       .torn = true,
				       .begin = ghcprof_node_begin,
				       .end = ghcprof_node_take};
static const struct json_row document_rows[] = {
	{"program", ROW_FACT("program")},
	{"end_time", ROW_FACT("end_time")},
	{"total_ticks", ROW_FACT("total_ticks")},
	{"total_alloc", ROW_FACT("total_alloc")},
	{"tick_interval", ROW_FACT_NUMBER("tick_interval", struct ghc_json, interval_us)},
	{"cost_centres", ROW_LIST_OF(struct json_centre, centre_rows, centre_take)},
	{"profile", ROW_ELEMENT(&nodes)},
	{0},
};

/* A parent comes before its children. */
static bool
write_nodes(struct ghc_json *g)
{
	stack_id *stack = mem_alloc(g->node.n + 1, sizeof *stack);
	struct builder *b = g->o->b;
	bool good = true;

	for (size_t i = 0; i < g->node.n && good; i++) {
		const struct json_node *n = &g->node.at[i];
		uint32_t frame = n->id < 0 ? IDMAP_NONE : idmap_get(&g->centre_of, (uint64_t)n->id);
		int64_t value[GHC_METRICS] = {0, n->alloc, n->entries}, us;
		if (frame == IDMAP_NONE)
			frame = builder_frame(b, builder_function_named(b, "[unknown]", 9),
					      line_unknown());
		stack_id above = n->parent == UINT32_MAX ? STACK_EMPTY : stack[n->parent];
		stack[i] = above == STACK_NONE ? STACK_NONE : builder_child(b, above, frame);
		if (__builtin_mul_overflow(n->ticks, g->interval_us, &us) ||
		    __builtin_mul_overflow(us, 1000, &value[GHC_TIME]))
			good = err_damage(g->o->e, n->offset, "the sum of the values exceeds 2^63");
		else
			good = ghc_node(g->o, stack[i], value, n->offset);
	}
	free(stack);
	return good;
}

bool
ghc_read_json(struct ghc_out *o, struct input *in)
{
	struct ghc_json g = {.o = o, .interval_us = 1000};

	ghc_begin(o);
	bool good = json_decode(in, o->b, o->e, document_rows, &g, "not a profile of GHC");
	good = write_nodes(&g) && good; /* everything before the damage is shown */
	vec_release(&g.node);
	idmap_release(&g.centre_of);
	return good;
}
