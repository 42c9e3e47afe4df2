#include "model/fold/rows.h"

#include <stdlib.h>

#include "model/base/mem.h"
#include "model/base/sum.h"
#include "model/base/vec.h"
#include "model/fold/numbers.h"

void
rows_release(struct rows *r)
{
	free_all(r->at, r->key, r->node, r->of.self, r->of.total, r->of.calls, r->of.lines,
		 r->of.base_self, r->of.base_total);
	*r = (struct rows){0};
}

struct row *
rows_add(struct rows *r)
{
	vec_room(r->at, r->cap, r->n + 1);
	r->at[r->n] = (struct row){0};
	return &r->at[r->n++];
}

void
rows_add_node(struct rows *r, node_id node, uint32_t depth)
{
	vec_room(r->node, r->cap, r->n + 1);
	r->node[r->n++] = (struct row_node){node, depth};
}

void
row_scale(struct row *r, double by, double base_by)
{
	r->exact_self = (struct sides){(double)r->self * by, (double)r->base_self * base_by};
	r->exact_total = (struct sides){(double)r->total * by, (double)r->base_total * base_by};
	r->self = numbers_scaled(r->self, by);
	r->total = numbers_scaled(r->total, by);
	r->calls = r->calls < 0 ? r->calls : numbers_scaled(r->calls, by);
	r->lines = r->lines < 0 ? r->lines : numbers_scaled(r->lines, by);
	r->base_self = numbers_scaled(r->base_self, base_by);
	r->base_total = numbers_scaled(r->base_total, base_by);
}

int64_t
key_self(const struct key_numbers *of, key_id key)
{
	return numbers_scaled(of->self[key], of->by);
}

double
key_change(const struct key_numbers *of, key_id key, bool total)
{
	const int64_t *now = total ? of->total : of->self;
	const int64_t *base = total ? of->base_total : of->base_self;

	return sides_shown_change((struct sides){
		(double)now[key] * of->by, base ? (double)base[key] * of->base_by : 0});
}

struct row
row_of_node(const struct node_numbers *in, node_id node)
{
	int64_t calls = in->now->calls ? numbers_calls(in->now, in->tree, node) : -1;
	struct row out = {
		.key = in->tree->key[node],
		.node = node,
		.self = numbers_recorded_self(in->now, in->tree, node),
		.total = in->now->recorded.total[node],
		.lines = -1,
	};

	if (in->base) {
		out.base_self = numbers_recorded_self(in->base, in->tree, node);
		out.base_total = in->base->recorded.total[node];
	}
	row_scale(&out, in->now->by, in->base ? in->base->by : 1);
	out.calls = calls;
	return out;
}

struct row
rows_get(const struct rows *r, uint32_t i)
{
	if (r->at)
		return r->at[i];
	if (r->node) {
		struct row row = row_of_node(&r->in, r->node[i].node);
		row.depth = r->node[i].depth;
		return row;
	}
	const struct key_numbers *of = &r->of;
	key_id key = r->key[i];
	struct row out = {
		.key = key,
		.self = of->self[key],
		.total = of->total[key],
		.calls = of->calls ? of->calls[key] : -1,
		.lines = of->lines ? of->lines[key] : -1,
		.base_self = of->base_self ? of->base_self[key] : 0,
		.base_total = of->base_total ? of->base_total[key] : 0,
	};
	row_scale(&out, of->by, of->base_by);
	return out;
}
