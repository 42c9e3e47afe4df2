#include <check.h>

#include "tests/lib/unit.h"

#ifdef HAVE_SQLITE

#include <string.h>

#include "model/build/builder.h"
#include "src/command/report/sql_reports.h"
#include "src/sql/sql.h"
#include "tests/lib/random_profile.h"

/* Any wait of a query can be cancelled: each report, and opening itself, stops at a given yield
 * without a message and without leaks; if it continues, it yields the same rows as without
 * interruption. */

#define PROFILES 6
#define EVENTS 150

struct waiting {
	struct pace pace; /* first */
	unsigned rests, patience;
};

static bool
rest(struct pace *p)
{
	struct waiting *w = (struct waiting *)p;

	return ++w->rests <= w->patience;
}

static struct sql_report *
open_report(struct waiting *w, unsigned patience, const struct profile *p, size_t i,
	    const struct lens *l, struct err *e)
{
	*w = (struct waiting){.pace = {.rest = rest, .every = 1}, .patience = patience};
	err_init(e);
	return sql_reports.open(p, i, l, true, &w->pace, e);
}

static void
report_stops(const struct profile *p, size_t i, const struct lens *l)
{
	struct waiting w;
	struct err e;
	struct sql_report *whole = open_report(&w, UINT32_MAX, p, i, l, &e);

	if (!whole) {
		ck_assert(err_is_set(&e));
		return;
	}
	unsigned all = w.rests, step = all / 7 + 1;
	for (unsigned patience = 0; patience < all; patience += step) {
		struct sql_report *part = open_report(&w, patience, p, i, l, &e);
		ck_assert_msg(!part && !err_is_set(&e), "%s goes on after rest %u of %u: %s",
			      sql_reports.name(i), patience, all, e.text);
	}
	struct sql_report *again = open_report(&w, all, p, i, l, &e);
	ck_assert_ptr_nonnull(again);
	ck_assert_uint_eq(again->rows->n, whole->rows->n);
	sql_reports.close(again);
	sql_reports.close(whole);
}

static bool
stop(void *ctx)
{
	(void)ctx;
	return true;
}

START_TEST(reports)
{
	for (unsigned i = 0; i < PROFILES; i++) {
		struct random_profile *r = random_profile_new(7000 + i);
		struct naive_lens naive;
		struct lens l;
		r->asks_labels = i % 2;
		random_profile_grow(r, EVENTS);
		random_profile_finish(r);
		random_lens(r, &naive, &l);
		for (size_t k = 0; k < sql_reports.n; k++)
			report_stops(r->model, k, &l);
		lens_release(&l);
		random_profile_free(r);
	}
}
END_TEST

/* Reports that cost events or nodes take rests. */
START_TEST(rests)
{
	static const char *const dear[] = {"functions", "tree",   "callers", "lines",
					   "calls",     "slices", "labels"};
	unsigned most[sizeof dear / sizeof *dear] = {0};
	struct lens l;

	lens_init(&l);
	for (unsigned k = 0; k < PROFILES; k++) {
		struct random_profile *r = random_profile_new(7100 + k);
		random_profile_grow(r, 1000);
		random_profile_finish(r);
		for (size_t i = 0; i < sql_reports.n; i++) {
			struct waiting w;
			struct err e;
			struct sql_report *t = open_report(&w, UINT32_MAX, r->model, i, &l, &e);
			for (size_t d = 0; d < sizeof dear / sizeof *dear && t; d++)
				if (!strcmp(dear[d], sql_reports.name(i)) && w.rests > most[d])
					most[d] = w.rests;
			if (t)
				sql_reports.close(t);
		}
		random_profile_free(r);
	}
	for (size_t d = 0; d < sizeof dear / sizeof *dear; d++)
		ck_assert_msg(most[d] > 100, "%s: %u rests", dear[d], most[d]);
	lens_release(&l);
}
END_TEST

/* From PACE_STEPS steps on the pace is called: opening is cancelled, and reports it. */
START_TEST(opening)
{
	struct profile *p = profile_new();
	struct builder *b = builder_new(p, "made", "made");
	metric_id samples = builder_metric(b, "samples", UNIT_SAMPLES, ROLE_EVENTS);
	struct series *s = builder_totals(b, builder_track(b, "t", 1, TRACK_THREAD), &samples, 1);
	frame_id frame = builder_frame(b, builder_function_unknown(b), line_unknown());
	struct lens l;
	struct err e;

	err_init(&e);
	for (uint32_t i = 0; i < 2 * PACE_STEPS; i++)
		builder_total(b, s,
			      builder_child(b, STACK_EMPTY, builder_frame_at(b, frame, 4096 + i)),
			      NULL, 0, &e);
	builder_finish(b, &e);
	builder_free(b);
	lens_init(&l);
	l.by = BY_ADDRESS;
	struct sql_asks asks = {.profile = p, .lens = &l, .reports = &sql_reports, .stop = stop};
	ck_assert_ptr_null(sql_open(&asks, &e));
	ck_assert_str_eq(e.text, "the query was stopped");
	lens_release(&l);
	profile_free(p);
}
END_TEST

UNIT(sqlstop)
{
	Suite *s = suite_create("sqlstop");
	TCase *t = tcase_create("sqlstop");

	tcase_add_test(t, reports);
	tcase_add_test(t, rests);
	tcase_add_test(t, opening);
	suite_add_tcase(s, t);
	return s;
}

#else

UNIT(sqlstop)
{
	return NULL; /* built without SQLite */
}

#endif
