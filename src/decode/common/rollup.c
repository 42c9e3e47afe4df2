#include "src/decode/common/rollup.h"
#include "model/base/sum.h"

/* One pass that keeps the path to the last row; each parent adds up its children. */

bool
rollup_close(struct rollup *r, size_t depth, struct rollup_row *out)
{
	if (r->open.n <= depth)
		return false;
	*out = r->open.at[--r->open.n];
	out->self = difference_clipped(out->weight, out->children);
	if (out->self < -r->gap)
		r->gap = difference_clipped(0, out->self);
	if (out->self < 0)
		out->self = 0;
	return true;
}

bool
rollup_open(struct rollup *r, struct builder *b, const frame_id *frame, int64_t weight,
	    unsigned kind, uint64_t offset)
{
	struct rollup_row row = {.weight = weight, .kind = kind, .offset = offset};
	stack_id above = STACK_EMPTY;

	if (r->open.n) {
		struct rollup_row *parent = &r->open.at[r->open.n - 1];
		if (__builtin_add_overflow(parent->children, weight, &parent->children))
			return false;
		above = parent->stack;
	}
	row.stack = above == STACK_NONE || !frame ? above : builder_child(b, above, *frame);
	*vec_push(&r->open) = row;
	return true;
}

void
rollup_release(struct rollup *r)
{
	vec_release(&r->open);
}
