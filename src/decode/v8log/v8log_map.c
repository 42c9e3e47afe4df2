#include "src/decode/v8log/v8log_map.h"

#include <search.h>
#include <stdlib.h>

#include "model/base/mem.h"

/* The C library's tree.  Ranges that overlap compare as equal, so one search finds the ranges
 * that a new one overlaps, and the range around an address. */

static int
v8log_map_compare(const void *a, const void *b)
{
	const struct v8_range *x = a, *y = b;

	return x->end <= y->start ? -1 : y->end <= x->start ? 1 : 0;
}

static struct v8_range *
overlapping(const struct v8_map *m, uint64_t start, uint64_t end)
{
	struct v8_range key = {.start = start, .end = end};
	void *node = tfind(&key, (void *const *)&m->root, v8log_map_compare);

	return node ? *(struct v8_range **)node : NULL;
}

static void
take_out(struct v8_map *m, struct v8_range *r)
{
	tdelete(r, &m->root, v8log_map_compare);
	free(r);
}

void
v8_map_put(struct v8_map *m, uint64_t start, uint64_t end, uint32_t value)
{
	struct v8_range *r;

	while ((r = overlapping(m, start, end)))
		take_out(m, r);
	r = mem_alloc(1, sizeof *r);
	*r = (struct v8_range){start, end, value};
	tsearch(r, &m->root, v8log_map_compare);
}

const struct v8_range *
v8_map_find(const struct v8_map *m, uint64_t address)
{
	return address == UINT64_MAX ? NULL : overlapping(m, address, address + 1);
}

static struct v8_range *
at_start(const struct v8_map *m, uint64_t start)
{
	struct v8_range *r = start == UINT64_MAX ? NULL : overlapping(m, start, start + 1);

	return r && r->start == start ? r : NULL;
}

bool
v8_map_remove(struct v8_map *m, uint64_t start)
{
	struct v8_range *r = at_start(m, start);

	if (r)
		take_out(m, r);
	return r != NULL;
}

bool
v8_map_move(struct v8_map *m, uint64_t from, uint64_t to)
{
	struct v8_range *r = at_start(m, from);

	if (!r)
		return false;
	uint64_t size = r->end - r->start;
	uint32_t value = r->value;
	take_out(m, r);
	if (to <= UINT64_MAX - size)
		v8_map_put(m, to, to + size, value);
	return true;
}

void
v8_map_release(struct v8_map *m)
{
	while (m->root)
		take_out(m, *(struct v8_range **)m->root);
}
