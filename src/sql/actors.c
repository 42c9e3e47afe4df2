/* actors.c - the tables `states` and `edges`: what threads do, and what caused it, in the order of
 * shown_actors.h.  Threads are named, since those without events have no track. */
#include "src/sql/sql_inside.h"

#ifdef HAVE_SQLITE

#include "model/base/mem.h"
#include "model/base/sum.h"
#include "src/encode/shown_actors.h"

enum { STATES_TRACK, STATES_START, STATES_END, STATES_DURATION, STATES_STATE,
       STATES_FINISH, STATES_SIDE };
enum { EDGES_KIND, EDGES_FROM, EDGES_FROM_TIME, EDGES_TO, EDGES_TO_TIME, EDGES_SIDE };

static const struct sql_key states_key = {"start", STATES_START, true, false};
static const struct sql_key edges_key = {"to_time", EDGES_TO_TIME, true, false};

struct actors_cursor {
	struct sql_cursor base; /* first */
	struct sql *sql;
	struct sql_bound time;
	bool opened;
	struct shown_actors shown;
	/* the row of one table, or of the other */
	struct shown_state state;
	struct shown_edge edge;
};

/* ---- rows ---- */

static bool
states_row(struct actors_cursor *c)
{
	while (!sql_stopped(c->sql) && shown_actors_state(&c->shown, &c->state))
		if (bound_has(&c->time, c->state.start))
			return true;
	return false;
}

static bool
edges_row(struct actors_cursor *c)
{
	while (!sql_stopped(c->sql) && shown_actors_edge(&c->shown, &c->edge))
		if (bound_has(&c->time, c->edge.to_time))
			return true;
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
	shown_actors_close(&((struct actors_cursor *)base)->shown);
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

	(void)index;
	plan_read(plan, argc, argv, actors_table_of(base->pVtab)->key, 1, &c->time);
	if (!c->opened)
		shown_actors_open(&c->shown, &c->sql->shown);
	c->opened = true;
	shown_actors_rewind(&c->shown);
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
		result_actor(c, out, c->state.of);
		break;
	case STATES_START:
		sqlite3_result_int64(out, c->state.start);
		break;
	case STATES_END:
	case STATES_FINISH:
		sqlite3_result_int64(out, c->state.end);
		break;
	case STATES_DURATION:
		sqlite3_result_int64(out, difference_clipped(c->state.end, c->state.start));
		break;
	case STATES_STATE:
		result_constant(out, actor_state_name(c->state.state));
		break;
	case STATES_SIDE:
		sql_result_group_side(c->sql, out, c->sql->shown.p->actor[c->state.of].group);
		break;
	}
}

static void
edges_column(const struct actors_cursor *c, sqlite3_context *out, int column)
{
	switch (column) {
	case EDGES_KIND:
		result_constant(out, edge_kind_name(c->edge.kind));
		break;
	case EDGES_FROM:
		result_actor(c, out, c->edge.from);
		break;
	case EDGES_FROM_TIME:
		sqlite3_result_int64(out, c->edge.from_time);
		break;
	case EDGES_TO:
		result_actor(c, out, c->edge.to);
		break;
	case EDGES_TO_TIME:
		sqlite3_result_int64(out, c->edge.to_time);
		break;
	case EDGES_SIDE:
		sql_result_group_side(c->sql, out, c->sql->shown.p->actor[c->edge.to].group);
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
