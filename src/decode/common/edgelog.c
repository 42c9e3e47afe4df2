/* edgelog.c - see edgelog.h.
 *
 * Most traces have the events of a thread in the order of time. Then a slice needs neither a place
 * for its end nor a sort, only to wait until all is read: the file may still describe its track.
 *
 * An edge is a byte with the widths of what follows, then the time since the edge before, a number,
 * labels and a name, without leading zeros (widths.h). The number of an end is 0, that of a
 * begin the function's plus one. The labels of an end are 1 if it ends nothing, its name is 1 if it
 * states one.
 *
 * Edges are read track by track, while the profile grows. So large blocks come directly from the
 * system, and return to it. */
#include "src/decode/common/edgelog.h"

#include <stdlib.h>
#include <sys/mman.h>

#include "src/decode/common/widths.h"

#define BLOCK_MIN ((size_t)256)
#define BLOCK_MAX ((size_t)1 << 17)
#define EDGE_MAX (1u + WIDTHS_TIME_MAX + 3u * WIDTHS_NUMBER_MAX) /* bytes of an edge */

struct edgelog_block {
	uint8_t *at, *end; /* end: of the edges; unknown for the last block */
	size_t size;
	bool mapped;
};

/* ---- blocks ---- */

static __attribute__((noinline)) void
block_new(struct edgelog *l)
{
	size_t n = l->block.n, size = n ? l->block.at[n - 1].size * 4 : BLOCK_MIN;
	void *at = MAP_FAILED;

	if (n)
		l->block.at[n - 1].end = l->at;
	if (size >= BLOCK_MAX) {
		size = BLOCK_MAX;
		at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	}
	bool mapped = at != MAP_FAILED;
	*vec_push(&l->block) = (struct edgelog_block){
		.at = mapped ? at : mem_alloc(size, 1), .size = size, .mapped = mapped};
	l->at = l->block.at[n].at;
	l->end = l->at + size - WIDTHS_SLACK;
}

static void
block_free(struct edgelog_block *b)
{
	if (b->mapped)
		munmap(b->at, b->size);
	else
		free(b->at);
	b->at = NULL;
}

void
edgelog_release(struct edgelog *l)
{
	for (size_t i = 0; i < l->block.n; i++)
		if (l->block.at[i].at)
			block_free(&l->block.at[i]);
	vec_release_all(&l->block, &l->open);
	*l = (struct edgelog){0};
}

/* ---- adding ---- */

static inline void
edge_put(struct edgelog *l, int64_t time_ns, uint32_t number, uint32_t labels, uint32_t name)
{
	if ((size_t)(l->end - l->at) < EDGE_MAX)
		block_new(l);
	unsigned widths = 0;
	uint8_t *head = l->at, *at = head + 1;
	at = widths_put_time(at, (uint64_t)time_ns - (uint64_t)l->last_ns, &widths);
	if (number)
		at = widths_put(at, number, 2, &widths);
	if (labels | name) {
		at = widths_put(at, labels, 4, &widths);
		at = widths_put(at, name, 6, &widths);
	}
	*head = (uint8_t)widths;
	l->at = at;
	l->last_ns = time_ns;
}

bool
edgelog_begin(struct edgelog *l, const struct logged_edge *x)
{
	if ((l->block.n && x->time_ns < l->last_ns) || x->number == UINT32_MAX)
		return false;
	edge_put(l, x->time_ns, x->number + 1, x->labels, x->name);
	*vec_push(&l->open) = (struct logged_open){l->n++, x->time_ns, x->labels, x->name};
	return true;
}

bool
edgelog_end(struct edgelog *l, int64_t time_ns, name_id name)
{
	const struct logged_open *top = l->open.n ? &l->open.at[l->open.n - 1] : NULL;
	int64_t length;

	if ((l->block.n && time_ns < l->last_ns) ||
	    (name != NAME_EMPTY && (!top || top->name != name)))
		return false;
	if (l->open.n == 1) {
		if (__builtin_sub_overflow(time_ns, top->start_ns, &length) ||
		    __builtin_add_overflow(length, l->outer_ns, &length))
			return false;
		l->outer_ns = length;
	}
	edge_put(l, time_ns, 0, !top, name != NAME_EMPTY);
	l->open.n -= top != NULL;
	l->lone += !top;
	return true;
}

/* ---- reading ---- */

void
edgelog_read(struct edgelog_reader *r, struct edgelog *l, bool takes)
{
	*r = (struct edgelog_reader){.l = l, .takes = takes};
	if (l->block.n)
		l->block.at[l->block.n - 1].end = l->at;
}

static __attribute__((noinline)) bool
block_next(struct edgelog_reader *r)
{
	struct edgelog *l = r->l;

	if (r->takes && r->block)
		block_free(&l->block.at[r->block - 1]);
	if (r->block == l->block.n)
		return false;
	r->at = l->block.at[r->block].at;
	r->end = l->block.at[r->block++].end;
	return true;
}

bool
edgelog_next(struct edgelog_reader *r, struct logged_edge *out)
{
	uint32_t number, labels = 0, name = 0;

	if (r->at == r->end && !block_next(r))
		return false;
	const uint8_t *at = r->at;
	unsigned widths = *at;
	r->time_ns = (int64_t)((uint64_t)r->time_ns + widths_time(at));
	at = widths_get(at + 1 + widths_time_bytes[widths & 3], widths, 2, &number);
	if (widths >> 4) {
		at = widths_get(at, widths, 4, &labels);
		at = widths_get(at, widths, 6, &name);
	}
	r->at = at;
	out->time_ns = r->time_ns;
	out->kind = number ? LOGGED_BEGIN : labels ? LOGGED_LONE : LOGGED_END;
	out->number = number - 1;
	out->labels = labels;
	out->name = name;
	out->named = name != NAME_EMPTY;
	return true;
}
