/* cells_boxes.c - joins the cells of a picture to boxes; see cells.h.
 *
 * Works row by row from the root on. A box ends where the one above it does, so the box of each
 * column in the row above is kept.
 *
 * Functions that take turns beat with the columns, so at most widths neighbours are not alike, and
 * each of their boxes is too narrow for a name. A second pass over the boxes of a row joins them:
 * the mean of some columns is what stays the same. */
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

/* Counts the function if the box, `id`, has not met it yet. */
static void
count_function(struct cells *c, const struct layout *l, key_id key, struct cell_box *box,
	       size_t id)
{
	size_t *counted;
	while (c->counted.n < l->t->n_keys)
		*vec_push(&c->counted) = 0;
	counted = &c->counted.at[key];
	box->more += *counted != id;
	*counted = id;
}

/* Counts the calls of the box, and its functions.  Each box has another `id`, from 1. */
static void
count_calls(struct cells *c, const struct layout *l, unsigned row, struct cell_box *box,
	    size_t id)
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
				count_function(c, l, m->key, box, id);
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

/* ---- functions that take turns ---- */

#define TURN_COLS 4  /* narrower boxes have no room for a label */
#define TURN_ROOM 16 /* columns for several names; fewer of them stay as they are */
#define TURN_BOXES 3 /* that hold a function */
#define TURN_KEYS 8
#define TURN_WHOLE 85u /* percent of each column that the functions have together */
#define EIGHTH 12u     /* of 100 */

/* The functions of a run of neighbouring boxes. */
struct turn_run {
	unsigned n, cols, boxes;
	node_id node[TURN_KEYS];
	unsigned sum[TURN_KEYS];      /* of its shares in all columns */
	unsigned boxes_of[TURN_KEYS]; /* that hold an eighth of it */
};

static bool
add_turn(struct turn_run *t, const struct cells *c, const struct layout *l, unsigned x,
	 unsigned row, node_id node)
{
	if (node == NODE_NONE || t->n == TURN_KEYS)
		return false;
	for (unsigned k = 0; k < t->n; k++)
		if (drawn_key(l, t->node[k]) == drawn_key(l, node))
			return false;
	if (share_in(c, l, x, row, node) < EIGHTH)
		return false;
	t->node[t->n++] = node;
	return true;
}

/* Adds a function that has an eighth of a column.  Returns false if there is no other. */
static bool
add_turn_of(struct turn_run *t, const struct cells *c, const struct layout *l, unsigned x,
	    unsigned row)
{
	struct time_cell cell = cells_at(c, x, row);
	size_t a, b;
	find_row(c, x, row, false, &a, &b);
	bool added = add_turn(t, c, l, x, row, cell.node) ||
		     add_turn(t, c, l, x, row, cell.second);
	for (; !added && a < b && cell.mix == MIX_MANY; a++)
		added = add_turn(t, c, l, x, row, c->sum.at[a].node);
	return added;
}

/* Returns the share of the functions in a column. */
static unsigned
turns_share(const struct turn_run *t, const struct cells *c, const struct layout *l, unsigned x,
	    unsigned row)
{
	unsigned whole = 0;
	for (unsigned k = 0; k < t->n; k++)
		whole += share_in(c, l, x, row, t->node[k]);
	return whole;
}

/* Appends a box to the run.  Returns false, and may have changed the run, if it does not belong to
 * it: a wide box must have several functions, with the mean shares of the run. */
static bool
turns_take(struct turn_run *t, const struct cells *c, const struct layout *l,
	   const struct cell_box *b)
{
	unsigned sum[TURN_KEYS] = {0}, cols = (unsigned)b->w, end = (unsigned)b->x + cols;
	bool labelled = b->w >= TURN_COLS;
	if (labelled && b->mix == MIX_ONE)
		return false;
	for (unsigned x = (unsigned)b->x; x < end; x++)
		while (turns_share(t, c, l, x, b->row) < TURN_WHOLE)
			if (!add_turn_of(t, c, l, x, b->row))
				return false;
	for (unsigned k = 0; k < t->n; k++) {
		for (unsigned x = (unsigned)b->x; x < end; x++)
			sum[k] += share_in(c, l, x, b->row, t->node[k]);
		unsigned mean = t->cols ? t->sum[k] / t->cols : 0, own = sum[k] / cols;
		if (labelled && t->cols && (mean < own ? own - mean : mean - own) > ALIKE_POINTS)
			return false;
	}
	for (unsigned k = 0; k < t->n; k++) {
		t->sum[k] += sum[k];
		t->boxes_of[k] += sum[k] >= EIGHTH * cols;
	}
	t->cols += cols;
	t->boxes++;
	return true;
}

/* Returns true if each function comes again and again. */
static bool
turns_alternate(const struct turn_run *t)
{
	bool alternate = t->n > 1 && t->cols >= TURN_ROOM;
	for (unsigned k = 0; k < t->n; k++)
		alternate &= t->boxes_of[k] >= TURN_BOXES;
	return alternate;
}

/* Makes the functions of the run those of its box; the first is the largest. */
static void
turns_to_box(const struct turn_run *t, struct cell_box *box)
{
	unsigned first = 0;
	for (unsigned k = 1; k < t->n; k++)
		first = t->sum[k] > t->sum[first] ? k : first;
	box->w = (int)t->cols;
	box->node = t->node[first];
	box->second = t->node[first ? 0 : 1];
	box->mix = t->n > 2 ? MIX_MANY : MIX_TWO;
}

/* Makes boxes of functions that take turns one, the first; returns how many they were. */
static size_t
join_turns(const struct cells *c, const struct layout *l, const size_t *above,
	   struct cell_box *box, size_t n)
{
	struct turn_run run = {0}, next = run;
	for (const struct cell_box *b = box; b < box + n; b++) {
		bool beside = b == box || b->x == box->x + (int)run.cols;
		if (!beside || above[b->x] != above[box->x] || b->astray ||
		    !turns_take(&next, c, l, b))
			break;
		run = next;
	}
	if (!turns_alternate(&run))
		return 1;
	turns_to_box(&run, box);
	return run.boxes;
}

/* Appends the boxes of neighbours of the same composition. */
static void
join_alike(struct cells *c, const struct layout *l, const size_t *above, unsigned row)
{
	for (unsigned x = 0, end; x < c->n; x = end) {
		struct time_cell cell = cells_at(c, x, row);
		end = x + 1;
		if (cell.node == NODE_NONE)
			continue;
		end = cells_find_end(c, l, above, x, row);
		*vec_push(&c->box) = (struct cell_box){.x = (int)x,
						       .w = (int)(end - x),
						       .row = row,
						       .node = cell.node,
						       .second = cell.second,
						       .mix = cell.mix,
						       .astray = cell.astray};
	}
}

void
cells_join(struct cells *c, const struct layout *l)
{
	size_t *above = mem_zalloc((size_t)c->n * 2 + 1, sizeof *above), *now = above + c->n;
	c->counted.n = 0;
	for (unsigned row = 0; row <= c->rows; row++) {
		size_t i = c->box.n, to = i;
		*vec_push(&c->boxes) = i;
		join_alike(c, l, above, row);
		for (unsigned x = 0; x < c->n; x++)
			now[x] = SIZE_MAX;
		for (; i < c->box.n; to++) {
			struct cell_box *box = &c->box.at[to];
			size_t joined = join_turns(c, l, above, &c->box.at[i], c->box.n - i);
			*box = c->box.at[i];
			i += joined;
			count_calls(c, l, row, box, to + 1);
			for (int x = box->x; x < box->x + box->w; x++)
				now[x] = to;
		}
		c->box.n = to;
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
