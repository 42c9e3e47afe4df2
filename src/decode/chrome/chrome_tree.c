/* The nodes of V8's CPU profiles, and their stacks. */
#include "src/decode/chrome/chrome_inside.h"

#include "src/decode/common/javascript.h"
#include "src/decode/common/words.h"

/* ---- nodes ---- */

void
chrome_tree_put(struct chrome_tree *t, struct chrome_node x)
{
	uint32_t i = idmap_get(&t->of, (uint64_t)x.id);

	if (i == IDMAP_NONE) {
		idmap_put(&t->of, (uint64_t)x.id, (uint32_t)t->node.n);
		*vec_push(&t->node) = x;
		return;
	}
	if (x.parent != CHROME_NO_PARENT)
		t->node.at[i].parent = x.parent;
	if (x.function != CHROME_UNSAID) {
		t->node.at[i].function = x.function;
		t->node.at[i].idle = x.idle;
	}
}

bool
chrome_tree_is_idle(const struct chrome_tree *t, int64_t id)
{
	uint32_t i = idmap_get(&t->of, (uint64_t)id);

	return i != IDMAP_NONE && t->node.at[i].idle;
}

static uint32_t
unknown(struct chrome *d)
{
	return chrome_function(d, builder_name(d->b, "[unknown]", 9), NAME_EMPTY, 0,
			       CHROME_KIND_BY_NAME);
}

stack_id
chrome_tree_stack(struct chrome *d, struct chrome_tree *t, int64_t id)
{
	VEC(uint32_t) path = VEC_INIT;
	uint32_t i = idmap_get(&t->of, (uint64_t)id), depth = 0;
	stack_id stack = STACK_EMPTY;

	if (i == IDMAP_NONE) {
		builder_warn(d->b, "samples of missing nodes");
		return builder_child(d->b, STACK_EMPTY, chrome_frame(d, unknown(d)));
	}
	while (i != IDMAP_NONE && !t->node.at[i].state) {
		/* A node that is reached again would be its own ancestor */
		t->node.at[i].state = 1;
		*vec_push(&path) = i;
		i = t->node.at[i].parent == CHROME_NO_PARENT
			    ? IDMAP_NONE
			    : idmap_get(&t->of, (uint64_t)t->node.at[i].parent);
	}
	if (i != IDMAP_NONE && t->node.at[i].state == 2) {
		stack = t->node.at[i].stack;
		depth = t->node.at[i].depth;
	}
	while (path.n) {
		struct chrome_node *n = &t->node.at[path.at[--path.n]];
		if (n->function == CHROME_UNSAID)
			n->function = unknown(d);
		if (n->function != CHROME_NONE)
			stack = ++depth > STACK_DEPTH_MAX
					? builder_too_deep(d->b)
					: builder_child(d->b, stack, chrome_frame(d, n->function));
		n->stack = stack;
		n->depth = depth;
		n->state = 2;
	}
	vec_release(&path);
	return stack;
}

/* ---- V8's profiles, as they are read ---- */

struct chrome_raw_node {
	size_t at; /* in raw */
	int64_t id, parent;
	name_id name, url;
	int64_t line, column; /* from 0; -1: not said */
	bool has_frame;
};

static uint32_t
raw_function(struct chrome *d, const struct chrome_raw_node *x)
{
	struct name name = builder_name_get(d->b, x->name);
	struct name url = builder_name_get(d->b, x->url);
	uint32_t line = x->line >= 0 && x->line < INT32_MAX ? (uint32_t)x->line + 1 : 0;
	uint32_t column = x->column >= 0 && x->column < INT32_MAX ? (uint32_t)x->column + 1 : 0;

	if (name_is(name, "(root)"))
		return CHROME_NONE;
	return chrome_function(d, name.len ? x->name : js_anonymous(d->b, x->url, line, column),
			       x->url, line, js_kind(name, url));
}

static void *
chrome_tree_node_begin(struct rows_json *r, void *profile UNUSED, void *own)
{
	struct chrome *d = r->context;
	struct chrome_raw_node *x = own;

	x->at = d->cpu.raw.n;
	x->parent = CHROME_NO_PARENT;
	x->line = x->column = -1;
	*vec_push(&d->cpu.raw) = (struct chrome_node){.function = CHROME_UNSAID};
	return x;
}

/* Adds a child, which may precede the id of its parent. */
static bool
child_take(struct rows_json *r, void *node UNUSED, const struct json_value *v)
{
	struct chrome *d = r->context;

	*vec_push(&d->cpu.raw) = (struct chrome_node){.id = chrome_id(d, &v->t),
						  .function = CHROME_UNSAID};
	return true;
}

static bool
chrome_node_take(struct rows_json *r, void *profile UNUSED, void *element)
{
	struct chrome *d = r->context;
	const struct chrome_raw_node *x = element;
	struct name name = builder_name_get(d->b, x->name);

	d->cpu.raw.at[x->at] = (struct chrome_node){
		.id = x->id,
		.parent = x->parent,
		.function = x->has_frame ? raw_function(d, x) : CHROME_UNSAID,
		.idle = name_is(name, "(idle)")};
	for (size_t i = x->at + 1; i < d->cpu.raw.n; i++)
		d->cpu.raw.at[i].parent = x->id;
	return true;
}

static bool
deltas_take(struct rows_json *r UNUSED, void *chrome, const int64_t *ns, size_t n)
{
	struct chrome *d = chrome;

	for (size_t i = 0; i < n; i++) {
		bool is_time = ns[i] < CHROME_TIME_MAX && ns[i] > -CHROME_TIME_MAX;
		if (!is_time)
			builder_warn(d->b, "time deltas that are not times, counted as 0");
		*vec_push(&d->cpu.deltas) = is_time ? ns[i] : 0;
	}
	return true;
}

static const struct json_row call_frame_rows[] = {
	{"functionName", ROW_NAME(struct chrome_raw_node, name)},
	{"url", ROW_NAME(struct chrome_raw_node, url)},
	{"lineNumber", ROW_NUMBER(struct chrome_raw_node, line)},
	{"columnNumber", ROW_NUMBER(struct chrome_raw_node, column)},
	{0},
};
static const struct json_row node_rows[] = {
	{"id", ROW_VALUE_IN(struct chrome_raw_node, id, chrome_id_take)},
	{"callFrame", ROW_HERE(call_frame_rows), ROW_HAS(struct chrome_raw_node, has_frame)},
	{"parent", ROW_VALUE_IN(struct chrome_raw_node, parent, chrome_id_take)},
	{"children", ROW_EACH(child_take)},
	{0},
};
static const struct json_list nodes = {.rows = node_rows,
				       .size = sizeof(struct chrome_raw_node),
				       .begin = chrome_tree_node_begin,
				       .end = chrome_node_take};

#define TIME_ROW(m) ROW_NUMBER(struct chrome, e.chunk.m), .scale = 3, .loose = true

static const struct json_row profile_rows[] = {
	{"nodes", ROW_LIST(&nodes)},
	{"samples", ROW_NUMBERS(struct chrome, cpu.ids)},
	{"timeDeltas", ROW_COLUMN(deltas_take), .scale = 3},
	{"startTime", TIME_ROW(start)},
	{"endTime", TIME_ROW(end)},
	{0},
};

static bool
other_read(struct rows_json *r, void *chrome, const struct json_token *t)
{
	((struct chrome *)chrome)->e.args.n_deeper++;
	return json_skip(&r->j, t);
}

const struct json_row chrome_data_rows[] = {
	{"cpuProfile", ROW_HERE(profile_rows), ROW_HAS(struct chrome, e.has_profile)},
	{"timeDeltas", ROW_COLUMN(deltas_take), .scale = 3},
	{"startTime", TIME_ROW(start), ROW_HAS(struct chrome, e.has_profile)},
	{"endTime", TIME_ROW(end), ROW_HAS(struct chrome, e.has_profile)},
	{"url", ROW_NAME(struct chrome, e.args.data.file),
	 ROW_HAS(struct chrome, e.args.data.has_file)},
	{"lineNumber", ROW_NUMBER(struct chrome, e.args.data.line),
	 ROW_HAS(struct chrome, e.args.data.has_line)},
	{"functionName", ROW_NAME(struct chrome, e.args.data.name),
	 ROW_HAS(struct chrome, e.args.data.has_name)},
	{"pnav_metric", ROW_NAME(struct chrome, e.chunk.own.metric)},
	{"pnav_unit", ROW_VALUE_IN(struct chrome, e.chunk.own.unit, chrome_unit_take)},
	{"pnav_decimals", ROW_TRUTH(struct chrome, e.chunk.own.decimals)},
	{"pnav_shown", ROW_TRUTH(struct chrome, e.chunk.own.shown)},
	{"pnav_weights", ROW_NUMBERS(struct chrome, cpu.weights), .loose = true},
	{"pnav_ns", ROW_NUMBERS(struct chrome, cpu.rests)},
	{"*", ROW_INSIDE(other_read)},
	{0},
};

bool
chrome_sample_write(struct chrome *d, struct series *s, int64_t time, int64_t lasts,
		    stack_id stack, struct err *err)
{
	int64_t value[2] = {stack != STACK_EMPTY, stack != STACK_EMPTY ? lasts : 0};

	return builder_sample(d->b, s, time, stack, value, 0, err);
}
