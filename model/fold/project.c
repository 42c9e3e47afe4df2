#include "model/fold/project_inside.h"

#include <stdlib.h>
#include <string.h>

#include "model/base/map.h"
#include "model/base/mem.h"
#include "model/base/serial.h"
#include "model/lens/regroup.h"
#include "model/lens/sieve.h"

/* The stacks that the entries leave (sieve.h) become one tree: stack s is the child of the
 * node of at[up[s]], merged by key.
 *
 * Merging needs a lookup in a hash table, which costs a cache miss a stack. Most nodes have no
 * other to merge with: if no frame of a path is hidden, and each is the only one of its key,
 * equal paths are equal stacks. Such nodes are made without a lookup. And the first child of a
 * node is usually the next node: it is found there, and is not in the table. Siblings and other
 * links are computed when all nodes exist (project_links.c).
 *
 * A call belongs to the frame that was entered: it counts if exactly that frame is still shown,
 * so call_of[s] is the node only if alive[s].
 *
 * An inverted tree is the same for reversed paths. It can be as large as the sum of all depths,
 * so it has only as many levels as its caller surely allows, or only its first rows
 * (project_first.c).
 *
 * All loops call the pace (pace.h). If it cancels, no loop continues, so columns are filled in
 * part; code that would fail on that tests first. */

/* ---- keys ---- */

static bool
same_line(struct line a, struct line b)
{
	return a.number == b.number && a.clause == b.clause && a.form == b.form;
}

/* Returns the compared address of a frame; none except BY_ADDRESS. */
static uint64_t
spot_of(const struct profile *p, const struct lens *l, frame_id f)
{
	return l->by == BY_ADDRESS ? frames_address(&p->frames, f) : ADDRESS_NONE;
}

/* Returns a number that identifies the compared part of a frame's function: all of it, since
 * functions of one name in two modules are two; its name and file if the lens merges them. */
static uint64_t
origin_of(const struct profile *p, const struct lens *l, const struct frame *f)
{
	struct function fn = profile_function(p, f->function);

	return l->merged ? (uint64_t)fn.name << 32 | fn.file : f->function;
}

/* Returns true if two frames have one key. */
static bool
same_key(const struct profile *p, const struct lens *l, frame_id a, frame_id b)
{
	struct frame x = profile_frame(p, a), y = profile_frame(p, b);

	return origin_of(p, l, &x) == origin_of(p, l, &y) && same_line(x.line, y.line) &&
	       spot_of(p, l, a) == spot_of(p, l, b);
}

/* For granularities whose keys are frames: frames that are equal in what is compared share one
 * key, the first frame. */
static key_id *
keys_of_frames(const struct profile *p, const struct lens *l, struct pace *pace)
{
	key_id *key = mem_alloc((size_t)p->frames.n + 1, sizeof *key);
	struct map map;

	map_init(&map);
	for (frame_id f = 0; f < p->frames.n && pace_on(pace, 1); f++) {
		struct frame frame = profile_frame(p, f);
		uint64_t spot = spot_of(p, l, f);
		uint64_t hash = origin_of(p, l, &frame) * UINT64_C(0x9E3779B97F4A7C15);
		hash = (hash ^ hash >> 29 ^ frame.line.number ^
			(uint64_t)frame.line.clause << 40 ^
			(uint64_t)frame.line.form << 50 ^
			spot * UINT64_C(0xC2B2AE3D27D4EB4F)) *
		       UINT64_C(0xD6E8FEB86659FD93);
		uint32_t slot = map_first(&map, hash), i;
		key[f] = f;
		while (map_probe(&map, &slot, hash, &i))
			if (same_key(p, l, i, f)) {
				key[f] = i;
				break;
			}
		if (key[f] == f)
			map_insert(&map, hash, f);
	}
	map_release(&map);
	return key;
}

/* Returns [frame] -> key, and an upper bound of the keys. */
static key_id *
frame_keys(const struct profile *p, const struct lens *l, uint32_t *n_keys, struct pace *pace)
{
	const struct granularity_row *row = &granularity_rows[l->by];
	key_id *key;

	if (!row->key_of) {
		*n_keys = p->frames.n;
		return keys_of_frames(p, l, pace);
	}
	key = mem_alloc((size_t)p->frames.n + 1, sizeof *key);
	*n_keys = row->keys_are_names ? p->names.n : p->frames.n_functions;
	for (struct piece x = piece_of(0, p->frames.n); piece_next(&x, pace);)
		for (frame_id f = x.from; f < x.to; f++) {
			function_id id = p->frames.frame.function[f];
			struct function fn = profile_function(p, id);
			key[f] = row->key_of(&fn, id);
		}
	return key;
}

/* ---- the tree ---- */

/* Sets need[s] if some stack at or below s counts. */
static void
mark_needed(const struct sieve *v, uint8_t *need)
{
	for (struct piece x = piece_of(0, v->n); piece_next(&x, v->pace);)
		for (stack_id s = x.from; s < x.to; s++)
			need[s] = !v->drop[s] && v->at[s];
	for (struct piece x = piece_back(1, v->n); piece_prev(&x, v->pace);)
		for (stack_id s = x.to; s-- > x.from;) {
			if (s > PROJECT_AHEAD)
				__builtin_prefetch(&need[v->up[s - PROJECT_AHEAD]], 1);
			need[v->up[s]] |= need[s];
		}
}

/* Returns [frame] 1: some other frame has the same key. */
static uint8_t *
shared_keys(const struct profile *p, const key_id *key_of_frame, uint32_t n_keys,
	    struct pace *pace)
{
	uint8_t *uses = mem_zalloc((size_t)n_keys + 1, 1);
	uint8_t *shared = mem_alloc((size_t)p->frames.n + 1, 1);

	for (struct piece x = piece_of(0, p->frames.n); piece_next(&x, pace);)
		for (frame_id f = x.from; f < x.to; f++)
			uses[key_of_frame[f]] += uses[key_of_frame[f]] < 2;
	for (struct piece x = piece_of(0, p->frames.n); piece_next(&x, pace);)
		for (frame_id f = x.from; f < x.to; f++)
			shared[f] = uses[key_of_frame[f]] > 1;
	free(uses);
	return shared;
}

/* Sets merges[q] if two of the stacks that will hang below q may become one node, because one of
 * them had hidden frames in between or a frame that shares its key. Returns an upper bound of
 * the nodes that need a lookup: those below a merging stack. */
static uint32_t
mark_merging(const struct sieve *v, const uint8_t *shared, uint8_t *merges)
{
	uint32_t lookups = 0;

	for (struct piece x = piece_of(1, v->n); piece_next(&x, v->pace);)
		for (stack_id s = x.from; s < x.to; s++) {
			sieve_fetch(v, v->at, sizeof *v->at, s);
			sieve_fetch(v, merges, 1, s);
			if (v->hit[s] && v->alive[s]) {
				stack_id q = v->at[v->up[s]];
				merges[q] |= q != v->up[s] || shared[v->frame[s]];
			}
		}
	for (struct piece x = piece_of(1, v->n); piece_next(&x, v->pace);)
		for (stack_id s = x.from; s < x.to; s++) {
			sieve_fetch(v, v->at, sizeof *v->at, s);
			sieve_fetch(v, merges, 1, s);
			uint8_t above = merges[v->at[v->up[s]]];
			merges[s] |= above;
			lookups += v->hit[s] && v->alive[s] && above;
		}
	return lookups;
}

/* Prefetches the slot of a stack's node, if the node of its parent is already known. */
static inline void
fetch_slot(const struct grower *g, const struct sieve *v, const key_id *key_of_frame,
	   const uint8_t *merges, stack_id s, stack_id now)
{
	stack_id q = v->at[v->up[s]];

	if (q < now && merges[q] && v->hit[s] && v->alive[s])
		slots_prefetch(&g->slots,
			       project_bits(g->t->node_of[q], key_of_frame[v->frame[s]]));
}

/* Makes the columns of an upright tree from node_of, which has the nodes of all shown stacks. */
static void
map_stacks(struct projection *t, const struct sieve *v)
{
	bool one = true;

	for (struct piece x = piece_of(0, v->n); piece_next(&x, v->pace);)
		for (stack_id s = x.from; s < x.to; s++)
			one &= (v->alive[s] && v->hit[s]) == (!v->drop[s] && v->at[s]);
	t->leaf_of = one ? t->node_of : mem_alloc(v->n, sizeof *t->leaf_of);
	t->call_of = one ? t->node_of : mem_alloc(v->n, sizeof *t->call_of);
	for (struct piece x = piece_of(0, v->n); piece_next(&x, v->pace);)
		for (stack_id s = x.from; s < x.to; s++) {
			bool known = v->alive[s] && v->hit[s];
			t->leaf_of[s] = known ? t->node_of[s] : NODE_NONE;
			if (v->drop[s] || !v->at[s])
				t->node_of[s] = NODE_NONE;
			t->call_of[s] = v->alive[s] ? t->node_of[s] : NODE_NONE;
		}
}

static void
grow_upright(struct grower *g, const struct sieve *v, const key_id *key_of_frame)
{
	struct projection *t = g->t;
	uint8_t *shared = shared_keys(v->p, key_of_frame, t->n_keys, v->pace);
	uint8_t *merges = mem_zalloc(v->n, 1);

	mark_needed(v, v->hit);
	slots_reserve(&g->slots, mark_merging(v, shared, merges), v->n);
	/* at first, node_of[s] has the nodes of shown stacks, dropped or not, since children
	 * hang there */
	t->node_of[0] = NODE_ROOT;
	for (stack_id s = 1; s < v->n; s++) {
		sieve_fetch(v, v->at, sizeof *v->at, s);
		sieve_fetch(v, t->node_of, sizeof *t->node_of, s);
		sieve_fetch(v, merges, 1, s);
		if (s + SIEVE_AHEAD / 2 < v->n)
			fetch_slot(g, v, key_of_frame, merges, s + SIEVE_AHEAD / 2, s);
		stack_id q = v->at[v->up[s]];
		bool looks = v->hit[s] && v->alive[s] && merges[q];
		if (!v->hit[s])
			t->node_of[s] = NODE_ROOT;
		else if (v->alive[s])
			t->node_of[s] = (looks ? project_child : project_node)(
				g, t->node_of[q], key_of_frame[v->frame[s]]);
		else
			t->node_of[s] = t->node_of[v->at[s]];
		if (!pace_on(v->pace, looks ? LOOKUP_STEPS : 1))
			break;
	}
	free(shared);
	free(merges);
	map_stacks(t, v);
}

/* Returns how many levels of reversed paths surely have at most nodes_max nodes; 0: all. *nodes
 * becomes the upper bound. */
static uint32_t
inverted_depth(const struct sieve *v, const struct tally *recorded, uint32_t nodes_max,
	       uint32_t *nodes)
{
	uint32_t *depth = mem_alloc(v->n, sizeof *depth);
	uint64_t *count, sum = 0, longer = 0;
	uint32_t deepest = 0, cut = 0;

	depth[0] = 0;
	*nodes = 0;
	for (struct piece x = piece_of(1, v->n); piece_next(&x, v->pace);)
		for (stack_id s = x.from; s < x.to; s++) {
			depth[s] = v->alive[s] ? depth[v->at[v->up[s]]] + 1 : depth[v->at[s]];
			deepest = depth[s] > deepest ? depth[s] : deepest;
		}
	if (pace_gives_up(v->pace)) {
		free(depth);
		return 1;
	}
	count = mem_zalloc((size_t)deepest + 2, sizeof *count);
	for (struct piece x = piece_of(1, v->n); piece_next(&x, v->pace);)
		for (stack_id s = x.from; s < x.to; s++)
			if (recorded->cell[s].hits && !v->drop[s] && v->at[s]) {
				count[depth[s]]++;
				longer++;
			}
	for (uint32_t d = 1; d <= deepest; d++) {
		sum += longer; /* every path of at least d frames has one at level d */
		if (sum > nodes_max) {
			cut = d > 1 ? d - 1 : 1;
			break;
		}
		*nodes = (uint32_t)sum;
		longer -= count[d];
	}
	free(depth);
	free(count);
	return cut;
}

/* Adds the path of s, leaf first; returns the number of steps. */
static uint32_t
turn_over(struct grower *g, const struct sieve *v, const key_id *key_of_frame, stack_id s)
{
	struct projection *t = g->t;
	node_id node = NODE_ROOT;
	uint32_t level = 0;

	for (stack_id a = v->at[s]; a; a = v->at[v->up[a]]) {
		if (t->depth_cut && level == t->depth_cut)
			break;
		node = project_child(g, node, key_of_frame[v->frame[a]]);
		level++;
	}
	t->node_of[s] = node;
	if (v->alive[s])
		t->call_of[s] = node;
	return level;
}

/* ---- the whole projection ---- */

static void
sift(struct projection *t, struct sieve *v, const struct lens *l)
{
	t->n_entries = l->entries.n;
	t->unmatched = mem_zalloc(t->n_entries, 1);
	for (size_t i = 0; i < l->entries.n && !pace_gives_up(v->pace); i++) {
		const struct entry *e = &l->entries.at[i];
		const struct verb_row *verb = &verb_rows[e->verb];
		if (!verb->apply)
			t->unmatched[i] = regroup_unmatched(v->p, l, i);
		if (e->off || !verb->apply)
			continue;
		t->unmatched[i] = !sieve_match(v, e->pattern);
		verb->apply(v);
	}
}

/* Adds the paths of everything recorded, leaf first. */
static void
grow_inverted(struct grower *g, const struct sieve *v, const key_id *key_of_frame,
	      const struct tally *recorded, uint32_t nodes_max, const struct first_rows *first)
{
	struct projection *t = g->t;
	uint32_t nodes;

	t->call_of = mem_alloc(v->n, sizeof *t->call_of);
	t->depth_cut = inverted_depth(v, recorded, nodes_max, &nodes);
	if (first) {
		project_first(g, v, key_of_frame, recorded, first);
		return;
	}
	/* allocate at once, as for an upright tree: moving columns that grow takes longer than a
	 * frame */
	if (t->depth_cut == 1) /* one level has no more nodes than there are keys */
		nodes = t->n_keys;
	if (nodes >= g->cap)
		project_room(g, nodes + 1);
	for (stack_id s = 0; s < v->n; s++) {
		uint32_t took = 1;
		t->node_of[s] = t->call_of[s] = NODE_NONE;
		if (!v->drop[s] && v->at[s] && recorded->cell[s].hits)
			took += turn_over(g, v, key_of_frame, s);
		if (!pace_on(v->pace, took * LOOKUP_STEPS))
			return;
	}
}

/* Computes `inlining` from the frames on stacks; the table may have others. */
static void
look_inlined(struct projection *t, const struct profile *p, const key_id *key_of_frame)
{
	if (!p->frames.any_inlined)
		return;
	t->inlining = mem_zalloc((size_t)t->n_keys + 1, 1);
	for (stack_id s = 1; s < p->stacks.n; s++) {
		frame_id f = p->stacks.frame[s];
		t->inlining[key_of_frame[f]] |=
			profile_frame(p, f).inlined ? INLINING_YES : INLINING_NOT;
	}
}

struct projection *
projection_paced(const struct profile *p, const struct lens *l, const struct tally *recorded,
		 uint32_t nodes_max, const struct first_rows *first, struct pace *pace)
{
	struct projection *t = mem_zalloc(1, sizeof *t);
	struct grower g = {.t = t, .pace = pace};
	struct sieve v;

	t->refs = 1;
	t->serial = serial_next();
	sieve_init(&v, p, pace);
	sift(t, &v, l);
	t->by = l->by;
	t->inverted = l->invert;
	t->n_stacks = v.n;
	t->node_of = mem_alloc(v.n, sizeof *t->node_of);
	key_id *key_of_frame = frame_keys(p, l, &t->n_keys, pace);
	if (!pace_gives_up(pace))
		look_inlined(t, p, key_of_frame);
	if (l->by == BY_MODULE && !pace_gives_up(pace))
		verbs_join_modules(&v);
	slots_init(&g.slots);
	project_root(&g, l->invert ? 1 : v.n);
	if (pace_gives_up(pace))
		; /* keys may be missing */
	else if (l->invert)
		grow_inverted(&g, &v, key_of_frame, recorded, nodes_max, first);
	else
		grow_upright(&g, &v, key_of_frame);
	/* freeing very much memory takes a while, too */
	slots_release(&g.slots);
	pace_portion(pace);
	free(key_of_frame);
	sieve_release(&v);
	pace_portion(pace);
	if (!pace_gives_up(pace))
		projection_link(t, pace);
	if (!pace_gives_up(pace))
		return t;
	projection_free(t);
	return NULL;
}

struct projection *
projection_ref(struct projection *t)
{
	t->refs++;
	return t;
}

void
projection_free(struct projection *t)
{
	if (!t || --t->refs)
		return;
	free(t->parent);
	free(t->key);
	free(t->first_child);
	free(t->next_sibling);
	free(t->outermost);
	if (t->call_of != t->node_of)
		free(t->call_of);
	if (t->leaf_of != t->node_of)
		free(t->leaf_of);
	free(t->node_of);
	free(t->unmatched);
	free(t->inlining);
	free(t);
}
