/* pace.h - lets long loops yield to the browser.
 *
 * Work that takes longer than a frame of the browser (a fold of a million stacks, an inversion,
 * the rows of a table) is a plain loop in the model. Its caller may pass a *pace*. The loops
 * report progress to the pace, and now and then the pace rests: the browser reads keys and draws
 * meanwhile. Then the work either continues as if nothing had happened, or is cancelled. Without
 * a pace (NULL) the loop runs to its end.
 *
 *	for (struct piece x = piece_of(1, n); piece_next(&x, pace);)
 *		for (i = x.from; i < x.to; i++) ...
 *	if (pace_gives_up(pace))
 *		return;                 -- the result is incomplete: free it, do not read it
 *
 * While the work rests, its input must not change. */
#ifndef PNAV_MODEL_BASE_PACE_H
#define PNAV_MODEL_BASE_PACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define PACE_STEPS 32768u /* of a loop: a few tenths of a millisecond */

struct pace {
	bool (*rest)(struct pace *p); /* returns true when the work should continue, false to
				       * cancel it */
	uint32_t every; /* steps between two rests, usually PACE_STEPS */
	uint32_t steps; /* since the last rest */
	bool over;      /* cancelled */
};

/* Reports `steps` more steps; may rest. Returns false if the work is cancelled. */
static inline bool
pace_on(struct pace *p, uint32_t steps)
{
	if (!p)
		return true;
	p->steps += steps;
	if (p->steps >= p->every && !p->over) {
		p->steps = 0;
		p->over = !p->rest(p);
	}
	return !p->over;
}

static inline bool
pace_gives_up(const struct pace *p)
{
	return p && p->over;
}

static inline uint32_t
pace_piece(const struct pace *p, uint32_t left)
{
	uint32_t most = p ? p->every : PACE_STEPS;

	return left < most ? left : most;
}

/* For work done in portions: reports one portion after it. Returns false if cancelled. */
static inline bool
pace_portion(struct pace *p)
{
	return pace_on(p, pace_piece(p, UINT32_MAX));
}

/* Zeroes `bytes` bytes. Fresh pages from the kernel cost more than their bytes suggest, so each
 * MiB counts as many steps. If cancelled, some bytes are not zeroed. */
static inline void
pace_clear(void *at, size_t bytes, struct pace *p)
{
	for (size_t from = 0, n; from < bytes && pace_on(p, PACE_STEPS / 4); from += n) {
		n = bytes - from < 1u << 20 ? bytes - from : 1u << 20;
		memset((char *)at + from, 0, n);
	}
}

/* A loop in pieces; the next one is [from, to). */
struct piece {
	uint32_t from, to, end;
};

static inline struct piece
piece_of(uint32_t from, uint32_t end)
{
	return (struct piece){from, from, end};
}

static inline bool
piece_next(struct piece *x, struct pace *p)
{
	if (x->to >= x->end || !pace_on(p, x->to - x->from))
		return false;
	x->from = x->to;
	x->to += pace_piece(p, x->end - x->to);
	return true;
}

/* The same from the end: for (struct piece x = piece_back(1, n); piece_prev(&x, pace);) for (i =
 * x.to; i-- > x.from;) ... */
static inline struct piece
piece_back(uint32_t first, uint32_t end)
{
	return (struct piece){end, end, first};
}

static inline bool
piece_prev(struct piece *x, struct pace *p)
{
	if (x->from <= x->end || !pace_on(p, x->to - x->from))
		return false;
	x->to = x->from;
	x->from -= pace_piece(p, x->from - x->end);
	return true;
}

#endif
