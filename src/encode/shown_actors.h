/* shown_actors.h - the states of threads that the lens shows, and what caused them.
 *
 *	struct shown_actors a;
 *	struct shown_state state;
 *	shown_actors_open(&a, &s);
 *	while (shown_actors_state(&a, &state)) ...
 *	shown_actors_rewind(&a);
 *	... shown_actors_edge(&a, &edge)
 *	shown_actors_close(&a);
 *
 * A range of the lens cuts states, and it has the edges that arrive in it, as in the reports. Times
 * count from the first event of each thread's file. */
#ifndef PNAV_SRC_ENCODE_SHOWN_ACTORS_H
#define PNAV_SRC_ENCODE_SHOWN_ACTORS_H

#include "src/encode/shown.h"

/* Private. */
struct shown_actors {
	const struct shown *s;
	uint8_t *keep;    /* [actor] 1: the lens includes it */
	int64_t from, to; /* the range of the lens */
	actor_id actor;
	uint32_t i; /* the next state of the actor; after the last actor, the next edge */
};

struct shown_state {
	actor_id of, by; /* `by`: who caused it, if woken; ACTOR_NONE: no thread */
	enum actor_state state;
	bool woken; /* a wake-up began it, in the range */
	int64_t start, end;
};

struct shown_edge {
	enum edge_kind kind;
	actor_id from, to; /* `from`: ACTOR_NONE if no thread caused it */
	int64_t from_time, to_time;
};

void shown_actors_open(struct shown_actors *a, const struct shown *s);
void shown_actors_close(struct shown_actors *a);
/* Goes back to the first state, and to the first edge. */
void shown_actors_rewind(struct shown_actors *a);
/* Returns the next state, thread by thread in the order of time; false: there are no more. */
bool shown_actors_state(struct shown_actors *a, struct shown_state *out);
/* Returns the next edge: the wake-ups, thread by thread, then the others in the order of their
 * arrival. False: there are no more. */
bool shown_actors_edge(struct shown_actors *a, struct shown_edge *out);

#endif
