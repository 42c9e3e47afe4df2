#include "model/project.h"

#include <stdlib.h>
#include <string.h>

#include "model/map.h"
#include "model/mem.h"
#include "model/vec.h"

/* Filters never build trees of their own.  Over the one tree of all stacks three columns
 * say what is left of it, and each entry rewrites them in one pass from the roots up:
 *
 *	alive[s]  the leaf frame of stack s is still shown
 *	at[s]     the nearest stack at or above s whose leaf frame is shown; 0: none
 *	drop[s]   what was recorded on s is not counted
 *
 * `hide` clears alive, `include` sets drop, `collapse` clears alive of a matching frame
 * under a matching frame, `root` clears what is above, `collapse-recursion` hangs a frame
 * that is on the stack already below its first one (up[s]).  Since `at` always speaks of the
 * result of the entries before, order comes out right by itself.  Only then is one tree
 * made: stack s becomes the child of the node of at[up[s]], merged by key.
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

struct sieve {
	const struct profile *p;
	uint32_t n;
	stack_id *up; /* the stack above; of recursion that was collapsed, the one joined */
	const frame_id *frame;
	uint8_t *alive, *drop, *hit; /* hit: scratch of an entry */
	stack_id *at;
	uint8_t *matches; /* [function] of the present entry */
};

static bool
frame_matches(const struct sieve *v, stack_id s)
{
	return v->matches[v->p->frames.frame[v->frame[s]].function];
}

/* Recomputes `at` from `alive`. */
static void
sieve_settle(struct sieve *v)
{
	for (stack_id s = 1; s < v->n; s++)
		v->at[s] = v->alive[s] ? s : v->at[v->up[s]];
}

/* hit[s]: some shown frame of s matches. */
static void
sieve_paths(struct sieve *v)
{
	v->hit[0] = 0;
	for (stack_id s = 1; s < v->n; s++)
		v->hit[s] = v->hit[v->up[s]] || (v->alive[s] && frame_matches(v, s));
}

static void
sieve_keep_paths(struct sieve *v, bool matching)
{
	sieve_paths(v);
	for (stack_id s = 1; s < v->n; s++)
		v->drop[s] |= (v->hit[s] != 0) != matching;
}

static void
sieve_keep_leaves(struct sieve *v, bool matching)
{
	for (stack_id s = 1; s < v->n; s++)
		v->drop[s] |= !v->at[s] || frame_matches(v, v->at[s]) != matching;
}

static void
sieve_show(struct sieve *v, bool matching)
{
	for (stack_id s = 1; s < v->n; s++)
		v->alive[s] &= frame_matches(v, s) == matching;
	sieve_settle(v);
}

static void
sieve_collapse(struct sieve *v)
{
	/* hit[s]: alive before, and matching.  A frame joins the nearest shown frame above
	 * it when that was alive and matching as well; `at` is still that of before. */
	for (stack_id s = 1; s < v->n; s++)
		v->hit[s] = v->alive[s] && frame_matches(v, s);
	v->hit[0] = 0;
	for (stack_id s = 1; s < v->n; s++)
		if (v->hit[s] && v->hit[v->at[v->up[s]]])
			v->alive[s] = 0;
	sieve_settle(v);
}

/* The state of a walk from the roots to the leaves: the frames that are shown on the way to
 * where it is, shortened wherever recursion was joined.  What is overwritten is put back
 * on the way up, so a step costs the same however deep it is. */
struct erasure {
	stack_id *path;     /* [depth] from 1; behind `depth` lies what is not valid now */
	uint32_t depth;
	uint32_t *depth_of; /* [stack] where it stood in path */
	stack_id *open;     /* [function] the stack that was last entered with it; 0: none */
	stack_id *was_open; /* [stack] what open said before; joined: its own up */
	uint32_t *was;      /* [stack] what path held before; joined: the depth before */
};

static void
erasure_enter(struct sieve *v, struct erasure *x, stack_id s)
{
	function_id f = v->p->frames.frame[v->frame[s]].function;
	stack_id first = x->open[f];

	if (v->matches[f] && first && x->depth_of[first] <= x->depth &&
	    x->path[x->depth_of[first]] == first) {
		x->was_open[s] = v->up[s];
		x->was[s] = x->depth;
		x->depth = x->depth_of[first];
		v->up[s] = first;
		v->alive[s] = 0;
		return;
	}
	x->depth_of[s] = ++x->depth;
	x->was[s] = x->path[x->depth];
	x->path[x->depth] = s;
	x->was_open[s] = first;
	x->open[f] = s;
}

/* Gives the stack that the walk came from. */
static stack_id
erasure_leave(const struct sieve *v, struct erasure *x, stack_id s, bool entered)
{
	if (!entered)
		return v->up[s];
	if (!v->alive[s]) {
		x->depth = x->was[s];
		return x->was_open[s];
	}
	x->path[x->depth--] = x->was[s];
	x->open[v->p->frames.frame[v->frame[s]].function] = x->was_open[s];
	return v->up[s];
}

/* A frame whose function is on the stack already joins it there: what lies between is not
 * above what it calls.  So a path has each matching function once. */
static void
sieve_collapse_recursion(struct sieve *v)
{
	stack_id *first = mem_zalloc(v->n, sizeof *first);
	stack_id *next = mem_zalloc(v->n, sizeof *next);
	struct erasure x = {
		.path = mem_zalloc((size_t)v->n + 1, sizeof *x.path),
		.depth_of = mem_zalloc(v->n, sizeof *x.depth_of),
		.open = mem_zalloc((size_t)v->p->frames.n_functions + 1, sizeof *x.open),
		.was_open = mem_zalloc(v->n, sizeof *x.was_open),
		.was = mem_zalloc(v->n, sizeof *x.was),
	};

	for (stack_id s = v->n; s-- > 1;) {
		next[s] = first[v->up[s]];
		first[v->up[s]] = s;
		v->hit[s] = v->alive[s]; /* entered */
	}
	for (stack_id s = first[0]; s;) {
		if (v->hit[s])
			erasure_enter(v, &x, s);
		if (first[s]) {
			s = first[s];
			continue;
		}
		while (s) {
			stack_id up = erasure_leave(v, &x, s, v->hit[s]);
			if (next[s]) {
				s = next[s];
				break;
			}
			s = up;
		}
	}
	free(first);
	free(next);
	free(x.path);
	free(x.depth_of);
	free(x.open);
	free(x.was_open);
	free(x.was);
	sieve_settle(v);
}

static void
sieve_root(struct sieve *v)
{
	sieve_paths(v);
	for (stack_id s = 1; s < v->n; s++) {
		v->alive[s] &= v->hit[s];
		v->drop[s] |= !v->hit[s];
	}
	sieve_settle(v);
}

/* Applies one entry; true when some function that is shown matches. */
static bool
sieve_apply(struct sieve *v, const struct entry *e)
{
	bool any = false;

	for (function_id f = 0; f < v->p->frames.n_functions; f++) {
		v->matches[f] =
			pattern_matches_function(e->pattern, v->p, &v->p->frames.function[f]);
		any |= v->matches[f];
	}
	switch (e->verb) {
	case VERB_INCLUDE:
		sieve_keep_paths(v, true);
		break;
	case VERB_EXCLUDE:
		sieve_keep_paths(v, false);
		break;
	case VERB_INCLUDE_SELF:
		sieve_keep_leaves(v, true);
		break;
	case VERB_EXCLUDE_SELF:
		sieve_keep_leaves(v, false);
		break;
	case VERB_HIDE:
		sieve_show(v, false);
		break;
	case VERB_SHOW:
		sieve_show(v, true);
		break;
	case VERB_COLLAPSE:
		sieve_collapse(v);
		break;
	case VERB_COLLAPSE_RECURSION:
		sieve_collapse_recursion(v);
		break;
	case VERB_ROOT:
		sieve_root(v);
		break;
	case VERB_TRACK:
		break;
	}
	return any;
}

static void
sieve_init(struct sieve *v, const struct profile *p)
{
	*v = (struct sieve){
		.p = p,
		.n = p->stacks.n,
		.frame = p->stacks.frame,
	};
	v->up = mem_alloc(v->n, sizeof *v->up);
	memcpy(v->up, p->stacks.parent, v->n * sizeof *v->up);
	v->alive = mem_alloc(v->n, 1);
	v->drop = mem_zalloc(v->n, 1);
	v->hit = mem_zalloc(v->n, 1);
	v->at = mem_alloc(v->n, sizeof *v->at);
	v->matches = mem_alloc((size_t)p->frames.n_functions + 1, 1);
	memset(v->alive, 1, v->n);
	v->alive[0] = 0;
	v->at[0] = 0;
	for (stack_id s = 1; s < v->n; s++)
		v->at[s] = s;
	v->drop[0] = 1; /* what runs on no stack is not shown */
}

static void
sieve_release(struct sieve *v)
{
	free(v->up);
	free(v->alive);
	free(v->drop);
	free(v->hit);
	free(v->at);
	free(v->matches);
}

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
	key_id *key;

	if (by == BY_LINE) {
		*n_keys = p->frames.n;
		return line_keys(p);
	}
	key = mem_alloc((size_t)p->frames.n + 1, sizeof *key);
	*n_keys = by == BY_FUNCTION ? p->frames.n_functions : p->names.n;
	for (frame_id f = 0; f < p->frames.n; f++) {
		function_id fn = p->frames.frame[f].function;
		const struct function *function = &p->frames.function[fn];
		key[f] = by == BY_FUNCTION ? fn
			 : by == BY_FILE   ? function->file
					   : function->module;
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
		if (e->off || e->verb == VERB_TRACK)
			continue;
		t->unmatched[i] = !sieve_apply(&v, e);
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
	switch (t->by) {
	case BY_FUNCTION:
		return key;
	case BY_LINE:
		return p->frames.frame[key].function;
	case BY_FILE:
	case BY_MODULE:
		return UINT32_MAX;
	}
	return UINT32_MAX;
}

struct line
projection_key_line(const struct projection *t, const struct profile *p, key_id key)
{
	if (t->by != BY_LINE)
		return line_unknown();
	return p->frames.frame[key].line;
}
