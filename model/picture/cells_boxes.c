/* cells_boxes.c - joins the cells of a picture to boxes; see cells.h.
 *
 * Works row by row from the root on. A box ends where the one above it does, so the box of each
 * column in the row above is kept. */
#include "model/base/wide.h"
#include "model/picture/cells.h"

#include <stdlib.h>
#include <string.h>

#include "model/base/mem.h"
#include "model/picture/layout_inside.h"

/* The first sum of column x at or after this row and function; the end of the column if there
 * is none. */
static size_t
find_sum_place(const struct cells *c, unsigned x, unsigned row, key_id key)
{
	size_t a = c->sums.at[x], b = x + 1 < c->n ? c->sums.at[x + 1] : c->sum.n;
	while (a < b) {
		size_t mid = a + (b - a) / 2;
		const struct cells_sum *m = &c->sum.at[mid];
		if (m->row < row || (m->row == row && m->key < key))
			a = mid + 1;
		else
			b = mid;
	}
	return a;
}

static const struct cells_sum *
find_sum(const struct cells *c, unsigned x, unsigned row, key_id key)
{
	size_t at = find_sum_place(c, x, row, key);
	size_t end = x + 1 < c->n ? c->sums.at[x + 1] : c->sum.n;
	const struct cells_sum *m = at < end ? &c->sum.at[at] : NULL;
	return m && m->row == row && m->key == key ? m : NULL;
}

/* Sums [*a, *b) of column x at a row, all functions; of row 0 of steps all rows but that, since a
 * leaf that was left and comes back is no other call. */
static void
find_row(const struct cells *c, unsigned x, unsigned row, bool leaves, size_t *a, size_t *b)
{
	*a = find_sum_place(c, x, row + leaves, 0);
	*b = leaves ? x + 1 < c->n ? c->sums.at[x + 1] : c->sum.n
		    : find_sum_place(c, x, row + 1, 0);
}

/* Counts the function if the box has not met it yet. */
static void
count_function(struct cells *c, const struct layout *l, key_id key, struct cell_box *box)
{
	size_t *counted;
	while (c->counted.n < l->t->n_keys)
		*vec_push(&c->counted) = 0;
	counted = &c->counted.at[key];
	box->more += *counted != c->box.n + 1;
	*counted = c->box.n + 1;
}

/* Counts the calls of the box, and its functions. */
static void
count_calls(struct cells *c, const struct layout *l, unsigned row, struct cell_box *box)
{
	const struct series *of = NULL;
	key_id key = drawn_key(l, box->node);
	bool leaves = false;
	int64_t calls = 0;
	for (int x = box->x; x < box->x + box->w; x++) {
		const struct series *was = of;
		size_t a, b;
		of = c->of.at[x];
		leaves = !row && of && of->kind == SERIES_STEPS;
		find_row(c, (unsigned)x, row, leaves, &a, &b);
		for (; a < b; a++) {
			const struct cells_sum *m = &c->sum.at[a];
			if (box->mix == MIX_MANY)
				count_function(c, l, m->key, box);
			else if (m->key != key &&
				 (box->mix == MIX_ONE || m->key != drawn_key(l, box->second)))
				continue;
			calls += m->calls;
			/* begun before, by what was not counted yet */
			calls += !leaves && m->seen && (x == box->x || of != was);
		}
		box->about |= c->about.at[x];
	}
	box->more -= box->more > 0;
	box->calls = !of ? 0 : calls > 1 || leaves ? (uint64_t)calls : 1;
}

/* The share in percent of a function in a cell. */
static unsigned
share_in(const struct cells *c, const struct layout *l, unsigned x, unsigned row, node_id node)
{
	struct time_cell cell = cells_at(c, x, row);
	const struct cells_sum *m;
	key_id key = drawn_key(l, node);
	if (drawn_key(l, cell.node) == key)
		return cell.share;
	if (cell.second != NODE_NONE && drawn_key(l, cell.second) == key)
		return cell.second_share;
	m = find_sum(c, x, row, key);
	return m ? cells_share(m->time, cell.whole) : 0;
}

#define ALIKE_POINTS 15u

static bool
is_share_alike(const struct cells *c, const struct layout *l, unsigned x, unsigned at,
	       unsigned row, node_id node)
{
	unsigned a = share_in(c, l, x, row, node), b = share_in(c, l, at, row, node);
	return (a < b ? b - a : a - b) <= ALIKE_POINTS;
}

static bool
is_alike(const struct cells *c, const struct layout *l, unsigned x, unsigned at, unsigned row)
{
	struct time_cell a = cells_at(c, x, row), b = cells_at(c, at, row);
	if (a.mix != b.mix || a.astray != b.astray)
		return false;
	if (a.mix == MIX_ONE)
		return drawn_key(l, a.node) == drawn_key(l, b.node);
	return is_share_alike(c, l, x, at, row, a.node) &&
	       is_share_alike(c, l, x, at, row, b.node) &&
	       is_share_alike(c, l, x, at, row, a.second) &&
	       is_share_alike(c, l, x, at, row, b.second);
}

/* Returns true if something runs in the cell, under the same box as in column x. */
static bool
is_beside(const struct cells *c, const size_t *above, unsigned x, unsigned at, unsigned row)
{
	return at < c->n && above[at] == above[x] && cells_at(c, at, row).node != NODE_NONE;
}

#define ODD_ONE_IN 8u

/* Where the box that begins at column x ends. */
static unsigned
cells_find_end(const struct cells *c, const struct layout *l, const size_t *above, unsigned x,
	       unsigned row)
{
	unsigned end = x + 1, odd = 0;
	while (is_beside(c, above, x, end, row)) {
		if (is_alike(c, l, x, end, row)) {
			end++;
			continue;
		}
		if ((odd + 1) * ODD_ONE_IN > end + 2 - x ||
		    !share_in(c, l, end, row, cells_at(c, x, row).node) ||
		    !is_beside(c, above, x, end + 1, row) || !is_alike(c, l, x, end + 1, row))
			break;
		odd++;
		end += 2;
	}
	return end;
}

void
cells_join(struct cells *c, const struct layout *l)
{
	size_t *above = mem_zalloc((size_t)c->n * 2 + 1, sizeof *above), *now = above + c->n;
	c->counted.n = 0;
	for (unsigned row = 0; row <= c->rows; row++) {
		*vec_push(&c->boxes) = c->box.n;
		for (unsigned x = 0, end; x < c->n; x = end) {
			struct time_cell cell = cells_at(c, x, row);
			end = x + 1;
			now[x] = SIZE_MAX;
			if (cell.node == NODE_NONE)
				continue;
			end = cells_find_end(c, l, above, x, row);
			for (unsigned k = x; k < end; k++)
				now[k] = c->box.n;
			struct cell_box box = {.x = (int)x,
					       .w = (int)(end - x),
					       .row = row,
					       .node = cell.node,
					       .second = cell.second,
					       .mix = cell.mix,
					       .astray = cell.astray};
			count_calls(c, l, row, &box);
			*vec_push(&c->box) = box;
		}
		if (row) /* the leaves of row 0 are above nothing */
			memcpy(above, now, c->n * sizeof *above);
	}
	*vec_push(&c->boxes) = c->box.n;
	free(above);
}

/* ---- unfinished slices ---- */

#define MARKED_COLS 3 /* narrower boxes have no room for a mark */

/* An unfinished slice ends where the one around it does, or with the lane. */
static bool
ends_with_outer(const struct cells *c, const struct cell_box *b)
{
	size_t n;
	unsigned end = (unsigned)(b->x + b->w);
	if (end >= c->n || b->row < 2)
		return end >= c->n || cells_at(c, end, b->row).node == NODE_NONE;
	const struct cell_box *above = cells_boxes(c, b->row - 1, &n);
	for (size_t i = 0; i < n; i++)
		if (above[i].x + above[i].w >= (int)end)
			return above[i].x + above[i].w == (int)end;
	return false;
}

static bool
is_unfinished(struct layout *l, struct layout_lane *lane, label_id label,
	      const struct cell_box *b, int64_t begin, int64_t last)
{
	struct layout_slice slice;
	struct event e;
	if (!layout_slice(l, lane, last, b->row, &slice) || !slice.shown || slice.start > begin ||
	    drawn_key(l, slice.node) != drawn_key(l, b->node))
		return false;
	return slice.start_known && series_event(lane->series, slice.first, &e) &&
	       labels_have(&l->p->labels, e.labels, label);
}

void
cells_find_unfinished(struct cells *c, struct layout *l, struct layout_lane *lane,
		      label_id label, int64_t from, int64_t to)
{
	if (label == LABEL_NONE || lane->series->kind != SERIES_STEPS || !lane->series->labelled)
		return;
	for (size_t i = 0; i < c->box.n; i++) {
		struct cell_box *b = &c->box.at[i];
		if (b->w < MARKED_COLS || b->mix != MIX_ONE || b->astray ||
		    !ends_with_outer(c, b))
			continue;
		unsigned x = (unsigned)b->x, end = x + (unsigned)b->w;
		b->unfinished = is_unfinished(l, lane, label, b,
					      wide_part(from, to, c->n, x + 1),
					      wide_part(from, to, c->n, end - 1));
	}
}

const struct cell_box *
cells_boxes(const struct cells *c, unsigned row, size_t *n)
{
	*n = 0;
	if (row + 1 >= c->boxes.n)
		return NULL;
	*n = c->boxes.at[row + 1] - c->boxes.at[row];
	return *n ? c->box.at + c->boxes.at[row] : NULL;
}

/* ---- a preview ---- */

/* Returns the column of n in [from, to) that contains a moment; n: none. */
static unsigned
cells_column_of(int64_t from, int64_t to, unsigned n, int64_t when)
{
	if (when < from || when >= to)
		return n;
	unsigned k = (unsigned)wide_column(from, to, n, when);
	/* columns begin at whole units */
	return k + 1 < n && wide_part(from, to, n, k + 1) <= when ? k + 1 : k;
}

void
cells_stretch(struct cells *c, const struct cells *old, int64_t old_from, int64_t old_to,
	      int64_t from, int64_t to, unsigned n)
{
	for (unsigned x = 0; x < n; x++) {
		int64_t a = wide_part(from, to, n, x), b = wide_part(from, to, n, x + 1);
		unsigned k = cells_column_of(old_from, old_to, old->n, a + (b - a) / 2);
		*vec_push(&c->first) = c->cell.n;
		*vec_push(&c->sums) = c->sum.n;
		*vec_push(&c->of) = NULL;
		*vec_push(&c->end) = b;
		*vec_push(&c->about) = true;
		c->n++;
		size_t end = k + 1 < old->n ? old->first.at[k + 1] : old->cell.n;
		for (size_t i = k < old->n ? old->first.at[k] : end; i < end; i++)
			*vec_push(&c->cell) = old->cell.at[i];
	}
	c->rows = old->rows;
}
