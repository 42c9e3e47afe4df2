/* pace.h - how long work lets others go first.
 *
 * What takes longer than a frame of the browser (a fold of a million stacks, an inversion, the
 * rows of a table) is a plain loop here.  Whoever asks for it may hand in a *pace*: the loops
 * of the work tell it how far they are, and now and then it takes a rest, in which the browser
 * hears keys and draws, and from which the work goes on as if nothing had been, or is told to
 * give up.  With no pace (NULL) the work is done in one go.
 *
 *	for (struct piece x = piece_of(1, n); piece_next(&x, pace);)
 *		for (i = x.from; i < x.to; i++) ...
 *	if (pace_gives_up(pace))
 *		return;                 -- what was made is worth nothing: it is freed, not read
 *
 * While the work rests, what it reads may not change. */
#ifndef PNAV_MODEL_PACE_H
#define PNAV_MODEL_PACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define PACE_STEPS 32768u /* of a loop: some tenths of a millisecond */

struct pace {
	bool (*rest)(struct pace *p); /* returns when it is time to go on; false: to give up */
	uint32_t every; /* so many steps, PACE_STEPS mostly */
	uint32_t steps; /* since the last rest */
	bool over;      /* given up */
};

/* So many more steps were done.  False: give up. */
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

/* For what is done in portions: one, told when it is done.  False: give up. */
static inline bool
pace_portion(struct pace *p)
{
	return pace_on(p, pace_piece(p, UINT32_MAX));
}

/* Zeroes so many bytes, which may be fresh from the kernel: that takes longer than the bytes
 * say.  Given up, some are not. */
static inline void
pace_clear(void *at, size_t bytes, struct pace *p)
{
	for (size_t from = 0, n; from < bytes && pace_on(p, PACE_STEPS / 4); from += n) {
		n = bytes - from < 1u << 20 ? bytes - from : 1u << 20;
		memset((char *)at + from, 0, n);
	}
}

/* A loop in pieces: what lies in [from, to) comes next. */
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

/* The same from the end: for (struct piece x = piece_back(1, n); piece_prev(&x, pace);)
 * for (i = x.to; i-- > x.from;) ... */
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
