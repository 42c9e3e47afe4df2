/* pnavdb_actors.c - the states of threads, wake-ups and other edges.
 *
 *	actors: id|name|track|process    actor_states: actor|start|end|state   |woken|by
 *	         0|main|    0|                             0|    0|200|running |    0|
 *	         1|io  |     |shop 7                       1|    0| 50|waiting |    0|
 *	                                                   1|   50| 60|runnable|    1|0
 *
 * A thread without a track names its process.
 *
 * The rows of a thread follow one another without gaps. After the last one, its state is unknown,
 * unless the row reaches the end of the run: a range was exported. */
#include "src/decode/pnavdb/pnavdb.h"

#ifdef HAVE_SQLITE

#include "model/base/sum.h"

static const char *
actor_state_word(unsigned i)
{
	return actor_state_name((enum actor_state)i);
}

static const char *
edge_kind_word(unsigned i)
{
	return edge_kind_name((enum edge_kind)i);
}

/* The columns are id, name, track, process. The ids of processes are in x->ids.sets. */
static bool
take_actor(struct pnavdb *x, sqlite3_stmt *row)
{
	int64_t id;
	struct name name = builder_name_get(x->b, pnavdb_name(x, row, 1));
	uint32_t t = IDMAP_NONE, p = idmap_get(&x->ids.sets, pnavdb_name(x, row, 3));

	if (!pnavdb_whole(x, row, 0, &id))
		return true;
	if (sqlite3_column_type(row, 2) == SQLITE_INTEGER)
		t = idmap_get(&x->ids.tracks, (uint64_t)sqlite3_column_int64(row, 2));
	actor_id a = builder_actor(x->b, name.at, name.len,
				   t == IDMAP_NONE ? TRACK_NONE : x->track.at[t].id);
	if (a == ACTOR_NONE)
		return true;
	if (p != IDMAP_NONE)
		builder_actor_under(x->b, a, p);
	idmap_put(&x->ids.actors, (uint64_t)id, a);
	return true;
}

bool
pnavdb_read_actors(struct pnavdb *x)
{
	return pnavdb_each(x, "actors",
			   "SELECT id, name, track, process FROM actors NOT INDEXED", take_actor);
}

/* Returns the actor of a column; ACTOR_NONE if it has none. */
static actor_id
pnavdb_actor(const struct pnavdb *x, sqlite3_stmt *row, int column)
{
	uint32_t a = IDMAP_NONE;

	if (sqlite3_column_type(row, column) == SQLITE_INTEGER)
		a = idmap_get(&x->ids.actors, (uint64_t)sqlite3_column_int64(row, column));
	return a == IDMAP_NONE ? ACTOR_NONE : a;
}

/* The last state that was read, in x->context. */
struct pnavdb_last {
	actor_id of;
	int64_t end, run; /* `run`: the end of the run */
};

static void
last_state_end(struct pnavdb *x, const struct pnavdb_last *last)
{
	if (last->of != ACTOR_NONE && last->end < last->run)
		builder_state(x->b, last->of, sum_clipped(x->start, last->end), ACTOR_UNKNOWN);
}

/* The columns are actor, start, end, state, woken, by. */
static bool
take_state(struct pnavdb *x, sqlite3_stmt *row)
{
	struct pnavdb_last *last = x->context;
	actor_id a = pnavdb_actor(x, row, 0);
	int64_t start, end;

	if (!pnavdb_whole(x, row, 1, &start) || !pnavdb_whole(x, row, 2, &end))
		return true;
	if (a == ACTOR_NONE) {
		x->skipped++;
		return true;
	}
	if (last->of != a)
		last_state_end(x, last);
	last->of = a;
	last->end = end;
	if (sqlite3_column_int(row, 4))
		builder_woken(x->b, a, sum_clipped(x->start, start), pnavdb_actor(x, row, 5));
	builder_state(x->b, a, sum_clipped(x->start, start),
		      (enum actor_state)pnavdb_word(row, 3, actor_state_word, ACTOR_STATE_COUNT,
						    ACTOR_UNKNOWN));
	return true;
}

/* The columns are kind, from_actor, from_time, to_actor, to_time. */
static bool
take_edge(struct pnavdb *x, sqlite3_stmt *row)
{
	unsigned kind = pnavdb_word(row, 0, edge_kind_word, EDGE_LINK + 1, EDGE_WAKE);
	actor_id from = pnavdb_actor(x, row, 1), to = pnavdb_actor(x, row, 3);
	int64_t from_time, to_time;

	if (!pnavdb_whole(x, row, 2, &from_time) || !pnavdb_whole(x, row, 4, &to_time))
		return true;
	if (from == ACTOR_NONE || to == ACTOR_NONE || kind == EDGE_WAKE) {
		x->skipped++;
		return true;
	}
	builder_edge(x->b, (enum edge_kind)kind, from, sum_clipped(x->start, from_time), to,
		     sum_clipped(x->start, to_time));
	return true;
}

static bool
take_run(struct pnavdb *x, sqlite3_stmt *row)
{
	((struct pnavdb_last *)x->context)->run = sqlite3_column_int64(row, 0);
	return true;
}

bool
pnavdb_read_states(struct pnavdb *x)
{
	struct pnavdb_last last = {.of = ACTOR_NONE};

	x->context = &last;
	if (!pnavdb_each(x, "actor_states",
			 "SELECT max(e) FROM (SELECT max(\"end\") AS e FROM actor_states"
			 " NOT INDEXED UNION ALL SELECT max(\"end\") FROM tracks NOT INDEXED)",
			 take_run) ||
	    !pnavdb_each(x, "actor_states",
			 "SELECT actor, start, \"end\", state, woken, by"
			 " FROM actor_states NOT INDEXED",
			 take_state))
		return false;
	last_state_end(x, &last);
	return pnavdb_each(x, "actor_edges",
			   "SELECT kind, from_actor, from_time, to_actor, to_time"
			   " FROM actor_edges NOT INDEXED",
			   take_edge);
}

#endif
