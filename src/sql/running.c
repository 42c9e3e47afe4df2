/* running.c - the hidden columns `wall` and `parallelism` of the tables of events: how many tracks
 * run at once.  The clocks are made when a query names one of them. */
#include "src/sql/sql_inside.h"

#ifdef HAVE_SQLITE

/* Returns the clock of the cursor's series; NULL: it does not run. */
static const struct wall_clock *
clock_of(struct sql_events *x)
{
	struct sql *s = x->sql;

	if (x->clock_of == x->series)
		return x->clock;
	if (!s->clocks.at) {
		wall_clocks_make(&s->clocks, s->shown.p, &s->pace);
		layout_init(&s->layout);
	}
	x->clock_of = x->series;
	x->clock = wall_clock_of(&s->clocks, s->shown.p, x->series);
	x->lane = (struct layout_lane){.series = x->series};
	if (x->clock)
		layout_lane_look(&s->layout, s->shown.p, &x->lane, s->clocks.base);
	return x->clock;
}

/* Returns the end of the event in progress, a sample. */
static int64_t
sample_end(const struct sql_events *x)
{
	struct event e = {.time = events_time(x), .end = events_end(x)};

	return layout_event_end(&x->lane, x->at, &e);
}

void
sql_result_running(struct sql_events *x, sqlite3_context *out, bool wall, int64_t from, int64_t to)
{
	const struct wall_clock *clock = clock_of(x);
	uint32_t near = clock ? clock->n / 2 : 0;

	if (!clock)
		return;
	if (x->series->kind == SERIES_SAMPLES)
		to = sample_end(x);
	sqlite3_result_int64(out, wall ? wall_clock_between(clock, from, to)
				       : wall_clock_mean(clock, from, to, &near));
}

#endif
