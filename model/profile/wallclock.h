/* wallclock.h - a clock that runs slower the more tracks run at once.
 *
 * While p tracks run, it advances by 1/p of the time; while none runs, it stops. So the
 * parts of all tracks add up to the time during which at least one of them ran.
 *
 *	running   1           3                 0         2
 *	time      |-----------|-----------------|---------|---------|
 *	clock     +12 ns      +18/3 = 6 ns      +0        +10/2 = 5 ns
 *
 * A reading is rounded down to ns, a difference is one of readings. So contiguous events of a track
 * add up exactly. */
#ifndef PNAV_MODEL_PROFILE_WALLCLOCK_H
#define PNAV_MODEL_PROFILE_WALLCLOCK_H

#include <stdint.h>

/* A moment at which the number of running tracks changes. */
struct wall_change {
	int64_t time;    /* in ns, as in the file */
	int64_t reading; /* of the clock, whole ns */
	int64_t area;    /* the sum of the time that each track ran before, clipped */
	uint64_t part : 48;    /* of a ns, in units of 2^-48 */
	uint64_t running : 16; /* the number of tracks that run from here on */
};
#define WALL_PART_BITS 48u
#define WALL_RUNNING_BITS 16u
#define WALL_RUNNING_MAX ((1u << WALL_RUNNING_BITS) - 1)

/* The clock of a file. */
struct wall_clock {
	struct wall_change *change; /* [n] in the order of time; nothing runs before the first */
	uint32_t n, cap;
};

/* Appends a change: from `time` on, at or after the last one, `running` tracks run. More than
 * WALL_RUNNING_MAX count as that many. */
void wall_clock_change(struct wall_clock *c, int64_t time, uint64_t running);
void wall_clock_release(struct wall_clock *c);
/* Forgets changes that say nothing of times from `from` on, if these are at least half of all. */
void wall_clock_drop(struct wall_clock *c, int64_t from);

/* Returns the number of changes at or before a time. `near` is a guess, such as the result for a
 * time shortly before. O(log distance to the guess). */
uint32_t wall_clock_find(const struct wall_clock *c, int64_t time, uint32_t near);
/* Returns the reading in ns at a time; *near is a guess, and becomes wall_clock_find(). */
int64_t wall_clock_at(const struct wall_clock *c, int64_t time, uint32_t *near);
/* Returns by how much the clock advances between two times. */
int64_t wall_clock_between(const struct wall_clock *c, int64_t from, int64_t to);
/* Returns the number of tracks that run from `from` to `to`, weighted by time and rounded; *near as
 * for wall_clock_at(), of `from`. */
int64_t wall_clock_mean(const struct wall_clock *c, int64_t from, int64_t to, uint32_t *near);

#endif
