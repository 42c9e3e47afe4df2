/* Two ways to write a tree: a list of nodes that name their children (or their parent), and
 * nodes nested in each other, as V8 wrote until Chrome 58 and writes heap profiles today.  One
 * loop reads both: what a list of children holds are numbers or nodes.
 *
 * Lines and columns count from 0 within `callFrame`; lines from 1 where the fields stand in
 * the node itself.  Anonymous functions are told apart by their place alone, so it is in the
 * name. */
#include "src/decode/cpuprofile/cpuprofile_nodes.h"

#include <stdlib.h>
#include <string.h>

#include "model/base/mem.h"
#include "src/decode/common/javascript.h"

void
v8_nodes_release(struct v8_nodes *n)
{
	vec_release(&n->node);
	vec_release(&n->edge);
	vec_release(&n->ticks);
	vec_release(&n->open);
	free(n->stack);
	free(n->stack_of);
	idmap_release(&n->of);
}

/* ---- reading ---- */

/* Of callFrame, and of nodes that are their own. */
static void
set_frame(struct v8_nodes *n, struct v8_node *v, struct json *j, unsigned key,
	  const struct json_token *t, int first)
{
	int64_t n_th = json_integer(t);

	n_th = n_th > -INT32_MAX && n_th < INT32_MAX ? n_th + 1 - first : 0;
	if (key == 0)
		v->name = json_name(n->b, j, t);
	else if (key == 1)
		v->url = json_name(n->b, j, t);
	else if (key == 2)
		v->line = n_th;
	else if (key == 3)
		v->column = n_th;
}

static const char *const frame_keys[] = {"functionName", "url", "lineNumber", "columnNumber"};

static bool
read_call_frame(struct v8_nodes *n, struct v8_node *v, struct json *j)
{
	struct json_token name, t;

	while (json_member(j, &name, &t)) {
		unsigned key = json_key(&name, frame_keys, 4);
		if (t.kind == JSON_KEY && !json_next(j, &t))
			break;
		set_frame(n, v, j, key, &t, 0);
		if (!json_skip_value(j, &t))
			break;
	}
	return !j->failed;
}

static bool
read_ticks(struct v8_nodes *n, uint32_t node, struct json *j)
{
	struct json_token t;

	while (json_next(j, &t) && t.kind != JSON_ARRAY_END) {
		struct v8_ticks ticks = {.node = node};
		while (t.kind == JSON_OBJECT && json_next(j, &t) && t.kind != JSON_OBJECT_END) {
			bool line = json_is(&t, "line"), count = json_is(&t, "ticks");
			if (!json_next(j, &t))
				return false;
			if (line)
				ticks.line = json_integer(&t);
			if (count)
				ticks.ticks = json_integer(&t);
			if (!json_skip(j, &t))
				return false;
			t.kind = JSON_OBJECT;
		}
		*vec_push(&n->ticks) = ticks;
	}
	return !j->failed;
}

/* One member of the node that is open last; its list of children stays open. */
static bool
read_member(struct v8_nodes *n, struct json *j, const struct json_token *key)
{
	static const char *const keys[] = {"id",	"hitCount",	 "selfSize", "parent",
					   "callFrame", "positionTicks", "children"};
	unsigned own = json_key(key, keys, 7), flat = json_key(key, frame_keys, 4);
	uint32_t at = n->open.at[n->open.n - 1];
	struct v8_node *v = &n->node.at[at];
	struct json_token t;

	if (!json_next(j, &t))
		return false;
	if (own == 0)
		v->id = (uint64_t)json_integer(&t);
	if (own == 1)
		v->hits = json_integer(&t);
	if (own == 2) {
		v->size = json_integer(&t);
		n->is_heap = true;
	}
	if (own == 3 && t.kind == JSON_NUMBER) {
		v->parent_id = (uint64_t)json_integer(&t);
		v->has_parent_id = true;
	}
	if (own == 4 && t.kind == JSON_OBJECT)
		return read_call_frame(n, v, j);
	if (own == 5 && t.kind == JSON_ARRAY)
		return read_ticks(n, at, j);
	if (own == 6 && t.kind == JSON_ARRAY)
		return true;
	if (flat < 4)
		set_frame(n, v, j, flat, &t, 1);
	return json_skip(j, &t);
}

/* The number of a child, and those that follow it. */
static void
read_children(struct v8_nodes *n, struct json *j, int64_t id)
{
	uint32_t parent = n->open.at[n->open.n - 1];

	do
		*vec_push(&n->edge) = (struct v8_edge){parent, (uint64_t)id};
	while (json_column(j, 0, false, &id, 1));
}

static void
open_node(struct v8_nodes *n)
{
	uint32_t parent = n->open.n ? n->open.at[n->open.n - 1] : V8_NO_NODE;

	*vec_push(&n->open) = (uint32_t)n->node.n;
	*vec_push(&n->node) = (struct v8_node){.parent = parent};
}

bool
v8_nodes_read(struct v8_nodes *n, struct json *j, uint64_t offset)
{
	struct json_token t;

	n->open.n = 0;
	open_node(n);
	while (n->open.n && json_next(j, &t)) {
		if (t.kind == JSON_OBJECT) {
			offset = t.offset;
			open_node(n);
		} else if (t.kind == JSON_OBJECT_END) {
			n->open.n--;
		} else if (t.kind == JSON_KEY) {
			if (!read_member(n, j, &t))
				break;
		} else if (t.kind == JSON_NUMBER) {
			read_children(n, j, json_integer(&t));
		} else if (!json_skip(j, &t)) {
			break;
		}
	}
	return j->failed ? json_damage(j, offset, n->e) : true;
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
	bool system = js_is_system(text, builder_name_get(n->b, v->url));

	return builder_function(
		n->b, (struct function){
			      .name = name,
			      .file = v->url,
			      .line = v->line > 0 && v->line < UINT32_MAX ? (uint32_t)v->line : 0,
			      .kind = (uint8_t)(system ? KIND_SYSTEM : KIND_USER),
		      });
}

/* The parent's is known. */
static stack_id
make_stack(struct v8_nodes *n, struct v8_node *v, stack_id above)
{
	struct name name = builder_name_get(n->b, v->name);

	v->above = above;
	v->is_root = name.len == 6 && !memcmp(name.at, "(root)", 6) &&
		     v->parent == V8_NO_NODE;
	if (v->is_root || above == STACK_NONE)
		return above;
	v->function = function_of(n, v);
	return builder_child(n->b, above, builder_frame(n->b, v->function, line_unknown()));
}

stack_id
v8_nodes_make_stack(struct v8_nodes *n, uint32_t node)
{
	/* Up to what is known, and down again; parents in a ring end where it closes. */
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
