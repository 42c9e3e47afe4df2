/* cells_boxes.c - from the cells of a picture to its boxes; see cells.h.
 *
 * Row by row from the root on: a box ends where the one above it does, so of the row above it is
 * kept which box each column is in. */
#include "model/picture/cells.h"

#include <stdlib.h>
#include <string.h>

#include "model/picture/layout_inside.h"
#include "model/base/mem.h"

static const struct cells_sum *
find_sum(const struct cells *c, unsigned x, unsigned row, key_id key)
{
	size_t a = c->sums.at[x], b = x + 1 < c->n ? c->sums.at[x + 1] : c->sum.n;
	while (a < b) {
		size_t mid = a + (b - a) / 2;
		const struct cells_sum *m = &c->sum.at[mid];
		if (m->row == row && m->key == key)
			return m;
		if (m->row < row || (m->row == row && m->key < key))
			a = mid + 1;
		else
			b = mid;
	}
	return NULL;
}

static void
count_calls(const struct cells *c, unsigned row, key_id key, struct cell_box *box)
{
	const struct series *of = NULL;
	int64_t calls = 0;
	for (int x = box->x; x < box->x + box->w; x++) {
		const struct cells_sum *m = find_sum(c, (unsigned)x, row, key);
		if (!m)
			continue;
		calls += m->calls;
		/* begun before, by what was not counted yet */
		if (m->seen && (x == box->x || of != c->of.at[x]))
			calls++;
		of = c->of.at[x];
		box->about |= c->about.at[x];
	}
	box->calls = calls > 1 ? (uint64_t)calls : 1;
	/* a leaf that was left and comes back is no other call */
	if (!of || (!row && of->kind == SERIES_STEPS))
		box->calls = 0;
}

/* Whether the cell shows what the one of column x does, under the same box; `any`: whether
 * it shows anything there. */
static bool
joins(const struct cells *c, const struct layout *l, const size_t *above, unsigned x,
      unsigned at, unsigned row, bool any)
{
	if (at >= c->n || above[at] != above[x])
		return false;
	struct time_cell a = cells_at(c, x, row), b = cells_at(c, at, row);
	return b.node != NODE_NONE && (any || (drawn_key(l, b.node) == drawn_key(l, a.node) &&
					       b.astray == a.astray));
}

void
cells_join(struct cells *c, const struct layout *l)
{
	size_t *above = mem_zalloc((size_t)c->n * 2 + 1, sizeof *above), *now = above + c->n;
	for (unsigned row = 0; row <= c->rows; row++) {
		*vec_push(&c->boxes) = c->box.n;
		for (unsigned x = 0, end; x < c->n; x = end) {
			struct time_cell cell = cells_at(c, x, row);
			end = x + 1;
			now[x] = SIZE_MAX;
			if (cell.node == NODE_NONE)
				continue;
			for (;;)
				if (joins(c, l, above, x, end, row, false))
					end++;
				else if (joins(c, l, above, x, end, row, true) &&
					 joins(c, l, above, x, end + 1, row, false))
					end += 2;
				else
					break;
			for (unsigned k = x; k < end; k++)
				now[k] = c->box.n;
			struct cell_box box = {(int)x, (int)(end - x), cell.node, 0, false,
					       cell.astray};
			count_calls(c, row, drawn_key(l, cell.node), &box);
			*vec_push(&c->box) = box;
		}
		if (row) /* the leaves of row 0 are above nothing */
			memcpy(above, now, c->n * sizeof *above);
	}
	*vec_push(&c->boxes) = c->box.n;
	free(above);
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
