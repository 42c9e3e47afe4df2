/* actors.h - what threads do at each moment, and what caused it.
 *
 * An *actor* is a thread that has states or edges. It may have a track with events besides, or
 * none, so states cost nothing where no table of tracks shows them.
 *
 *	state   1 running     2 runnable    3 waiting           2 runnable    1 running
 *	time    |-------------|-------------|-------------------|-------------|------->
 *	woken by                                                thread 7
 *
 * A state holds until the next one of its actor begins; the last one holds to the end of the
 * run. Before the first one the state is unknown. Wake-ups are stored in the states that they
 * begin. All other edges (flows between slices, links between processes) are in the table of
 * edges. */
#ifndef PNAV_MODEL_PROFILE_ACTORS_H
#define PNAV_MODEL_PROFILE_ACTORS_H

#include <stdbool.h>
#include <stdint.h>

#include "model/profile/names.h"
#include "model/profile/tracks.h"

typedef uint32_t actor_id;
#define ACTOR_NONE UINT32_MAX

/* Columns: enum suffix, name in the report `states`. */
#define ACTOR_STATES(X)                                                                    \
	X(UNKNOWN, "unknown")                                                              \
	X(RUNNING, "running")                                                              \
	X(RUNNABLE, "runnable") /* wants a processor */                                    \
	X(WAITING, "waiting")                                                              \
	X(IO, "io") /* uninterruptible */

#define ACTOR_STATE_ENUM(state, ...) ACTOR_##state,
#define ACTOR_STATE_ONE(...) +1
enum actor_state { ACTOR_STATES(ACTOR_STATE_ENUM) };
enum { ACTOR_STATE_COUNT = 0 ACTOR_STATES(ACTOR_STATE_ONE) };
#undef ACTOR_STATE_ENUM
#undef ACTOR_STATE_ONE

/* Returns "unknown", "running", ... */
const char *actor_state_name(enum actor_state state);

/* The state in the low bits of a word; who caused it in the others. */
#define ACTOR_STATE_BITS 3u
#define ACTOR_MAX ((1u << (32 - ACTOR_STATE_BITS)) - 2)
#define ACTOR_BY_NOTHING 0u /* no wake-up began the state */
#define ACTOR_BY_NOBODY 1u  /* a wake-up that no thread caused; larger: actor + 2 */

/* ACTOR_BLOCK states, packed. */
struct actor_block {
	struct column time, word;
};
#define ACTOR_BLOCK 256u

struct actor {
	name_id name;
	track_id track;   /* with its events, or TRACK_NONE */
	process_id under; /* its process, or PROCESS_NONE; of one without a track */
	uint32_t group;   /* index of the file it comes from */
	uint32_t n;       /* number of states; read them by actor_time() and the others below */
	uint32_t cap, blocks_cap;
	struct actor_block *block; /* [n / ACTOR_BLOCK] */
	/* the states behind them, [n % ACTOR_BLOCK] */
	int64_t *time;
	uint32_t *word;
};

/* Appends a state that begins at `time`, not before the last one. `cause` is ACTOR_BY_NOTHING,
 * ACTOR_BY_NOBODY or an actor + 2. */
void actor_push(struct actor *a, int64_t time, enum actor_state state, uint32_t cause);
/* Returns memory that no state needs. */
void actor_fit(struct actor *a);
/* Frees all states. */
void actor_release(struct actor *a);

/* Returns when state i begins. */
static inline int64_t
actor_time(const struct actor *a, uint32_t i)
{
	uint32_t at = i % ACTOR_BLOCK;

	return i - at == a->n - a->n % ACTOR_BLOCK
		       ? a->time[at]
		       : column_get(&a->block[i / ACTOR_BLOCK].time, at);
}

static inline uint32_t
actor_word(const struct actor *a, uint32_t i)
{
	uint32_t at = i % ACTOR_BLOCK;

	return i - at == a->n - a->n % ACTOR_BLOCK
		       ? a->word[at]
		       : (uint32_t)column_get(&a->block[i / ACTOR_BLOCK].word, at);
}

static inline enum actor_state
actor_state(const struct actor *a, uint32_t i)
{
	return (enum actor_state)(actor_word(a, i) & ((1u << ACTOR_STATE_BITS) - 1));
}

/* Returns true if a wake-up began state i; *by becomes the waker, or ACTOR_NONE. */
static inline bool
actor_woken(const struct actor *a, uint32_t i, actor_id *by)
{
	uint32_t cause = actor_word(a, i) >> ACTOR_STATE_BITS;

	*by = cause > ACTOR_BY_NOBODY ? cause - 2 : ACTOR_NONE;
	return cause != ACTOR_BY_NOTHING;
}

/* Returns the number of states that begin at or before `time`: state i - 1 holds then. O(log n). */
uint32_t actor_find(const struct actor *a, int64_t time);

/* Returns how long the wait lasted that the wake-up at state i ended, in ns; 0 if the actor did
 * not wait. */
int64_t actor_waited(const struct actor *a, uint32_t i);

/* Columns: enum suffix, name in the report `edges`. */
#define EDGE_KINDS(X)                                                                      \
	X(WAKE, "wake") /* a thread made another runnable */                               \
	X(FLOW, "flow") /* a slice handed work to another */                               \
	X(LINK, "link") /* a parent in another process */

#define EDGE_KIND_ENUM(kind, ...) EDGE_##kind,
enum edge_kind { EDGE_KINDS(EDGE_KIND_ENUM) };
#undef EDGE_KIND_ENUM

/* Returns "wake", "flow" or "link". */
const char *edge_kind_name(enum edge_kind kind);

/* An edge that is no wake-up: `from` has the kind in its low two bits. */
#define EDGE_KIND_BITS 2u
struct edge {
	int64_t from_time, to_time;
	uint32_t from_and_kind;
	actor_id to;
};

static inline enum edge_kind
edge_kind(const struct edge *e)
{
	return (enum edge_kind)(e->from_and_kind & ((1u << EDGE_KIND_BITS) - 1));
}

static inline actor_id
edge_from(const struct edge *e)
{
	return e->from_and_kind >> EDGE_KIND_BITS;
}

#endif
