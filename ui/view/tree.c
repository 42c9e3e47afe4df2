/* tree.c - an outline of all stacks that opens and closes.
 *
 * The rows are those of branches.h over the links of the outline.  With chains (c) a row is a whole
 * chain of frames (chains.h), identified by its last one.  Paths still consist of all frames, so
 * switching chains does not change which rows are open.
 *
 * The first row is "all", the base of the shares. */
#include "ui/view/view.h"

#include <stdlib.h>

#include "model/base/mem.h"
#include "model/lens/regroup.h"
#include "model/profile/profile.h"
#include "ui/part/branches.h"
#include "ui/part/chains.h"
#include "ui/part/show.h"
#include "ui/part/sparks.h"

#define OPEN_SHARE 20 /* 1/20: open rows from 5 % on */

struct tree_state {
	struct branches rows;
	uint64_t folds;
	bool chains; /* rows are chains */
	int w;
};

/* ---- the links; they are of a scene ---- */

static branch_id
tree_end_of(const struct scene *s, node_id n)
{
	return n == NODE_NONE ? BRANCH_NONE : chain_end(s, n);
}

static branch_id
tree_link_first(void *of, branch_id n)
{
	const struct scene *s = of;
	return tree_end_of(s, outline_first(s->outline, n));
}

static branch_id
tree_link_last(void *of, branch_id n)
{
	const struct scene *s = of;
	return tree_end_of(s, outline_last(s->outline, n));
}

static branch_id
tree_link_next(void *of, branch_id n)
{
	const struct scene *s = of;
	return tree_end_of(s, outline_next(s->outline, chain_head(s, n)));
}

static branch_id
tree_link_prev(void *of, branch_id n)
{
	const struct scene *s = of;
	return tree_end_of(s, outline_prev(s->outline, chain_head(s, n)));
}

static branch_id
tree_link_parent(void *of, branch_id n)
{
	const struct scene *s = of;
	return s->fold->tree->parent[chain_head(s, n)];
}

/* Marks outlive this profile, but ids of the frames of labels do not while a file grows: their
 * names do. */
static uint64_t
tree_path_key(const struct scene *s, node_id n)
{
	const struct projection *t = s->fold->tree;

	if (t->key[n] == KEY_NONE || !regroup_asked(s->lens))
		return t->key[n];
	return name_hash(names_get(&s->p->names, projection_key_name(t, s->p, t->key[n])));
}

static branch_id
tree_link_path(void *of, branch_id n, uint64_t *key)
{
	const struct scene *s = of;
	*key = tree_path_key(s, n);
	return n == NODE_ROOT ? BRANCH_NONE : s->fold->tree->parent[n];
}

static bool
tree_link_has(void *of, branch_id n)
{
	const struct scene *s = of;
	return outline_has(s->outline, n);
}

/* Groups of tasks are a table: they are closed, and Enter shows one in the flame. */
static bool
tree_is_group(const struct scene *s, node_id n)
{
	return s->fold->usage.any && n != NODE_ROOT && s->fold->tree->parent[n] == NODE_ROOT;
}

static bool
tree_link_heavy(void *of, branch_id n)
{
	const struct scene *s = of;
	return !tree_is_group(s, n) &&
	       fold_weight(s->fold, n) >= fold_weight(s->fold, NODE_ROOT) / OPEN_SHARE;
}

/* Leads to the node where the frame costs the most. */
static bool
tree_link_leads(void *of, branch_id n, branch_id first)
{
	const struct scene *s = of;
	return s->fold->now.self[n] <= s->fold->now.total[first];
}

static const struct branch_ops tree_links = {
	.first = tree_link_first,
	.last = tree_link_last,
	.next = tree_link_next,
	.prev = tree_link_prev,
	.parent = tree_link_parent,
	.path = tree_link_path,
	.has = tree_link_has,
	.heavy = tree_link_heavy,
	.leads = tree_link_leads,
};

_Static_assert(NODE_NONE == BRANCH_NONE, "nodes are handed on as they are");

/* ---- the view ---- */

static void *
tree_create(void)
{
	struct tree_state *v = mem_zalloc(1, sizeof *v);
	branches_init(&v->rows, &tree_links);
	v->folds = UINT64_MAX;
	return v;
}

static void
tree_destroy(void *view)
{
	struct tree_state *v = view;
	branches_release(&v->rows);
	free(v);
}

static void
make_sparks(const struct tree_state *v, struct scene *s)
{
	VEC(spark_id) seen = VEC_INIT;
	if (!sparks_cols(s, v->w))
		return;
	for (size_t i = 0; i < v->rows.lines.n; i++)
		*vec_push(&seen) = spark_of_node(v->rows.lines.at[i].id);
	sparks_make(s->sparks, s, seen.at, seen.n);
	vec_release(&seen);
}

static void
tree_arrange(void *view, struct scene *s, struct area a)
{
	struct tree_state *v = view;
	if (v->folds != s->folds || v->chains != s->chains)
		branches_reset(&v->rows, s, NODE_ROOT, BRANCH_NONE, 0);
	v->folds = s->folds;
	v->chains = s->chains;
	v->rows.of = s;
	v->w = a.w;
	show_selection(s);
	branches_arrange(&v->rows, chain_end(s, outline_above(s->outline, s->nav->node)),
			 a.h > 1 ? a.h - 1 : 1);
	make_sparks(v, s);
}

static void
tree_write_name(const struct branch_name *n, int cols, struct buf *out)
{
	chain_name(n->s, chain_head(n->s, n->line->id), n->line->id, cols, out);
}

static void
tree_line(struct branch_name *n, struct row *r)
{
	bool root = n->line->id == NODE_ROOT;

	*r = fold_node_row(n->s->fold, n->line->id);
	if (root) /* the root has no callers */
		r->calls = -1;
	n->hit = !root && chain_hits(n->s, chain_head(n->s, n->line->id), n->line->id);
	n->write = tree_write_name;
}

static const char *
names_of(const struct scene *s)
{
	static const char *const names[2][2] = {
		{"function", "function, " FOLD_ESTIMATED},
		{"function, then its callers",
		 "function, then its callers, " FOLD_ESTIMATED},
	};

	return names[s->fold->tree->inverted][s->fold->estimated];
}

static struct branches_shown
shown(const struct tree_state *v, const struct scene *s, struct look *look)
{
	look_init(look, s->p, s->fold);
	look->tenths = true;
	return (struct branches_shown){.b = &v->rows,
				       .s = s,
				       .look = look,
				       .share = "%",
				       .name = names_of(s),
				       .line = tree_line};
}

static void
tree_draw(const void *view, const struct scene *s, struct canvas *c, struct area a)
{
	struct look look;
	struct branches_shown d = shown(view, s, &look);

	branches_draw(&d, c, a);
}

static bool
tree_shows_column(const void *view, const struct scene *s, const char *column)
{
	const struct tree_state *v = view;
	struct look look;
	struct branches_shown d = shown(v, s, &look);

	return branches_show_column(&d, v->w, column);
}

/* ---- actions ---- */

static void
tree_go(struct scene *s, node_id n)
{
	nav_select(s->nav, s->fold, s->p, n);
}

static enum reply
tree_act(void *view, struct scene *s, enum action action)
{
	struct tree_state *v = view;
	if (action == ACTION_ENTER && tree_is_group(s, s->nav->node)) {
		nav_zoom(s->nav, s->fold, s->nav->node);
		return REPLY_STACKS;
	}
	enum branch_did did =
		branches_act(&v->rows, action == ACTION_ENTER ? ACTION_TOGGLE : action);
	if (did == BRANCHES_MOVED)
		tree_go(s, v->rows.at);
	return did == BRANCHES_PASS ? REPLY_PASS : REPLY_DONE;
}

static enum reply
tree_click(void *view, struct scene *s, int y, int x, bool twice)
{
	struct tree_state *v = view;
	(void)x;
	if (!branches_click(&v->rows, y - 1))
		return REPLY_PASS;
	tree_go(s, v->rows.at);
	if (twice)
		branches_act(&v->rows, ACTION_TOGGLE);
	return REPLY_DONE;
}

static bool
tree_hover(void *view, const struct scene *s, int y, int x, struct row *out,
	   struct buf *more)
{
	const struct tree_state *v = view;
	(void)x;
	(void)more;
	return y > 0 && (size_t)y <= v->rows.lines.n &&
	       show_node(s, v->rows.lines.at[y - 1].id, out);
}

/* Searches the whole tree, and opens closed rows. */
static bool
tree_find(void *view, struct scene *s, int dir)
{
	(void)view;
	node_id n = search_next(s->search, s->outline, s->nav->node, dir);
	if (n != NODE_NONE)
		tree_go(s, n);
	return n != NODE_NONE;
}

static void
tree_hold_cursor(void *view, const struct scene *s, bool back)
{
	struct tree_state *v = view;
	(void)s;
	branches_hold(&v->rows, back);
}

static void
tree_save_state(const void *view, struct buf *out)
{
	const struct tree_state *v = view;
	branches_keep(&v->rows, out);
}

static void
tree_save_position(const void *view, struct buf *out)
{
	const struct tree_state *v = view;
	branches_stand(&v->rows, out);
}

static bool
tree_restore_state(void *view, const char *words)
{
	struct tree_state *v = view;
	return branches_read(&v->rows, words);
}

static bool
tree_describe(const void *view, const struct scene *s, struct row *out)
{
	(void)view;
	return show_node(s, s->nav->node, out);
}

static bool
tree_has_effect(const void *view, const struct scene *s, enum action action)
{
	const struct tree_state *v = view;
	(void)s;
	return branches_have_effect(&v->rows, action == ACTION_ENTER ? ACTION_TOGGLE : action);
}

static const enum action tree_keys[] = {
	ACTION_TOGGLE, ACTION_SEARCH, ACTION_HOT, ACTION_OPEN_ALL, ACTION_CLOSE_ALL,
	ACTION_TRANSFORM, ACTION_ENTER, ACTION_INVERT, ACTION_CHAINS, ACTION_NONE,
};

const struct view_ops tree_view = {
	.name = "tree",
	.digit = '2',
	.open = ACTION_VIEW_TREE,
	.scope = SCOPE_TREE,
	.rows = true,
	.about =
		"Each line is a frame with its cost: total includes its callees, self\n"
		"does not; % of everything in range.  Space opens a line; lines of 5 %\n"
		"or more are open at first.\n",
	.enter = "open",
	.keys = tree_keys,
	.create = tree_create,
	.destroy = tree_destroy,
	.arrange = tree_arrange,
	.draw = tree_draw,
	.act = tree_act,
	.has_effect = tree_has_effect,
	.click = tree_click,
	.hover = tree_hover,
	.find = tree_find,
	.search_position = show_search_position,
	.hold_cursor = tree_hold_cursor,
	.describe = tree_describe,
	.omitted_rows = show_omitted_rows,
	.shows_column = tree_shows_column,
	.save_state = tree_save_state,
	.restore_state = tree_restore_state,
	.save_position = tree_save_position,
};
