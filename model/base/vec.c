#include "model/base/vec.h"

#include <string.h>

#define SORT_ROW_MAX 128u /* bytes of a row that is inserted */

/* Grows by half: doubling wastes more memory than it saves copies. */
size_t
vec_grown(size_t cap, size_t need)
{
	size_t grown = cap + cap / 2 + 8;

	return grown < need ? need : grown;
}

/* Inserts row i among those before it, which are in order. Returns how many it precedes. */
static size_t
row_insert(char *at, size_t i, size_t size, int (*compare)(const void *a, const void *b))
{
	char row[SORT_ROW_MAX];
	size_t to = i - 1;

	while (to && compare(at + (to - 1) * size, at + i * size) > 0)
		to--;
	memcpy(row, at + i * size, size);
	memmove(at + (to + 1) * size, at + to * size, (i - to) * size);
	memcpy(at + to * size, row, size);
	return i - to;
}

/* Files have most things in order, or a few of them a bit late: those are inserted. qsort() would
 * compare all rows many times. It sorts if more has to be moved. */
void
sort_rows(void *at, size_t n, size_t size, int (*compare)(const void *a, const void *b))
{
	char *row = at;
	size_t moved = 0, most = size <= SORT_ROW_MAX ? 2 * n : 0;

	for (size_t i = 1; i < n; i++) {
		if (compare(row + (i - 1) * size, row + i * size) <= 0)
			continue;
		if (moved >= most) {
			qsort(at, n, size, compare);
			return;
		}
		moved += row_insert(row, i, size, compare);
	}
}
