/* Which periods a reader can use.  Three queries over small tables decide it: the rows of periods,
 * the profiles of each hour, and how many sums each period has.  The last one notices sums that
 * were deleted by age, or that have not reached all servers yet.
 *
 * Rejected: a materialised view of the server.  It sees inserts, but a store that was interrupted
 * leaves sums of a profile that does not exist, and a second process may store a profile twice.
 * Rejected, too: a mark that a late writer removes from the period.  If the writer is killed
 * between its profile and the mark, the period is wrong for ever. */
#include "src/store/periods_inside.h"

#include <stdlib.h>

#include "src/store/clickhouse.h"

/* More periods would make a query longer than servers accept. */
#define PERIODS_MAX 1000u

static bool
periods_open(struct rowbin *a, const struct question *q, struct buf *sql, struct watch *w,
	     struct err *e)
{
	bool good = rowbin_open(a, q->url, buf_str(sql), w, e);

	buf_release(sql);
	return good;
}

static bool
periods_read_stored(struct periods_state *s, const struct question *q, struct watch *w,
		    struct err *e)
{
	struct buf sql = BUF_INIT;
	struct rowbin a;

	question_periods(q, &sql);
	if (!periods_open(&a, q, &sql, w, e))
		return false;
	while (rowbin_next(&a)) {
		struct period p = {.span = (uint32_t)rowbin_whole(&a, 4)};
		p.start = (int64_t)rowbin_whole(&a, 4);
		p.id = rowbin_whole(&a, 8);
		p.profiles = rowbin_whole(&a, 8);
		p.hash = rowbin_whole(&a, 8);
		p.rows = rowbin_whole(&a, 8);
		p.last = rowbin_signed(&a, 8);
		*vec_push(&s->stored) = p;
	}
	return rowbin_close(&a, e);
}

static bool
periods_read_hours(struct periods_state *s, const struct question *q, int64_t from, int64_t to,
		   bool making, struct watch *w, struct err *e)
{
	struct buf sql = BUF_INIT;
	struct rowbin a;

	question_period_profiles(q, from, to, making, &sql);
	if (!periods_open(&a, q, &sql, w, e))
		return false;
	while (rowbin_next(&a)) {
		struct period_hour h = {.hour = (int64_t)rowbin_whole(&a, 4)};
		h.profiles = rowbin_whole(&a, 8);
		h.hash = rowbin_whole(&a, 8);
		if (making) {
			h.last = rowbin_signed(&a, 8);
			h.hosts = rowbin_whole(&a, 8);
			h.twice = rowbin_whole(&a, 8);
		}
		*vec_push(&s->hours) = h;
	}
	return rowbin_close(&a, e);
}

static bool
periods_read_rows(struct periods_state *s, const struct question *q, int64_t from, int64_t to,
		  struct watch *w, struct err *e)
{
	struct buf sql = BUF_INIT;
	struct rowbin a;

	question_period_rows(q, from, to, &sql);
	if (!periods_open(&a, q, &sql, w, e))
		return false;
	while (rowbin_next(&a)) {
		struct period_rows r = {rowbin_whole(&a, 8), 0};
		r.rows = rowbin_whole(&a, 8);
		*vec_push(&s->rows) = r;
	}
	return rowbin_close(&a, e);
}

static int
by_period_id(const void *a, const void *b)
{
	const struct period_rows *x = a, *y = b;

	return (x->id > y->id) - (x->id < y->id);
}

bool
periods_state_read(struct periods_state *s, const struct question *q, bool making, struct watch *w,
		   struct err *e)
{
	int64_t from = INT64_MAX, to = 0;

	*s = (struct periods_state){.stored = VEC_INIT};
	if (!periods_read_stored(s, q, w, e))
		return false;
	for (size_t i = 0; i < s->stored.n; i++) {
		const struct period *p = &s->stored.at[i];
		from = p->start < from ? p->start : from;
		to = p->start + p->span > to ? p->start + p->span : to;
	}
	if (!s->stored.n && !making)
		return true;
	if (making) {
		from = q->from == INT64_MIN ? 0 : q->from / 1000000000;
		to = UINT32_MAX;
	}
	bool good = periods_read_hours(s, q, from, to, making, w, e) &&
		    (!s->stored.n || periods_read_rows(s, q, from, to, w, e));
	vec_sort(&s->rows, by_period_id);
	return good;
}

void
periods_state_release(struct periods_state *s)
{
	vec_release(&s->stored);
	vec_release(&s->hours);
	vec_release(&s->rows);
}

struct period_hour
periods_state_in(const struct periods_state *s, int64_t start, uint32_t span)
{
	struct period_hour sum = {.hour = start / PERIOD_HOUR};
	size_t low = 0, high = s->hours.n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;
		if (s->hours.at[mid].hour < sum.hour)
			low = mid + 1;
		else
			high = mid;
	}
	for (size_t i = low; i < s->hours.n; i++) {
		const struct period_hour *h = &s->hours.at[i];
		if (h->hour >= sum.hour + span / PERIOD_HOUR)
			break;
		sum.profiles += h->profiles;
		sum.hash += h->hash; /* that of the server wraps, too */
		sum.last = h->last > sum.last ? h->last : sum.last;
		sum.hosts = h->hosts > sum.hosts ? h->hosts : sum.hosts;
		sum.twice += h->twice;
	}
	return sum;
}

static bool
period_usable(const struct periods_state *s, const struct period *p)
{
	struct period_hour now = periods_state_in(s, p->start, p->span);
	struct period_rows key = {p->id, 0};
	const struct period_rows *rows = NULL;

	if (s->rows.n)
		rows = bsearch(&key, s->rows.at, s->rows.n, sizeof key, by_period_id);
	return now.profiles == p->profiles && now.hash == p->hash &&
	       (rows ? rows->rows : 0) == p->rows;
}

const struct period *
periods_state_find(const struct periods_state *s, int64_t start, uint32_t span)
{
	for (size_t i = s->stored.n; i--;) {
		const struct period *p = &s->stored.at[i];
		if (p->start == start && p->span == span && period_usable(s, p))
			return p;
	}
	return NULL;
}

static int
by_period_start(const void *a, const void *b)
{
	const struct period *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return (x->span < y->span) - (x->span > y->span);
}

bool
periods_fit(const struct question *q)
{
	return !q->log && q->url->service && !q->url->where.n &&
	       (q->tracks == STORE_BY_HOST || q->tracks == STORE_BY_NOTHING);
}

bool
periods_choose(struct periods *p, const struct question *q, struct watch *w, struct err *e)
{
	struct periods_state s;
	int64_t end = 0;

	*p = (struct periods){VEC_INIT};
	if (!q->unique || !periods_fit(q))
		return true;
	bool good = periods_state_read(&s, q, false, w, e);
	vec_sort(&s.stored, by_period_start); /* a day before its hours */
	for (size_t i = 0; good && i < s.stored.n && p->at.n < PERIODS_MAX; i++) {
		const struct period *one = &s.stored.at[i];
		if (one->start < end || !period_usable(&s, one))
			continue;
		*vec_push(&p->at) = *one;
		end = one->start + one->span;
	}
	periods_state_release(&s);
	return good;
}

void
periods_release(struct periods *p)
{
	vec_release(&p->at);
}
