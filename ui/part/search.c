/* search.c - see search.h.
 *
 * Each key is tested once (the pattern caches one answer per name).  A pass down the nodes adds up
 * the outermost hits, and a pass up marks the nodes with a hit below.  So n and N walk in the order
 * of the screen and never enter a subtree without a match.  With millions of names this takes
 * longer than a key may.  So it runs in portions, beside the previous result, and nothing matches
 * until it ends. */
#include "ui/part/search.h"

#include <stdlib.h>

#include "model/base/mem.h"
#include "model/base/sum.h"
#include "model/profile/human.h"

#define COUNT_NODES 100000u

void
search_init(struct search *s)
{
	*s = (struct search){0};
}

void
search_release(struct search *s)
{
	pattern_unref(s->pattern);
	free(s->hit);
	free(s->below);
	free(s->path);
	*s = (struct search){0};
}

void
search_set(struct search *s, struct pattern *pattern)
{
	uint64_t updates = s->updates;
	search_release(s);
	s->pattern = pattern;
	s->due = pattern != NULL;
	s->updates = updates + 1;
}

bool
search_key_matches(struct pattern *pattern, const struct projection *t,
		   const struct profile *p, key_id key)
{
	function_id f = projection_key_function(t, p, key);
	if (f != UINT32_MAX) {
		struct function fn = profile_function(p, f);
		return pattern_matches_function(pattern, p, &fn);
	}
	return pattern_matches_name(pattern, &p->names, projection_key_name(t, p, key)) !=
	       pattern_negated(pattern);
}

static void
search_forget(struct search *s)
{
	free(s->hit);
	free(s->below);
	free(s->path);
	s->hit = s->below = s->path = NULL;
	s->updates++;
	s->n_keys = s->n_nodes = s->keys = s->nodes = 0;
	s->value = 0;
	s->due = s->pattern != NULL;
}

bool
search_take(struct search *s, struct search *found)
{
	struct search keep = *s;
	if (s->pattern != found->pattern || found->due)
		return false;
	*s = *found;
	s->updates = keep.updates + 1;
	*found = keep;
	return true;
}

void
search_update(struct search *s, const struct fold *f, const struct profile *p,
	      struct pace *pace)
{
	const struct projection *t = f->tree;
	int64_t value = 0;
	search_forget(s);
	if (!s->pattern)
		return;
	/* 0: not tested, 1: no, 2: yes. */
	uint8_t *tested = mem_zalloc(t->n_keys, 1), *covered = mem_zalloc(t->n, 1);
	s->hit = mem_zalloc(t->n_keys, 1);
	s->below = mem_zalloc(t->n, 1);
	s->path = mem_zalloc(t->n, 1);
	s->n_keys = t->n_keys;
	s->n_nodes = t->n;
	for (node_id i = 1; i < t->n && pace_on(pace, 1); i++) {
		key_id key = t->key[i];
		covered[i] = covered[t->parent[i]];
		if (!tested[key])
			tested[key] = search_key_matches(s->pattern, t, p, key) ? 2 : 1;
		s->path[i] = s->path[t->parent[i]] & HIT_PATH;
		if (tested[key] == 2)
			s->path[i] = HIT_PATH | HIT_HERE;
		if (!fold_shows(f, i))
			continue;
		if (tested[key] != 2)
			continue;
		if (!s->hit[key]) {
			s->hit[key] = 1;
			s->keys++;
		}
		s->below[i] = 1;
		s->nodes++;
		if (!covered[i]) {
			covered[i] = 1;
			value = sum_clipped(value, f->now.recorded.total[i]);
		}
	}
	s->value = numbers_scaled(value, f->now.by);
	for (struct piece x = piece_back(1, t->n); piece_prev(&x, pace);)
		for (node_id i = x.to; i-- > x.from;)
			s->below[t->parent[i]] |= s->below[i];
	free(tested);
	free(covered);
	s->due = false;
	if (pace_gives_up(pace))
		search_forget(s);
}

/* ---- in portions ---- */

static void
search_find(void *ctx, struct pace *pace)
{
	struct finder *x = ctx;
	search_update(&x->found, x->fold, x->p, pace);
}

void
finder_lose(struct finder *x, struct search *s)
{
	work_drop(x->work);
	search_set(&x->found, NULL);
	search_forget(s);
}

void
finder_release(struct finder *x)
{
	work_free(x->work);
	search_release(&x->found);
	*x = (struct finder){0};
}

bool
finder_on(struct finder *x, struct search *s, struct works *all, const struct fold *f,
	  const struct profile *p, int64_t portion_ns)
{
	if (!s->due)
		return true;
	if (!x->work)
		x->work = work_new(all);
	/* a new fold drops works that rest */
	bool same = x->found.pattern == s->pattern;
	if (!same || (!work_busy(x->work) && x->found.due)) {
		work_drop(x->work);
		search_set(&x->found, pattern_ref(s->pattern));
		x->fold = f;
		x->p = p;
		work_begin(x->work, search_find, x);
	}
	if (!work_on(x->work, portion_ns))
		return false;
	bool done = search_take(s, &x->found);
	search_set(&x->found, NULL);
	return done;
}

/* Returns the node after n in preorder, entering only subtrees with a hit; NODE_NONE at the end. */
static node_id
forward(const struct search *s, struct outline *o, node_id n)
{
	node_id at = s->below[n] ? outline_first(o, n) : NODE_NONE;
	for (;;) {
		for (; at != NODE_NONE; at = outline_next(o, at))
			if (s->below[at])
				return at;
		if (n == NODE_ROOT)
			return NODE_NONE;
		at = outline_next(o, n);
		n = o->fold->tree->parent[n];
	}
}

/* Returns the last node in preorder below n. */
static node_id
deepest(const struct search *s, struct outline *o, node_id n)
{
	for (;;) {
		node_id c = outline_last(o, n);
		while (c != NODE_NONE && !s->below[c])
			c = outline_prev(o, c);
		if (c == NODE_NONE)
			return n;
		n = c;
	}
}

static node_id
backward(const struct search *s, struct outline *o, node_id n)
{
	if (n == NODE_ROOT)
		return NODE_NONE;
	for (node_id at = outline_prev(o, n); at != NODE_NONE; at = outline_prev(o, at))
		if (s->below[at])
			return deepest(s, o, at);
	return o->fold->tree->parent[n];
}

node_id
search_next(const struct search *s, struct outline *o, node_id from, int dir)
{
	if (!s->pattern || !s->n_nodes || !s->below[NODE_ROOT])
		return NODE_NONE;
	node_id at = from;
	bool again = false;
	for (;;) {
		at = dir > 0 ? forward(s, o, at) : backward(s, o, at);
		if (at == NODE_NONE || (dir < 0 && at == NODE_ROOT)) {
			if (again)
				return NODE_NONE;
			again = true;
			at = NODE_ROOT;
			if (dir > 0)
				continue;
			at = deepest(s, o, NODE_ROOT);
		}
		if (at != NODE_ROOT && s->hit[o->fold->tree->key[at]])
			return at;
	}
}

void
search_standing(const struct search *s, struct outline *o, node_id at, struct standing *out)
{
	*out = (struct standing){.all = s->pattern ? s->nodes : 0};
	if (!out->all)
		return;
	out->here = at != NODE_ROOT && s->hit[o->fold->tree->key[at]];
	for (unsigned i = 0; at != NODE_ROOT; at = backward(s, o, at)) {
		out->at += s->hit[o->fold->tree->key[at]];
		if (i++ == COUNT_NODES) {
			out->at = 0;
			return;
		}
	}
}

void
standing_write(const struct standing *st, struct buf *out)
{
	if (st->at || !st->more) {
		human_count(out, (int64_t)st->at);
		buf_adds(out, " of ");
	}
	human_count(out, (int64_t)st->all);
	if (st->more)
		buf_addc(out, '+');
}
