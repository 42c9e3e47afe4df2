/* filecost.c - see filecost.h.
 *
 * A folder's total is not the sum of its files' totals, since one file calls another. As for
 * lines (linecost.c), the tree of stacks is walked once with a count of how often each file, and
 * each folder, is on the path. Only the outermost occurrence adds its total.
 *
 * Paths are sorted, so the contents of a folder are adjacent, and comparing each path with the
 * one before yields the folders. No names are made: a folder is a part of the path of its first
 * file. */
#include "model/fold/filecost.h"

#include <stdlib.h>
#include <string.h>

#include "model/base/mem.h"

void
filecosts_release(struct filecosts *c)
{
	vec_release(&c->all);
	free(c->of_key);
	c->of_key = NULL;
	c->n_keys = 0;
}

uint32_t
filecosts_of_key(const struct filecosts *c, key_id key)
{
	return key < c->n_keys ? c->of_key[key] : FILECOST_NONE;
}

/* ---- files and folders ---- */

struct filecost_path {
	const char *at;
	size_t len;
	name_id name;
};

static int
by_path(const void *a, const void *b)
{
	const struct filecost_path *x = a, *y = b;
	int order = memcmp(x->at, y->at, x->len < y->len ? x->len : y->len);

	return order ? order : (x->len > y->len) - (x->len < y->len);
}

static name_id
filecost_file_of(const struct fold *f, const struct profile *p, key_id key)
{
	return profile_function(p, projection_key_function(f->tree, p, key)).file;
}

static uint32_t
filecost_add(struct filecosts *c, uint32_t parent, const struct filecost_path *path, size_t from,
	     size_t to, bool folder)
{
	uint32_t id = (uint32_t)c->all.n;

	*vec_push(&c->all) = (struct filecost){
		.parent = parent,
		.first = FILECOST_NONE,
		.last = FILECOST_NONE,
		.next = FILECOST_NONE,
		.prev = FILECOST_NONE,
		.path = path ? path->name : NAME_EMPTY,
		.from = (uint32_t)from,
		.to = (uint32_t)to,
		.folder = folder,
		.key = KEY_NONE,
		.most = -1,
	};
	return id;
}

static bool
is_separator(const struct filecost_path *path, size_t i, bool slashed)
{
	return path->at[i] == '/' || (!slashed && path->at[i] == '\\');
}

/* Adds a file below the folders of its path; `folder` is the folder of the previous path. */
static uint32_t
filecost_add_file(struct filecosts *c, const struct profile *p, uint32_t folder,
		  const struct filecost_path *path)
{
	bool slashed = memchr(path->at, '/', path->len) != NULL;
	const struct filecost *in = &c->all.at[folder];

	while (folder && (in->to >= path->len ||
			  memcmp(names_get(&p->names, in->path).at, path->at, in->to)))
		in = &c->all.at[folder = in->parent];
	size_t from = in->to;
	for (size_t i = from; i + 1 < path->len; i++)
		if (is_separator(path, i, slashed)) {
			folder = filecost_add(c, folder, path, from, i + 1, true);
			from = i + 1;
		}
	return filecost_add(c, folder, path, from, path->len, false);
}

/* Makes the folders and the files, and maps each key to its file. */
static void
make_files(struct filecosts *c, const struct fold *f, const struct profile *p,
	   struct pace *pace)
{
	const struct projection *t = f->tree;
	uint32_t *of_name = mem_alloc((size_t)p->names.n + 1, sizeof *of_name), at = 0;
	VEC(struct filecost_path) paths = {0};

	for (uint32_t i = 0; i < p->names.n; i++)
		of_name[i] = FILECOST_NONE;
	for (node_id i = 1; i < t->n && pace_on(pace, 1); i++) {
		name_id file = filecost_file_of(f, p, t->key[i]);
		if (!fold_shows(f, i) || of_name[file] != FILECOST_NONE)
			continue;
		struct name name = names_get(&p->names, file);
		*vec_push(&paths) = (struct filecost_path){name.at, name.len, file};
		of_name[file] = 0;
	}
	if (paths.n > 1)
		qsort(paths.at, paths.n, sizeof *paths.at, by_path);
	filecost_add(c, FILECOST_NONE, NULL, 0, 0, true);
	for (size_t i = 0; i < paths.n; i++) {
		uint32_t file = filecost_add_file(c, p, at, &paths.at[i]);
		of_name[paths.at[i].name] = file;
		at = c->all.at[file].parent;
	}
	c->n_keys = t->n_keys;
	c->of_key = mem_alloc((size_t)t->n_keys + 1, sizeof *c->of_key);
	for (key_id k = 0; k < t->n_keys; k++)
		c->of_key[k] = FILECOST_NONE;
	for (node_id i = 1; i < t->n && pace_on(pace, 1); i++)
		c->of_key[t->key[i]] = of_name[filecost_file_of(f, p, t->key[i])];
	vec_release(&paths);
	free(of_name);
}

/* ---- costs ---- */

static void
filecost_add_costs(struct filecosts *c, const struct fold *f, struct pace *pace)
{
	uint32_t *open = mem_zalloc(c->all.n + 1, sizeof *open);
	int64_t *self = mem_zalloc((size_t)c->n_keys + 1, sizeof *self);

	for (struct walk w = walk_begin(); walk_on(f->tree, &w) && pace_on(pace, 1);) {
		key_id key = f->tree->key[w.node];
		if (w.enters)
			self[key] += numbers_recorded_self(&f->now, f->tree, w.node);
		for (uint32_t n = c->of_key[key]; n != FILECOST_NONE; n = c->all.at[n].parent) {
			struct filecost *at = &c->all.at[n];
			if (!w.enters) {
				open[n]--;
				continue;
			}
			at->self += numbers_recorded_self(&f->now, f->tree, w.node);
			if (!open[n]++)
				at->total += f->now.recorded.total[w.node];
		}
	}
	for (key_id k = 0; k < c->n_keys; k++)
		for (uint32_t n = c->of_key[k]; n != FILECOST_NONE; n = c->all.at[n].parent)
			if (self[k] > c->all.at[n].most) {
				c->all.at[n].most = self[k];
				c->all.at[n].key = k;
			}
	for (uint32_t n = 0; n < c->all.n; n++) {
		c->all.at[n].self = numbers_scaled(c->all.at[n].self, f->now.by);
		c->all.at[n].total = numbers_scaled(c->all.at[n].total, f->now.by);
	}
	free(open);
	free(self);
}

/* ---- the tree ---- */

/* Counts the wanted files in each folder, if only some are wanted. */
static uint32_t *
count_within(struct filecosts *c, const struct profile *p, struct pattern *only)
{
	uint32_t *within = mem_zalloc(c->all.n + 1, sizeof *within);

	for (uint32_t i = (uint32_t)c->all.n; i-- > 1;) {
		const struct filecost *at = &c->all.at[i];
		struct name name = names_get(&p->names, at->path);
		if (!at->folder && (!only || pattern_matches_text(only, &p->names, name) !=
						     pattern_negated(only)))
			within[i] = 1;
		within[at->parent] += within[i] != 0;
	}
	return within;
}

/* Joins a folder that contains only one folder with that one. */
static void
join_folders(struct filecosts *c, uint32_t *within)
{
	for (uint32_t i = 1; i < c->all.n; i++) {
		struct filecost *at = &c->all.at[i];
		uint32_t up = at->parent;
		if (!up || !at->folder || !within[i] || within[up] != 1)
			continue;
		at->from = c->all.at[up].from;
		at->parent = c->all.at[up].parent;
		within[up] = 0;
	}
}

static int
by_cost(const void *a, const void *b, void *of)
{
	const struct filecosts *c = of;
	uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;
	const struct filecost *x = &c->all.at[i], *y = &c->all.at[k];

	if (x->total != y->total)
		return x->total < y->total ? 1 : -1;
	if (x->self != y->self)
		return x->self < y->self ? 1 : -1;
	return (i > k) - (i < k); /* in the order of their paths */
}

static void
link_one(struct filecosts *c, uint32_t i)
{
	struct filecost *at = &c->all.at[i], *up = &c->all.at[at->parent];

	at->prev = up->last;
	if (up->last == FILECOST_NONE)
		up->first = i;
	else
		c->all.at[up->last].next = i;
	up->last = i;
}

static void
link_all(struct filecosts *c, const struct profile *p, struct pattern *only)
{
	uint32_t *within = count_within(c, p, only), n = 0;
	uint32_t *order = mem_alloc(c->all.n + 1, sizeof *order);

	join_folders(c, within);
	for (uint32_t i = 1; i < c->all.n; i++)
		if (within[i])
			order[n++] = i;
	qsort_r(order, n, sizeof *order, by_cost, c);
	for (uint32_t i = 0; i < n; i++)
		link_one(c, order[i]);
	free(within);
	free(order);
}

void
filecosts_paced(struct filecosts *c, const struct fold *f, const struct profile *p,
		struct pattern *only, struct pace *pace)
{
	c->all.n = 0;
	free(c->of_key);
	c->of_key = NULL;
	c->n_keys = 0;
	make_files(c, f, p, pace);
	if (!pace_gives_up(pace))
		filecost_add_costs(c, f, pace);
	if (!pace_gives_up(pace))
		link_all(c, p, only);
}
