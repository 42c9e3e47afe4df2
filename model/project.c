#include "model/project.h"

#include <stdlib.h>
#include <string.h>

#include "model/map.h"
#include "model/mem.h"
#include "model/sieve.h"
#include "model/vec.h"

/* What the entries leave of the stacks (sieve.h) becomes one tree: stack s is the child of
 * the node of at[up[s]], merged by key.
 *
 * Merging needs a look into a table, which costs a cache miss a stack.  Most nodes have
 * no other to merge with: where no frame of a path is hidden, and each is the only one of
 * its key, equal paths are equal stacks.  Such nodes are made without looking.
 *
 * A call belongs to the frame that was entered: it is counted where that very frame is
 * still shown, so call_of[s] is the node only when alive[s].
 *
 * An inverted tree is the same for reversed paths.  It can be as large as the sum of all
 * depths, so it keeps as many levels as PROJECT_NODES_MAX surely allows. */

/* ---- keys ---- */

/* For BY_LINE: frames of one file, line and function name are one key, the first. */
static key_id *
line_keys(const struct profile *p)
{
	key_id *key = mem_alloc((size_t)p->frames.n + 1, sizeof *key);
	struct map map;

	map_init(&map);
	for (frame_id f = 0; f < p->frames.n; f++) {
		const struct frame *frame = &p->frames.frame[f];
		const struct function *fn = &p->frames.function[frame->function];
		uint64_t hash = ((uint64_t)fn->name << 32 | fn->file) *
				UINT64_C(0x9E3779B97F4A7C15);
		hash = (hash ^ hash >> 29 ^ frame->line.number ^
			(uint64_t)frame->line.clause << 40 ^ (uint64_t)frame->line.form << 50) *
		       UINT64_C(0xD6E8FEB86659FD93);
		uint32_t slot = map_first(&map, hash), i;
		key[f] = f;
		while (map_probe(&map, &slot, hash, &i)) {
			const struct frame *other = &p->frames.frame[i];
			const struct function *other_fn = &p->frames.function[other->function];
			if (other_fn->name == fn->name && other_fn->file == fn->file &&
			    other->line.number == frame->line.number &&
			    other->line.clause == frame->line.clause &&
			    other->line.form == frame->line.form) {
				key[f] = i;
				break;
			}
		}
		if (key[f] == f)
			map_insert(&map, hash, f);
	}
	map_release(&map);
	return key;
}

/* [frame] -> key, and how many keys there can be. */
static key_id *
frame_keys(const struct profile *p, enum granularity by, uint32_t *n_keys)
{
	const struct granularity_row *row = &granularity_rows[by];
	key_id *key;

	if (!row->key_of) {
		*n_keys = p->frames.n;
		return line_keys(p);
	}
	key = mem_alloc((size_t)p->frames.n + 1, sizeof *key);
	*n_keys = row->keys_are_names ? p->names.n : p->frames.n_functions;
	for (frame_id f = 0; f < p->frames.n; f++) {
		function_id fn = p->frames.frame[f].function;
		key[f] = row->key_of(&p->frames.function[fn], fn);
	}
	return key;
}

/* ---- the tree ---- */

struct grower {
	struct projection *t;
	struct map map;
	uint32_t cap;
};

static node_id
grow_node(struct grower *g, node_id parent, key_id key)
{
	struct projection *t = g->t;

	if (t->n == g->cap) {
		vec_room(t->parent, g->cap, t->n + 1);
		t->key = mem_realloc(t->key, g->cap, sizeof *t->key);
	}
	t->parent[t->n] = parent;
	t->key[t->n] = key;
	return t->n++;
}

static node_id
grow_child(struct grower *g, node_id parent, key_id key)
{
	struct projection *t = g->t;
	uint64_t hash = ((uint64_t)parent << 32 | key) * UINT64_C(0x9E3779B97F4A7C15);
	uint32_t slot, i;

	hash = (hash ^ hash >> 32) * UINT64_C(0xD6E8FEB86659FD93);
	slot = map_first(&g->map, hash);
	while (map_probe(&g->map, &slot, hash, &i))
		if (t->parent[i] == parent && t->key[i] == key)
			return i;
	map_insert(&g->map, hash, t->n);
	return grow_node(g, parent, key);
}

/* need[s]: some stack at or below s is counted. */
static void
mark_needed(const struct sieve *v, uint8_t *need)
{
	for (stack_id s = 0; s < v->n; s++)
		need[s] = !v->drop[s] && v->at[s];
	for (stack_id s = v->n; s-- > 1;)
		need[v->up[s]] |= need[s];
}

/* [frame] 1: some other frame has the same key. */
static uint8_t *
shared_keys(const struct profile *p, const key_id *key_of_frame, uint32_t n_keys)
{
	uint8_t *uses = mem_zalloc((size_t)n_keys + 1, 1);
	uint8_t *shared = mem_alloc((size_t)p->frames.n + 1, 1);

	for (frame_id f = 0; f < p->frames.n; f++)
		uses[key_of_frame[f]] += uses[key_of_frame[f]] < 2;
	for (frame_id f = 0; f < p->frames.n; f++)
		shared[f] = uses[key_of_frame[f]] > 1;
	free(uses);
	return shared;
}

/* merges[q]: two of the stacks that will hang below q may become one node, because one of
 * them had hidden frames in between or a frame that is not the only one of its key.  Gives
 * how many nodes there can be that have to be looked up: those below a merging stack. */
static uint32_t
mark_merging(const struct sieve *v, const uint8_t *shared, uint8_t *merges)
{
	uint32_t lookups = 0;

	for (stack_id s = 1; s < v->n; s++)
		if (v->hit[s] && v->alive[s]) {
			stack_id q = v->at[v->up[s]];
			merges[q] |= q != v->up[s] || shared[v->frame[s]];
		}
	for (stack_id s = 1; s < v->n; s++) {
		merges[s] |= merges[v->at[v->up[s]]];
		lookups += v->hit[s] && v->alive[s] && merges[v->at[v->up[s]]];
	}
	return lookups;
}

static void
grow_upright(struct grower *g, const struct sieve *v, const key_id *key_of_frame)
{
	struct projection *t = g->t;
	uint8_t *shared = shared_keys(v->p, key_of_frame, t->n_keys);
	uint8_t *merges = mem_zalloc(v->n, 1);

	mark_needed(v, v->hit);
	map_reserve(&g->map, mark_merging(v, shared, merges));
	/* node_of[s] holds for shown stacks first, dropped or not: children hang there */
	t->node_of[0] = NODE_ROOT;
	for (stack_id s = 1; s < v->n; s++) {
		stack_id q = v->at[v->up[s]];
		if (!v->hit[s])
			t->node_of[s] = NODE_ROOT;
		else if (v->alive[s])
			t->node_of[s] = (merges[q] ? grow_child : grow_node)(
				g, t->node_of[q], key_of_frame[v->frame[s]]);
		else
			t->node_of[s] = t->node_of[v->at[s]];
	}
	for (stack_id s = 0; s < v->n; s++) {
		if (v->drop[s] || !v->at[s])
			t->node_of[s] = NODE_NONE;
		t->call_of[s] = v->alive[s] ? t->node_of[s] : NODE_NONE;
	}
	free(shared);
	free(merges);
}

/* How many levels of reversed paths surely fit: 0 for all. */
static uint32_t
inverted_depth(const struct sieve *v, const uint8_t *recorded)
{
	uint32_t *depth = mem_alloc(v->n, sizeof *depth);
	uint64_t *count, sum = 0, longer = 0;
	uint32_t deepest = 0, cut = 0;

	depth[0] = 0;
	for (stack_id s = 1; s < v->n; s++) {
		depth[s] = v->alive[s] ? depth[v->at[v->up[s]]] + 1 : depth[v->at[s]];
		deepest = depth[s] > deepest ? depth[s] : deepest;
	}
	count = mem_zalloc((size_t)deepest + 2, sizeof *count);
	for (stack_id s = 1; s < v->n; s++)
		if (recorded[s] && !v->drop[s] && v->at[s]) {
			count[depth[s]]++;
			longer++;
		}
	for (uint32_t d = 1; d <= deepest; d++) {
		sum += longer; /* every path of at least d frames has one at level d */
		if (sum > PROJECT_NODES_MAX) {
			cut = d > 1 ? d - 1 : 1;
			break;
		}
		longer -= count[d];
	}
	free(depth);
	free(count);
	return cut;
}

static void
grow_inverted(struct grower *g, const struct sieve *v, const key_id *key_of_frame,
	      const uint8_t *recorded)
{
	struct projection *t = g->t;

	t->depth_cut = inverted_depth(v, recorded);
	for (stack_id s = 0; s < v->n; s++) {
		t->node_of[s] = t->call_of[s] = NODE_NONE;
		if (v->drop[s] || !v->at[s] || !recorded[s])
			continue;
		node_id node = NODE_ROOT;
		uint32_t level = 0;
		for (stack_id a = v->at[s]; a; a = v->at[v->up[a]]) {
			if (t->depth_cut && level++ == t->depth_cut)
				break;
			node = grow_child(g, node, key_of_frame[v->frame[a]]);
		}
		t->node_of[s] = node;
		if (v->alive[s])
			t->call_of[s] = node;
	}
}

/* Children in order of appearance; outermost by one walk with a count for each key. */
static void
link_tree(struct projection *t)
{
	uint32_t *open = mem_zalloc((size_t)t->n_keys + 1, sizeof *open);

	t->first_child = mem_alloc(t->n, sizeof *t->first_child);
	t->next_sibling = mem_alloc(t->n, sizeof *t->next_sibling);
	t->outermost = mem_alloc(t->n, 1);
	for (node_id i = 0; i < t->n; i++)
		t->first_child[i] = NODE_NONE;
	for (node_id i = t->n; i-- > 1;) {
		t->next_sibling[i] = t->first_child[t->parent[i]];
		t->first_child[t->parent[i]] = i;
	}
	t->next_sibling[0] = NODE_NONE;
	t->outermost[0] = 1;
	for (struct walk w = walk_begin(); walk_on(t, &w);)
		if (w.enters)
			t->outermost[w.node] = open[t->key[w.node]]++ == 0;
		else
			open[t->key[w.node]]--;
	free(open);
}

struct projection *
projection_new(const struct profile *p, const struct lens *l, const uint8_t *recorded)
{
	struct projection *t = mem_zalloc(1, sizeof *t);
	struct grower g = {.t = t};
	struct sieve v;
	key_id *key_of_frame;

	sieve_init(&v, p);
	t->n_entries = l->entries.n;
	t->unmatched = mem_zalloc(t->n_entries, 1);
	for (size_t i = 0; i < l->entries.n; i++) {
		const struct entry *e = &l->entries.at[i];
		const struct verb_row *verb = &verb_rows[e->verb];
		if (e->off || !verb->apply)
			continue;
		t->unmatched[i] = !sieve_match(&v, e->pattern);
		verb->apply(&v);
	}
	t->by = l->by;
	t->inverted = l->invert;
	t->n_stacks = v.n;
	t->node_of = mem_alloc(v.n, sizeof *t->node_of);
	t->call_of = mem_alloc(v.n, sizeof *t->call_of);
	key_of_frame = frame_keys(p, l->by, &t->n_keys);
	map_init(&g.map);
	grow_node(&g, NODE_NONE, KEY_NONE);
	if (l->invert)
		grow_inverted(&g, &v, key_of_frame, recorded);
	else
		grow_upright(&g, &v, key_of_frame);
	map_release(&g.map);
	free(key_of_frame);
	sieve_release(&v);
	link_tree(t);
	return t;
}

void
projection_free(struct projection *t)
{
	if (!t)
		return;
	free(t->parent);
	free(t->key);
	free(t->first_child);
	free(t->next_sibling);
	free(t->outermost);
	free(t->node_of);
	free(t->call_of);
	free(t->unmatched);
	free(t);
}

name_id
projection_key_name(const struct projection *t, const struct profile *p, key_id key)
{
	function_id f = projection_key_function(t, p, key);

	return f == UINT32_MAX ? key : p->frames.function[f].name;
}

function_id
projection_key_function(const struct projection *t, const struct profile *p, key_id key)
{
	if (granularity_rows[t->by].keys_are_names)
		return UINT32_MAX;
	return t->by == BY_LINE ? p->frames.frame[key].function : key;
}

struct line
projection_key_line(const struct projection *t, const struct profile *p, key_id key)
{
	if (t->by != BY_LINE)
		return line_unknown();
	return p->frames.frame[key].line;
}
