/* cpuprofile_nodes.h - the tree of calls in V8's profiles. */
#ifndef PNAV_SRC_DECODE_CPUPROFILE_NODES_H
#define PNAV_SRC_DECODE_CPUPROFILE_NODES_H

#include <stdbool.h>
#include <stdint.h>

#include "model/base/vec.h"
#include "model/build/builder.h"
#include "src/decode/common/idmap.h"
#include "src/input/rows_json.h"

#define V8_NO_NODE UINT32_MAX
#define V8_NO_STACK (STACK_NONE - 1)

struct v8_node {
	uint64_t id, parent_id;
	uint32_t parent; /* index, V8_NO_NODE */
	bool has_parent_id;
	bool is_root;
	name_id name, url;
	int64_t line, column; /* from 1; 0 not known */
	int64_t hits, size;
	stack_id above; /* its stack without the leaf */
	function_id function;
};

struct v8_edge {
	uint32_t parent;
	uint64_t child;
};

struct v8_ticks {
	uint32_t node;
	int64_t line, ticks;
};

struct v8_nodes {
	struct builder *b;
	VEC(struct v8_node) node;
	stack_id *stack; /* [node] V8_NO_STACK until its first use */
	VEC(struct v8_edge) edge;
	VEC(struct v8_ticks) ticks;
	VEC(uint32_t) open;
	struct idmap of;
	stack_id *stack_of; /* [id], for ids in an array: as `stack` */
	bool is_heap; /* nodes have sizes */
};

void v8_nodes_release(struct v8_nodes *n);
/* Rows of nodes, with those nested in them; rows_json.context is the v8_nodes. */
extern const struct json_list v8_nodes_list;
/* Connects children to parents; call it after all nodes were read. */
void v8_nodes_bind(struct v8_nodes *n);
/* Private: makes the stack of a node at its first use. */
stack_id v8_nodes_make_stack(struct v8_nodes *n, uint32_t node);

/* Returns the stack of the node with this id if it has been read; else V8_NO_STACK. */
static inline stack_id
v8_nodes_stack_of(const struct v8_nodes *n, uint64_t id)
{
	return id < n->of.n_dense ? n->stack_of[id] : V8_NO_STACK;
}

/* Tells it. */
static inline void
v8_nodes_known(struct v8_nodes *n, uint64_t id, stack_id stack)
{
	if (id < n->of.n_dense && n->of.dense[id])
		n->stack_of[id] = stack;
}

/* Returns the stack of a node, after v8_nodes_bind(). */
static inline stack_id
v8_nodes_stack(struct v8_nodes *n, uint32_t node)
{
	stack_id known = n->stack[node];

	return known != V8_NO_STACK ? known : v8_nodes_make_stack(n, node);
}

#endif
