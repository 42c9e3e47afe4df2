#include "src/decode/common/by_time.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/mem.h"

/* Files are mostly in order, so that is tested first. qsort() is not stable, so the position of a
 * row breaks ties. */

static int64_t
by_time_time_of(const void *row)
{
	int64_t time;

	memcpy(&time, row, sizeof time);
	return time;
}

static int
by_time_compare(const void *a, const void *b)
{
	const char *const *x = a, *const *y = b;
	int64_t left = by_time_time_of(*x), right = by_time_time_of(*y);

	if (left != right)
		return left < right ? -1 : 1;
	return *x < *y ? -1 : *x > *y;
}

void *
rows_by_time(void *rows, size_t n, size_t size)
{
	const char *at = rows, **order;
	char *sorted;
	size_t i = 1;

	while (i < n && by_time_time_of(at + (i - 1) * size) <= by_time_time_of(at + i * size))
		i++;
	if (i >= n)
		return rows;
	order = mem_alloc(n, sizeof *order);
	sorted = mem_alloc(n, size);
	for (i = 0; i < n; i++)
		order[i] = at + i * size;
	qsort(order, n, sizeof *order, by_time_compare);
	for (i = 0; i < n; i++)
		memcpy(sorted + i * size, order[i], size);
	free_all(order, rows);
	return sorted;
}

void *
rows_by_time_copy(const void *rows, size_t n, size_t size)
{
	void *copy;

	if (!n)
		return NULL;
	copy = mem_alloc(n, size);
	memcpy(copy, rows, n * size);
	return rows_by_time(copy, n, size);
}
