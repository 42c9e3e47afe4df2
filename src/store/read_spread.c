/* Spreads the rows of a step over its time.  A step of the detail may be a minute.  A second, small
 * query (the curve) returns each track's value in every two-thousandth of the range.  The rows of a
 * step follow one another in it, each as long as its share of the curve.  So levels and places are
 * exact to a two-thousandth, and the sums of a step do not change.  The picture of a step is a
 * small flame chart, since stacks with a common beginning are neighbours.  A row that crosses
 * several parts of the curve is split there.
 *
 * Without a curve the step is one part.  Values below zero have no duration, and keep their
 * order. */
#include "src/store/read_inside.h"

#include <stdlib.h>
#include <string.h>

#include "model/base/bisect.h"
#include "model/base/mem.h"
#include "model/base/ordered.h"
#include "model/base/sum.h"
#include "model/base/wide.h"

#define CURVE_ROWS 500000u /* rows that a curve may always have */

/* ---- the order of stacks ---- */

static int
by_path(const void *a, const void *b, void *ctx)
{
	const struct reader *r = ctx;
	const struct reader_stack *x = &r->known.at[*(const uint32_t *)a];
	const struct reader_stack *y = &r->known.at[*(const uint32_t *)b];

	for (uint32_t i = 0; i < x->n && i < y->n; i++) {
		frame_id f = r->frames.at[x->first + i], g = r->frames.at[y->first + i];
		if (f != g)
			return f < g ? -1 : 1;
	}
	if (x->n != y->n)
		return x->n < y->n ? -1 : 1;
	return x->hash < y->hash ? -1 : x->hash > y->hash;
}

static void
rank_stacks(struct reader *r)
{
	size_t n = r->known.n;
	uint32_t *order = mem_alloc(n + 1, sizeof *order);

	for (uint32_t i = 0; i < n; i++)
		order[i] = i;
	if (n > 1)
		qsort_r(order, n, sizeof *order, by_path, r);
	for (uint32_t i = 0; i < n; i++)
		r->known.at[order[i]].rank = i;
	free(order);
}

/* ---- the curve ---- */

ORDERED_BY_TWO(by_track_and_step, struct curve_row, track, step)

static bool
ask_curves(struct reader *r, struct spread *s, struct err *e)
{
	uint64_t most = (uint64_t)r->tracks.n * (CURVE_STEPS + 1);
	struct rowbin a;

	buf_reset(&r->sql);
	question_curves(&r->q, s->fine, &r->sql);
	if (!reader_ask(r, &a, e))
		return false;
	while (s->curve.n < most && rowbin_next(&a)) {
		reader_keys(r, &a);
		int64_t step = rowbin_signed(&a), value = rowbin_signed(&a);
		const struct reader_track *t = reader_track(r);
		if (err_is_set(&a.fault) || !t || value <= 0)
			continue;
		*vec_push(&s->curve) =
			(struct curve_row){(uint32_t)(t - r->tracks.at), step, value};
		reader_breathe(r);
	}
	if (s->curve.n > 1)
		qsort(s->curve.at, s->curve.n, sizeof *s->curve.at, by_track_and_step);
	return rowbin_close(&a, e);
}

/* Returns the finest of 1, 2, 5, 10, ... ns that divides the step and gives at most CURVE_STEPS in
 * the range; the step itself if there is none. */
static int64_t
fine_step(const struct reader *r)
{
	int64_t least = difference_clipped(r->last, r->q.first) / CURVE_STEPS + 1, step = r->q.step;

	if (r->tracks.n * CURVE_STEPS > CURVE_ROWS && r->tracks.n * CURVE_STEPS > reader_most(r))
		return step;
	for (unsigned i = 0; reader_ladder(i) < step; i++)
		if (reader_ladder(i) >= least && step % reader_ladder(i) == 0)
			return reader_ladder(i);
	return step;
}

bool
spread_open(struct spread *s, struct reader *r, struct err *e)
{
	*s = (struct spread){.r = r, .fine = r->q.step};
	rank_stacks(r);
	s->fine = fine_step(r);
	if (s->fine == r->q.step)
		return true;
	return ask_curves(r, s, e);
}

void
spread_release(struct spread *s)
{
	vec_release(&s->curve);
	vec_release(&s->held);
}

/* ---- rows ---- */

static int
read_by_place(const void *a, const void *b, void *ctx)
{
	const struct reader *r = ctx;
	const struct spread_row *x = a, *y = b;
	uint32_t rank = r->known.at[x->stack].rank, other = r->known.at[y->stack].rank;

	if (x->track != y->track)
		return x->track < y->track ? -1 : 1;
	if (rank != other)
		return rank < other ? -1 : 1;
	return (x->labels > y->labels) - (x->labels < y->labels);
}

/* Where the rows of a track go within a step. */
struct placing {
	struct spread *s;
	const struct curve_row *part, *end; /* of the curve, in this step */
	struct curve_row whole;             /* used without a curve */
	int64_t length;                     /* of a part, ns */
	int64_t used;                       /* of *part */
};

static struct placing
place_begin(struct spread *s, int64_t step, const struct spread_row *row, size_t n)
{
	struct placing p = {.s = s, .length = s->fine};
	int64_t per = s->r->q.step / s->fine, first = step * per; /* fits: its time does */
	struct curve_row key = {row->track, first, 0};
	size_t low = bisect(i, s->curve.n, by_track_and_step(&s->curve.at[i], &key) < 0), high;

	for (high = low; high < s->curve.n && s->curve.at[high].track == row->track &&
			 difference_clipped(s->curve.at[high].step, first) < per; high++)
		;
	if (high > low) {
		p.part = &s->curve.at[low];
		p.end = &s->curve.at[0] + high;
		return p;
	}
	p.length = s->r->q.step;
	p.whole = (struct curve_row){row->track, step, 0};
	for (size_t i = 0; i < n; i++)
		if (row[i].value[0] > 0 &&
		    __builtin_add_overflow(p.whole.value, row[i].value[0], &p.whole.value))
			p.whole.value = INT64_MAX;
	return p;
}

/* Writes the part of a row that fits into the current part of the curve; leaves the rest in
 * `row`. */
static bool
place_some(struct placing *p, struct spread_row *row, struct err *fault)
{
	struct reader *r = p->s->r;
	const struct curve_row *part = p->part ? p->part : &p->whole;
	bool is_last = !p->part || p->part + 1 == p->end;
	int64_t left = part->value - p->used, take = row->value[0];
	int64_t value[2] = {take, row->value[1]}, time, at;
	const struct reader_track *t = &r->tracks.at[row->track];

	at = part->value > 0 ? wide_ratio(p->length, p->used, part->value) : 0;
	if (at >= p->length)
		at = p->length - 1;
	if (!is_last && take > left)
		value[0] = take = left;
	if (take > 0)
		p->used = take < left ? p->used + take : part->value;
	row->value[0] -= value[0];
	row->value[1] = 0;
	if (__builtin_mul_overflow(part->step, p->length, &time) ||
	    __builtin_add_overflow(time, r->q.first + at, &time))
		return true;
	builder_total_back(r->b, t->totals, r->known.at[row->stack].id, value);
	if (r->q.labels || r->q.owned)
		builder_next_labels(r->b, t->detail, row->labels);
	return builder_sample(r->b, t->detail, time, r->known.at[row->stack].id, value, 0, fault);
}

static bool
read_spread_place(struct placing *p, struct spread_row row, struct err *fault)
{
	do {
		while (p->part && p->used >= p->part->value && p->part + 1 < p->end) {
			p->part++;
			p->used = 0;
		}
		if (!place_some(p, &row, fault))
			return false;
	} while (row.value[0] > 0);
	return true;
}

bool
spread_flush(struct spread *s, struct err *fault)
{
	size_t n = s->held.n;
	bool good = true;

	if (n > 1)
		qsort_r(s->held.at, n, sizeof *s->held.at, read_by_place, s->r);
	for (size_t i = 0, end; good && i < n; i = end) {
		for (end = i + 1; end < n && s->held.at[end].track == s->held.at[i].track; end++)
			;
		struct placing p = place_begin(s, s->step, &s->held.at[i], end - i);
		for (size_t k = i; good && k < end; k++) {
			good = read_spread_place(&p, s->held.at[k], fault);
			reader_breathe(s->r);
		}
	}
	s->held.n = 0;
	return good;
}

bool
spread_row(struct spread *s, int64_t step, const struct spread_row *row, struct err *fault)
{
	if (s->held.n && step != s->step && !spread_flush(s, fault))
		return false;
	s->step = step;
	*vec_push(&s->held) = *row;
	return true;
}
