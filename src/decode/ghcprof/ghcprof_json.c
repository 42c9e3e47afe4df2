#include "src/decode/ghcprof/ghcprof.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/buf.h"
#include "model/base/vec.h"
#include "src/decode/common/idmap.h"
#include "src/decode/common/javascript.h"
#include "src/decode/common/json_say.h"
#include "src/input/json.h"

/* `-pj`: cost centres with their numbers, and a tree of nodes that name them.  A node's members
 * come before its children, so each node is known when the next begins; ticks become time when
 * the document was read, since keys come in any order. */

struct json_node {
	int64_t id, entries, alloc, ticks;
	uint32_t parent; /* UINT32_MAX: none */
	uint64_t offset;
};

struct ghc_json {
	struct ghc_out *o;
	struct json j;
	struct idmap centre_of; /* id -> frame */
	VEC(struct json_node) node;
	VEC(uint32_t) open;
	int64_t interval_us;
};

static bool
read_centre(struct ghc_json *g)
{
	static const char *const keys[] = {"label", "module", "src_loc"};
	struct buf text[3] = {BUF_INIT, BUF_INIT, BUF_INIT};
	struct json_token t;
	int64_t id = -1;

	while (json_next(&g->j, &t) && t.kind != JSON_OBJECT_END) {
		unsigned key = json_key(&t, keys, 3);
		bool is_id = json_is(&t, "id");
		if (!json_next(&g->j, &t))
			break;
		if (key < 3 && t.kind == JSON_STRING)
			json_text(&g->j, &t, &text[key]);
		if (is_id)
			id = json_integer(&t);
		if (!json_skip(&g->j, &t))
			break;
	}
	if (!g->j.failed && id >= 0)
		idmap_put(&g->centre_of, (uint64_t)id,
			  ghc_frame(g->o, buf_str(&text[0]), text[0].len, buf_str(&text[1]),
				    text[1].len, buf_str(&text[2]), text[2].len));
	for (unsigned i = 0; i < 3; i++)
		buf_release(&text[i]);
	return !g->j.failed;
}

static void
open_node(struct ghc_json *g, uint64_t offset)
{
	uint32_t parent = g->open.n ? g->open.at[g->open.n - 1] : UINT32_MAX;

	*vec_push(&g->open) = (uint32_t)g->node.n;
	*vec_push(&g->node) = (struct json_node){.id = -1, .parent = parent, .offset = offset};
}

/* A node, behind its brace, with those nested in it. */
static bool
read_nodes(struct ghc_json *g, uint64_t offset)
{
	struct json_token t;

	open_node(g, offset);
	while (g->open.n && json_next(&g->j, &t)) {
		if (t.kind == JSON_OBJECT) {
			open_node(g, t.offset);
			continue;
		}
		if (t.kind == JSON_OBJECT_END)
			g->open.n--;
		if (t.kind != JSON_KEY)
			continue;
		bool id = json_is(&t, "id"), entries = json_is(&t, "entries");
		bool alloc = json_is(&t, "alloc"), ticks = json_is(&t, "ticks");
		bool children = json_is(&t, "children");
		if (!json_next(&g->j, &t))
			break;
		struct json_node *n = &g->node.at[g->open.at[g->open.n - 1]];
		n->id = id ? json_integer(&t) : n->id;
		n->entries = entries ? json_integer(&t) : n->entries;
		n->alloc = alloc ? json_integer(&t) : n->alloc;
		n->ticks = ticks ? json_integer(&t) : n->ticks;
		if (!(children && t.kind == JSON_ARRAY) && !json_skip(&g->j, &t))
			break;
	}
	return !g->j.failed;
}

static void
tell(struct ghc_json *g, const char *key, const struct json_token *t)
{
	struct buf text = BUF_INIT;

	if (t->kind == JSON_STRING)
		json_text(&g->j, t, &text);
	else if (t->kind == JSON_NUMBER)
		buf_add(&text, t->at, t->len);
	if (text.len)
		builder_info_bytes(g->o->b, key, buf_str(&text), text.len);
	buf_release(&text);
}

static bool
read_document(struct ghc_json *g)
{
	static const char *const told[] = {"program", "end_time", "total_ticks", "total_alloc",
					   "tick_interval"};
	struct json_token t;

	if (!json_next(&g->j, &t) || t.kind != JSON_OBJECT)
		return !g->j.failed && err_refuse(g->o->e, "no profile of GHC: it is no object");
	while (json_next(&g->j, &t) && t.kind != JSON_OBJECT_END) {
		unsigned key = json_key(&t, told, 5);
		bool centres = json_is(&t, "cost_centres"), profile = json_is(&t, "profile");
		if (!json_next(&g->j, &t))
			break;
		if (key == 4)
			g->interval_us = json_integer(&t);
		if (key < 5)
			tell(g, told[key], &t);
		if (centres && t.kind == JSON_ARRAY) {
			while (json_next(&g->j, &t) && t.kind != JSON_ARRAY_END)
				if (t.kind == JSON_OBJECT ? !read_centre(g) : !json_skip(&g->j, &t))
					break;
		} else if (profile && t.kind == JSON_OBJECT) {
			if (!read_nodes(g, t.offset))
				break;
		} else if (!json_skip(&g->j, &t)) {
			break;
		}
	}
	return !g->j.failed;
}

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
			good = err_damage(g->o->e, n->offset, "the sum of the values passes 2^63");
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
	struct err none, *e = o->e;

	ghc_begin(o);
	json_init(&g.j, in);
	bool good = read_document(&g);
	if (g.j.failed)
		json_damage(&g.j, g.j.where, e);
	json_say(&g.j, o->b);
	err_init(&none);
	o->e = good ? e : &none; /* what stands before damage is shown */
	good = write_nodes(&g) && good;
	idmap_release(&g.centre_of);
	vec_release(&g.node);
	vec_release(&g.open);
	return good;
}
