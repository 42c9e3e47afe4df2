/* The nodes of CPU profiles of V8, and the stacks of these. */
#include "src/decode/chrome/chrome_inside.h"

#include <string.h>

#include "src/decode/common/javascript.h"
#include "src/input/decimal.h"

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
		builder_warn(d->b, "samples of nodes that are not there");
		return builder_child(d->b, STACK_EMPTY, chrome_frame(d, unknown(d)));
	}
	while (i != IDMAP_NONE && !t->node.at[i].state) {
		t->node.at[i].state = 1; /* met again it would be its own parent */
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

struct call_frame {
	name_id name, url;
	int64_t line, column; /* from 0; -1: not said */
};

static uint32_t
call_frame_function(struct chrome *d, const struct call_frame *c)
{
	struct name name = builder_name_get(d->b, c->name);
	struct name url = builder_name_get(d->b, c->url);
	uint32_t line = c->line >= 0 && c->line < INT32_MAX ? (uint32_t)c->line + 1 : 0;
	uint32_t column = c->column >= 0 && c->column < INT32_MAX ? (uint32_t)c->column + 1 : 0;

	if (name.len == 6 && !memcmp(name.at, "(root)", 6))
		return CHROME_NONE;
	return chrome_function(d, name.len ? c->name : js_anonymous(d->b, c->url, line, column),
			       c->url, line, js_kind(name, url));
}

static bool
call_frame_read(struct chrome *d, struct chrome_node *node)
{
	struct call_frame c = {.line = -1, .column = -1};

	while (json_next(&d->r.j, &d->t) && d->t.kind == JSON_KEY) {
		struct json_token key = d->t;
		bool name = json_is(&key, "functionName"), url = json_is(&key, "url");
		bool line = json_is(&key, "lineNumber"), column = json_is(&key, "columnNumber");
		if (!json_next(&d->r.j, &d->t))
			return false;
		if ((name || url) && d->t.kind == JSON_STRING)
			*(name ? &c.name : &c.url) = chrome_name(d, &d->t);
		else if ((line || column) && d->t.kind == JSON_NUMBER)
			decimal_scaled(d->t.at, d->t.len, 0, line ? &c.line : &c.column);
		if (!json_skip(&d->r.j, &d->t))
			return false;
	}
	struct name name = builder_name_get(d->b, c.name);
	node->idle = name.len == 6 && !memcmp(name.at, "(idle)", 6);
	node->function = call_frame_function(d, &c);
	return !d->r.j.failed;
}

/* The children of the node at `at`, which may be told before its id is. */
static bool
children_read(struct chrome *d, size_t at)
{
	while (json_next(&d->r.j, &d->t) && d->t.kind != JSON_ARRAY_END) {
		*vec_push(&d->cpu.raw) = (struct chrome_node){.id = chrome_id(d, &d->t),
							  .parent = (int64_t)at,
							  .function = CHROME_UNSAID};
		if (!json_skip(&d->r.j, &d->t))
			return false;
	}
	return !d->r.j.failed;
}

static bool
node_read(struct chrome *d)
{
	size_t at = d->cpu.raw.n;
	struct chrome_node x = {.parent = CHROME_NO_PARENT, .function = CHROME_UNSAID};

	*vec_push(&d->cpu.raw) = x;
	while (json_next(&d->r.j, &d->t) && d->t.kind == JSON_KEY) {
		struct json_token key = d->t;
		bool id = json_is(&key, "id"), parent = json_is(&key, "parent");
		bool frame = json_is(&key, "callFrame"), children = json_is(&key, "children");
		if (!json_next(&d->r.j, &d->t))
			return false;
		if (id || parent)
			*(id ? &x.id : &x.parent) = chrome_id(d, &d->t);
		if (frame && d->t.kind == JSON_OBJECT) {
			if (!call_frame_read(d, &x))
				return false;
		} else if (children && d->t.kind == JSON_ARRAY) {
			if (!children_read(d, at))
				return false;
		} else if (!json_skip(&d->r.j, &d->t)) {
			return false;
		}
	}
	d->cpu.raw.at[at] = x;
	for (size_t i = at + 1; i < d->cpu.raw.n; i++)
		d->cpu.raw.at[i].parent = x.id;
	return !d->r.j.failed;
}

static bool
nodes_read(struct chrome *d)
{
	while (json_next(&d->r.j, &d->t) && d->t.kind != JSON_ARRAY_END)
		if (d->t.kind == JSON_OBJECT ? !node_read(d) : !json_skip(&d->r.j, &d->t))
			return false;
	return !d->r.j.failed;
}

#define NS_MAX 1000000000

/* A number into the list that it belongs to. */
static void
number_put(struct chrome *d, enum chrome_numbers which)
{
	int64_t number = 0;

	switch (which) {
	case NUMBERS_IDS:
		*vec_push(&d->cpu.ids) = chrome_id(d, &d->t);
		return;
	case NUMBERS_DELTAS:
		if (!chrome_time(&d->t, 3, &number))
			builder_warn(d->b, "time deltas that are no times, taken for 0");
		*vec_push(&d->cpu.deltas) = number;
		return;
	case NUMBERS_WEIGHTS:
		if (d->t.kind != JSON_NUMBER || !decimal_scaled(d->t.at, d->t.len, 0, &number))
			number = CHROME_NO_WEIGHT;
		*vec_push(&d->cpu.weights) = number;
		return;
	case NUMBERS_RESTS:
		decimal_scaled(d->t.at, d->t.len, 0, &number);
		*vec_push(&d->cpu.rests) = number > -NS_MAX && number < NS_MAX ? number : 0;
		return;
	}
}

bool
chrome_numbers_read(struct chrome *d, enum chrome_numbers which)
{
	while (json_next(&d->r.j, &d->t) && d->t.kind != JSON_ARRAY_END) {
		number_put(d, which);
		if (!json_skip(&d->r.j, &d->t))
			return false;
	}
	return !d->r.j.failed;
}

bool
chrome_profile_read(struct chrome *d)
{
	struct chrome_chunk *c = &d->e.chunk;

	d->e.has_profile = true;
	while (json_next(&d->r.j, &d->t) && d->t.kind == JSON_KEY) {
		struct json_token key = d->t;
		bool nodes = json_is(&key, "nodes"), samples = json_is(&key, "samples");
		bool deltas = json_is(&key, "timeDeltas"), start = json_is(&key, "startTime");
		bool end = json_is(&key, "endTime"), good;
		if (!json_next(&d->r.j, &d->t))
			return false;
		if (nodes && d->t.kind == JSON_ARRAY)
			good = nodes_read(d);
		else if ((samples || deltas) && d->t.kind == JSON_ARRAY)
			good = chrome_numbers_read(d, deltas ? NUMBERS_DELTAS : NUMBERS_IDS);
		else {
			if (start || end)
				chrome_time(&d->t, 3, start ? &c->start : &c->end);
			good = json_skip(&d->r.j, &d->t);
		}
		if (!good)
			return false;
	}
	return !d->r.j.failed;
}

bool
chrome_sample_write(struct chrome *d, struct series *s, int64_t time, int64_t lasts,
		    stack_id stack, struct err *err)
{
	int64_t value[2] = {stack != STACK_EMPTY, stack != STACK_EMPTY ? lasts : 0};

	return builder_sample(d->b, s, time, stack, value, 0, err);
}
