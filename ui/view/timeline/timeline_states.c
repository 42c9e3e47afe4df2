/* timeline_states.c - states of threads in the timeline.
 *
 *	> main 42    ━━━━━┅┅······≈≈≈≈━━━━     its states, one row above its stacks
 *	             │ parse      │ read  │
 *	  ▾ 2 threads without stacks
 *	    io 43    ······━━━━━━━·········
 *
 * A thread with states and without events has no lane, since a lane is a series. It has a line of
 * its own below the lanes. Columns come from model/picture/bands.h; only visible threads have
 * them. */
#include <stdlib.h>

#include "model/base/mem.h"
#include "model/base/ordered.h"
#include "model/lens/lens.h"
#include "model/profile/profile.h"
#include "ui/view/timeline/timeline.h"

/* How a column shows a state; `mixed`: where others take turns with it. */
struct state_look {
	enum ink ink;
	uint32_t pure, mixed;
	char ascii_pure, ascii_mixed;
};

static const struct state_look state_looks[] = {
	[ACTOR_UNKNOWN] = {INK_TEXT, ' ', ' ', ' ', ' '},
	[ACTOR_RUNNING] = {INK_STATE_RUNNING, 0x2501, 0x2500, '=', '-'},
	[ACTOR_RUNNABLE] = {INK_STATE_RUNNABLE, 0x2505, 0x2504, '+', ':'},
	[ACTOR_WAITING] = {INK_STATE_WAITING, 0x00B7, 0x02D9, '.', ','},
	[ACTOR_IO] = {INK_STATE_IO, 0x2248, 0x223C, '~', '`'},
};

/* ---- which threads ---- */

void
timeline_release_states(struct timeline *v)
{
	for (uint32_t i = 0; i < v->n_state_rows; i++) {
		if (!v->state_row[i])
			continue;
		bands_release(&v->state_row[i]->bands);
		free(v->state_row[i]->column);
		free(v->state_row[i]);
	}
	free(v->state_row);
	v->state_row = NULL;
	v->n_state_rows = 0;
}

void
timeline_find_actors(struct timeline *v, const struct scene *s)
{
	const struct profile *p = s->p;
	actor_id *of = p->n_actors ? mem_alloc(p->n_tracks + 1u, sizeof *of) : NULL;

	if (v->n_state_rows > p->n_actors)
		timeline_release_states(v);
	v->edges.actor = ACTOR_NONE;
	v->lanes_have_states = false;
	for (track_id t = 0; of && t < p->n_tracks; t++)
		of[t] = ACTOR_NONE;
	for (actor_id i = 0; i < p->n_actors; i++)
		if (p->actor[i].track != TRACK_NONE)
			of[p->actor[i].track] = i;
	track_id last = TRACK_NONE; /* the first lane of a track shows the states */
	for (size_t i = 0; i < v->lanes.n; i++) {
		struct lane *lane = &v->lanes.at[i];
		bool stacks = of && lane_has_stacks(lane);
		lane->actor = stacks ? of[lane->track] : ACTOR_NONE;
		lane->states = lane->actor != ACTOR_NONE && p->actor[lane->actor].n &&
			       lane->track != last;
		v->lanes_have_states |= lane->states;
		last = stacks ? lane->track : last;
	}
	free(of);
}

bool
timeline_actors_open(const struct timeline *v)
{
	return v->lanes_have_states == v->actors_turned;
}

/* A thread without a lane, and the number of its states that begin in the window. */
struct busy_actor {
	actor_id actor;
	uint32_t states;
};

ORDERED_LARGEST(by_states, struct busy_actor, states, actor)

/* Returns the number of states in the window, one that runs through it included. */
static uint32_t
count_states(const struct timeline *v, const struct scene *s, actor_id i)
{
	const struct actor *a = &s->p->actor[i];
	int64_t start = s->p->group[a->group].start;
	uint32_t first = actor_find(a, sum_clipped(start, v->from));
	uint32_t end = actor_find(a, sum_clipped(start, v->to - 1));
	bool runs = first && actor_state(a, first - 1) == ACTOR_RUNNING;

	return end - first + runs;
}

static void
push_actor(struct timeline *v, enum line_kind kind, actor_id actor, uint32_t count, int indent)
{
	*vec_push(&v->list) = (struct shelf){.kind = kind,
					     .lane = SIZE_MAX,
					     .process = PROCESS_NONE,
					     .count = count,
					     .indent = indent,
					     .actor = actor};
}

void
timeline_list_actors(struct timeline *v, const struct scene *s)
{
	uint32_t n_actors = s->p->n_actors, n = 0;
	if (!n_actors)
		return;
	uint8_t *keep = lens_actors(s->lens, s->p);
	struct busy_actor *busy = mem_alloc(n_actors, sizeof *busy);
	for (size_t i = 0; i < v->lanes.n; i++)
		if (v->lanes.at[i].actor != ACTOR_NONE)
			keep[v->lanes.at[i].actor] = 0;
	for (actor_id i = 0; i < n_actors; i++) {
		uint32_t states = keep[i] && s->p->actor[i].n ? count_states(v, s, i) : 0;
		if (states || (keep[i] && i == v->wanted))
			busy[n++] = (struct busy_actor){i, states};
	}
	qsort(busy, n, sizeof *busy, by_states);
	if (n)
		push_actor(v, LINE_ACTORS, ACTOR_NONE, n, 0);
	for (uint32_t i = 0; i < n; i++)
		if (timeline_actors_open(v) || busy[i].actor == v->wanted)
			push_actor(v, LINE_ACTOR, busy[i].actor, 1, 1);
	free(busy);
	free(keep);
}

/* ---- the row ---- */

void
timeline_state_columns(struct timeline *v, const struct scene *s, actor_id actor)
{
	const struct actor *a = &s->p->actor[actor];
	const struct group *g = &s->p->group[a->group];
	uint32_t n = v->n_state_rows;

	if (actor >= n) {
		v->state_row = mem_realloc(v->state_row, s->p->n_actors, sizeof *v->state_row);
		while (n < s->p->n_actors)
			v->state_row[n++] = NULL;
		v->n_state_rows = n;
	}
	if (!v->state_row[actor])
		v->state_row[actor] = mem_zalloc(1, sizeof *v->state_row[actor]);
	struct state_row *row = v->state_row[actor];
	if (row->stamp == v->stamp && row->column)
		return;
	row->column = mem_realloc(row->column, (size_t)v->cols, sizeof *row->column);
	row->stamp = v->stamp;
	bands_update(&row->bands, a, g->start);
	bands_columns(&row->bands, a, g->end, sum_clipped(g->start, v->from),
		      sum_clipped(g->start, v->to), (unsigned)v->cols, row->column);
}

void
timeline_draw_states(const struct timeline *v, const struct scene *s, struct canvas *c, int y,
		     int left, actor_id actor)
{
	const struct state_row *row = actor < v->n_state_rows ? v->state_row[actor] : NULL;

	(void)s;
	for (int x = 0; row && row->stamp == v->stamp && x < v->cols; x++) {
		const struct state_look *look = &state_looks[row->column[x].state];
		bool mixed = row->column[x].mixed;
		uint32_t ch = mixed ? look->mixed : look->pure;
		if (c->ascii)
			ch = (unsigned char)(mixed ? look->ascii_mixed : look->ascii_pure);
		if (ch != ' ')
			canvas_char(c, y, left + x, look->ink, ch);
	}
}

/* ---- at the cursor ---- */

enum actor_state
timeline_state(const struct scene *s, actor_id actor, int64_t when, int64_t *from, int64_t *to)
{
	const struct actor *a = &s->p->actor[actor];
	const struct group *g = &s->p->group[a->group];
	uint32_t i = actor_find(a, sum_clipped(g->start, when));

	*from = i ? actor_time(a, i - 1) : g->start;
	*to = i < a->n ? actor_time(a, i) : g->end;
	if (!a->n)
		*to = *from;
	return i ? actor_state(a, i - 1) : ACTOR_UNKNOWN;
}
