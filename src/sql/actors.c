/* actors.c - the tables `states` and `edges`: what threads do, and what caused it.
 *
 * Threads follow one another, each with its states in the order of time; wake-ups are part of the
 * states that they begin. Then come the other edges, in the order of their arrival.  A range of the
 * lens cuts states, and it has the edges that arrive in it, as in the reports.  Threads are named,
 * since those without events have no track. */
#include "src/sql/sql_inside.h"

#ifdef HAVE_SQLITE

#include "model/base/mem.h"
#include "model/base/sum.h"

enum { STATES_TRACK, STATES_START, STATES_END, STATES_DURATION, STATES_STATE,
       STATES_FINISH, STATES_SIDE };
enum { EDGES_KIND, EDGES_FROM, EDGES_FROM_TIME, EDGES_TO, EDGES_TO_TIME, EDGES_SIDE };

static const struct sql_key states_key = {"start", STATES_START, true, false};
static const struct sql_key edges_key = {"to_time", EDGES_TO_TIME, true, false};

struct actors_cursor {
	struct sql_cursor base; /* first */
	struct sql *sql;
	struct sql_bound time;
	uint8_t *keep;    /* [actor] 1: the lens includes it */
	int64_t from, to; /* range of the lens; times count from each file's first event */
	actor_id actor;
	uint32_t i; /* the next state of the actor; after the last actor, the next edge */
	/* the row: a state, or an edge */
	uint8_t what; /* enum actor_state, enum edge_kind */
	actor_id by, of;
	int64_t start, end; /* of an edge: from_time, to_time */
};

/* ---- rows ---- */

static int64_t
time_in_file(const struct actors_cursor *c, actor_id of, int64_t time)
{
	const struct profile *p = c->sql->shown.p;

	return difference_clipped(time, p->group[p->actor[of].group].start);
}

static bool
has_actor(const struct actors_cursor *c)
{
	return c->actor < c->sql->shown.p->n_actors;
}

/* Reads the state before time[i] of the actor; that before the first one is unknown. Returns false
 * if it is no row. */
static bool
states_look(struct actors_cursor *c)
{
	const struct profile *p = c->sql->shown.p;
	const struct actor *a = &p->actor[c->actor];
	uint32_t i = c->i;

	c->of = c->actor;
	c->what = (uint8_t)(i ? actor_state(a, i - 1) : ACTOR_UNKNOWN);
	c->start = i ? time_in_file(c, c->of, actor_time(a, i - 1)) : 0;
	c->end = time_in_file(c, c->of, i < a->n ? actor_time(a, i) : p->group[a->group].end);
	bool empty = c->start == c->end;
	if (c->start >= c->to || (empty ? !i || c->start < c->from : c->end <= c->from))
		return false;
	c->start = c->start < c->from ? c->from : c->start;
	c->end = c->end > c->to ? c->to : c->end;
	return true;
}

static bool
states_row(struct actors_cursor *c)
{
	for (; has_actor(c); c->actor++, c->i = 0) {
		uint32_t n = c->sql->shown.p->actor[c->actor].n;
		while (n && c->keep[c->actor] && c->i <= n && !sql_stopped(c->sql)) {
			bool is = states_look(c);
			c->i++;
			if (is && bound_has(&c->time, c->start))
				return true;
		}
	}
	return false;
}

static bool
edges_inside(const struct actors_cursor *c)
{
	return c->keep[c->of] && c->end >= c->from && c->end < c->to &&
	       bound_has(&c->time, c->end);
}

static bool
edges_row(struct actors_cursor *c)
{
	const struct profile *p = c->sql->shown.p;

	for (; has_actor(c); c->actor++, c->i = 0) {
		const struct actor *a = &p->actor[c->actor];
		c->of = c->actor;
		c->what = EDGE_WAKE;
		while (c->keep[c->actor] && c->i < a->n && !sql_stopped(c->sql)) {
			uint32_t i = c->i++;
			c->start = c->end = time_in_file(c, c->of, actor_time(a, i));
			if (actor_woken(a, i, &c->by) && edges_inside(c))
				return true;
		}
	}
	while (c->i < p->n_edges && !sql_stopped(c->sql)) {
		const struct edge *e = &p->edge[c->i++];
		c->what = (uint8_t)edge_kind(e);
		c->by = edge_from(e);
		c->of = e->to;
		c->start = time_in_file(c, c->by, e->from_time);
		c->end = time_in_file(c, c->of, e->to_time);
		if (edges_inside(c))
			return true;
	}
	return false;
}

/* ---- the module ---- */

struct actors_table {
	const struct sql_key *key;
	bool (*row)(struct actors_cursor *c); /* goes to the next row; false: there is none */
};

static const struct actors_table *
actors_table_of(sqlite3_vtab *v)
{
	return ((struct sql_vtab *)v)->table->of;
}

static int
actors_plan(sqlite3_vtab *v, sqlite3_index_info *info)
{
	const struct profile *p = ((struct sql_vtab *)v)->sql->shown.p;
	double n = p->n_edges;
	unsigned which;
	int status = plan_make(info, actors_table_of(v)->key, 1, &which);

	for (actor_id i = 0; i < p->n_actors; i++)
		n += p->actor[i].n;
	plan_cost(info, n, which ? n / 20 : n);
	return status;
}

static int
actors_open(sqlite3_vtab *v, sqlite3_vtab_cursor **out)
{
	struct actors_cursor *c = mem_zalloc(1, sizeof *c);

	c->sql = ((struct sql_vtab *)v)->sql;
	*out = &c->base.base;
	return SQLITE_OK;
}

static int
actors_close(sqlite3_vtab_cursor *base)
{
	free(((struct actors_cursor *)base)->keep);
	free(base);
	return SQLITE_OK;
}

static int
actors_next(sqlite3_vtab_cursor *base)
{
	struct actors_cursor *c = (struct actors_cursor *)base;

	c->base.rowid++;
	c->base.eof = !actors_table_of(base->pVtab)->row(c);
	return c->sql->stopped ? SQLITE_INTERRUPT : SQLITE_OK;
}

static int
actors_filter(sqlite3_vtab_cursor *base, int index, const char *plan, int argc,
	      sqlite3_value **argv)
{
	struct actors_cursor *c = (struct actors_cursor *)base;
	const struct fold *f = c->sql->shown.fold;

	(void)index;
	plan_read(plan, argc, argv, actors_table_of(base->pVtab)->key, 1, &c->time);
	if (!c->keep)
		c->keep = lens_actors(&c->sql->lens, c->sql->shown.p);
	c->from = f->whole ? INT64_MIN : f->from;
	c->to = f->whole ? INT64_MAX : f->to;
	c->actor = 0;
	c->i = 0;
	c->base.rowid = 0;
	return actors_next(base);
}

static void
result_actor(const struct actors_cursor *c, sqlite3_context *out, actor_id a)
{
	if (a != ACTOR_NONE)
		sql_result_name(c->sql, out, c->sql->shown.p->actor[a].name);
}

static void
result_constant(sqlite3_context *out, const char *text)
{
	sqlite3_result_text(out, text, -1, SQLITE_STATIC);
}

static void
states_column(const struct actors_cursor *c, sqlite3_context *out, int column)
{
	switch (column) {
	case STATES_TRACK:
		result_actor(c, out, c->of);
		break;
	case STATES_START:
		sqlite3_result_int64(out, c->start);
		break;
	case STATES_END:
	case STATES_FINISH:
		sqlite3_result_int64(out, c->end);
		break;
	case STATES_DURATION:
		sqlite3_result_int64(out, difference_clipped(c->end, c->start));
		break;
	case STATES_STATE:
		result_constant(out, actor_state_name((enum actor_state)c->what));
		break;
	case STATES_SIDE:
		sql_result_group_side(c->sql, out, c->sql->shown.p->actor[c->of].group);
		break;
	}
}

static void
edges_column(const struct actors_cursor *c, sqlite3_context *out, int column)
{
	switch (column) {
	case EDGES_KIND:
		result_constant(out, edge_kind_name((enum edge_kind)c->what));
		break;
	case EDGES_FROM:
		result_actor(c, out, c->by);
		break;
	case EDGES_FROM_TIME:
		sqlite3_result_int64(out, c->start);
		break;
	case EDGES_TO:
		result_actor(c, out, c->of);
		break;
	case EDGES_TO_TIME:
		sqlite3_result_int64(out, c->end);
		break;
	case EDGES_SIDE:
		sql_result_group_side(c->sql, out, c->sql->shown.p->actor[c->of].group);
		break;
	}
}

static const struct actors_table states_table = {&states_key, states_row};
static const struct actors_table edges_table = {&edges_key, edges_row};

static int
actors_column(sqlite3_vtab_cursor *base, sqlite3_context *out, int column)
{
	const struct actors_cursor *c = (const struct actors_cursor *)base;

	if (actors_table_of(base->pVtab) == &states_table)
		states_column(c, out, column);
	else
		edges_column(c, out, column);
	return SQLITE_OK;
}

static const sqlite3_module module = SQL_MODULE(actors);

const struct sql_table sql_states = {
	.name = "states",
	.columns = "track TEXT, start INTEGER, \"end\" INTEGER, duration INTEGER, state TEXT,"
		   " finish INTEGER HIDDEN",
	.module = &module,
	.of = &states_table,
	.sided = true,
};

const struct sql_table sql_edges = {
	.name = "edges",
	.columns = "kind TEXT, from_track TEXT, from_time INTEGER, to_track TEXT, to_time INTEGER",
	.module = &module,
	.of = &edges_table,
	.sided = true,
};

#endif
