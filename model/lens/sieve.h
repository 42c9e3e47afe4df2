/* sieve.h - what the entries of a lens leave of the stacks of a profile.
 *
 * Filters never build trees of their own.  Over the one tree of all stacks three columns
 * say what is left of it, and each entry rewrites them in one pass from the roots up:
 *
 *	alive[s]  the leaf frame of stack s is still shown
 *	at[s]     the nearest stack at or above s whose leaf frame is shown; 0: none
 *	drop[s]   what was recorded on s is not counted
 *
 * `hide` clears alive, `include` sets drop, `collapse` clears alive of a matching frame
 * under a matching frame, `root` clears what is above, `collapse-recursion` hangs a frame
 * that is on the stack already below its first one (up[s]).  Since `at` always speaks of the
 * result of the entries before, order comes out right by itself (verbs.c). */
#ifndef PNAV_MODEL_SIEVE_H
#define PNAV_MODEL_SIEVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/lens/match.h"
#include "model/base/pace.h"
#include "model/profile/profile.h"

struct sieve {
	const struct profile *p;
	struct pace *pace; /* of whoever waits; NULL: nobody rests */
	uint32_t n;
	stack_id *up; /* the stack above; of recursion that was collapsed, the one joined */
	const frame_id *frame;
	uint8_t *alive, *drop, *hit; /* hit: scratch of an entry */
	stack_id *at;
	uint8_t *matches; /* [frame] of the present entry */
};

/* Elements: so far before something is asked of the stack above one, memory is. */
#define SIEVE_AHEAD 24u

/* Everything is left.  The profile may not grow as long as the sieve is used. */
void sieve_init(struct sieve *v, const struct profile *p, struct pace *pace);
void sieve_release(struct sieve *v);
/* Fills matches; true when some frame does. */
bool sieve_match(struct sieve *v, struct pattern *pattern);
/* Recomputes `at` from `alive`. */
void sieve_settle(struct sieve *v);

/* Does the leaf frame of s match? */
static inline bool
sieve_matches(const struct sieve *v, stack_id s)
{
	return v->matches[v->frame[s]];
}

/* Begins to fetch what a later stack will ask of the one above it: a column's element, `size`
 * bytes each. */
static inline void
sieve_fetch(const struct sieve *v, const void *column, size_t size, stack_id s)
{
	if (s + SIEVE_AHEAD < v->n)
		__builtin_prefetch((const char *)column + v->up[s + SIEVE_AHEAD] * size);
}

#endif
