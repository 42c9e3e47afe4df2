/* nav.c - see nav.h.
 *
 * A path of keys is found again from the root; each level costs its number of siblings. Keys are
 * ids of functions, frames or names, and keep their meaning while a profile grows.  Under another
 * granularity they mean something else, so only the function is carried over.  It is remembered
 * while files or modules are shown, and selected again when functions return.
 *
 * Invariant: between two calls, node and zoom are nodes of the current fold. */
#include "ui/part/nav.h"

#include <stdlib.h>
#include <string.h>

void
nav_init(struct nav *n)
{
	*n = (struct nav){
		.key = KEY_NONE, .function = UINT32_MAX, .actor = ACTOR_NONE};
}

void
nav_release(struct nav *n)
{
	vec_release(&n->path.keys);
	for (unsigned i = 0; i < NAV_LOST; i++)
		vec_release(&n->lost[i].path.keys);
	vec_release(&n->zoom_path.keys);
	vec_release(&n->zoom_steps);
}

static void
nav_write_path(struct nav_path *path, const struct projection *t, node_id node)
{
	size_t depth = 0;
	for (node_id i = node; i != NODE_ROOT; i = t->parent[i])
		depth++;
	vec_reserve(&path->keys, depth);
	path->keys.n = depth;
	for (node_id i = node; i != NODE_ROOT; i = t->parent[i])
		path->keys.at[--depth] = t->key[i];
}

/* Follows the path as far as possible; *whole is set if it reaches the end. */
static node_id
read_path(const struct nav_path *path, const struct fold *f, bool *whole)
{
	const struct projection *t = f->tree;
	node_id at = NODE_ROOT;
	*whole = false;
	for (size_t i = 0; i < path->keys.n; i++) {
		node_id c = t->first_child[at];
		while (c != NODE_NONE && t->key[c] != path->keys.at[i])
			c = t->next_sibling[c];
		if (c == NODE_NONE || !fold_shows(f, c))
			return at;
		at = c;
	}
	*whole = true;
	return at;
}

static void
select_node(struct nav *n, const struct fold *f, const struct profile *p, node_id node)
{
	n->node = node;
	n->away = false;
	n->proposed = false;
	n->key = f->tree->key[node];
	n->by = f->tree->by;
	n->inverted = f->tree->inverted;
	nav_write_path(&n->path, f->tree, node);
	if (n->key != KEY_NONE) {
		function_id fn = projection_key_function(f->tree, p, n->key);
		if (fn != UINT32_MAX)
			n->function = fn;
	}
	n->moves++;
}

void
nav_select(struct nav *n, const struct fold *f, const struct profile *p, node_id node)
{
	n->n_lost = 0;
	select_node(n, f, p, node);
}

static node_id
heaviest(const struct fold *f, key_id key)
{
	node_id best = NODE_NONE;
	node_id end = f->tree->n, i = 0;
	while ((i = projection_find(f->tree, i + 1, end, key)) < end)
		if (fold_shows(f, i) &&
		    (best == NODE_NONE ||
		     f->now.recorded.total[i] > f->now.recorded.total[best]))
			best = i;
	return best;
}

void
nav_select_key(struct nav *n, const struct fold *f, const struct profile *p, key_id key)
{
	node_id node = heaviest(f, key);
	nav_select(n, f, p, node == NODE_NONE ? NODE_ROOT : node);
	n->key = key;
}

void
nav_propose(struct nav *n, const struct fold *f, const struct profile *p, key_id key)
{
	unsigned lost = n->n_lost;
	nav_select_key(n, f, p, key);
	n->proposed = true;
	n->n_lost = lost;
}

void
nav_zoom(struct nav *n, const struct fold *f, node_id node)
{
	uint32_t depth = (uint32_t)n->zoom_path.keys.n;
	if (node == n->zoom)
		return;
	n->zoom = node;
	nav_write_path(&n->zoom_path, f->tree, node);
	if (n->zoom_path.keys.n > depth)
		*vec_push(&n->zoom_steps) = depth;
	while (n->zoom_steps.n &&
	       n->zoom_steps.at[n->zoom_steps.n - 1] >= n->zoom_path.keys.n)
		n->zoom_steps.n--;
}

bool
nav_zoom_out(struct nav *n, const struct fold *f)
{
	if (n->zoom == NODE_ROOT)
		return false;
	uint32_t depth = n->zoom_steps.n ? n->zoom_steps.at[n->zoom_steps.n - 1] : 0;
	node_id up = n->zoom;
	for (size_t at = n->zoom_path.keys.n; at > depth && up != NODE_ROOT; at--)
		up = f->tree->parent[up];
	nav_zoom(n, f, up);
	return true;
}

static bool
same_name(const struct profile *was, function_id a, const struct profile *now, function_id b)
{
	struct name x = names_get(&was->names, was->frames.function.name[a]);
	struct name y = names_get(&now->names, now->frames.function.name[b]);

	return x.len == y.len && !memcmp(x.at, y.at, x.len);
}

/* Functions of labels are the last ones, so the search begins there. */
static function_id
carry_function(const struct profile *was, const struct profile *now, function_id f)
{
	function_id n = now->frames.n_functions;

	if (f >= was->frames.n_functions || (f < n && same_name(was, f, now, f)))
		return f;
	while (n-- > 0)
		if (same_name(was, f, now, n))
			return n;
	return f;
}

void
nav_carry(struct nav *n, const struct profile *was, const struct profile *now)
{
	if (n->by != BY_FUNCTION)
		return;
	for (size_t i = 0; i < n->path.keys.n; i++)
		n->path.keys.at[i] = carry_function(was, now, n->path.keys.at[i]);
	for (size_t i = 0; i < n->zoom_path.keys.n; i++)
		n->zoom_path.keys.at[i] = carry_function(was, now, n->zoom_path.keys.at[i]);
	n->n_lost = 0;
	n->key = carry_function(was, now, n->key);
	n->function = carry_function(was, now, n->function);
}

/* Returns the key of the remembered function in this tree. */
static key_id
key_of_function(const struct nav *n, const struct fold *f, const struct profile *p)
{
	/* it may be a label's function, whose number depends on the lens */
	if (n->function >= p->frames.n_functions)
		return KEY_NONE;
	struct function fn = profile_function(p, n->function);
	node_id best = NODE_NONE;
	const struct granularity_row *row = &granularity_rows[f->tree->by];
	if (row->key_of)
		return row->key_of(&fn, n->function);
	for (node_id i = 1; i < f->tree->n; i++)
		if (fold_shows(f, i) &&
		    projection_key_function(f->tree, p, f->tree->key[i]) == n->function &&
		    (best == NODE_NONE ||
		     f->now.recorded.total[i] > f->now.recorded.total[best]))
			best = i;
	return best == NODE_NONE ? KEY_NONE : f->tree->key[best];
}

static bool
tree_has(const struct projection *t, key_id key)
{
	for (node_id i = 1; i < t->n; i++)
		if (t->key[i] == key)
			return true;
	return false;
}

/* Keeps the selection although this fold has no numbers for it. */
static void
go_away(struct nav *n, const struct fold *f, key_id key, node_id above)
{
	if (n->by != f->tree->by || n->inverted != f->tree->inverted)
		n->path.keys.n = 0;
	n->node = above;
	n->away = true;
	n->key = key;
	n->by = f->tree->by;
	n->inverted = f->tree->inverted;
	n->moves++;
}

static void
copy_path(struct nav_path *to, const struct nav_path *from)
{
	vec_reserve(&to->keys, from->keys.n);
	to->keys.n = 0;
	for (size_t i = 0; i < from->keys.n; i++)
		*vec_push(&to->keys) = from->keys.at[i];
}

static void
remember_lost(struct nav *n)
{
	if (!n->path.keys.n || n->n_lost == NAV_LOST)
		return;
	struct nav_lost *to = &n->lost[n->n_lost++];
	copy_path(&to->path, &n->path);
	to->by = n->by;
	to->inverted = n->inverted;
	to->proposed = n->proposed;
}

/* Selects the oldest lost path that this fold shows; false if there is none. */
static bool
find_lost(struct nav *n, const struct fold *f, const struct profile *p)
{
	for (unsigned i = 0; i < n->n_lost; i++) {
		const struct nav_lost *lost = &n->lost[i];
		bool whole = false;
		node_id at = NODE_ROOT;
		if (lost->by == f->tree->by && lost->inverted == f->tree->inverted)
			at = read_path(&lost->path, f, &whole);
		if (!whole)
			continue;
		n->n_lost = i;
		select_node(n, f, p, at);
		n->proposed = lost->proposed;
		return true;
	}
	return false;
}

void
nav_settle(struct nav *n, const struct fold *f, const struct profile *p)
{
	if (n->function != UINT32_MAX && n->function >= p->frames.n_functions)
		n->function = UINT32_MAX; /* it belonged to a label that the lens no longer has */
	bool whole, same = n->by == f->tree->by,
		    turned = n->inverted != f->tree->inverted;
	node_id at = NODE_ROOT;
	if (!same || turned) {
		n->zoom_path.keys.n = 0;
		n->zoom_steps.n = 0;
	}
	n->zoom = read_path(&n->zoom_path, f, &whole);
	if (!whole)
		nav_write_path(&n->zoom_path, f->tree, n->zoom);
	while (n->zoom_steps.n &&
	       n->zoom_steps.at[n->zoom_steps.n - 1] >= n->zoom_path.keys.n)
		n->zoom_steps.n--;

	if (find_lost(n, f, p))
		return;
	if (!n->path.keys.n && n->key == KEY_NONE) {
		n->node = NODE_ROOT;
		n->by = f->tree->by;
		n->inverted = f->tree->inverted;
		return;
	}
	whole = false;
	if (same && !turned && n->path.keys.n)
		at = read_path(&n->path, f, &whole);
	if (!whole) {
		remember_lost(n);
		key_id key = same ? n->key : key_of_function(n, f, p);
		node_id found = key == KEY_NONE ? NODE_NONE : heaviest(f, key);
		if (found == NODE_NONE && key != KEY_NONE && tree_has(f->tree, key)) {
			go_away(n, f, key, at);
			return;
		}
		at = found == NODE_NONE ? at : found;
	}
	function_id keep = n->function;
	bool proposed = n->proposed;
	select_node(n, f, p, at);
	n->proposed = proposed;
	/* A file or module that is shown now replaces the function chosen before. */
	if (keep != UINT32_MAX && n->function == UINT32_MAX)
		n->function = keep;
}

bool
nav_is_above(const struct fold *f, node_id a, node_id b)
{
	while (b > a)
		b = f->tree->parent[b];
	return a == b;
}

/* Copies the selection and its origin; the zoom only as a path. */
static void
copy_selection(struct nav *to, const struct nav *from)
{
	copy_path(&to->path, &from->path);
	copy_path(&to->zoom_path, &from->zoom_path);
	vec_reserve(&to->zoom_steps, from->zoom_steps.n);
	to->zoom_steps.n = 0;
	for (size_t i = 0; i < from->zoom_steps.n; i++)
		*vec_push(&to->zoom_steps) = from->zoom_steps.at[i];
	to->key = from->key;
	to->away = from->away;
	to->function = from->function;
	to->by = from->by;
	to->inverted = from->inverted;
	to->proposed = from->proposed;
}

void
nav_hold(const struct nav *n, struct nav *held)
{
	copy_selection(held, n);
}

void
nav_back(struct nav *n, const struct nav *held, const struct fold *f, const struct profile *p)
{
	n->n_lost = 0;
	copy_selection(n, held);
	nav_settle(n, f, p);
	n->moves++;
}
