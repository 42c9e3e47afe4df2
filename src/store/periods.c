/* Which periods a reader can use.  Three queries decide it: the rows of periods, one pass over the
 * profiles, and how many rows each period has.  The last one notices rows that were deleted by age,
 * or that have not reached all servers yet.
 *
 * A profile that was stored twice counts once, and a sum has both.  A period is computed only if
 * none of its contents is anywhere else in the store.  So among the profiles of usable periods
 * there are no copies, and the pass looks only for copies of profiles that are in no period: they
 * are few, and finding copies among all would take longer than everything else.
 *
 * Rejected: a materialised view of the server.  It sees inserts, but a store that was interrupted
 * leaves sums of a profile that does not exist, and a second process may store a profile twice.
 * Rejected, too: a mark that a late writer removes from the period.  If the writer is killed
 * between its profile and the mark, the period is wrong for ever. */
#include "src/store/periods_inside.h"

#include <stdlib.h>

#include "model/base/bisect.h"
#include "model/base/ordered.h"
#include "src/store/clickhouse.h"

/* More periods would make a query longer than servers accept. */
#define PERIODS_MAX 1000u
#define PASSES_MAX 3u

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
		p.last = rowbin_signed(&a);
		*vec_push(&s->stored) = p;
	}
	return rowbin_close(&a, e);
}

/* Reads the profiles of each hour.  Sets *copies if one that is in no period of q was stored
 * twice. */
static bool
periods_read_hours(struct periods_state *s, const struct question *q, bool *copies, struct watch *w,
		   struct err *e)
{
	struct buf sql = BUF_INIT;
	struct rowbin a;

	s->hours.n = 0;
	*copies = false;
	question_period_profiles(q, &sql);
	if (!periods_open(&a, q, &sql, w, e))
		return false;
	while (rowbin_next(&a)) {
		struct period_hour h = {.hour = (int64_t)rowbin_whole(&a, 4)};
		h.profiles = rowbin_whole(&a, 8);
		h.hash = rowbin_whole(&a, 8);
		uint64_t contents = rowbin_whole(&a, 8);
		*copies |= h.hour == 0 && contents < h.profiles;
		*vec_push(&s->hours) = h;
	}
	return rowbin_close(&a, e);
}

static bool
periods_read_all_hours(struct periods_state *s, const struct question *q, struct err *e)
{
	struct buf sql = BUF_INIT;
	struct rowbin a;

	question_period_hours(q, q->from == INT64_MIN ? 0 : q->from / 1000000000, &sql);
	if (!periods_open(&a, q, &sql, NULL, e))
		return false;
	while (rowbin_next(&a)) {
		struct period_hour h = {.hour = (int64_t)rowbin_whole(&a, 4)};
		h.profiles = rowbin_whole(&a, 8);
		h.hash = rowbin_whole(&a, 8);
		h.last = rowbin_signed(&a);
		h.hosts = rowbin_whole(&a, 8);
		*vec_push(&s->hours) = h;
	}
	return rowbin_close(&a, e);
}

static bool
periods_read_rows(struct periods_state *s, const struct question *q, struct watch *w, struct err *e)
{
	int64_t from = INT64_MAX, to = 0;
	struct buf sql = BUF_INIT;
	struct rowbin a;

	for (size_t i = 0; i < s->stored.n; i++) {
		const struct period *p = &s->stored.at[i];
		from = p->start < from ? p->start : from;
		to = p->start + p->span > to ? p->start + p->span : to;
	}
	if (!s->stored.n)
		return true;
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

ORDERED_BY(by_period_id, struct period_rows, id)

static bool
periods_read_both(struct periods_state *s, const struct question *q, struct watch *w, struct err *e)
{
	*s = (struct periods_state){.stored = VEC_INIT};
	bool good = periods_read_stored(s, q, w, e) && periods_read_rows(s, q, w, e);
	vec_sort(&s->rows, by_period_id);
	return good;
}

bool
periods_state_read(struct periods_state *s, const struct question *q, struct err *e)
{
	return periods_read_both(s, q, NULL, e) && periods_read_all_hours(s, q, e);
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
	size_t low = bisect(i, s->hours.n, s->hours.at[i].hour < sum.hour);

	for (size_t i = low; i < s->hours.n; i++) {
		const struct period_hour *h = &s->hours.at[i];
		if (h->hour >= sum.hour + span / PERIOD_HOUR)
			break;
		sum.profiles += h->profiles;
		sum.hash += h->hash; /* that of the server wraps, too */
		sum.last = h->last > sum.last ? h->last : sum.last;
		sum.hosts = h->hosts > sum.hosts ? h->hosts : sum.hosts;
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

const char *
periods_unfit(const struct question *q)
{
	if (q->log)
		return "the rows are those of a trace log";
	if (!q->url->service)
		return "the address names no service";
	if (q->url->where.n)
		return "a label selects profiles";
	switch (q->tracks) {
	case STORE_BY_THREAD:
		return "tracks are threads";
	case STORE_BY_LABEL:
		return "tracks are values of a label";
	case STORE_BY_HOST:
	case STORE_BY_NOTHING:
		return NULL;
	}
	return NULL;
}

/* Chooses stored periods without an overlap; `all`: also those that are not usable. */
static void
periods_cover(struct periods *p, const struct periods_state *s, bool all)
{
	int64_t end = INT64_MIN;

	p->at.n = 0;
	for (size_t i = 0; i < s->stored.n && p->at.n < PERIODS_MAX; i++) {
		const struct period *one = &s->stored.at[i];
		if (one->start < end || !(all || period_usable(s, one)))
			continue;
		*vec_push(&p->at) = *one;
		end = one->start + one->span;
	}
}

static int64_t
periods_length(const struct periods *p)
{
	int64_t length = 0;

	for (size_t i = 0; i < p->at.n; i++)
		length += p->at.at[i].span;
	return length;
}

/* Finds the periods that a reader can use instead of the sums of their profiles: those whose
 * profiles all lie in the range of q.  Finds none if they do not fit, or if a profile was stored
 * twice; if it finds some, no selected profile was. */
static bool
periods_choose(struct periods *p, const struct question *q, struct watch *w, struct err *e)
{
	struct periods_state s;
	struct question one = *q;
	bool copies = false, done = false;

	if (periods_unfit(q))
		return true;
	bool good = periods_read_both(&s, q, w, e);
	vec_sort(&s.stored, by_period_start); /* a day before its hours */
	periods_cover(p, &s, true);
	one.periods = p;
	/* the pass also looks for copies outside of these; some turn out to be unusable */
	for (unsigned i = 0; good && !done && p->at.n && i < PASSES_MAX; i++) {
		int64_t length = periods_length(p);
		good = periods_read_hours(&s, &one, &copies, w, e);
		periods_cover(p, &s, false);
		done = copies || periods_length(p) == length;
	}
	if (copies || !done)
		p->at.n = 0;
	periods_state_release(&s);
	return good;
}

/* Finds the earliest start of a profile that reaches into the range. */
static bool
periods_begin(struct question *q, struct watch *w, struct err *e)
{
	struct buf sql = BUF_INIT;
	uint64_t begin = 0;

	if (q->from == INT64_MIN)
		return true;
	question_begin(q, &sql);
	bool good = clickhouse_number(q->url, buf_str(&sql), 4, w, &begin, e);
	q->begin = (int64_t)begin;
	buf_release(&sql);
	return good;
}

bool
periods_select(struct periods *p, struct question *q, struct watch *w, struct err *e)
{
	struct buf sql = BUF_INIT;
	uint64_t twice = 0;

	*p = (struct periods){VEC_INIT};
	if (!periods_begin(q, w, e) || !periods_choose(p, q, w, e))
		return false;
	if (p->at.n) {
		q->unique = true;
		q->periods = p;
		return true;
	}
	question_twice(q, &sql);
	bool good = clickhouse_number(q->url, buf_str(&sql), 1, w, &twice, e);
	q->unique = !twice;
	buf_release(&sql);
	return good;
}

void
periods_release(struct periods *p)
{
	vec_release(&p->at);
}
