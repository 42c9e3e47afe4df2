/* steady.c - see steady.h.
 *
 * Items are sorted by weight and cut into runs: all that have at least seven eighths of the first
 * one's weight.  Within a run the previous order decides.  So an item that wavers at the edge of a
 * run comes last in it or first after it, which is the same place. */
#include "ui/part/steady.h"

#include <stdlib.h>

#include "model/base/ordered.h"

ORDERED_LARGEST(steady_by_weight, struct steady, weight, id)

static int
steady_by_place(const void *a, const void *b)
{
	const struct steady *x = a, *y = b;

	if (x->was != y->was)
		return x->was < y->was ? -1 : 1;
	return steady_by_weight(a, b);
}

void
steady_sort(struct steady *at, size_t n)
{
	size_t end;

	if (n < 2)
		return;
	qsort(at, n, sizeof *at, steady_by_weight);
	for (size_t i = 0; i < n; i = end) {
		int64_t least = at[i].weight - at[i].weight / 8;
		for (end = i + 1; end < n && at[end].weight >= least;)
			end++;
		qsort(&at[i], end - i, sizeof *at, steady_by_place);
	}
}
