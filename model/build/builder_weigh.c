#include "model/build/builder_inside.h"

#include "model/base/mem.h"

/* Keeps times and sums of values below 2^63 over the whole profile, so that readers need not
 * check their sums: differences of times here, sums in builder_weigh_value(). A refused event
 * has changed nothing: all checks precede the first change.
 *
 * One number bounds the values of every metric: each event adds its largest value. Files with
 * numbers near 2^63 are rare. When the bound gets there, the exact sum of each metric is
 * computed once, and kept from then on.
 *
 * The checks that nearly always succeed are inline (builder_inside.h). */
void
builder_reaches_out(struct builder *b, track_id t, int64_t time)
{
	struct track *track = &b->p->track[t];
	struct group *group = &b->p->group[track->group];

	builder_settle(b); /* buffered events rely on the starts of track and file */
	group->start = group->has_time && group->start < time ? group->start : time;
	group->end = group->has_time && group->end > time ? group->end : time;
	group->has_time = true;
	if (!track->has_time) {
		track->has_time = true;
		track->start = track->end = time;
	}
	track->start = time < track->start ? time : track->start;
	track->end = time > track->end ? time : track->end;
}

/* Adds the absolute value of v to the sum of sizes of a metric; with negative values, part of a
 * sum may exceed the whole. */
static inline bool
builder_weigh_value(int64_t *weight, int64_t v)
{
	int64_t sum;

	if (v == INT64_MIN || __builtin_add_overflow(*weight, v < 0 ? -v : v, &sum))
		return false;
	*weight = sum;
	return true;
}

/* Computes what an event adds to metric m of its series. Returns false if that alone exceeds
 * 2^63. Every event passes here. */
static inline bool
event_adds(const struct builder *b, const struct series *s, unsigned m,
	   const struct builder_adds *a, int64_t *v)
{
	uint8_t column = s->column[m];

	*v = role_adds((enum metric_role)s->role[m],
		       a->values ? series_number_of(s, m, a->values) : 0, a->lasts, a->flags);
	/* derived counts have no decimals of their own: see tally.c */
	return column != UINT8_MAX || !b->p->metric[s->metric[m]].decimals ||
	       !__builtin_mul_overflow(*v, BUILDER_MILLION, v);
}

/* Subtracts the first n metrics of an event again. */
static void
unweigh(struct builder *b, const struct series *s, const struct builder_adds *a, unsigned n)
{
	int64_t v;

	while (n-- > 0)
		if (s->metric[n] != METRIC_NONE && event_adds(b, s, n, a, &v))
			b->p->weight[s->metric[n]] -= v < 0 ? -v : v;
}

/* ---- exactly ---- */

/* Adds the sizes of n numbers; saturates at 2^63 - 1. */
static void
add_sizes(int64_t *weight, const int64_t *v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!builder_weigh_value(weight, v[i]))
			*weight = INT64_MAX;
}

/* Adds the values of a series to each metric. */
static void
weigh_series(struct profile *p, const struct series *s, unsigned m)
{
	enum { PIECE = 1024 };
	int64_t value[PIECE], *weight = &p->weight[s->metric[m]];

	_Static_assert(PIECE >= TOTALS_PAGE, "a page is read at once");
	for (uint32_t i = 0; i < s->n_pages; i++) {
		const struct totals *page = &s->page[(size_t)i * s->n_metrics + m];
		if (page->at) {
			totals_read(page, value);
			add_sizes(weight, value, TOTALS_PAGE);
		}
	}
	for (uint32_t k = 0; s->kind != SERIES_TOTALS && k < s->n_chunks; k++) {
		const struct chunk *c = &s->chunk[k];
		int64_t next = k + 1 < s->n_chunks ? column_get(&c[1].time, 0) : s->end_time;
		for (uint32_t from = 0, n; from < c->n; from += n) {
			n = c->n - from < PIECE ? c->n - from : PIECE;
			chunk_adds(s, c, from, n, m, next, value);
			add_sizes(weight, value, n);
		}
	}
}

/* Computes the exact weight of each metric, since the common bound no longer suffices. A part does
 * not have all that its bound has counted (totals, what is joined), so the whole must read its
 * block, unless it weighed exactly from its first event on. */
static void
weigh_all(struct builder *b)
{
	struct profile *p = b->p;

	builder_settle(b);
	b->carried.odd |= b->carried.part;
	p->weight = mem_zalloc(p->metrics_cap, sizeof *p->weight);
	for (uint32_t t = 0; t < p->n_tracks; t++)
		for (uint32_t i = 0; i < p->track[t].n_series; i++) {
			const struct series *s = p->track[t].series[i];
			for (unsigned m = 0; s->kind != SERIES_POINTS && m < s->n_metrics; m++)
				if (s->metric[m] != METRIC_NONE)
					weigh_series(p, s, m);
		}
}

bool
builder_weigh_exactly(struct builder *b, const struct series *s, const struct builder_adds *a)
{
	if (!b->p->weight)
		weigh_all(b);
	int64_t *weight = b->p->weight, v;

	for (unsigned m = 0; m < s->n_metrics; m++) {
		metric_id metric = s->metric[m];
		if (metric == METRIC_NONE)
			continue;
		if (event_adds(b, s, m, a, &v) && builder_weigh_value(&weight[metric], v))
			continue;
		unweigh(b, s, a, m);
		return false;
	}
	return true;
}

bool
builder_weigh_end(struct builder *b, const struct series *s, int64_t time)
{
	struct builder_adds a = {.lasts = builder_more_time(b, s, time)};

	if (!b->p->weight && (uint64_t)a.lasts < BUILDER_SMALL && !b->counts_parts &&
	    b->p->bound + a.lasts < PENDING_BOUND) {
		b->p->bound += a.lasts;
		if (s->pending)
			s->pending->weighed += a.lasts;
		return true;
	}
	if (!b->p->weight)
		weigh_all(b);
	for (unsigned m = 0; m < s->n_metrics; m++) {
		int64_t v;
		if (s->role[m] == ROLE_TIME &&
		    !(event_adds(b, s, m, &a, &v) &&
		      builder_weigh_value(&b->p->weight[s->metric[m]], v)))
			return false;
	}
	return true;
}

/* ---- a metric's values ---- */

static bool
series_has_values(const struct series *s, unsigned m)
{
	if (s->column[m] == UINT8_MAX) /* derived; the last step's duration is not in the sum */
		return s->sum[m] != 0 || (role_lasts((enum metric_role)s->role[m]) &&
					  s->end_time > s->last_time);
	for (uint32_t i = 0; i < s->n_pages; i++)
		if (totals_any(&s->page[(size_t)i * s->n_metrics + m]))
			return true;
	if (s->part[m] == PART_SIGN_0)
		return s->n;
	if (s->part[m] != PART_ALL)
		return s->sum[m] != 0; /* only the sum of all can be negative */
	for (uint32_t k = 0; k < s->n_chunks; k++) {
		const struct column *c = &s->chunk[k].value[s->column[m]];
		if (c->width || c->bits || c->base) /* without a width all values equal the base */
			return true;
	}
	return false;
}

bool
builder_has_values(struct builder *b, metric_id m)
{
	builder_settle(b);
	for (uint32_t t = 0; t < b->p->n_tracks; t++)
		for (uint32_t i = 0; i < b->p->track[t].n_series; i++) {
			const struct series *s = b->p->track[t].series[i];
			for (unsigned k = 0; k < s->n_metrics; k++)
				if (s->metric[k] == m && series_has_values(s, k))
					return true;
		}
	return false;
}

bool
builder_can_multiply(struct builder *b, metric_id m)
{
	int64_t product;

	builder_settle(b); /* the bound may lack buffered events */
	if (!b->p->weight && b->p->bound < PENDING_BOUND / BUILDER_MILLION)
		return true;
	if (!b->p->weight)
		weigh_all(b);
	return !__builtin_mul_overflow(b->p->weight[m], BUILDER_MILLION, &product);
}

void
builder_has_multiplied(struct builder *b, metric_id m)
{
	if (b->p->weight)
		b->p->weight[m] *= BUILDER_MILLION;
	else
		b->p->bound *= BUILDER_MILLION;
}

bool
builder_multiply(const struct builder *b, const struct series *s, const int64_t **values,
		 int64_t *own)
{
	if (!b->multiplies)
		return true;
	/* some columns have only metrics that are parts */
	for (unsigned c = 0; c < s->n_columns; c++)
		own[c] = (*values)[c];
	for (unsigned i = 0; i < s->n_metrics; i++) {
		unsigned at = s->column[i];
		if (s->role[i] != ROLE_VALUE || s->part[i] != PART_ALL)
			continue; /* parts have no decimals */
		bool whole = b->own[s->metric[i]].whole;
		if (__builtin_mul_overflow((*values)[at], whole ? BUILDER_MILLION : 1, &own[at]))
			return false;
	}
	*values = own;
	return true;
}
