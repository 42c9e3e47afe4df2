/* branches.c - see branches.h.
 *
 * Two paths with the same 64-bit hash would open together, which is harmless.  Each node stores its
 * hash, computed from its parent's hash: hashing each path from the root would cost the square of
 * the depth in deep trees.
 *
 * The rows of the upper tree are the same walk in reverse: away from the root is up there, and down
 * in the lower tree. */
#include "ui/part/branches.h"

#include <stdlib.h>
#include <string.h>

#include "model/base/mem.h"

#define FIND_ROWS 100000
#define COUNT_ROWS 20000u

void
branches_init(struct branches *b, const struct branch_ops *ops)
{
	*b = (struct branches){.ops = ops, .mirror = BRANCH_NONE, .row = -1, .stale = true};
}

void
branches_forget_marks(struct branches *b)
{
	map_release(&b->map);
	vec_release(&b->marks);
	b->marked = 0;
}

void
branches_release(struct branches *b)
{
	branches_forget_marks(b);
	free(b->hash);
	vec_release(&b->lines);
	vec_release(&b->way);
	vec_release(&b->held);
}

void
branches_reset(struct branches *b, void *of, branch_id root, branch_id mirror, uint64_t seed)
{
	free(b->hash);
	b->hash = NULL;
	b->n_hash = 0;
	b->of = of;
	b->at = b->root = root;
	b->mirror = mirror;
	b->seed = seed;
	b->lines.n = 0;
	b->stale = true;
	b->counted = false;
	b->resets++;
}

static bool
is_root(const struct branches *b, branch_id n)
{
	return n == b->root || n == b->mirror;
}

static bool
is_above(const struct branches *b, branch_id n)
{
	return b->ops->above && b->ops->above(b->of, n);
}

/* The root has one row. */
static branch_id
row_of(const struct branches *b, branch_id n)
{
	return n != BRANCH_NONE && n == b->mirror ? b->root : n;
}

static branch_id
parent_of(const struct branches *b, branch_id n)
{
	return is_root(b, n) ? BRANCH_NONE : b->ops->parent(b->of, n);
}

/* ---- open nodes ---- */

/* Grows to the number of ids requested, or to twice its size. */
static void
hash_reach(struct branches *b, branch_id n)
{
	if (n < b->n_hash)
		return;
	uint32_t more = n < 512 ? 1024 : n < UINT32_MAX / 2 ? n * 2 : UINT32_MAX;
	uint64_t *hash = mem_zalloc(more, sizeof *hash);
	if (b->n_hash)
		memcpy(hash, b->hash, b->n_hash * sizeof *hash);
	free(b->hash);
	b->hash = hash;
	b->n_hash = more;
}

static uint64_t
hash_step(uint64_t h, uint64_t key)
{
	h = (h ^ key) * 0xD6E8FEB86659FD93u;
	h ^= h >> 32;
	return h ? h : 1;
}

/* Computes the hash from the nearest ancestor with a known hash, found by climbing. */
static uint64_t
branches_path_hash(struct branches *b, branch_id n)
{
	struct step {
		branch_id id;
		uint64_t key;
	};
	VEC(struct step) way = VEC_INIT;
	uint64_t h;

	for (;;) {
		struct step at = {n, 0};
		hash_reach(b, n);
		if (b->hash[n])
			break;
		branch_id up = b->ops->path(b->of, n, &at.key);
		if (up == BRANCH_NONE) {
			b->hash[n] = hash_step(0x9E3779B97F4A7C15u + b->seed,
					       n == b->mirror);
			break;
		}
		*vec_push(&way) = at;
		n = up;
	}
	for (h = b->hash[n]; way.n;) {
		struct step at = way.at[--way.n];
		h = b->hash[at.id] = hash_step(h, at.key);
	}
	vec_release(&way);
	return h;
}

static struct branch_mark *
mark_find(struct branches *b, uint64_t path)
{
	if (!b->marks.n)
		return NULL;
	uint32_t slot = map_first(&b->map, path), i;
	while (map_probe(&b->map, &slot, path, &i))
		if (b->marks.at[i].path == path)
			return &b->marks.at[i];
	return NULL;
}

static uint64_t
key_bit(const struct branches *b, branch_id n)
{
	uint64_t key;

	b->ops->path(b->of, n, &key);
	return UINT64_C(1) << (key * 0x9E3779B97F4A7C15u >> 58);
}

bool
branches_is_open(struct branches *b, branch_id n)
{
	if (is_root(b, n))
		return true;
	bool may = b->marks.n && b->marked & key_bit(b, n);
	const struct branch_mark *mark = may ? mark_find(b, branches_path_hash(b, n)) : NULL;
	if (mark)
		return mark->open;
	return b->rule == BRANCHES_HEAVY ? b->ops->heavy(b->of, n) : b->rule == BRANCHES_ALL;
}

void
branches_open(struct branches *b, branch_id n, bool open)
{
	b->stale = true;
	if (is_root(b, n) || branches_is_open(b, n) == open)
		return;
	b->counted = false;
	uint64_t path = branches_path_hash(b, n);
	struct branch_mark *known = mark_find(b, path);
	if (known) {
		known->open = open;
		return;
	}
	map_insert(&b->map, path, (uint32_t)b->marks.n);
	*vec_push(&b->marks) = (struct branch_mark){path, key_bit(b, n), open};
	b->marked |= key_bit(b, n);
}

/* ---- walking the rows ---- */

/* Depths are tracked along the walk: climbing to the root for each row would cost its depth. */
static branch_id
row_out(struct branches *b, branch_id n, uint32_t *depth)
{
	branch_id to = branches_is_open(b, n) ? b->ops->first(b->of, n) : BRANCH_NONE;

	if (to != BRANCH_NONE) {
		++*depth;
		return to;
	}
	while (!is_root(b, n)) {
		to = b->ops->next(b->of, n);
		if (to != BRANCH_NONE)
			return to;
		n = b->ops->parent(b->of, n);
		--*depth;
	}
	return BRANCH_NONE;
}

static branch_id
furthest(struct branches *b, branch_id n, uint32_t *depth)
{
	while (branches_is_open(b, n)) {
		branch_id last = b->ops->last(b->of, n);
		if (last == BRANCH_NONE)
			break;
		n = last;
		++*depth;
	}
	return n;
}

static branch_id
row_in(struct branches *b, branch_id n, uint32_t *depth)
{
	branch_id prev = b->ops->prev(b->of, n);

	if (prev != BRANCH_NONE)
		return furthest(b, prev, depth);
	--*depth;
	return b->ops->parent(b->of, n);
}

static branch_id
branches_sibling(struct branches *b, branch_id n, int dir, uint32_t *depth)
{
	branch_id to;

	if (n == b->root)
		to = dir > 0		      ? row_out(b, b->root, depth)
		     : b->mirror != BRANCH_NONE ? row_out(b, b->mirror, depth)
						: BRANCH_NONE;
	else
		to = (dir > 0) != is_above(b, n) ? row_out(b, n, depth)
						 : row_in(b, n, depth);
	return row_of(b, to);
}

branch_id
branches_beside(struct branches *b, branch_id n, int dir)
{
	uint32_t depth = 0;

	return branches_sibling(b, n, dir, &depth);
}

branch_id
branches_end(struct branches *b, int dir)
{
	uint32_t depth = 0;

	if (dir < 0 && b->mirror == BRANCH_NONE)
		return b->root;
	return row_of(b, furthest(b, dir > 0 ? b->root : b->mirror, &depth));
}

/* ---- the way to the cursor ---- */

void
branches_remember(struct branches *b)
{
	uint64_t key;

	b->way.n = 0;
	b->way_above = is_above(b, b->at);
	for (branch_id n = b->at; !is_root(b, n); n = b->ops->parent(b->of, n)) {
		b->ops->path(b->of, n, &key);
		*vec_push(&b->way) = key;
	}
}

branch_id
branches_recall(struct branches *b)
{
	branch_id at = b->way_above && b->way.n ? b->mirror : b->root;
	uint64_t key;

	for (size_t i = b->way.n; i-- > 0 && at != BRANCH_NONE;) {
		branch_id c = b->ops->first(b->of, at);
		for (; c != BRANCH_NONE; c = b->ops->next(b->of, c)) {
			b->ops->path(b->of, c, &key);
			if (key == b->way.at[i])
				break;
		}
		if (c == BRANCH_NONE)
			break;
		at = c;
	}
	return at == BRANCH_NONE ? b->root : row_of(b, at);
}

void
branches_forget(struct branches *b)
{
	b->way.n = 0;
	b->row = -1;
}

/* ---- the screen ---- */

/* Counts the rows on that side of the cursor, up to `max`. */
static int
rows_on(struct branches *b, int dir, int max)
{
	branch_id n = b->at;
	int rows = 0;

	while (rows < max && (n = branches_beside(b, n, dir)) != BRANCH_NONE)
		rows++;
	return rows;
}

/* Returns the line of the cursor that moves the screen least; -1 for the middle. */
static int
wanted_row(struct branches *b)
{
	size_t n = b->lines.n;

	if (b->placed || !n)
		return b->row;
	for (size_t i = 0; i < n; i++)
		if (b->lines.at[i].id == b->at)
			return (int)i;
	if (branches_beside(b, b->at, 1) == b->lines.at[0].id)
		return 0;
	if (branches_beside(b, b->at, -1) == b->lines.at[n - 1].id)
		return b->h - 1;
	return -1;
}

static void
place_cursor(struct branches *b)
{
	int above = rows_on(b, -1, b->h), below = rows_on(b, 1, b->h), row = wanted_row(b);

	if (row < 0)
		row = b->h / 2;
	if (row > b->h - 1)
		row = b->h - 1;
	if (row + below < b->h - 1)
		row = b->h - 1 - below;
	b->row = row > above ? above : row;
}

static void
fill_lines(struct branches *b)
{
	branch_id n = b->at;
	uint32_t depth = 0;

	for (branch_id up = parent_of(b, n); up != BRANCH_NONE; up = parent_of(b, up))
		depth++;
	for (int i = 0; i < b->row; i++)
		n = branches_sibling(b, n, -1, &depth);
	b->lines.n = 0;
	while (n != BRANCH_NONE && (int)b->lines.n < b->h) {
		if (!b->lines.n || depth < b->least_depth)
			b->least_depth = depth;
		*vec_push(&b->lines) = (struct branch_line){
			.id = n,
			.depth = depth,
			.has = b->ops->has(b->of, n),
			.open = branches_is_open(b, n),
			.above = is_above(b, n),
		};
		n = branches_sibling(b, n, 1, &depth);
	}
}

void
branches_arrange(struct branches *b, branch_id at, int h)
{
	if (!b->stale && at == b->at && h == b->h && b->lines.n)
		return;
	b->counted &= at == b->at;
	b->at = at;
	b->h = h;
	for (branch_id n = parent_of(b, at); n != BRANCH_NONE; n = parent_of(b, n))
		branches_open(b, n, true);
	place_cursor(b);
	fill_lines(b);
	if (!b->counted)
		branches_count(b, NULL, NULL, &b->standing);
	b->counted = true;
	b->stale = b->placed = false;
}

/* ---- actions ---- */

/* Moves the cursor to a row that may be far away. */
static enum branch_did
branches_go(struct branches *b, branch_id n)
{
	if (n == BRANCH_NONE)
		return BRANCHES_DONE;
	b->at = row_of(b, n);
	b->stale = true;
	b->counted = false;
	return BRANCHES_MOVED;
}

static enum branch_did
branches_step(struct branches *b, int64_t by)
{
	int dir = by < 0 ? -1 : 1;
	branch_id at = b->at, to;

	if (by >= SCROLL_FAR || by <= -SCROLL_FAR) {
		b->row = dir > 0 ? b->h - 1 : 0;
		b->placed = true;
		return branches_go(b, branches_end(b, dir));
	}
	for (; by && (to = branches_beside(b, at, dir)) != BRANCH_NONE; by -= dir) {
		at = to;
		b->row += dir;
		if (b->standing.at)
			b->standing.at += (uint64_t)(int64_t)dir;
	}
	b->row = b->row < 0 ? 0 : b->row;
	b->placed = true;
	bool counted = b->counted; /* moving by a few rows needs no new count */
	branches_go(b, at);
	b->counted = counted;
	return BRANCHES_MOVED;
}

static enum branch_did
hot_path(struct branches *b)
{
	branch_id at = b->at, first;

	while ((first = b->ops->first(b->of, at)) != BRANCH_NONE &&
	       b->ops->leads(b->of, at, first)) {
		branches_open(b, at, true);
		at = first;
	}
	return branches_go(b, at);
}

/* When all rows close, the cursor goes to the remaining part of its path. */
static enum branch_did
all_open(struct branches *b, bool open)
{
	branch_id at = b->at;

	b->rule = open ? BRANCHES_ALL : BRANCHES_NONE;
	b->stale = true;
	b->counted = false;
	branches_forget_marks(b);
	if (open)
		return BRANCHES_DONE;
	while (!is_root(b, at) && !is_root(b, b->ops->parent(b->of, at)))
		at = b->ops->parent(b->of, at);
	return at == b->at ? BRANCHES_DONE : branches_go(b, at);
}

static enum branch_did
branches_mark(struct branches *b, bool open)
{
	branches_open(b, b->at, open);
	return BRANCHES_DONE;
}

bool
branches_have_effect(const struct branches *b, enum action action)
{
	bool opens = action == ACTION_TOGGLE || action == ACTION_OPEN || action == ACTION_HOT;
	size_t row = (size_t)b->row;
	if (opens && action != ACTION_HOT && is_root(b, b->at))
		return false; /* roots stay open */
	return !opens || row >= b->lines.n || b->lines.at[row].has;
}

enum branch_did
branches_act(struct branches *b, enum action action)
{
	bool open = branches_is_open(b, b->at), has = b->ops->has(b->of, b->at);
	int64_t by = scroll_by(action, b->h);

	if (by)
		return branches_step(b, by);
	switch ((int)action) {
	case ACTION_LEFT:
		return open && has && !is_root(b, b->at) ? branches_mark(b, false)
							 : branches_go(b, parent_of(b, b->at));
	case ACTION_RIGHT:
		return !has   ? BRANCHES_DONE
		       : open ? branches_go(b, b->ops->first(b->of, b->at))
			      : branches_mark(b, true);
	case ACTION_TOGGLE:
		return branches_mark(b, !open);
	case ACTION_OPEN:
	case ACTION_CLOSE:
		return branches_mark(b, action == ACTION_OPEN);
	case ACTION_HOT:
		return hot_path(b);
	case ACTION_OPEN_ALL:
	case ACTION_CLOSE_ALL:
		return all_open(b, action == ACTION_OPEN_ALL);
	case ACTION_OUT:
		return branches_go(b, parent_of(b, b->at));
	default:
		return BRANCHES_PASS;
	}
}

bool
branches_click(struct branches *b, int y)
{
	if (y < 0 || (size_t)y >= b->lines.n)
		return false;
	branches_go(b, b->lines.at[y].id);
	return true;
}

bool
branches_find(struct branches *b, int dir, bool (*hit)(const void *ctx, branch_id n),
	      const void *ctx)
{
	branch_id n = b->at;

	for (unsigned i = 0; i < FIND_ROWS; i++) {
		n = branches_beside(b, n, dir);
		if (n == BRANCH_NONE)
			n = branches_end(b, -dir);
		if (hit(ctx, n)) {
			branches_go(b, n);
			return true;
		}
		if (n == b->at)
			break;
	}
	return false;
}

void
branches_count(struct branches *b, bool (*hit)(const void *ctx, branch_id n), const void *ctx,
	       struct standing *out)
{
	branch_id n = branches_end(b, -1);

	*out = (struct standing){0};
	for (unsigned i = 0; n != BRANCH_NONE; i++, n = branches_beside(b, n, 1)) {
		if (i == COUNT_ROWS) {
			out->more = true;
			return;
		}
		bool is_hit = !hit || hit(ctx, n);
		out->all += is_hit;
		if (n == b->at) {
			out->at = out->all;
			out->here = is_hit;
		}
	}
}
