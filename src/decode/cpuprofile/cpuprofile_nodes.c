/* A tree has two forms: a list of nodes that name their children (or their parent), and nested
 * nodes, as V8 wrote until Chrome 58 and writes heap profiles today. One loop reads both: the
 * elements of a list of children are numbers or nodes.
 *
 * Lines and columns count from 0 within `callFrame`; lines count from 1 if the fields are in the
 * node itself. Only their place distinguishes anonymous functions, so it is part of the name. */
#include "src/decode/cpuprofile/cpuprofile_nodes.h"

#include <stdlib.h>

#include "model/base/mem.h"
#include "src/decode/common/javascript.h"
#include "src/decode/common/words.h"

void
v8_nodes_release(struct v8_nodes *n)
{
	vec_release_all(&n->node, &n->edge, &n->ticks, &n->open);
	idmap_release(&n->of);
	free_all(n->stack, n->stack_of);
}

/* ---- reading ---- */

/* A node in the file; its attributes are in callFrame, or in the node itself. */
struct cpuprofile_raw_node {
	uint32_t at; /* in v8_nodes.node */
	int64_t id, hits, size, parent;
	bool has_size, has_parent;
	name_id name, url;
	int64_t line0, column0; /* counted from 0; -1: not there */
	int64_t line1, column1;
};

static int64_t
cpuprofile_place_of(int64_t from_0, int64_t from_1)
{
	int64_t n = from_1 ? from_1 - 1 : from_0;

	return n > -INT32_MAX && n < INT32_MAX ? n + 1 : 0;
}

static void *
cpuprofile_node_begin(struct rows_json *r, uint32_t parent, struct cpuprofile_raw_node *x)
{
	struct v8_nodes *n = r->context;

	x->at = (uint32_t)n->node.n;
	x->line0 = x->column0 = -1;
	*vec_push(&n->node) = (struct v8_node){.parent = parent};
	return x;
}

static void *
root_begin(struct rows_json *r, void *none UNUSED, void *own)
{
	return cpuprofile_node_begin(r, V8_NO_NODE, own);
}

static void *
child_begin(struct rows_json *r, void *parent, void *own)
{
	return cpuprofile_node_begin(r, ((struct cpuprofile_raw_node *)parent)->at, own);
}

static bool
cpuprofile_node_take(struct rows_json *r, void *parent UNUSED, void *element)
{
	struct v8_nodes *n = r->context;
	const struct cpuprofile_raw_node *x = element;
	struct v8_node *v = &n->node.at[x->at];

	n->is_heap |= x->has_size;
	v->id = (uint64_t)x->id;
	v->hits = x->hits;
	v->size = x->size;
	v->parent_id = (uint64_t)x->parent;
	v->has_parent_id = x->has_parent;
	v->name = x->name;
	v->url = x->url;
	v->line = cpuprofile_place_of(x->line0, x->line1);
	v->column = cpuprofile_place_of(x->column0, x->column1);
	return true;
}

static bool
ticks_take(struct rows_json *r, void *node, void *element)
{
	struct v8_ticks *ticks = element;

	ticks->node = ((struct cpuprofile_raw_node *)node)->at;
	*vec_push(&((struct v8_nodes *)r->context)->ticks) = *ticks;
	return true;
}

static bool children_read(struct rows_json *r, void *node, const struct json_token *t);

static const struct json_row tick_rows[] = {
	{"line", ROW_NUMBER(struct v8_ticks, line)},
	{"ticks", ROW_NUMBER(struct v8_ticks, ticks)},
	{0},
};
static const struct json_row call_frame_rows[] = {
	{"functionName", ROW_NAME(struct cpuprofile_raw_node, name)},
	{"url", ROW_NAME(struct cpuprofile_raw_node, url)},
	{"lineNumber", ROW_NUMBER(struct cpuprofile_raw_node, line0)},
	{"columnNumber", ROW_NUMBER(struct cpuprofile_raw_node, column0)},
	{0},
};
static const struct json_row node_rows[] = {
	{"id", ROW_NUMBER(struct cpuprofile_raw_node, id)},
	{"callFrame", ROW_HERE(call_frame_rows)},
	{"hitCount", ROW_NUMBER(struct cpuprofile_raw_node, hits)},
	{"selfSize", ROW_NUMBER(struct cpuprofile_raw_node, size),
	 ROW_HAS(struct cpuprofile_raw_node, has_size)},
	{"parent", ROW_NUMBER(struct cpuprofile_raw_node, parent),
	 ROW_HAS(struct cpuprofile_raw_node, has_parent)},
	{"positionTicks", ROW_LIST_OF(struct v8_ticks, tick_rows, ticks_take)},
	{"children", ROW_INSIDE(children_read)},
	{"functionName", ROW_NAME(struct cpuprofile_raw_node, name)},
	{"url", ROW_NAME(struct cpuprofile_raw_node, url)},
	{"lineNumber", ROW_NUMBER(struct cpuprofile_raw_node, line1)},
	{"columnNumber", ROW_NUMBER(struct cpuprofile_raw_node, column1)},
	{0},
};
static const struct json_list children = {.rows = node_rows,
					  .size = sizeof(struct cpuprofile_raw_node),
					  .record = true,
					  .torn = true,
					  .begin = child_begin,
					  .end = cpuprofile_node_take};
static const struct json_row child_row = {"children", ROW_ELEMENT(&children)};

const struct json_list v8_nodes_list = {.rows = node_rows,
					.size = sizeof(struct cpuprofile_raw_node),
					.record = true,
					.torn = true,
					.what = "a node",
					.begin = root_begin,
					.end = cpuprofile_node_take};

/* Numbers of nodes, or nodes. */
static bool
children_read(struct rows_json *r, void *node, const struct json_token *list)
{
	struct v8_nodes *n = r->context;
	struct json_token t;
	int64_t id;

	while (list->kind == JSON_ARRAY && json_next(&r->j, &t) && t.kind != JSON_ARRAY_END) {
		if (t.kind != JSON_NUMBER) {
			if (!rows_json_value(r, &child_row, node, &t))
				return false;
			continue;
		}
		id = json_integer(&t);
		do
			*vec_push(&n->edge) = (struct v8_edge){
				((struct cpuprofile_raw_node *)node)->at, (uint64_t)id};
		while (json_column(&r->j, 0, false, &id, 1));
	}
	return !r->j.failed && (list->kind == JSON_ARRAY || json_skip(&r->j, list));
}

/* ---- the tree ---- */

void
v8_nodes_bind(struct v8_nodes *n)
{
	n->stack = mem_alloc(n->node.n, sizeof *n->stack);
	for (size_t i = 0; i < n->node.n; i++)
		n->stack[i] = V8_NO_STACK;
	for (size_t i = 0; i < n->node.n; i++)
		idmap_put(&n->of, n->node.at[i].id, (uint32_t)i);
	n->stack_of = mem_alloc(n->of.n_dense, sizeof *n->stack_of);
	for (size_t i = 0; i < n->of.n_dense; i++)
		n->stack_of[i] = V8_NO_STACK;
	for (size_t i = 0; i < n->edge.n; i++) {
		uint32_t child = idmap_get(&n->of, n->edge.at[i].child);
		if (child != IDMAP_NONE)
			n->node.at[child].parent = n->edge.at[i].parent;
	}
	for (size_t i = 0; i < n->node.n; i++) {
		struct v8_node *v = &n->node.at[i];
		uint32_t parent = v->has_parent_id ? idmap_get(&n->of, v->parent_id) : IDMAP_NONE;
		if (v->parent == V8_NO_NODE && parent != IDMAP_NONE)
			v->parent = parent;
	}
}

static function_id
function_of(struct v8_nodes *n, const struct v8_node *v)
{
	name_id name = v->name == NAME_EMPTY ? js_anonymous(n->b, v->url, v->line, v->column)
					    : v->name;
	struct name text = builder_name_get(n->b, name);
	enum kind kind = js_kind(text, builder_name_get(n->b, v->url));

	return builder_function(
		n->b, (struct function){
			      .name = name,
			      .file = v->url,
			      .line = v->line > 0 && v->line < UINT32_MAX ? (uint32_t)v->line : 0,
			      .kind = (uint8_t)kind,
		      });
}

/* The parent's is known. */
static stack_id
make_stack(struct v8_nodes *n, struct v8_node *v, stack_id above)
{
	struct name name = builder_name_get(n->b, v->name);

	v->above = above;
	v->is_root = name_is(name, "(root)") && v->parent == V8_NO_NODE;
	if (v->is_root || above == STACK_NONE)
		return above;
	v->function = function_of(n, v);
	return builder_child(n->b, above, builder_frame(n->b, v->function, line_unknown()));
}

stack_id
v8_nodes_make_stack(struct v8_nodes *n, uint32_t node)
{
	/* Walks up to an ancestor with a stack and down again; a cycle of parents ends where it
	 * closes. */
	n->open.n = 0;
	for (uint32_t i = node; i != V8_NO_NODE && n->stack[i] == V8_NO_STACK &&
				n->open.n < n->node.n;
	     i = n->node.at[i].parent)
		*vec_push(&n->open) = i;
	while (n->open.n) {
		uint32_t i = n->open.at[--n->open.n], parent = n->node.at[i].parent;
		bool known = parent != V8_NO_NODE && n->stack[parent] != V8_NO_STACK;
		if (n->stack[i] == V8_NO_STACK)
			n->stack[i] = make_stack(n, &n->node.at[i],
						 known ? n->stack[parent] : STACK_EMPTY);
	}
	return n->stack[node];
}
