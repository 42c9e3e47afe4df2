/* The detail: sums of each time step, in portions of the range.  Each row is subtracted from the
 * totals, so both together are always the whole. */
#include "src/store/read_inside.h"

#define PORTION 100000u /* rows, about */
#define PORTIONS_MAX 16u

static void
open_detail(struct reader *r)
{
	for (size_t i = 0; i < r->tracks.n; i++) {
		struct reader_track *t = &r->tracks.at[i];
		t->detail = builder_samples(r->b, t->id, r->id, r->calls ? 2 : 1);
		builder_derived(t->detail); /* report_rows() counts the profiles' own events */
		if (r->q.labels || r->q.owned)
			builder_labelled(r->b, t->detail);
	}
}

struct detail {
	struct spread spread;
	struct err fault;
};

static bool
read_detail_row(struct reader *r, struct rowbin *a, struct detail *d)
{
	struct spread_row row = {0};

	reader_keys(r, a);
	int64_t step = rowbin_signed(a);
	uint64_t hash = rowbin_whole(a, 8);
	row.value[0] = rowbin_signed(a);
	if (r->calls) {
		row.value[1] = rowbin_signed(a);
		rowbin_whole(a, 8);
	}
	rowbin_whole(a, 8);
	row.labels = reader_labels(r, a);
	const struct reader_track *t = reader_track(r);
	int64_t time;
	if (err_is_set(&a->fault))
		return false;
	if (!t || __builtin_mul_overflow(step, r->q.step, &time) ||
	    __builtin_add_overflow(time, r->q.first, &time))
		return true; /* the track or time is new since the totals */
	row.track = (uint32_t)(t - r->tracks.at);
	row.stack = reader_stack(r, hash);
	r->rows++;
	return spread_row(&d->spread, step, &row, &d->fault);
}

static bool
read_portion(struct reader *r, int64_t from, int64_t to, struct detail *d, struct err *e)
{
	uint64_t limit = reader_most(r) + reader_most(r) / 2;
	struct rowbin a;

	buf_reset(&r->sql);
	question_detail(&r->q, from, to, &r->sql);
	if (!reader_ask(r, &a, e))
		return false;
	while (r->rows < limit && rowbin_next(&a) && read_detail_row(r, &a, d))
		reader_breathe(r);
	if (!err_is_set(&d->fault))
		spread_flush(&d->spread, &d->fault);
	if (!rowbin_close(&a, e))
		return false;
	if (err_is_set(&d->fault))
		*e = d->fault;
	if (r->rows >= limit)
		builder_incomplete(
			r->b,
			"the server sent more rows than requested: the rest has no times");
	return !err_is_set(e) && r->rows < limit;
}

static bool
open_spread(struct reader *r, struct detail *d, struct err *e)
{
	*d = (struct detail){.spread = {0}};
	err_init(&d->fault);
	open_detail(r);
	if (r->q.step > 1)
		builder_time_steps(r->b, r->q.first, r->q.step);
	return spread_open(&d->spread, r, e);
}

static void
close_spread(struct detail *d)
{
	spread_release(&d->spread);
}

static bool
read_portions(struct reader *r, uint64_t rows, struct detail *d, struct err *e)
{
	int64_t steps = (r->last - r->q.first) / r->q.step + 1;
	int64_t portions = rows < 2 * PORTION       ? 1
			   : rows / PORTION < PORTIONS_MAX ? (int64_t)(rows / PORTION)
							   : PORTIONS_MAX;
	int64_t width = steps / portions + 1;

	for (int64_t from = 0; from < steps; from += width) {
		if (reader_stopped(r) || !read_portion(r, from, from + width, d, e))
			return !err_is_set(e);
	}
	for (size_t i = 0; i < r->tracks.n; i++)
		builder_totals_gone(r->b, r->tracks.at[i].totals);
	return true;
}

bool
reader_detail(struct reader *r, uint64_t rows, struct err *e)
{
	struct detail d;
	bool good = open_spread(r, &d, e) && read_portions(r, rows, &d, e);

	close_spread(&d);
	return good;
}

bool
reader_one_step(struct reader *r, struct err *e)
{
	struct detail d;
	unsigned i = 0;

	while (i + 1 < READER_LADDER_MAX && reader_ladder(i) <= r->last - r->q.first)
		i++;
	r->q.step = reader_ladder(i);
	r->q.labels = r->q.owned = false;
	bool good = open_spread(r, &d, e);
	for (size_t k = 0; good && k < r->totals.n; k++) {
		const struct total_row *t = &r->totals.at[k];
		struct spread_row row = {
			t->track, t->stack, {t->value[0], t->value[1]}, LABELS_NONE};
		good = spread_row(&d.spread, 0, &row, e);
	}
	good = good && spread_flush(&d.spread, e);
	for (size_t k = 0; good && k < r->tracks.n; k++)
		builder_totals_gone(r->b, r->tracks.at[k].totals);
	close_spread(&d);
	return good;
}
