/* flamegraph_boxes.c - see flamegraph_boxes.h. One sweep from the root: the boxes of a level are
 * sorted by place, and so are those below, so one pass over both finds all callers. */
#include "src/decode/flamegraph/flamegraph_boxes.h"

#include "model/base/ordered.h"

ORDERED_BY_THREE(box_compare, struct flamegraph_box, level, x, offset)

/* Returns true if the box may lie upon the other one. */
static bool
fits_upon(const struct flamegraph_boxes *b, const struct flamegraph_box *box,
	  const struct flamegraph_box *below)
{
	return box->x + b->slack >= below->x &&
	       box->x + box->width <= below->x + below->width + b->slack;
}

/* Returns the caller of a box, of n boxes of the level below from `first` on; NULL if there is
 * none. *at is where the search of the previous box ended. */
static struct flamegraph_box *
box_below(struct flamegraph_boxes *b, const struct flamegraph_box *box, size_t first, size_t n,
	  size_t *at)
{
	struct flamegraph_box *level = b->at.at + first, *found;
	int64_t middle = box->x + box->width / 2;

	while (*at + 1 < n && level[*at + 1].x <= middle)
		++*at;
	found = &level[*at];
	if (fits_upon(b, box, found) && found->rest >= box->value)
		return found;
	if (*at + 1 < n && fits_upon(b, box, found + 1) && found[1].rest >= box->value)
		return found + 1;
	if (*at && fits_upon(b, box, found - 1) && found[-1].rest >= box->value)
		return found - 1;
	return fits_upon(b, box, found) ? found : NULL;
}

/* Gives the boxes of a level, n from `first` on, their stacks. */
static void
level_upon(struct flamegraph_boxes *b, struct builder *to, size_t first, size_t n, size_t below,
	   size_t n_below)
{
	size_t at = 0;

	for (size_t i = first; i < first + n; i++) {
		struct flamegraph_box *box = &b->at.at[i], *caller;
		caller = n_below ? box_below(b, box, below, n_below, &at) : NULL;
		if (!n_below && !b->root_frame) {
			box->stack = STACK_EMPTY;
			continue;
		}
		b->odd += n_below && (!caller || caller->rest < box->value);
		if (caller)
			caller->rest -= caller->rest < box->value ? caller->rest : box->value;
		box->stack = builder_child(to, caller ? caller->stack : STACK_EMPTY, box->frame);
	}
}

bool
flamegraph_boxes_write(struct flamegraph_boxes *b, struct builder *to, struct series *s,
		       struct err *e)
{
	size_t below = 0, n_below = 0, n;

	vec_sort(&b->at, box_compare);
	for (size_t i = 0; i < b->at.n; i += n) {
		for (n = 1; i + n < b->at.n && b->at.at[i + n].level == b->at.at[i].level; n++)
			;
		level_upon(b, to, i, n, below, n_below);
		below = i;
		n_below = n;
	}
	for (size_t i = 0; i < b->at.n; i++) {
		struct flamegraph_box *box = &b->at.at[i];
		if (box->rest <= 0)
			continue;
		if (box->stack == STACK_EMPTY)
			box->stack = builder_stack_missing(to, 1);
		if (!builder_total(to, s, box->stack, &box->rest, box->offset, e))
			return false;
	}
	return true;
}
