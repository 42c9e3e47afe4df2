/* sieve.h - which stacks of a profile remain after the entries of a lens.
 *
 * Filters never build trees. Three columns over the one tree of all stacks say what remains of
 * it, and each entry rewrites them in one pass from the roots up:
 *
 *	alive[s]  the leaf frame of stack s is still shown
 *	at[s]     the nearest stack at or above s whose leaf frame is shown; 0: none
 *	drop[s]   what was recorded on s is not counted
 *
 * `hide` clears alive, `include` sets drop, `collapse` clears alive of a matching frame under a
 * matching frame, `root` clears everything above. `collapse-recursion` attaches a frame that is
 * already on the stack below its first occurrence (up[s]). Since `at` always describes the
 * result of the previous entries, the order of entries takes effect by itself (verbs.c). */
#ifndef PNAV_MODEL_LENS_SIEVE_H
#define PNAV_MODEL_LENS_SIEVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/base/pace.h"
#include "model/lens/match.h"
#include "model/profile/profile.h"

struct sieve {
	const struct profile *p;
	struct pace *pace; /* NULL: run to the end without yielding */
	uint32_t n;
	const stack_id *up; /* the parent stack; for collapsed recursion, the stack joined */
	stack_id *own_up;   /* up, if the sieve has a copy of it; else NULL */
	const frame_id *frame;
	uint8_t *alive, *drop, *hit; /* hit: scratch of an entry */
	stack_id *at;
	uint8_t *matches; /* [frame] 1 if the current entry's pattern matches */
};

/* Prefetch distance, in elements. */
#define SIEVE_AHEAD 24u

/* Starts with everything shown. The profile must not grow while the sieve is in use. */
void sieve_init(struct sieve *v, const struct profile *p, struct pace *pace);
void sieve_release(struct sieve *v);
/* Fills `matches`; returns true if some frame matches. */
bool sieve_match(struct sieve *v, struct pattern *pattern);
/* Makes `up` a copy, if it is none, and returns it. */
stack_id *sieve_own_up(struct sieve *v);
/* Recomputes `at` from `alive`. */
void sieve_settle(struct sieve *v);

/* Returns true if the leaf frame of s matches. */
static inline bool
sieve_matches(const struct sieve *v, stack_id s)
{
	return v->matches[v->frame[s]];
}

/* Prefetches the element that stack s + SIEVE_AHEAD will read of its parent, from a column with
 * `size` bytes per element. */
static inline void
sieve_fetch(const struct sieve *v, const void *column, size_t size, stack_id s)
{
	if (s + SIEVE_AHEAD < v->n)
		__builtin_prefetch((const char *)column + v->up[s + SIEVE_AHEAD] * size);
}

#endif
