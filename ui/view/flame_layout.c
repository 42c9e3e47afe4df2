/* flame_layout.c - see flame_layout.h.
 *
 * Rows are laid out from the zoomed frame down, as far as the screen needs.  The columns of a
 * box are the running sums of its heavier siblings, scaled.  A box thinner than half a column
 * gets none, and one box takes the rest of the row.  A level has at most as many boxes as the
 * screen has columns, and only children of boxes are read, so the cost depends on the screen.
 *
 * Above the zoomed frame are its callers, one a row at full width.  A long path shows the root
 * and the nearest three callers, and a row with the number of the others.
 *
 * By time x is the time in the range; chrono.h provides the boxes.  A repeated frame has many
 * boxes there, and the selected one is the nearest to the cursor.
 *
 * In a comparison the width of a box is the sum of both sides, so a frame that is gone keeps
 * its width; of values below 0 it is their amount (fold_weight()).
 *
 * Invariant: row[] has one element more than there are rows, and the row of the zoomed frame,
 * [path_rows], always exists. */
#include "ui/view/flame_layout.h"

#include <stdlib.h>

#include "model/base/mem.h"
#include "ui/part/chains.h"
#include "ui/part/work.h"

#define PATH_ROWS 4

/* The rows by time, while they are computed. */
struct flame_moments {
	struct work *work;
	const struct scene *scene;
	struct chrono chrono;
	struct flame_of {
		uint64_t folds;
		node_id zoom;
		int w;
		bool chains;
	} of;
	bool done, timed;
};

void
flame_layout_init(struct flame_layout *l)
{
	*l = (struct flame_layout){.folds = UINT64_MAX};
	chrono_init(&l->chrono);
}

void
flame_layout_release(struct flame_layout *l)
{
	if (l->next) {
		work_free(l->next->work);
		chrono_release(&l->next->chrono);
		free(l->next);
	}
	chrono_release(&l->chrono);
	vec_release(&l->boxes);
	vec_release(&l->row);
}

int
flame_rows(const struct flame_layout *l)
{
	return (int)l->row.n - 1;
}

/* Ends a row. */
static struct flame_box *
lay_box(struct flame_layout *l, node_id node, int x, int w, node_id head)
{
	struct flame_box *b = vec_push(&l->boxes);
	*b = (struct flame_box){.node = node, .x = x, .w = w, .head = head};
	return b;
}

static void
end_row(struct flame_layout *l)
{
	*vec_push(&l->row) = l->boxes.n;
}

static void
lay_path(struct flame_layout *l, const struct scene *s)
{
	const node_id *parent = s->fold->tree->parent;
	uint32_t depth = outline_depth(s->outline, s->nav->zoom);
	node_id near[PATH_ROWS];
	uint32_t n = 0;
	for (node_id i = s->nav->zoom; i != NODE_ROOT && n < PATH_ROWS;) {
		i = parent[i];
		near[n++] = i;
	}
	if (depth > PATH_ROWS) {
		lay_box(l, NODE_ROOT, 0, l->w, NODE_ROOT);
		end_row(l);
		lay_box(l, NODE_NONE, 0, l->w, NODE_NONE)->left_out = depth - PATH_ROWS;
		end_row(l);
		n = PATH_ROWS - 1;
	}
	while (n-- > 0) {
		lay_box(l, near[n], 0, l->w, near[n]);
		end_row(l);
	}
	l->path_rows = l->row.n - 1;
}

/* ---- by time ---- */

static void
make_moments(void *ctx, struct pace *pace)
{
	struct flame_moments *m = ctx;
	m->timed = chrono_look(&m->chrono, m->scene, (unsigned)m->of.w, pace);
	m->done = !pace_gives_up(pace);
}

/* Runs a portion; returns true when the moments are known and belong to l. */
static bool
find_moments(struct flame_layout *l, const struct scene *s, int w)
{
	struct flame_of of = {s->folds, s->nav->zoom, w, s->chains};
	if (!l->next) {
		l->next = mem_zalloc(1, sizeof *l->next);
		l->next->work = work_new(s->works);
		chrono_init(&l->next->chrono);
	}
	struct flame_moments *m = l->next;
	bool same = m->of.folds == of.folds && m->of.zoom == of.zoom && m->of.w == of.w &&
		    m->of.chains == of.chains;
	/* a new fold drops works that rest */
	bool begins = !same || (!m->done && !work_busy(m->work));
	if (begins) {
		work_drop(m->work);
		m->of = of;
		m->scene = s;
		m->done = false;
		work_begin(m->work, make_moments, m);
	}
	work_on(m->work, begins ? work_first(s->portion_ns) : s->portion_ns);
	if (!m->done)
		return false;
	struct chrono keep = l->chrono;
	l->chrono = m->chrono;
	m->chrono = keep;
	m->done = false;
	m->of.folds = UINT64_MAX;
	l->timed = m->timed;
	return true;
}

void
flame_lay_out(struct flame_layout *l, const struct scene *s, int w)
{
	bool known = !l->by_time || find_moments(l, s, w);
	if (!known && l->row.n && l->tree == s->fold->tree->serial && l->w == w &&
	    l->zoom == s->nav->zoom)
		return;
	if (!l->by_time || !known)
		l->timed = false;
	l->tree = s->fold->tree->serial;
	l->w = w;
	l->boxes.n = 0;
	l->row.n = 0;
	l->complete = false;
	l->folds = known ? s->folds : UINT64_MAX;
	l->zoom = s->nav->zoom;
	l->chains = s->chains;
	*vec_push(&l->row) = 0;
	lay_path(l, s);
	node_id zoom = s->nav->zoom;
	lay_box(l, chain_end(s, zoom), 0, l->w, zoom);
	end_row(l);
}

bool
flame_is_stale(const struct flame_layout *l, const struct scene *s, int w)
{
	return l->folds != s->folds || l->w != w || l->zoom != s->nav->zoom ||
	       l->chains != s->chains;
}

/* Lays out the children of one box in the last row. */
static void
lay_children(struct flame_layout *l, const struct scene *s, struct flame_box b)
{
	const struct fold *f = s->fold;
	double whole = (double)fold_weight(f, b.node), sum = 0;
	uint32_t left = 0, laid = 0;
	int x = b.x, end;
	if (whole <= 0)
		return;
	node_id c = outline_first(s->outline, b.node);
	for (; c != NODE_NONE; c = outline_next(s->outline, c)) {
		double part = (double)fold_weight(f, c);
		if (part / whole * b.w < 0.5)
			break;
		sum += part;
		end = b.x + (int)(sum / whole * b.w + 0.5);
		if (end <= x)
			break;
		lay_box(l, chain_end(s, c), x, end - x, c);
		x = end;
		laid++;
	}
	/* add the rest unsorted: there may be a million */
	if (c != NODE_NONE || s->sure_only)
		outline_all(s->outline, b.node, &left, &sum);
	left -= left ? laid : 0;
	end = b.x + (int)(sum / whole * b.w + 0.5);
	if (left && end > x)
		lay_box(l, NODE_NONE, x, end - x, NODE_NONE)->left_out = left;
}

/* Lays out the next row by time. */
static void
lay_moments(struct flame_layout *l, const struct scene *s)
{
	unsigned row = (unsigned)((size_t)flame_rows(l) - l->path_rows - 1);
	struct chrono_box b;
	int x = 0;
	while (chrono_box(&l->chrono, s, row, &x, &b))
		lay_box(l, b.node, b.x, b.w, b.head)->held = *b.box;
}

void
flame_extend(struct flame_layout *l, const struct scene *s, int rows)
{
	while (flame_rows(l) < rows && !l->complete) {
		size_t from = l->row.at[l->row.n - 2], to = l->row.at[l->row.n - 1];
		if (l->timed)
			lay_moments(l, s);
		for (size_t i = from; !l->timed && i < to; i++)
			if (l->boxes.at[i].node != NODE_NONE)
				lay_children(l, s, l->boxes.at[i]);
		if (l->boxes.n == to)
			l->complete = true;
		else
			end_row(l);
	}
}

bool
flame_covers(const struct scene *s, const struct flame_box *b, node_id n)
{
	return b->node != NODE_NONE && nav_is_above(s->fold, b->head, n) &&
	       nav_is_above(s->fold, n, b->node);
}

int
flame_distance(const struct flame_layout *l, const struct flame_box *b)
{
	if (l->cursor_x < b->x)
		return b->x - l->cursor_x;
	return l->cursor_x >= b->x + b->w ? l->cursor_x - b->x - b->w + 1 : 0;
}

/* Returns the box in a row that begins with this frame, the nearest of several. */
static size_t
box_in_row(const struct flame_layout *l, int row, node_id head)
{
	size_t best = SIZE_MAX;
	for (size_t i = l->row.at[row]; i < l->row.at[row + 1]; i++) {
		const struct flame_box *b = &l->boxes.at[i];
		if (b->node != NODE_NONE && b->head == head &&
		    (best == SIZE_MAX ||
		     flame_distance(l, b) < flame_distance(l, &l->boxes.at[best])))
			best = i;
	}
	return best;
}

size_t
flame_box_of(struct flame_layout *l, const struct scene *s, node_id node, int *row)
{
	const node_id *parent = s->fold->tree->parent;
	VEC(node_id) way = VEC_INIT;
	size_t found = l->row.at[l->path_rows];
	*row = (int)l->path_rows;
	if (!nav_is_above(s->fold, l->zoom, node)) {
		/* A caller of the zoomed frame, or a box beside it. */
		for (size_t i = 0; i < found; i++)
			if (l->boxes.at[i].node == node) {
				*row = (int)i;
				return i;
			}
		return found;
	}
	for (node_id i = node; i != l->zoom; i = parent[i])
		*vec_push(&way) = i;
	while (way.n) {
		node_id want = way.at[--way.n];
		if (flame_covers(s, &l->boxes.at[found], want))
			continue;
		flame_extend(l, s, *row + 2);
		size_t i = *row + 1 < flame_rows(l) ? box_in_row(l, *row + 1, want)
						    : SIZE_MAX;
		if (i == SIZE_MAX)
			break;
		found = i;
		(*row)++;
	}
	vec_release(&way);
	return found;
}
