/* Shared by all parts of the reader of a store: queries, limits, and pauses for other threads. */
#include "src/store/read_inside.h"

#define ROWS_USUAL UINT64_C(2000000)

bool
reader_ask(struct reader *r, struct rowbin *a, struct err *e)
{
	return rowbin_open(a, &r->url, buf_str(&r->sql), r->watch, e);
}

void
reader_breathe(struct reader *r)
{
	if (++r->since < READER_BREATHE_ROWS)
		return;
	r->since = 0;
	if (r->watch && r->watch->breathe)
		r->watch->breathe(r->watch);
}

bool
reader_stopped(const struct reader *r)
{
	return watch_stops(r->watch);
}

name_id
reader_name(struct reader *r, struct rowbin *a)
{
	rowbin_text(a, &r->text);
	return builder_name(r->b, buf_str(&r->text), r->text.len);
}

uint64_t
reader_most(const struct reader *r)
{
	return r->url.rows ? r->url.rows : ROWS_USUAL;
}

int64_t
reader_ladder(unsigned i)
{
	static const int64_t of_ten[] = {1, 2, 5};
	int64_t step = of_ten[i % 3];

	for (i /= 3; i; i--)
		step *= 10;
	return step;
}
