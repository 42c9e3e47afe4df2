/* source_tree.c - the files and their costs, as a tree of folders.
 *
 * The rows are those of branches.h over the links of filecost.h.  The numbers come from the
 * same fold by line as those of the text, so both agree.  The row of the cursor selects its
 * costliest function, which the other views continue with. */
#include "ui/view/source/source_tree.h"

#include <stdlib.h>

#include "model/base/escape.h"
#include "ui/screen/shorten.h"

#define OPEN_SHARE 20 /* 1/20: open rows from 5 % on */

static const struct filecost *
get(const struct source_tree *t, uint32_t n)
{
	return &t->costs.all.at[n];
}

/* ---- the links ---- */

static branch_id
source_link_first(void *of, branch_id n)
{
	return get(of, n)->first;
}

static branch_id
source_link_last(void *of, branch_id n)
{
	return get(of, n)->last;
}

static branch_id
source_link_next(void *of, branch_id n)
{
	return get(of, n)->next;
}

static branch_id
source_link_prev(void *of, branch_id n)
{
	return get(of, n)->prev;
}

static branch_id
source_link_parent(void *of, branch_id n)
{
	return get(of, n)->parent;
}

/* Identifies a folder by its first file and the length of its name, which is the same in each fold
 * with that file. */
static branch_id
source_link_path(void *of, branch_id n, uint64_t *key)
{
	const struct filecost *at = get(of, n);
	*key = (uint64_t)at->path << 32 | at->to;
	return at->parent;
}

static bool
source_link_has(void *of, branch_id n)
{
	return get(of, n)->first != FILECOST_NONE;
}

static bool
source_link_heavy(void *of, branch_id n)
{
	const struct source_tree *t = of;
	return t->only || get(of, n)->total >= get(of, 0)->total / OPEN_SHARE;
}

static bool
source_link_leads(void *of, branch_id n, branch_id first)
{
	(void)of;
	(void)n;
	(void)first;
	return true;
}

static const struct branch_ops links = {
	.first = source_link_first,
	.last = source_link_last,
	.next = source_link_next,
	.prev = source_link_prev,
	.parent = source_link_parent,
	.path = source_link_path,
	.has = source_link_has,
	.heavy = source_link_heavy,
	.leads = source_link_leads,
};

_Static_assert(FILECOST_NONE == BRANCH_NONE, "nodes are handed on as they are");

void
source_tree_init(struct source_tree *t)
{
	*t = (struct source_tree){.stale = true};
	branches_init(&t->rows, &links);
}

void
source_tree_release(struct source_tree *t)
{
	filecosts_release(&t->costs);
	branches_release(&t->rows);
	pattern_unref(t->only);
	buf_release(&t->title);
}

void
source_tree_narrow(struct source_tree *t, struct pattern *only)
{
	pattern_unref(t->only);
	t->only = only;
	t->stale = true;
	buf_reset(&t->title);
	if (only)
		buf_addf(&t->title, "only '%s'", pattern_text(only));
}

bool
source_tree_is_stale(const struct source_tree *t, const struct scene *s)
{
	return t->stale || t->folds != s->folds;
}

void
source_tree_make(struct source_tree *t, const struct scene *s, const struct fold *f,
		 struct pace *pace)
{
	if (!t->fresh) {
		t->stood = !t->stale;
		if (t->stood)
			branches_remember(&t->rows);
	}
	t->fresh = true; /* the previous rows are gone, even if this is cancelled */
	filecosts_paced(&t->costs, f, s->p, t->only, pace);
	if (pace_gives_up(pace))
		return;
	t->stale = false;
	t->folds = s->folds;
}

void
source_tree_arrange(struct source_tree *t, key_id key, int h)
{
	branch_id at = t->rows.at;
	if (t->fresh) {
		branches_reset(&t->rows, t, 0, BRANCH_NONE, 0);
		at = t->stood ? branches_recall(&t->rows) : 0;
	}
	t->fresh = false;
	uint32_t file = key == KEY_NONE ? FILECOST_NONE : filecosts_of_key(&t->costs, key);
	/* a file without a row has no place */
	if (file != FILECOST_NONE && (get(t, file)->prev != FILECOST_NONE ||
				      get(t, get(t, file)->parent)->first == file))
		at = file;
	branches_arrange(&t->rows, at, h);
}

/* ---- drawing ---- */

static void
write_part(const struct source_tree *t, const struct scene *s, uint32_t n, uint32_t from,
	   struct buf *out)
{
	const struct filecost *at = get(t, n);
	struct name name = names_get(&s->p->names, at->path);
	if (!n)
		buf_adds(out, "all");
	else if (at->path == NAME_EMPTY)
		buf_adds(out, "(file not known)");
	else
		escape_shown(out, name.at + from, at->to - from, s->p->charset == CHARSET_CP437);
}

static void
source_write_name(const struct branch_name *n, int cols, struct buf *out)
{
	const struct source_tree *t = n->view;
	struct buf name = BUF_INIT;
	write_part(t, n->s, n->line->id, get(t, n->line->id)->from, &name);
	shorten_name(buf_str(&name), cols, out);
	buf_release(&name);
}

static bool
source_tree_is_hit(const struct source_tree *t, const struct scene *s, uint32_t n)
{
	struct name name = names_get(&s->p->names, get(t, n)->path);
	return s->search->pattern && n && !get(t, n)->folder &&
	       pattern_matches_text(s->search->pattern, &s->p->names, name) !=
		       pattern_negated(s->search->pattern);
}

static struct row
source_tree_row_of(const struct source_tree *t, uint32_t n)
{
	const struct filecost *at = get(t, n);
	return (struct row){.key = KEY_NONE,
			    .self = at->self,
			    .total = at->total,
			    .calls = -1,
			    .lines = -1};
}

static void
source_line(struct branch_name *n, struct row *r)
{
	const struct source_tree *t = n->view;

	*r = source_tree_row_of(t, n->line->id);
	n->hit = source_tree_is_hit(t, n->s, n->line->id);
	n->strong = get(t, n->line->id)->folder;
	n->write = source_write_name;
}

void
source_tree_draw(const struct source_tree *t, const struct scene *s, const struct fold *f,
		 struct canvas *c, struct area a)
{
	struct look look;

	look_init(&look, s->p, f);
	look.tenths = true;
	branches_draw(&(struct branches_shown){.b = &t->rows,
					       .s = s,
					       .look = &look,
					       .share = "%",
					       .name = t->only ? buf_str(&t->title) : "file",
					       .which = BRANCHES_BARE,
					       .view = t,
					       .line = source_line},
		      c, a);
	if (t->only && get(t, 0)->first == FILECOST_NONE && a.h > 2)
		canvas_text(c, a.y + 2, a.x + 1, a.w - 1, INK_TEXT,
			    "No file matches.  f changes the pattern, Esc shows all.");
}

/* ---- the cursor ---- */

key_id
source_tree_key(const struct source_tree *t)
{
	return get(t, t->rows.at)->key;
}

bool
source_tree_is_file(const struct source_tree *t)
{
	return !get(t, t->rows.at)->folder;
}

void
source_tree_describe(const struct source_tree *t, struct row *out)
{
	*out = source_tree_row_of(t, t->rows.at);
}

void
source_tree_where(const struct source_tree *t, const struct scene *s, struct buf *out)
{
	write_part(t, s, t->rows.at, 0, out);
}

struct source_sought {
	const struct source_tree *tree;
	const struct scene *scene;
};

static bool
source_hits(const void *of, branch_id n)
{
	const struct source_sought *f = of;
	return source_tree_is_hit(f->tree, f->scene, n);
}

bool
source_tree_find(struct source_tree *t, const struct scene *s, int dir)
{
	return branches_find(&t->rows, dir, source_hits, &(struct source_sought){t, s});
}

void
source_tree_hits(struct source_tree *t, const struct scene *s, struct standing *out)
{
	branches_count(&t->rows, source_hits, &(struct source_sought){t, s}, out);
}
