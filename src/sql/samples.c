/* samples.c - the table `samples`: the contribution of each event to each metric.
 *
 * A query that does not mention the hidden column `metric` reads the default metric alone, so that
 * no sum mixes nanoseconds with counts.  Otherwise an event with three metrics gives three rows.
 * The visible metrics are determined once a series, so a row costs little more than the columns
 * that the query uses.  Sums without a time come last, with time NULL. */
#include "src/sql/sql_inside.h"

#ifdef HAVE_SQLITE

#include <string.h>

#include "model/base/mem.h"
#include "model/base/sum.h"

enum { COLUMN_TRACK, COLUMN_TIME_, COLUMN_STACK, COLUMN_METRIC, COLUMN_VALUE_, COLUMN_LABELS,
       COLUMN_FINISH, COLUMN_WALL, COLUMN_PARALLELISM, COLUMN_SIDE };

#define EVENTS (1u << SERIES_STEPS | 1u << SERIES_SAMPLES | 1u << SERIES_TOTALS)

static const struct sql_key keys[] = {
	{"track", COLUMN_TRACK, true, false},
	{"time", COLUMN_TIME_, true, false},
	{"stack", COLUMN_STACK, false, false},
	{"metric", COLUMN_METRIC, false, true},
};
#define N_KEYS 4u

struct samples_cursor {
	struct events_cursor e; /* first */
	struct sql_bound stack;
	char *metric_name; /* the requested one; NULL: all */
	/* of the series: the visible metrics, by their index in it */
	uint8_t shown_metric[SERIES_METRICS_MAX];
	int64_t unit[SERIES_METRICS_MAX];
	unsigned n_shown, next_shown;
	const node_id *node_of[SERIES_METRICS_MAX]; /* [stack] of the tree of stacks */
	/* sums without events: */
	uint32_t page, in_page;
	bool sums; /* the series is read from its pages of sums */
	/* the row */
	int64_t time, lasts, value;
	bool began_before;  /* before the range: only its time inside counts */
	uint32_t stack_now; /* as recorded, with STEP_ flags, of steps */
	stack_id shown;     /* its visible part */
	unsigned m;
};

/* ---- a series ---- */

static bool
samples_has_value(const struct samples_cursor *c, const struct series *s, unsigned m)
{
	const struct sql *sql = c->e.x.sql;

	if (s->metric[m] >= sql->shown.p->n_metrics ||
	    !profile_metric_shown(sql->shown.p, s->metric[m]))
		return false;
	if (c->metric_name)
		return !strcmp(c->metric_name, buf_str(&sql->metric[s->metric[m]]));
	return c->e.mentioned || s->metric[m] == sql->shown.fold->metric;
}

static void
look_at_series(struct samples_cursor *c)
{
	const struct sql *sql = c->e.x.sql;
	const struct series *s = c->e.x.series;
	const struct projection *tree = sql->stacks.tree;

	c->n_shown = 0;
	for (unsigned m = 0; m < s->n_metrics; m++)
		if (samples_has_value(c, s, m)) {
			c->unit[m] = profile_metric_unit(sql->shown.p, s, m);
			c->node_of[m] = s->metric[m] == sql->shown.p->calls_metric
						? tree->call_of
						: tree->node_of;
			c->shown_metric[c->n_shown++] = (uint8_t)m;
		}
	c->next_shown = c->n_shown;
}

/* Sums lie in chunks only if they have labels. */
static bool
samples_series(struct events_cursor *e)
{
	struct samples_cursor *c = (struct samples_cursor *)e;

	look_at_series(c);
	c->sums = e->x.series->kind == SERIES_TOTALS && !e->x.series->n_chunks;
	c->page = c->in_page = 0;
	c->next_shown = c->sums ? 0 : c->n_shown;
	return c->n_shown;
}

/* ---- events ---- */

/* A call belongs to the frame that it entered, everything else to the nearest visible frame.
 * Returns false if there is none, or if the query excludes it. */
static bool
find_shown(struct samples_cursor *c, unsigned m)
{
	stack_id stack = c->stack_now & STEP_STACK;
	node_id node = c->node_of[m][stack];

	if (node == NODE_NONE)
		return false;
	c->shown = shown_stacks_at(&c->e.x.sql->stacks, node, stack);
	return bound_has(&c->stack, c->shown);
}

/* True if the event has a requested stack. */
static bool
look_at_event(struct samples_cursor *c)
{
	const struct sql_events *x = &c->e.x;
	stack_id stack = (c->stack_now = chunk_stack(x->chunk, x->i)) & STEP_STACK;

	if (stack == STACK_EMPTY || stack >= x->sql->stacks.tree->n_stacks)
		return false;
	c->began_before = false;
	if (x->series->kind != SERIES_STEPS)
		return true;
	int64_t end = events_end(x), time = events_time(x);
	bool before = c->began_before = time < x->from;
	if (before && end <= x->from)
		return false;
	time = before ? x->from : time;
	end = end > x->to ? x->to : end;
	c->time = time;
	c->lasts = end > time ? end - time : 0;
	return true;
}

/* Computes the event's contribution to metric m; returns false if there is none. */
static bool
look_at_metric(struct samples_cursor *c, unsigned m)
{
	const struct series *s = c->e.x.series;
	enum metric_role role = (enum metric_role)s->role[m];
	int64_t carried = 0, lasts = 0;

	if (role == ROLE_VALUE)
		carried = series_number(s, c->e.x.chunk, c->e.x.i, m);
	if (role_lasts(role))
		lasts = series_lasts(s, m, c->time, sum_clipped(c->time, c->lasts));
	c->m = m;
	c->value = role_adds(role, carried, lasts, c->stack_now) * c->unit[m];
	return (c->value || role == ROLE_VALUE) && find_shown(c, m) &&
	       (role_lasts(role) || !c->began_before);
}

static bool
next_event_row(struct samples_cursor *c)
{
	for (;;) {
		while (c->next_shown < c->n_shown)
			if (look_at_metric(c, c->shown_metric[c->next_shown++]))
				return true;
		do {
			if (!events_next(&c->e.x))
				return false;
		} while (!look_at_event(c));
		c->next_shown = 0;
	}
}

/* ---- sums ---- */

/* Finds the next stack with a sum, in its page, by metric. */
static const struct totals *
next_sums(struct samples_cursor *c)
{
	const struct series *s = c->e.x.series;
	unsigned events = 0;

	while (events < s->n_metrics && s->role[events] != ROLE_EVENTS)
		events++;
	for (; c->page < s->n_pages; c->page++, c->in_page = 0) {
		const struct totals *sums = &s->page[(size_t)c->page * s->n_metrics];
		while (events < s->n_metrics && sums[events].at && c->in_page < TOTALS_PAGE) {
			stack_id stack = series_page_stack(s, c->page) + c->in_page;
			if (totals_get(&sums[events], c->in_page) && stack != STACK_EMPTY &&
			    stack < c->e.x.sql->stacks.tree->n_stacks)
				return sums;
			c->in_page++;
		}
	}
	return NULL;
}

static bool
next_sum_row(struct samples_cursor *c)
{
	const struct totals *sums;

	for (; (sums = next_sums(c)); c->in_page++, c->next_shown = 0) {
		while (c->next_shown < c->n_shown) {
			unsigned m = c->shown_metric[c->next_shown++];
			c->m = m;
			c->stack_now = series_page_stack(c->e.x.series, c->page) + c->in_page;
			c->value = totals_get(&sums[m], c->in_page) * c->unit[m];
			if ((c->value || c->e.x.series->role[m] == ROLE_VALUE) && find_shown(c, m))
				return true;
		}
	}
	return false;
}

static bool
samples_row(struct events_cursor *e)
{
	struct samples_cursor *c = (struct samples_cursor *)e;

	return c->sums ? next_sum_row(c) : next_event_row(c);
}

static void
samples_release(struct events_cursor *e)
{
	free(((struct samples_cursor *)e)->metric_name);
}

static void
samples_begin(struct events_cursor *e, const struct sql_bound *bound)
{
	struct samples_cursor *c = (struct samples_cursor *)e;

	c->stack = bound[2];
	samples_release(e);
	c->metric_name = NULL;
	if (bound[3].equals) {
		const unsigned char *text = sqlite3_value_text(bound[3].equals);
		c->metric_name = mem_dup(text ? (const char *)text : "",
					 text ? strlen((const char *)text) : 0);
	}
}

static int
samples_column(sqlite3_vtab_cursor *base, sqlite3_context *out, int column)
{
	struct samples_cursor *c = (struct samples_cursor *)base;
	const struct sql_events *x = &c->e.x;
	metric_id metric = x->series->metric[c->m];
	labels_id labels;

	switch (column) {
	case COLUMN_TRACK:
		sqlite3_result_int64(out, x->series->track);
		break;
	case COLUMN_TIME_:
		if (x->timed && !c->sums)
			sqlite3_result_int64(out, (x->series->kind == SERIES_STEPS
							   ? c->time
							   : events_time(x)) - x->base);
		break;
	case COLUMN_STACK:
		sqlite3_result_int64(out, c->shown);
		break;
	case COLUMN_METRIC:
		sqlite3_result_text(out, buf_str(&x->sql->metric[metric]),
				    (int)x->sql->metric[metric].len, SQLITE_STATIC);
		break;
	case COLUMN_VALUE_:
		if (x->sql->shown.p->metric[metric].decimals)
			sqlite3_result_double(out, (double)c->value / 1e6);
		else
			sqlite3_result_int64(out, c->value);
		break;
	case COLUMN_LABELS:
		labels = c->sums ? LABELS_NONE : events_labels(x);
		if (labels != LABELS_NONE)
			sqlite3_result_int64(out, labels);
		break;
	case COLUMN_FINISH:
		if (x->series->kind == SERIES_STEPS)
			sqlite3_result_int64(out, sum_clipped(c->time, c->lasts) - x->base);
		break;
	case COLUMN_WALL:
	case COLUMN_PARALLELISM:
		if (x->series->kind == SERIES_STEPS)
			sql_result_running(&c->e.x, out, column == COLUMN_WALL, c->time,
					   sum_clipped(c->time, c->lasts));
		else if (x->timed)
			sql_result_running(&c->e.x, out, column == COLUMN_WALL, events_time(x), 0);
		break;
	case COLUMN_SIDE:
		sql_result_side(x->sql, out, x->series->track);
		break;
	}
	return SQLITE_OK;
}

static const struct events_table samples_table = {
	.key = keys,
	.n_keys = N_KEYS,
	.kinds = EVENTS,
	.size = sizeof(struct samples_cursor),
	.begin = samples_begin,
	.series = samples_series,
	.release = samples_release,
	.mention = COLUMN_METRIC,
	.row = samples_row,
};

static const sqlite3_module module = SQL_EVENTS_MODULE(samples);

const struct sql_table sql_samples = {
	.name = "samples",
	.columns = "track INTEGER, time INTEGER, stack INTEGER, metric TEXT HIDDEN, value INTEGER,"
		   " labels INTEGER, finish INTEGER HIDDEN, wall INTEGER HIDDEN,"
		   " parallelism INTEGER HIDDEN",
	.module = &module,
	.of = &samples_table,
	.sided = true,
};

#endif
