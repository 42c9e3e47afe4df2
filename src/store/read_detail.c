/* The detail: sums of each step of time, in portions of the range.  A row that comes is taken off
 * the totals, so that at every moment both together are the whole. */
#include "src/store/read_inside.h"

#define PORTION 100000u /* rows, about */
#define PORTIONS_MAX 16u
#define LABELS_MAX 4096u /* of an event */

static size_t
skip_arrays(struct rowbin *a, size_t n)
{
	size_t other = rowbin_count(a);

	if (other != n)
		rowbin_is_wrong(a, "has labels whose columns do not fit");
	return err_is_set(&a->fault) ? 0 : n;
}

struct label_row {
	name_id key, value, unit;
	bool is_number;
	int64_t number;
};

struct label_rows {
	VEC(struct label_row) at;
	VEC(label_id) id;
};

static name_id
read_name(struct reader *r, struct rowbin *a)
{
	rowbin_text(a, &r->text);
	return builder_name(r->b, buf_str(&r->text), r->text.len);
}

static labels_id
read_labels(struct reader *r, struct rowbin *a, struct label_rows *l)
{
	size_t n = rowbin_count(a);

	if (n > LABELS_MAX) {
		rowbin_is_wrong(a, "has more labels than an event can have");
		n = 0;
	}
	l->at.n = l->id.n = 0;
	for (size_t i = 0; i < n; i++)
		*vec_push(&l->at) = (struct label_row){.key = read_name(r, a)};
	n = skip_arrays(a, n);
	for (size_t i = 0; i < n; i++)
		l->at.at[i].value = read_name(r, a);
	n = skip_arrays(a, n);
	for (size_t i = 0; i < n; i++)
		l->at.at[i].is_number = rowbin_whole(a, 1);
	n = skip_arrays(a, n);
	for (size_t i = 0; i < n; i++)
		l->at.at[i].number = rowbin_signed(a, 8);
	n = skip_arrays(a, n);
	for (size_t i = 0; i < n; i++)
		l->at.at[i].unit = read_name(r, a);
	for (size_t i = 0; i < n; i++) {
		const struct label_row *row = &l->at.at[i];
		*vec_push(&l->id) =
			row->is_number
				? builder_label_number(r->b, row->key, row->number, row->unit)
				: builder_label_text(r->b, row->key, row->value);
	}
	return n ? builder_labels(r->b, l->id.at, l->id.n) : LABELS_NONE;
}

static void
open_detail(struct reader *r)
{
	for (size_t i = 0; i < r->tracks.n; i++) {
		struct reader_track *t = &r->tracks.at[i];
		t->detail = builder_samples(r->b, t->id, r->id, r->calls ? 2 : 1);
		if (r->q.labels)
			builder_labelled(r->b, t->detail);
		if (r->q.step > 1)
			builder_sample_interval(t->detail, r->q.step);
	}
}

static bool
read_detail_row(struct reader *r, struct rowbin *a, struct label_rows *l, struct err *fault)
{
	reader_keys(r, a);
	int64_t step = rowbin_signed(a, 8), value[2] = {0};
	uint64_t hash = rowbin_whole(a, 8);

	value[0] = rowbin_signed(a, 8);
	if (r->calls)
		value[1] = rowbin_signed(a, 8);
	rowbin_whole(a, 8);
	labels_id set = r->q.labels ? read_labels(r, a, l) : LABELS_NONE;
	struct reader_track *t = reader_track(r);
	int64_t time;
	if (err_is_set(&a->fault))
		return false;
	if (!t || __builtin_mul_overflow(step, r->q.step, &time) ||
	    __builtin_add_overflow(time, r->q.first, &time))
		return true;
	stack_id stack = reader_stack(r, hash);
	builder_total_back(r->b, t->totals, stack, value);
	if (r->q.labels)
		builder_next_labels(r->b, t->detail, set);
	r->rows++;
	return builder_sample(r->b, t->detail, time, stack, value, 0, fault);
}

static bool
read_portion(struct reader *r, int64_t from, int64_t to, struct err *e)
{
	struct label_rows l = {VEC_INIT, VEC_INIT};
	struct rowbin a;
	struct err fault;
	uint64_t limit = reader_most(r) + reader_most(r) / 2;

	err_init(&fault);
	buf_reset(&r->sql);
	question_detail(&r->q, from, to, &r->sql);
	if (!reader_ask(r, &a, e))
		return false;
	while (r->rows < limit && rowbin_next(&a) && read_detail_row(r, &a, &l, &fault))
		reader_breathe(r);
	vec_release(&l.at);
	vec_release(&l.id);
	if (!rowbin_close(&a, e))
		return false;
	if (err_is_set(&fault))
		*e = fault;
	if (r->rows >= limit)
		builder_incomplete(r->b, "more rows came than were asked for: the rest has no "
					 "times");
	return !err_is_set(e) && r->rows < limit;
}

/* False with *e set where the server left in the middle. */
bool
reader_detail(struct reader *r, uint64_t rows, struct err *e)
{
	int64_t steps = (r->last - r->q.first) / r->q.step + 1;
	int64_t portions = rows < 2 * PORTION       ? 1
			   : rows / PORTION < PORTIONS_MAX ? (int64_t)(rows / PORTION)
							   : PORTIONS_MAX;
	int64_t width = steps / portions + 1;

	open_detail(r);
	for (int64_t from = 0; from < steps; from += width) {
		if (reader_stopped(r) || !read_portion(r, from, from + width, e))
			return !err_is_set(e);
	}
	for (size_t i = 0; i < r->tracks.n; i++)
		builder_totals_gone(r->b, r->tracks.at[i].totals);
	return true;
}

