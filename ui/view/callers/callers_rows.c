/* callers_rows.c - the rows of the view of callers: which rows there are, and their numbers.
 *
 * around.h has both trees; this file links them for branches.h, leaves out rows that may be chance
 * if the user asked for that, and decides which rows are open at first. */
#include "ui/view/callers/callers.h"

#define OPEN_SHARE 5 /* 1/5: open rows from 20 % on */

struct row
callers_row_of(const struct callers *v, const struct around_node *n)
{
	struct row r = {
		.key = n->key,
		.self = n->self,
		.total = n->total,
		.calls = n->calls,
		.lines = -1,
		.node = CHANGE_ELSEWHERE,
		.base_self = n->base_self,
		.base_total = n->base_total,
		.exact_self = n->exact_self,
		.exact_total = n->exact_total,
	};

	if (n->parent == AROUND_NONE) {
		r.self = v->own.self;
		r.base_self = v->own.base_self;
		r.exact_self = v->own.exact_self;
	}
	return r;
}

static bool
left_out(const struct callers *v, branch_id n)
{
	if (!v->sure_only || !v->around.fold->compares)
		return false;
	struct row r = callers_row_of(v, around_get(&v->around, n));
	return row_is_chance(v->around.fold, &r);
}

/* Returns the first visible row at or after n. */
static branch_id
shown_from(struct callers *v, branch_id n, int dir)
{
	while (n != BRANCH_NONE && left_out(v, n))
		n = dir > 0 ? around_next(&v->around, n) : around_prev(&v->around, n);
	return n;
}

static branch_id
link_first(void *of, branch_id n)
{
	struct callers *v = of;
	return shown_from(v, around_first(&v->around, n), 1);
}

static branch_id
link_last(void *of, branch_id n)
{
	struct callers *v = of;
	return shown_from(v, around_last(&v->around, n), -1);
}

static branch_id
link_next(void *of, branch_id n)
{
	struct callers *v = of;
	return shown_from(v, around_next(&v->around, n), 1);
}

static branch_id
link_prev(void *of, branch_id n)
{
	struct callers *v = of;
	return shown_from(v, around_prev(&v->around, n), -1);
}

static const struct around_node *
node_of(void *of, branch_id n)
{
	const struct callers *v = of;
	return around_get(&v->around, n);
}

static branch_id
link_parent(void *of, branch_id n)
{
	return node_of(of, n)->parent;
}

static branch_id
link_path(void *of, branch_id n, uint64_t *key)
{
	*key = node_of(of, n)->key;
	return node_of(of, n)->parent;
}

static bool
link_has(void *of, branch_id n)
{
	struct callers *v = of;
	return around_has(&v->around, n) && (!v->sure_only || link_first(v, n) != BRANCH_NONE);
}

static bool
link_heavy(void *of, branch_id n)
{
	int64_t total = node_of(of, n)->total;
	return total > 0 && total >= node_of(of, AROUND_CALLERS)->total / OPEN_SHARE;
}

/* Leads along the side of the cursor; from the function to its callees. */
static bool
link_leads(void *of, branch_id n, branch_id first)
{
	const struct around_node *at = node_of(of, n), *to = node_of(of, first);
	return to->key != KEY_NONE && (at->caller || at->self <= to->total);
}

static bool
link_above(void *of, branch_id n)
{
	return node_of(of, n)->caller;
}

const struct branch_ops callers_links = {
	.first = link_first,
	.last = link_last,
	.next = link_next,
	.prev = link_prev,
	.parent = link_parent,
	.path = link_path,
	.has = link_has,
	.heavy = link_heavy,
	.leads = link_leads,
	.above = link_above,
};

_Static_assert(AROUND_NONE == BRANCH_NONE, "nodes are handed on as they are");

void
callers_describe_cursor(struct callers *v)
{
	key_id key = around_get(&v->around, v->rows.at)->key;
	const struct fold *f = v->around.fold;
	const struct projection *t = f->tree;
	struct row sum = {.key = key, .lines = -1};
	int64_t calls = f->now.calls ? 0 : -1;
	node_id end = key == KEY_NONE ? 0 : t->n;
	for (node_id i = 0; (i = projection_find(t, i + 1, end, key)) < end;) {
		numbers_add(&f->now, t, i, &sum.self, &sum.total);
		calls += numbers_calls(&f->now, t, i);
		if (f->compares)
			numbers_add(&f->base, t, i, &sum.base_self, &sum.base_total);
	}
	row_scale(&sum, f->now.by, f->base.by);
	v->described = sum;
	v->described.calls = calls;
}

void
callers_count_unsure(struct callers *v)
{
	around_first(&v->around, AROUND_CALLERS);
	around_first(&v->around, AROUND_CALLEES);
	for (size_t i = AROUND_CALLEES + 1; i < v->around.nodes.n; i++)
		v->unsure += left_out(v, (branch_id)i);
}
