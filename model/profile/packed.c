#include "model/profile/packed.h"

#include <stdlib.h>
#include <string.h>

#include "model/base/mem.h"
#include "model/profile/series_column.h"

/* Some formats list the stacks of all samples first, then their times, so millions of numbers
 * are kept until the others come. As plain integers they would need more memory than the file.
 * Runs of them become columns like those of a series, with the smallest sufficient width.
 * Packing to bits, as in full chunks of a series, did not lower the peak of memory, and cost a
 * tenth of the time. */

void
packed_release(struct packed *p)
{
	for (size_t i = 0; i < p->run.n; i++)
		column_release(&p->run.at[i]);
	vec_release(&p->run);
	free(p->last);
	*p = (struct packed){0};
}

static void
close_run(struct packed *p)
{
	if (!p->last) {
		p->last = mem_alloc(PACKED_RUN, sizeof *p->last);
		return;
	}
	struct column c = column_packed(p->last, PACKED_RUN);
	*vec_push(&p->run) = c;
}

void
packed_open_run(struct packed_reader *r)
{
	size_t i = r->at / PACKED_RUN;
	struct packed *p = r->of;

	if (i == p->run.n) {
		memcpy(r->v, p->last, (p->n - r->at) * sizeof *r->v);
		return;
	}
	column_values(&p->run.at[i], 0, PACKED_RUN, r->v);
	if (r->drops)
		column_release(&p->run.at[i]);
}

int64_t
packed_at(const struct packed *p, size_t i)
{
	size_t run = i / PACKED_RUN;

	return run < p->run.n ? column_get(&p->run.at[run], (uint32_t)(i % PACKED_RUN))
			      : p->last[i % PACKED_RUN];
}

void
packed_push_many(struct packed *p, const int64_t *v, size_t n)
{
	while (n) {
		size_t at = p->n % PACKED_RUN, room = PACKED_RUN - at, some = n < room ? n : room;
		if (!at)
			close_run(p);
		memcpy(p->last + at, v, some * sizeof *v);
		p->n += some;
		v += some;
		n -= some;
	}
}

void
packed_room(struct packed *p, bool full)
{
	size_t n = p->n - p->run.n * PACKED_RUN; /* 1 to PACKED_RUN, if there are any */

	if (p->last)
		p->last = mem_realloc(p->last, full ? PACKED_RUN : n, sizeof *p->last);
}

const int64_t *
packed_some(struct packed_reader *r, size_t most, size_t *n)
{
	size_t at = r->at % PACKED_RUN, some = PACKED_RUN - at;

	if (!at)
		packed_open_run(r);
	some = some < r->of->n - r->at ? some : r->of->n - r->at;
	*n = some < most ? some : most;
	r->at += *n;
	return r->v + at;
}

