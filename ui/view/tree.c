/* tree.c - an outline of all stacks that opens and closes.
 *
 * Nothing is ever flattened: the rows on the screen are walked to from the selected one,
 * up and down, through the links of the outline, so a tree of a million open nodes costs
 * what it shows.  A node is open by a rule (it has at least 5 % of everything; or all; or
 * none) unless the user opened or closed that very path: such marks are kept under a hash
 * of the path's keys, so that they survive filters, ranges and growing profiles.
 *
 * Two paths with the same 64-bit hash would open together; that harms nobody.
 *
 * With chains (c) a row is a whole chain of frames (chains.h), known by its last one.
 *
 * The first row is "all": what the shares are shares of stands on the screen. */
#include "ui/view/view.h"

#include <stdlib.h>
#include <string.h>

#include "model/human.h"
#include "model/map.h"
#include "model/mem.h"
#include "model/vec.h"
#include "ui/part/chains.h"
#include "ui/part/compare.h"
#include "ui/part/show.h"
#include "ui/screen/text.h"

#define OPEN_SHARE 20 /* 1/20: from 5 % on */
#define BAR_COLS 10

enum rule { RULE_HEAVY, RULE_ALL, RULE_NONE };

struct mark {
	uint64_t path; /* its hash */
	bool open;
};

struct shown {
	node_id node;
	uint32_t depth;
};

struct tree {
	enum rule rule;
	struct map map; /* of the marks */
	VEC(struct mark) marks;
	uint64_t *hash; /* [node] of its path; 0: not worked out */
	uint32_t n_nodes;
	uint64_t folds, moves;
	VEC(struct shown) lines;
	bool chains; /* the lines are chains */
	uint32_t least_depth; /* of the lines: what indentation counts from */
	int row;              /* on which line the selection stands */
	int h;
};

static void *
tree_create(void)
{
	struct tree *v = mem_zalloc(1, sizeof *v);
	v->folds = UINT64_MAX;
	return v;
}

static void
forget_marks(struct tree *v)
{
	map_release(&v->map);
	vec_release(&v->marks);
}

static void
tree_destroy(void *view)
{
	struct tree *v = view;
	forget_marks(v);
	free(v->hash);
	vec_release(&v->lines);
	free(v);
}

/* ---- what is open ---- */

/* The mark of a path, by its hash; NULL where there is none. */
static struct mark *
mark_find(const struct tree *v, uint64_t path)
{
	if (!v->marks.n)
		return NULL;
	uint32_t slot = map_first(&v->map, path), i;
	while (map_probe(&v->map, &slot, path, &i))
		if (v->marks.at[i].path == path)
			return &v->marks.at[i];
	return NULL;
}

static void
mark_set(struct tree *v, uint64_t path, bool open)
{
	struct mark *known = mark_find(v, path);
	if (known) {
		known->open = open;
		return;
	}
	map_insert(&v->map, path, (uint32_t)v->marks.n);
	*vec_push(&v->marks) = (struct mark){.path = path, .open = open};
}

static uint64_t
path_hash(struct tree *v, const struct projection *t, node_id node)
{
	/* Down from the nearest node whose hash is known; the way is marked by climbing. */
	VEC(node_id) way = VEC_INIT;
	node_id i = node;
	for (; i != NODE_ROOT && !v->hash[i]; i = t->parent[i])
		*vec_push(&way) = i;
	uint64_t h = i == NODE_ROOT ? 0x9E3779B97F4A7C15u : v->hash[i];
	while (way.n) {
		i = way.at[--way.n];
		h = (h ^ t->key[i]) * 0xD6E8FEB86659FD93u;
		h ^= h >> 32;
		v->hash[i] = h = h < 2 ? 2 : h;
	}
	vec_release(&way);
	return h;
}

static bool
is_open(struct tree *v, const struct scene *s, node_id node)
{
	if (node == NODE_ROOT)
		return true;
	if (v->marks.n) {
		const struct mark *mark = mark_find(v, path_hash(v, s->fold->tree, node));
		if (mark)
			return mark->open;
	}
	if (v->rule == RULE_HEAVY)
		return fold_weight(s->fold, node) >=
		       fold_weight(s->fold, NODE_ROOT) / OPEN_SHARE;
	return v->rule == RULE_ALL;
}

static void
set_open(struct tree *v, const struct scene *s, node_id node, bool open)
{
	if (node != NODE_ROOT && is_open(v, s, node) != open)
		mark_set(v, path_hash(v, s->fold->tree, node), open);
	v->moves = UINT64_MAX;
}

static bool
has_children(const struct scene *s, node_id node)
{
	return outline_first(s->outline, node) != NODE_NONE;
}

/* ---- walking the rows ---- */

static node_id
row_after(struct tree *v, const struct scene *s, node_id n)
{
	if (is_open(v, s, n) && has_children(s, n))
		return chain_end(s, outline_first(s->outline, n));
	while (n != NODE_ROOT) {
		n = chain_head(s, n);
		node_id next = outline_next(s->outline, n);
		if (next != NODE_NONE)
			return chain_end(s, next);
		n = s->fold->tree->parent[n];
	}
	return NODE_NONE;
}

static node_id
last_below(struct tree *v, const struct scene *s, node_id n)
{
	while (is_open(v, s, n) && has_children(s, n))
		n = chain_end(s, outline_last(s->outline, n));
	return n;
}

static node_id
row_before(struct tree *v, const struct scene *s, node_id n)
{
	if (n == NODE_ROOT)
		return NODE_NONE;
	n = chain_head(s, n);
	node_id prev = outline_prev(s->outline, n);
	return prev == NODE_NONE ? s->fold->tree->parent[n]
				 : last_below(v, s, chain_end(s, prev));
}

/* Rows from the root: that of a root frame has depth 1. */
static uint32_t
row_depth(const struct scene *s, node_id n)
{
	uint32_t depth = 0;
	if (!s->chains)
		return outline_depth(s->outline, n);
	for (; n != NODE_ROOT; n = s->fold->tree->parent[chain_head(s, n)])
		depth++;
	return depth;
}

/* The row of the selection. */
static node_id
row_here(const struct scene *s)
{
	return chain_end(s, s->nav->node);
}

/* On which line of the screen the selection belongs, so that the screen moves least. */
static int
selection_row(struct tree *v, const struct scene *s, bool same_tree, int h)
{
	node_id here = row_here(s);
	int n = (int)v->lines.n;
	for (int i = 0; i < n && same_tree; i++)
		if (v->lines.at[i].node == here)
			return i < h ? i : h - 1;
	if (!same_tree && n) /* other numbers, the same place on the screen */
		return v->row < h ? v->row : h - 1;
	if (same_tree && n) {
		if (row_before(v, s, v->lines.at[0].node) == here)
			return 0;
		if (row_after(v, s, v->lines.at[n - 1].node) == here)
			return h - 1;
	}
	return h / 2;
}

static void
tree_arrange(void *view, struct scene *s, struct area a)
{
	struct tree *v = view;
	bool same_tree = v->folds == s->folds;
	int h = a.h > 1 ? a.h - 1 : 1;
	bool same_rows = same_tree && v->chains == s->chains;
	if (same_rows && v->moves == s->nav->moves && v->h == h)
		return;
	v->chains = s->chains;
	if (!same_tree) {
		free(v->hash);
		v->n_nodes = s->fold->tree->n;
		v->hash = mem_zalloc(v->n_nodes, sizeof *v->hash);
	}
	const node_id *parent = s->fold->tree->parent;
	node_id here = row_here(s);
	for (node_id i = here; i != NODE_ROOT; i = parent[i])
		if (!chain_is_link(s, parent[i]) && !is_open(v, s, parent[i]))
			set_open(v, s, parent[i], true);
	int row = selection_row(v, s, same_rows, h);
	node_id top = here;
	for (; row > 0; row--) {
		node_id before = row_before(v, s, top);
		if (before == NODE_NONE)
			break;
		top = before;
	}
	v->lines.n = 0;
	for (node_id i = top; i != NODE_NONE && (int)v->lines.n < h;
	     i = row_after(v, s, i)) {
		uint32_t depth = row_depth(s, i);
		*vec_push(&v->lines) = (struct shown){i, depth};
		if (i == here)
			v->row = (int)v->lines.n - 1;
		if (v->lines.n == 1 || depth < v->least_depth)
			v->least_depth = depth;
	}
	v->folds = s->folds;
	v->moves = s->nav->moves;
	v->h = h;
}

/* ---- drawing ---- */

/* Where the columns stand; 0 wide: not there. */
struct columns_at {
	int calls_w, bar_w, name_x, name_w, place_w;
};

static struct columns_at
columns_at(const struct scene *s, struct area a)
{
	struct columns_at at = {0};
	bool compares = s->fold->compares;
	int x = compares ? COMPARE_COLS : 9 + 1 + 6 + 1 + 9 + 1 + 6 + 1;
	if (s->fold->now.calls && !compares)
		at.calls_w = 10;
	if (a.w >= 100 && !compares)
		at.bar_w = BAR_COLS + 1;
	at.name_x = x + at.calls_w + at.bar_w;
	at.place_w = a.w >= 120 ? a.w / 4 : 0;
	at.name_w = a.w - at.name_x - at.place_w;
	return at;
}

static void
draw_head(const struct scene *s, struct canvas *c, struct area a)
{
	struct columns_at at = columns_at(s, a);
	canvas_fill(c, (struct area){a.y, a.x, 1, a.w}, INK_HEAD, ' ');
	if (s->fold->compares) {
		compare_draw_head(c, a.y, a.x);
	} else {
		canvas_right(c, a.y, a.x, 9, INK_HEAD_SORTED, "total ▾");
		canvas_right(c, a.y, a.x + 10, 6, INK_HEAD, "%");
		canvas_right(c, a.y, a.x + 17, 9, INK_HEAD, "self");
		canvas_right(c, a.y, a.x + 27, 6, INK_HEAD, "%");
	}
	if (at.calls_w)
		canvas_right(c, a.y, a.x + 34, at.calls_w - 1, INK_HEAD, "calls");
	canvas_fit(c, a.y, a.x + at.name_x, at.name_w, INK_HEAD,
		   s->fold->tree->inverted ? "function, then its callers" : "function");
	if (at.place_w)
		canvas_fit(c, a.y, a.x + at.name_x + at.name_w, at.place_w, INK_HEAD,
			   "where");
}

static void
draw_number(const struct scene *s, struct canvas *c, int y, int x, int64_t v,
	    enum ink ink)
{
	struct buf text = BUF_INIT;
	show_value(s, v, &text);
	canvas_right(c, y, x, 9, ink, buf_str(&text));
	buf_reset(&text);
	show_share(s, v, &text);
	canvas_right(c, y, x + 9, 7, ink, buf_str(&text));
	buf_release(&text);
}

/* The outline itself: indentation, a mark, the name.  Deep in a tree the lines move to the
 * left together; a number tells how deep the least deep of them is. */
static void
draw_name(struct tree *v, const struct scene *s, struct canvas *c, int y, int x, int w,
	  const struct shown *l, enum ink ink)
{
	node_id head = chain_head(s, l->node);
	bool hit = l->node != NODE_ROOT && chain_hits(s, head, l->node);
	uint32_t base = v->least_depth > 4 ? v->least_depth : 0, steps = l->depth - base;
	int indent = (int)(steps > 10000 ? 10000 : steps) * (w < 60 ? 1 : 2);
	struct buf text = BUF_INIT;
	if (base && steps == 0)
		buf_addf(&text, "%u› ", base);
	if (indent > w / 2) {
		indent = w / 2;
		buf_addf(&text, "%u› ", l->depth);
	}
	if (w <= indent + 2) {
		buf_release(&text);
		return;
	}
	canvas_text(c, y, x + indent, 2, ink == INK_TEXT ? INK_DIM : ink,
		    !has_children(s, l->node) ? "  "
		    : is_open(v, s, l->node)  ? "▾ "
					      : "▸ ");
	if (hit)
		buf_addc(&text, '*');
	chain_name(s, head, l->node, w - indent - 2 - text_cols(buf_str(&text)), &text);
	canvas_fit(c, y, x + indent + 2, w - indent - 2,
		   hit && ink == INK_TEXT ? INK_HIT : ink, buf_str(&text));
	buf_release(&text);
}

static void
draw_line(struct tree *v, const struct scene *s, struct canvas *c, struct area a, int y,
	  const struct shown *l)
{
	const struct fold_numbers *now = &s->fold->now;
	struct columns_at at = columns_at(s, a);
	bool here = l->node == row_here(s);
	int64_t total = now->total[l->node], self = now->self[l->node];
	enum ink ink = here ? INK_HERE : INK_TEXT;
	struct buf text = BUF_INIT;
	canvas_fill(c, (struct area){y, a.x, 1, at.name_x + at.name_w}, ink, ' ');
	if (s->fold->compares) {
		compare_draw(s, c, y, a.x, total, s->fold->base.total[l->node], ink);
	} else {
		draw_number(s, c, y, a.x, total,
			    here ? ink : theme_heat(total, now->everything));
		draw_number(s, c, y, a.x + 17, self,
			    here ? ink : theme_heat(self, now->everything));
	}
	if (at.calls_w && l->node != NODE_ROOT) {
		human_count(&text, now->calls[l->node]);
		canvas_right(c, y, a.x + 34, at.calls_w - 1, ink, buf_str(&text));
	}
	if (at.bar_w)
		canvas_bar(c, y, a.x + at.name_x - at.bar_w, at.bar_w - 1,
			   here ? ink : INK_BAR, total, now->everything);
	draw_name(v, s, c, y, a.x + at.name_x, at.name_w, l, ink);
	if (at.place_w) {
		buf_reset(&text);
		show_place(s, s->fold->tree->key[l->node], &text);
		if (!text.len)
			show_module(s, s->fold->tree->key[l->node], &text);
		canvas_fit_tail(c, y, a.x + at.name_x + at.name_w + 1, at.place_w - 1,
				INK_DIM, buf_str(&text));
	}
	if (here)
		canvas_char(c, y, a.x, ink, '>');
	buf_release(&text);
}

static void
tree_draw(const void *view, const struct scene *s, struct canvas *c, struct area a)
{
	struct tree v =
		*(const struct tree *)view; /* hashes are worked out as they are met */
	draw_head(s, c, a);
	for (size_t i = 0; i < v.lines.n; i++)
		draw_line(&v, s, c, a, a.y + 1 + (int)i, &v.lines.at[i]);
}

/* ---- actions ---- */

static void
go(struct scene *s, node_id n)
{
	nav_select(s->nav, s->fold, s->p, n);
}

static void
step(struct tree *v, struct scene *s, int by)
{
	node_id at = row_here(s);
	for (; by; by += by < 0 ? 1 : -1) {
		node_id n = by < 0 ? row_before(v, s, at) : row_after(v, s, at);
		if (n == NODE_NONE)
			break;
		at = n;
	}
	go(s, at);
}

static void
to_parent(struct scene *s)
{
	if (s->nav->node != NODE_ROOT)
		go(s, s->fold->tree->parent[chain_head(s, s->nav->node)]);
}

/* Opens the way along the heaviest children, to where the frame itself costs the most. */
static void
hot_path(struct tree *v, struct scene *s)
{
	const struct fold_numbers *now = &s->fold->now;
	node_id at = row_here(s);
	for (;;) {
		node_id c = outline_first(s->outline, at);
		if (c == NODE_NONE || now->self[at] > now->total[c])
			break;
		set_open(v, s, at, true);
		at = c;
	}
	go(s, at);
}

static void
all_open(struct tree *v, struct scene *s, bool open)
{
	v->rule = open ? RULE_ALL : RULE_NONE;
	forget_marks(v);
	v->moves = UINT64_MAX;
	if (open)
		return;
	while (s->nav->node != NODE_ROOT &&
	       s->fold->tree->parent[chain_head(s, s->nav->node)] != NODE_ROOT)
		to_parent(s);
}

static void
go_left(struct tree *v, struct scene *s)
{
	node_id n = row_here(s);
	if (n != NODE_ROOT && has_children(s, n) && is_open(v, s, n))
		set_open(v, s, n, false);
	else
		to_parent(s);
}

static void
go_right(struct tree *v, struct scene *s)
{
	node_id n = row_here(s);
	if (!has_children(s, n))
		return;
	if (is_open(v, s, n))
		go(s, chain_end(s, outline_first(s->outline, n)));
	else
		set_open(v, s, n, true);
}

static enum reply
tree_act(void *view, struct scene *s, enum action action)
{
	struct tree *v = view;
	node_id n = row_here(s);
	switch (action) {
	case ACTION_DOWN:
		step(v, s, 1);
		return REPLY_DONE;
	case ACTION_UP:
		step(v, s, -1);
		return REPLY_DONE;
	case ACTION_HALF_DOWN:
	case ACTION_PAGE_DOWN:
		step(v, s, action == ACTION_HALF_DOWN ? v->h / 2 : v->h - 1);
		return REPLY_DONE;
	case ACTION_HALF_UP:
	case ACTION_PAGE_UP:
		step(v, s, action == ACTION_HALF_UP ? -(v->h / 2) : 1 - v->h);
		return REPLY_DONE;
	case ACTION_FIRST:
		go(s, NODE_ROOT);
		return REPLY_DONE;
	case ACTION_LAST:
		go(s, last_below(v, s, NODE_ROOT));
		return REPLY_DONE;
	case ACTION_LEFT:
		go_left(v, s);
		return REPLY_DONE;
	case ACTION_RIGHT:
		go_right(v, s);
		return REPLY_DONE;
	case ACTION_TOGGLE:
	case ACTION_ENTER:
		set_open(v, s, n, !is_open(v, s, n));
		return REPLY_DONE;
	case ACTION_OPEN:
	case ACTION_CLOSE:
		set_open(v, s, n, action == ACTION_OPEN);
		return REPLY_DONE;
	case ACTION_HOT:
		hot_path(v, s);
		return REPLY_DONE;
	case ACTION_OPEN_ALL:
	case ACTION_CLOSE_ALL:
		all_open(v, s, action == ACTION_OPEN_ALL);
		return REPLY_DONE;
	case ACTION_OUT:
		to_parent(s);
		return REPLY_DONE;
	default:
		return REPLY_PASS;
	}
}

static enum reply
tree_click(void *view, struct scene *s, int y, int x, bool twice)
{
	struct tree *v = view;
	(void)x;
	if (y < 1 || (size_t)(y - 1) >= v->lines.n)
		return REPLY_PASS;
	node_id n = v->lines.at[y - 1].node;
	go(s, n);
	if (twice)
		set_open(v, s, n, !is_open(v, s, n));
	return REPLY_DONE;
}

static bool
tree_find(void *view, struct scene *s, int dir)
{
	(void)view;
	node_id n = search_next(s->search, s->outline, s->nav->node, dir);
	if (n != NODE_NONE)
		go(s, n);
	return n != NODE_NONE;
}

static bool
tree_describe(const void *view, const struct scene *s, struct row *out)
{
	(void)view;
	return show_node(s, s->nav->node, out);
}

static const enum action tree_keys[] = {
	ACTION_TOGGLE, ACTION_HOT,    ACTION_OPEN_ALL,  ACTION_CLOSE_ALL,
	ACTION_SEARCH, ACTION_FILTER, ACTION_TRANSFORM, ACTION_METRIC,
	ACTION_INVERT, ACTION_HELP,   ACTION_BACK,      ACTION_NONE,
};

const struct view_ops tree_view = {
	.name = "tree",
	.digit = '2',
	.open = ACTION_VIEW_TREE,
	.scope = SCOPE_TREE,
	.about =
		"Each line is a frame with what it cost: total with all that it called,\n"
		"self in the frame alone; % of everything in range.  Lines open with\n"
		"Space; those with 5 % or more are open from the start.\n",
	.enter = "open",
	.keys = tree_keys,
	.create = tree_create,
	.destroy = tree_destroy,
	.arrange = tree_arrange,
	.draw = tree_draw,
	.act = tree_act,
	.click = tree_click,
	.find = tree_find,
	.describe = tree_describe,
};
