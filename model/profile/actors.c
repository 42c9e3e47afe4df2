/* actors.c - see actors.h.
 *
 * Each actor has its states in two columns of its own, 12 bytes a state, so that a binary search
 * finds the state at a moment without an index. The waker needs no table: the state that a
 * wake-up begins names it, and the wait that it ended is the state before.
 *
 * Rejected: one table of states in the order of time with an index by thread, which is larger
 * and has to be made before the first question. */
#include "model/profile/actors.h"

#include "model/base/sum.h"

#define STATE_NAME(state, name) [ACTOR_##state] = name,
#define KIND_NAME(kind, name) [EDGE_##kind] = name,

const char *
actor_state_name(enum actor_state state)
{
	static const char *const names[] = {ACTOR_STATES(STATE_NAME)};

	return names[state];
}

const char *
edge_kind_name(enum edge_kind kind)
{
	static const char *const names[] = {EDGE_KINDS(KIND_NAME)};

	return names[kind];
}

uint32_t
actor_find(const struct actor *a, int64_t time)
{
	uint32_t low = 0, high = a->n;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		if (a->time[middle] <= time)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

int64_t
actor_waited(const struct actor *a, uint32_t i)
{
	enum actor_state before = i ? actor_state(a, i - 1) : ACTOR_UNKNOWN;

	if (before != ACTOR_WAITING && before != ACTOR_IO)
		return 0;
	return difference_clipped(a->time[i], a->time[i - 1]);
}
