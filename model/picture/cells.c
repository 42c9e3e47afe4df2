/* cells.c - see cells.h.
 *
 * A column adds the time of its events to their leaves, then passes it on to the callers. Ids of
 * children are greater, so one pass over the touched nodes in descending order suffices. The
 * same nodes, sorted by row and function, form the rows. Shown nodes of a row are marked, so
 * that the next row knows what they called. A call counts where it begins: +1 at the leaf, -1 at
 * the deepest frame that continued. Passed on in the same way, that is one call for each frame
 * between.
 *
 * The sums of all functions of a column stay, not only the largest: a box counts the calls of
 * all its functions, also in cells that show others.
 *
 * Which block of a part is read is a hash of its number. With equal distances, periodic load
 * would always be hit at the same phase, and the picture would show that phase. */
#include "model/picture/cells.h"

#include "model/base/radix.h"
#include "model/base/sum.h"
#include "model/base/wide.h"
#include "model/picture/layout_inside.h"

#define ROW_NONE UINT16_MAX /* a node without a row of its own */

void
cells_init(struct cells *c)
{
	*c = (struct cells){0};
}

void
cells_release(struct cells *c)
{
	vec_release(&c->cell);
	vec_release(&c->first);
	vec_release(&c->sum);
	vec_release(&c->sums);
	vec_release(&c->about);
	vec_release(&c->of);
	vec_release(&c->end);
	vec_release(&c->box);
	vec_release(&c->boxes);
	vec_release(&c->leaf);
	vec_release(&c->shown);
	vec_release(&c->item);
	vec_release(&c->unsorted);
	vec_release(&c->part);
	vec_release(&c->counted);
	*c = (struct cells){0};
}

void
cells_begin(struct cells *c, const struct cells_rows *order)
{
	c->n = c->rows = 0;
	c->held = (struct cells_held){0};
	c->order = order ? *order : (struct cells_rows){0};
	c->cell.n = c->first.n = c->sum.n = c->sums.n = c->about.n = c->of.n = c->end.n = 0;
	c->box.n = c->boxes.n = 0;
}

/* ---- the events of a column ---- */

/* The weight of each event of a block. */
struct cells_scale {
	double time;
	int64_t calls;
};

static int64_t
scaled(int64_t v, double by)
{
	double x = (double)v * by;
	return x < 1 ? 1 : x < 9e18 ? (int64_t)(x + 0.5) : INT64_MAX / 2;
}

static struct cells_leaf *
leaf_of(struct cells *c, const struct layout *l, node_id n, uint32_t seen)
{
	if (!l->met[n]) {
		l->met[n] = (uint32_t)c->leaf.n + 1;
		*vec_push(&c->leaf) = (struct cells_leaf){n, seen, 0, 0};
	}
	return &c->leaf.at[l->met[n] - 1];
}

/* Counts calls of those frames of n that are deeper than `keep`. */
static void
add_calls(const struct layout *l, struct cells_leaf *leaf, uint16_t keep,
	  int64_t calls)
{
	node_id n = leaf->node;
	if (keep >= l->depth[n])
		return;
	leaf->calls += calls;
	l->begun[n] += calls;
	while (l->depth[n] > keep)
		n = l->t->parent[n];
	l->begun[n] -= calls;
}

/* Reads the events of the loaded block that are visible in [from, to); returns how many are
 * drawn. */
static uint32_t
read_block(struct cells *c, struct layout *l, const struct layout_lane *lane, int64_t from,
	   int64_t to, const struct cells_scale *scale, uint32_t drawn)
{
	bool steps = lane->series->kind == SERIES_STEPS;
	uint64_t first = l->block * BLOCK_EVENTS;
	for (uint64_t k = 0; k < l->block_n && l->time[k] < to; k++) {
		node_id n = l->node[k];
		struct event e = {.time = l->time[k]};
		if (n == NODE_NONE)
			continue;
		if (k + 1 < l->block_n)
			e.end = l->time[k + 1];
		else
			series_event(lane->series, first + k, &e);
		int64_t until = layout_event_end(lane, first + k, &e);
		if (until < from || (until == from && e.time < from))
			continue;
		bool inside = e.time >= c->begun;
		int64_t a = e.time > from ? e.time : from, b = until < to ? until : to;
		uint16_t keep = !steps ? 0 : l->keep[k];
		if (!drawn++) {
			c->before = !inside ? l->depth[n] : keep;
			c->leaf_before = c->before >= l->depth[n];
		}
		int64_t time = b > a ? difference_clipped(b, a) : 1;
		if (c->order.as)
			n = c->order.as[n];
		struct cells_leaf *leaf = leaf_of(c, l, n, drawn);
		leaf->time += scale ? scaled(time, scale->time) : time;
		if (inside)
			add_calls(l, leaf, keep, scale ? scale->calls : 1);
	}
	return drawn;
}

/* ---- held memory ---- */

#define HELD_LEAVES 4096u /* that a column has at most */

/* Where the leaves of a column go. */
struct held_leaves {
	struct cells *c;
	const struct layout *l;
};

static void
add_held_leaf(void *ctx, stack_id s, int64_t part)
{
	const struct held_leaves *to = ctx;
	node_id node = node_of(to->l, s);

	leaf_of(to->c, to->l, to->c->order.as ? to->c->order.as[node] : node, 1)->time += part;
}

/* Makes the leaves of what is held. Of more stacks than HELD_LEAVES it takes those at equal
 * distances of the running sum: each part of the tree keeps its share. */
static void
read_held(struct cells *c, struct layout *l, const struct layout_lane *lane, int64_t to)
{
	struct held_leaves leaves = {c, l};

	layout_held_parts(l, lane, to, HELD_LEAVES, add_held_leaf, &leaves);
	c->before = UINT16_MAX;
	c->leaf_before = true;
}

/* Makes the column that of the one before, if nothing changed between their ends: then it has the
 * same cells. Returns false if it does not. */
static bool
repeat_held(struct cells *c, const struct layout_lane *lane, int64_t to)
{
	struct cells_held now = {lane->series, series_find(lane->series, to), lane->held};
	struct cells_held was = c->held;

	c->held = now;
	if (was.of != now.of || was.event != now.event || was.metric != now.metric)
		return false;
	for (size_t i = c->first.at[c->n - 1], end = c->first.at[c->n]; i < end; i++) {
		struct time_cell cell = c->cell.at[i];
		*vec_push(&c->cell) = cell;
	}
	for (size_t i = c->sums.at[c->n - 1], end = c->sums.at[c->n]; i < end; i++) {
		struct cells_sum sum = c->sum.at[i];
		*vec_push(&c->sum) = sum;
	}
	return true;
}

/* ---- columns of more blocks than are read ---- */

/* Returns the metric that measures how much ran in a block; -1: count its events. */
static int
run_metric(const struct layout_lane *lane)
{
	const struct series *s = lane->series;
	for (unsigned m = 0; m < s->n_metrics; m++)
		if (s->role[m] == ROLE_TIME ||
		    (s->role[m] == ROLE_VALUE && m + 1 == lane->weight))
			return (int)m;
	return -1;
}

/* Returns how much ran in the blocks [a, b). */
static double
run_of(const struct series *s, int metric, uint64_t a, uint64_t b)
{
	uint64_t end = b * BLOCK_EVENTS < s->n ? b * BLOCK_EVENTS : s->n;
	if (metric < 0)
		return (double)(end - a * BLOCK_EVENTS);
	int64_t last = b < s->n_blocks ? s->block_sum[b * s->n_metrics + (size_t)metric]
				       : s->sum[metric];
	return (double)(last - s->block_sum[a * s->n_metrics + (size_t)metric]);
}

static uint64_t
mixed(uint64_t x)
{
	x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
	x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
	return x ^ (x >> 31);
}

/* Reads one block of [a, b), scaled to all of them. */
static uint32_t
cells_read_part(struct cells *c, struct layout *l, const struct layout_lane *lane, int64_t from,
		int64_t to, uint64_t a, uint64_t b, uint32_t drawn)
{
	const struct series *s = lane->series;
	int metric = run_metric(lane);
	double all = run_of(s, metric, a, b);
	uint32_t was = drawn;
	for (unsigned tries = 0; tries < CELLS_TRIES && drawn == was && all > 0; tries++) {
		uint64_t i = a + mixed(a * CELLS_TRIES + tries + 1) % (b - a);
		double own = run_of(s, metric, i, i + 1);
		if (own <= 0)
			continue;
		struct cells_scale scale = {all / own, (int64_t)(b - a)};
		layout_load_block(l, lane, i);
		drawn = read_block(c, l, lane, from, to, &scale, drawn);
	}
	return drawn;
}

/* Reads the blocks [a, b), which lie entirely in the column. */
static uint32_t
read_parts(struct cells *c, struct layout *l, const struct layout_lane *lane, int64_t from,
	   int64_t to, uint64_t a, uint64_t b, uint32_t drawn)
{
	for (unsigned part = 0; part < CELLS_BLOCKS; part++)
		drawn = cells_read_part(c, l, lane, from, to, a + (b - a) * part / CELLS_BLOCKS,
					a + (b - a) * (part + 1) / CELLS_BLOCKS, drawn);
	return drawn;
}

/* ---- from leaves to rows ---- */

static uint16_t
cells_row_of(const struct cells *c, const struct layout *l, node_id n)
{
	if (!c->order.row)
		return l->depth[n];
	return c->order.row[n] ? c->order.row[n] : ROW_NONE;
}

/* Returns memory to number and sort the sums from `begin` on. */
static struct radix_item *
numbers_for(struct cells *c, size_t begin)
{
	size_t n = (c->sum.n - begin) * 2;
	while (c->item.n < n)
		vec_push(&c->item);
	return c->item.at;
}

static void
sort_numbers(struct cells *c, size_t begin)
{
	size_t n = c->sum.n - begin;
	if (n)
		radix_sort(c->item.at, c->item.at + n, n);
}

/* Adds the sums from `begin` on to their callers. */
static void
add_up(struct cells *c, const struct layout *l, size_t begin)
{
	struct radix_item *item = numbers_for(c, begin);
	size_t n = c->sum.n - begin;
	for (size_t i = 0; i < n; i++) /* the greatest id first */
		item[i].number = (node_id)~c->sum.at[begin + i].node;
	sort_numbers(c, begin);
	for (size_t i = 0; i < n; i++) {
		node_id at = (node_id)~item[i].number, up = l->t->parent[at];
		l->ran[up] += l->ran[at];
		l->begun[up] += l->begun[at];
	}
}

/* Sorts by row, then by function; sums of one function stay in order of appearance. */
static void
sort_sums(struct cells *c, size_t begin)
{
	struct radix_item *item = numbers_for(c, begin);
	struct cells_sum *sum = c->sum.at + begin;
	size_t n = c->sum.n - begin;
	for (size_t i = 0; i < n; i++)
		item[i] = (struct radix_item){(uint64_t)sum[i].row << 32 | sum[i].key,
					      (uint32_t)i};
	sort_numbers(c, begin);
	c->unsorted.n = 0;
	for (size_t i = 0; i < n; i++)
		*vec_push(&c->unsorted) = sum[i];
	for (size_t i = 0; i < n; i++)
		sum[i] = c->unsorted.at[item[i].thing];
}

/* Makes the sums of the leaves, as row 0, and of all nodes above them. */
static void
collect(struct cells *c, const struct layout *l)
{
	const node_id *parent = l->t->parent;
	for (size_t i = 0; i < c->leaf.n; i++) {
		const struct cells_leaf *leaf = &c->leaf.at[i];
		*vec_push(&c->sum) = (struct cells_sum){
			0, drawn_key(l, leaf->node), leaf->node, leaf->seen, leaf->time,
			leaf->calls};
		l->ran[leaf->node] += leaf->time;
		l->met[leaf->node] = 0;
	}
	size_t begin = c->sum.n;
	for (size_t i = 0; i < c->leaf.n; i++) {
		uint32_t seen = c->leaf.at[i].seen;
		for (node_id n = c->leaf.at[i].node; n != NODE_ROOT && !l->met[n];
		     n = parent[n]) {
			l->met[n] = seen;
			*vec_push(&c->sum) = (struct cells_sum){
				cells_row_of(c, l, n), drawn_key(l, n), n, seen, 0, 0};
		}
	}
	add_up(c, l, begin);
	for (size_t i = begin; i < c->sum.n; i++) {
		struct cells_sum *x = &c->sum.at[i];
		x->time = l->ran[x->node];
		x->calls = l->begun[x->node];
		l->ran[x->node] = l->begun[x->node] = 0;
		l->met[x->node] = 0;
	}
	l->ran[NODE_ROOT] = l->begun[NODE_ROOT] = 0;
	c->leaf.n = 0;
}

/* Returns true if the nearest caller of the node that has a row is shown there. */
static bool
is_under_shown(const struct cells *c, const struct layout *l, const struct cells_sum *x)
{
	node_id n = x->node;
	if (x->row <= 1)
		return true;
	do
		n = l->t->parent[n];
	while (n != NODE_ROOT && cells_row_of(c, l, n) == ROW_NONE);
	return l->met[n] != 0;
}

/* The functions of sums [i, end), sorted by function, one part each: of the nodes that the row
 * above called, or of all of them if `under` is false.  False: there are none. */
static bool
gather_parts(struct cells *c, const struct layout *l, size_t i, size_t end, bool under)
{
	c->part.n = 0;
	while (i < end) {
		key_id key = c->sum.at[i].key;
		struct cells_sum sum = {.key = key, .node = NODE_NONE};
		int64_t most = -1;
		for (; i < end && c->sum.at[i].key == key; i++) {
			const struct cells_sum *x = &c->sum.at[i];
			if (under && !is_under_shown(c, l, x))
				continue;
			sum.time += x->time;
			sum.seen = sum.node == NODE_NONE ? x->seen : sum.seen;
			sum.node = x->time > most ? x->node : sum.node;
			most = x->time > most ? x->time : most;
		}
		if (sum.node != NODE_NONE)
			*vec_push(&c->part) = sum;
	}
	return c->part.n > 0;
}

static bool
is_before(const struct cells_sum *a, const struct cells_sum *b)
{
	return !b || a->time > b->time || (a->time == b->time && a->seen < b->seen);
}

/* The content of a row. */
struct choice {
	struct time_cell cell;
	const struct cells_sum *first;
	int64_t whole; /* the time of all parts */
	bool under;   /* the row above called it */
};

static enum mix
mix_of(const struct choice *of, const struct cells_sum *second, size_t eighths)
{
	double first = (double)of->first->time, whole = (double)of->whole;
	if (first * 20 >= whole * 17 || (eighths <= 1 && first * 4 >= whole * 3))
		return MIX_ONE;
	return eighths == 2 && (first + (double)second->time) * 10 >= whole * 9 ? MIX_TWO
										: MIX_MANY;
}

static bool
has_eighth(const struct choice *of, const struct cells_sum *part)
{
	return (double)part->time * 8 >= (double)of->whole;
}

static struct choice
cells_choose(struct cells *c, const struct layout *l, size_t begin, size_t end)
{
	struct choice out = {.under = gather_parts(c, l, begin, end, true)};
	const struct cells_sum *second = NULL;
	size_t eighths = 0;
	if (!out.under)
		gather_parts(c, l, begin, end, false);
	for (size_t i = 0; i < c->part.n; i++) {
		const struct cells_sum *x = &c->part.at[i];
		out.whole = sum_clipped(out.whole, x->time);
		if (is_before(x, out.first)) {
			second = out.first;
			out.first = x;
		} else if (is_before(x, second)) {
			second = x;
		}
	}
	for (size_t i = 0; i < c->part.n; i++)
		eighths += has_eighth(&out, &c->part.at[i]);
	out.cell = (struct time_cell){
		.node = out.first->node,
		.second = second ? second->node : NODE_NONE,
		.mix = (uint8_t)mix_of(&out, second, eighths),
		.share = cells_share(out.first->time, out.whole),
		.whole = out.whole,
		.second_share = second ? cells_share(second->time, out.whole) : 0,
	};
	return out;
}

/* The nodes of the functions that the row shows are marked, for the next row. */
static void
mark_shown(struct cells *c, struct layout *l, size_t i, size_t end, const struct choice *what)
{
	const struct cells_sum *part = c->part.at;
	for (; i < end; i++) {
		const struct cells_sum *x = &c->sum.at[i];
		if (what->under && !is_under_shown(c, l, x))
			continue;
		while (part->key != x->key)
			part++;
		if (part == what->first || has_eighth(what, part))
			*vec_push(&c->shown) = x->node;
	}
}

/* Sums [i, end) of one function each become one, from `to` on, with the time of its part; where
 * they end. */
static size_t
merge_row(struct cells *c, size_t i, size_t end, size_t to)
{
	size_t begin = to, part = 0;
	for (; i < end; i++) {
		struct cells_sum x = c->sum.at[i];
		struct cells_sum *into = to > begin ? &c->sum.at[to - 1] : NULL;
		if (into && into->key == x.key) {
			into->calls += x.calls;
			continue;
		}
		while (part < c->part.n && c->part.at[part].key < x.key)
			part++;
		bool has = part < c->part.n && c->part.at[part].key == x.key;
		x.time = has ? c->part.at[part].time : 0;
		c->sum.at[to++] = x;
	}
	return to;
}

static uint8_t
fill_of(int64_t ran, int64_t span)
{
	int64_t eighths = wide_ratio(ran, 8, span);
	return eighths >= 7 ? CELL_FULL : (uint8_t)(eighths + 1);
}

/* Makes the cells of the rows from the sums from `begin` on, and merges these. */
static void
fill_cells(struct cells *c, struct layout *l, size_t begin, int64_t span)
{
	size_t end, to = begin;
	bool astray = false;
	sort_sums(c, begin);
	for (size_t i = begin; i < c->sum.n && c->sum.at[i].row != ROW_NONE; i = end) {
		uint16_t row = c->sum.at[i].row;
		int64_t ran = 0;
		for (end = i; end < c->sum.n && c->sum.at[end].row == row; end++)
			ran += c->sum.at[end].time;
		struct choice what = cells_choose(c, l, i, end);
		astray |= !what.under;
		size_t marked = c->shown.n;
		if (row)
			mark_shown(c, l, i, end, &what);
		for (; marked < c->shown.n; marked++)
			l->met[c->shown.at[marked]] = 1;
		to = merge_row(c, i, end, to);
		what.cell.fill = fill_of(ran, span);
		what.cell.astray = astray;
		*vec_push(&c->cell) = what.cell;
		c->rows = row > c->rows ? row : c->rows;
	}
	for (size_t i = 0; i < c->shown.n; i++)
		l->met[c->shown.at[i]] = 0;
	c->shown.n = 0;
	c->sum.n = to;
}

void
cells_column(struct cells *c, struct layout *l, const struct layout_lane *lane,
	     int64_t from, int64_t to)
{
	const struct series *s = lane ? lane->series : NULL;
	size_t begin = c->sum.n;
	bool about = false;
	uint32_t drawn = 0;
	*vec_push(&c->first) = c->cell.n;
	*vec_push(&c->sums) = begin;
	c->before = 0;
	/* columns of less than a unit of time begin at the same moment */
	bool again = c->n && c->of.at[c->n - 1] == s && c->end.at[c->n - 1] > from;
	c->begun = again ? c->end.at[c->n - 1] : from;
	if (!s || !drawable(s) || to <= from || !lane->held)
		c->held = (struct cells_held){0};
	*vec_push(&c->of) = s;
	*vec_push(&c->end) = to;
	if (s && drawable(s) && to > from && lane->held) {
		if (!repeat_held(c, lane, to))
			read_held(c, l, lane, to);
	} else if (s && drawable(s) && to > from) {
		uint64_t first = series_find(s, from), end = series_find(s, to);
		uint64_t a = (first ? first - 1 : 0) / BLOCK_EVENTS;
		uint64_t b = end ? (end - 1) / BLOCK_EVENTS + 1 : 0;
		about = b > a + CELLS_BLOCKS + 2;
		for (uint64_t i = a; i < b; i++) {
			if (about && i == a + 1) {
				drawn = read_parts(c, l, lane, from, to, i, b - 1, drawn);
				i = b - 1;
			}
			layout_load_block(l, lane, i);
			drawn = read_block(c, l, lane, from, to, NULL, drawn);
		}
	}
	*vec_push(&c->about) = about;
	c->n++;
	if (!c->leaf.n)
		return;
	collect(c, l);
	fill_cells(c, l, begin, lane->held ? layout_held_most(l, lane) : to - from);
	/* what began before the column is marked as the first that occurred */
	for (size_t i = begin; i < c->sum.n; i++)
		c->sum.at[i].seen = c->sum.at[i].seen == 1 &&
				    (c->sum.at[i].row ? c->sum.at[i].row <= c->before
						      : c->leaf_before);
}

void
cells_drop(struct cells *c)
{
	c->n--;
	c->held = (struct cells_held){0};
	c->cell.n = c->first.at[--c->first.n];
	c->sum.n = c->sums.at[--c->sums.n];
	c->about.n--;
	c->of.n--;
	c->end.n--;
}

struct time_cell
cells_at(const struct cells *c, unsigned x, unsigned row)
{
	size_t end = x + 1 < c->n ? c->first.at[x + 1] : c->cell.n;
	size_t at = c->first.at[x] + row;
	return at < end ? c->cell.at[at]
			: (struct time_cell){.node = NODE_NONE, .second = NODE_NONE};
}
