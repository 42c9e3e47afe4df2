#include "src/command/report/report.h"

#include <stdlib.h>

#include "model/base/mem.h"
#include "src/command/report/sheet.h"

/* The views that are folds: functions, lines, tree, callers. */

struct row_order {
	const struct report *r;
	bool by_file; /* lines: self, file, line, function */
};

static int
report_compare_rows(const void *a, const void *b, void *context)
{
	const struct row_order *o = context;
	const struct key_numbers *of = &o->r->rows.of;
	key_id x = *(const key_id *)a, y = *(const key_id *)b;

	if (!pace_on(o->r->pace, 1)) /* cancelled: the order does not matter */
		return 0;
	if (o->r->changes && of->base_self) {
		double dx = fabs(key_change(of, x, false));
		double dy = fabs(key_change(of, y, false));
		if (dx != dy)
			return dx > dy ? -1 : 1;
	}
	if (of->self[x] != of->self[y])
		return of->self[x] > of->self[y] ? -1 : 1;
	return projection_compare_keys(o->r->fold->tree, o->r->profile, x, y, o->by_file);
}

/* Returns the n-th largest self value of all rows, which are more; n counts from 1. The n largest
 * ones are a heap whose first is the least. */
static int64_t
nth_self(const struct rows *rows, uint32_t n)
{
	int64_t *heap = mem_alloc(n, sizeof *heap), least;
	uint32_t last = 0;

	for (uint32_t i = 0; i < rows->n; i++) {
		int64_t self = rows->of.self[rows->key[i]];
		uint32_t at = last, next;
		if (last < n) {
			for (; at && heap[(at - 1) / 2] > self; at = (at - 1) / 2)
				heap[at] = heap[(at - 1) / 2];
			heap[at] = self;
			last++;
			continue;
		}
		if (self <= heap[0])
			continue;
		for (at = 0; (next = 2 * at + 1) < n; at = next) {
			next += next + 1 < n && heap[next + 1] < heap[next];
			if (heap[next] >= self)
				break;
			heap[at] = heap[next];
		}
		heap[at] = self;
	}
	least = heap[0];
	free(heap);
	return least;
}

/* If few of many rows are wanted, moves the candidates to the front by their self values, so that
 * names of others are never compared.  Returns their number. */
static uint32_t
few_rows(const struct report *r)
{
	key_id *at = r->rows.key;
	uint32_t n = r->rows.n, most = 0;

	if (r->sort || (r->changes && r->fold->compares) || r->limit >= n / 4)
		return n;
	if (!r->limit)
		return 0;
	int64_t least = nth_self(&r->rows, (uint32_t)r->limit);
	for (uint32_t i = 0; i < n; i++)
		if (r->rows.of.self[at[i]] >= least) {
			key_id row = at[i];
			at[i] = at[most];
			at[most++] = row;
		}
	return most;
}

/* Sorts the rows of a fold, or those within the limit. */
static void
stacks_sort(struct report *r, bool by_file)
{
	struct row_order order = {r, by_file};
	uint32_t n = few_rows(r);

	if (n > 1 && !pace_gives_up(r->pace))
		qsort_r(r->rows.key, n, sizeof *r->rows.key, report_compare_rows, &order);
}

/* The columns that only a comparison has come last. */
#define BASE_COLUMNS ",base_self,base_total,delta_self,delta_total,change,low,high,sure"

/* ---- functions ---- */

static bool
functions_fill(struct report *r)
{
	fold_rows_paced(r->fold, &r->rows, r->pace);
	stacks_sort(r, false);
	return true;
}

const struct report_view view_functions = {
	.name = "functions",
	.rows = ROWS_FOLD,
	.columns = "function,file,line,module,kind,calls,self,total" BASE_COLUMNS,
	.text = "self,total,calls,share=Total,disp=Disp,user=User,kind,address,function,line,"
		"file,module",
	.changes = "delta_self=self change,margin=±,change%=%,sure,self,base_self=base,"
		   "delta_total=total change,total_margin=±,total-change%=%,total,"
		   "base_total=base,"
		   "address,function,line,file,module",
	.folds = true,
	.fill = functions_fill,
};

/* ---- lines ---- */

/* A frame without a line is only listed for its cost, and has no count of entries. */
static bool
lines_fill(struct report *r)
{
	struct key_numbers *of = &r->rows.of;
	uint32_t kept = 0;

	fold_rows_paced(r->fold, &r->rows, r->pace);
	free(of->calls);
	of->calls = of->lines;
	of->lines = NULL;
	for (uint32_t i = 0; i < r->rows.n; i++) {
		struct row row = rows_get(&r->rows, i);
		bool unknown = projection_key_line(r->fold->tree, r->profile, row.key).form ==
			       LINE_UNKNOWN;
		if (unknown && row.exact_total.now == 0 && row.exact_total.base == 0 && !row.self)
			continue;
		if (of->calls && unknown)
			of->calls[row.key] = -1;
		rows_move(&r->rows, kept++, i);
	}
	r->rows.n = kept;
	stacks_sort(r, true);
	return true;
}

const struct report_view view_lines = {
	.name = "lines",
	.rows = ROWS_FOLD,
	.columns = "file,line,function,calls,self,total" BASE_COLUMNS,
	.folds = true,
	.by_line = true,
	.fill = lines_fill,
};

/* ---- tree, callers ---- */

/* Sorts by the requested column, then by name. */
static int
compare_siblings(const void *a, const void *b, void *context)
{
	const struct report *r = context;
	struct row x = fold_node_row(r->fold, *(const node_id *)a),
		   y = fold_node_row(r->fold, *(const node_id *)b);
	int order = rows_compare(r->sort, &r->look, &x, &y);

	if (!order)
		order = projection_compare_keys(r->fold->tree, r->profile, x.key, y.key, false);
	return r->reverse ? -order : order;
}

/* Returns true if the user asks for columns with error bars. */
static bool
asks_bars(const struct report_options *own)
{
	struct column_list list = {0};
	bool bars = false;
	size_t len;

	if (own->columns)
		column_list_read(&list, own->columns + (*own->columns == '+'), own->view->rows,
				 &len);
	for (size_t i = 0; i < list.all.n; i++)
		bars |= list.all.at[i].column->bars;
	column_list_release(&list);
	return bars;
}

void
report_fit_fold(const struct report *r, const struct report_options *own)
{
	if (!own->view->tree || r->sort || asks_bars(own))
		return;
	r->fold->few = true;
	r->fold->first.rows = r->limit < UINT32_MAX ? (uint32_t)r->limit : UINT32_MAX;
	r->fold->first.counts = own->format == FORMAT_JSON; /* which says how many there are */
}

/* Counts the rows of a tree that the limit leaves out. All nodes that have a self exist: in an
 * inverted tree, those of the first level. */
static void
count_rest(struct report *r)
{
	const struct projection *t = r->fold->tree;
	struct node_numbers in = fold_numbers_of_nodes(r->fold);
	uint32_t all = 0;

	for (node_id i = 1; i < t->n && pace_on(r->pace, 1); i++)
		if (fold_shows(r->fold, i)) {
			struct row row = row_of_node(&in, i);
			all++;
			r->rest.user += look_is_user(&r->look, &row) ? row.self : 0;
		}
	for (uint32_t i = 0; i < r->rows.n; i++) {
		struct row row = rows_get(&r->rows, i);
		r->rest.user -= look_is_user(&r->look, &row) ? row.self : 0;
	}
	r->rest.rows = (t->few ? t->n_shown : all) - r->rows.n;
}

/* Writes preorder without recursion: each level has a list of open siblings, used from its end.
 * A comparison needs all rows to find the largest changes, others those within the limit. */
static bool
tree_fill(struct report *r)
{
	uint64_t limit = r->fold->compares ? UINT64_MAX : r->limit;
	VEC(node_id) pending = VEC_INIT;
	VEC(uint32_t) depth = VEC_INIT;
	node_id at = NODE_ROOT;
	uint32_t level = 0;

	r->rows.in = fold_numbers_of_nodes(r->fold);
	while (r->rows.n < limit) {
		uint32_t n = fold_children(r->fold, r->profile, at, NULL, 0);
		if (!r->sort && n > limit - r->rows.n)
			n = (uint32_t)(limit - r->rows.n);
		vec_reserve(&pending, pending.n + n + 1); /* even if empty: pointers refer to it */
		vec_reserve(&depth, pending.n + n + 1);
		node_id *children = pending.at + pending.n;
		fold_children(r->fold, r->profile, at, children, n);
		if (r->sort && n > 1)
			qsort_r(children, n, sizeof *children, compare_siblings, r);
		for (uint32_t i = 0; i < n / 2; i++) { /* the last one is taken first */
			node_id swap = children[i];
			children[i] = children[n - 1 - i];
			children[n - 1 - i] = swap;
		}
		for (uint32_t i = 0; i < n; i++)
			depth.at[pending.n + i] = level;
		pending.n += n;
		if (!pending.n || !pace_on(r->pace, 1))
			break;
		at = pending.at[--pending.n];
		level = depth.at[pending.n] + 1;
		rows_add_node(&r->rows, at, level - 1);
	}
	vec_release(&pending);
	vec_release(&depth);
	if (r->rows.n >= limit)
		count_rest(r);
	return true;
}

#define TREE_COLUMNS                                                                       \
	.rows = ROWS_TREE,                                                                 \
	.columns = "depth,function,file,line,module,calls,self,total" BASE_COLUMNS,        \
	.text = "total,total%=%,self,calls,waiting,blocked,io,threads,"                    \
		"outline=function,line,file,module",                                       \
	.changes = "delta_total=total change,margin=±,total-change%=%,sure,total,"        \
		   "base_total=base,"                                                      \
		   "outline=function,line,file,module",                                    \
	.folds = true, .tree = true, .fill = tree_fill

const struct report_view view_tree = {.name = "tree", TREE_COLUMNS};
const struct report_view view_callers = {.name = "callers", .turned = true, TREE_COLUMNS};
