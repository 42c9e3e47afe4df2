/* radix.c - see radix.h.
 *
 * Few items are sorted by insertion: clearing and adding up the counters of a digit would cost
 * more. */
#include "model/base/radix.h"

#include <string.h>

#define FEW 48u
#define DIGITS 256u

static void
insert_each(struct radix_item *item, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		struct radix_item x = item[i];
		size_t at = i;
		for (; at && item[at - 1].number > x.number; at--)
			item[at] = item[at - 1];
		item[at] = x;
	}
}

static void
pass(const struct radix_item *from, struct radix_item *to, size_t n, unsigned shift)
{
	size_t place[DIGITS] = {0}, sum = 0;

	for (size_t i = 0; i < n; i++)
		place[from[i].number >> shift & (DIGITS - 1)]++;
	for (unsigned d = 0; d < DIGITS; d++) {
		size_t many = place[d];
		place[d] = sum;
		sum += many;
	}
	for (size_t i = 0; i < n; i++)
		to[place[from[i].number >> shift & (DIGITS - 1)]++] = from[i];
}

void
radix_sort(struct radix_item *item, struct radix_item *spare, size_t n)
{
	struct radix_item *from = item, *to = spare, *keep;
	uint64_t differ = 0;

	if (n <= FEW) {
		insert_each(item, n);
		return;
	}
	for (size_t i = 1; i < n; i++)
		differ |= item[i].number ^ item[0].number;
	for (unsigned shift = 0; shift < 64; shift += 8) {
		if (!(differ >> shift & (DIGITS - 1)))
			continue;
		pass(from, to, n, shift);
		keep = from;
		from = to;
		to = keep;
	}
	if (from != item)
		memcpy(item, from, n * sizeof *item);
}
