/* sqlite_actors.c - the states of threads and what caused them, by the ids of their threads, since
 * names may be equal. The views `states` and `edges` have them by name. */
#include "src/encode/sqlite_rows.h"

#ifdef HAVE_SQLITE

#include <stdlib.h>

#include "model/base/mem.h"
#include "src/encode/shown_actors.h"

static void
actor_or_null(struct sqlite_rows *r, actor_id a)
{
	if (a != ACTOR_NONE)
		rows_whole(r, a);
	else
		rows_null(r);
}

/* The columns are actor, start, end, state, woken, by. */
static void
write_states(struct sqlite_rows *r, struct shown_actors *a, uint8_t *used)
{
	struct shown_state state;

	rows_begin(r, "actor_states", 6);
	while (shown_actors_state(a, &state)) {
		used[state.of] = 1;
		rows_whole(r, state.of);
		rows_whole(r, state.start);
		rows_whole(r, state.end);
		rows_text(r, actor_state_name(state.state));
		rows_whole(r, state.woken);
		actor_or_null(r, state.by);
		if (state.by != ACTOR_NONE)
			used[state.by] = 1;
		rows_next(r);
	}
	rows_end(r);
}

/* The columns are kind, from_actor, from_time, to_actor, to_time. */
static void
sqlite_write_edges(struct sqlite_rows *r, struct shown_actors *a, uint8_t *used)
{
	struct shown_edge edge;

	rows_begin(r, "actor_edges", 5);
	while (shown_actors_edge(a, &edge)) {
		if (edge.kind == EDGE_WAKE)
			continue; /* in actor_states */
		used[edge.from] = used[edge.to] = 1;
		rows_text(r, edge_kind_name(edge.kind));
		rows_whole(r, edge.from);
		rows_whole(r, edge.from_time);
		rows_whole(r, edge.to);
		rows_whole(r, edge.to_time);
		rows_next(r);
	}
	rows_end(r);
}

/* Writes the used ones. The columns are id, name, track, process. */
static void
sqlite_write_actors(struct sqlite_rows *r, const struct shown *s, const uint8_t *used)
{
	const struct profile *p = s->p;

	rows_begin(r, "actors", 4);
	for (actor_id i = 0; i < p->n_actors; i++) {
		const struct actor *a = &p->actor[i];
		if (!used[i])
			continue;
		rows_whole(r, i);
		rows_shown_name(r, s, a->name);
		if (a->track != TRACK_NONE && s->shows[a->track])
			rows_whole(r, a->track);
		else
			rows_null(r);
		rows_shown_name(r, s,
			   a->under == PROCESS_NONE ? NAME_EMPTY : p->process[a->under].name);
		rows_next(r);
	}
	rows_end(r);
}

void
sqlite_actors(struct sqlite_rows *r, const struct shown *s)
{
	uint8_t *used = mem_zalloc((size_t)s->p->n_actors + 1, 1);
	struct shown_actors a;

	shown_actors_open(&a, s);
	write_states(r, &a, used);
	shown_actors_rewind(&a);
	sqlite_write_edges(r, &a, used);
	shown_actors_close(&a);
	sqlite_write_actors(r, s, used);
	free(used);
}

#endif
