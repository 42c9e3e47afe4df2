/* arrows.h - the edges of a thread near a moment: what caused what it does, and what it causes.
 *
 *	other    ──────●                      ●──────
 *	               └──► arrives ··· leaves┘
 *	thread         [ the slice or state at the moment ]
 *
 * There is no index of edges. The wake-up that leads to a state is beside it. Wake-ups that a
 * thread causes are in the states of the others: a binary search in each of them, and as many
 * states as lie between the moment and the edge that is found. */
#ifndef PNAV_MODEL_PICTURE_ARROWS_H
#define PNAV_MODEL_PICTURE_ARROWS_H

#include <stdbool.h>
#include <stdint.h>

#include "model/profile/profile.h"

#define ARROWS_MAX 4u

/* An edge, seen from one of its ends. */
struct arrow {
	enum edge_kind kind;
	bool arrives;   /* else it leaves */
	actor_id other; /* at the other end */
	int64_t from_time, to_time;
};

/* Those that arrive come first. */
struct arrows {
	struct arrow at[ARROWS_MAX];
	unsigned n;
};

/* Finds the edges of an actor at the moment `when` in its slice or state [from, to): the wake-up
 * that ends the wait, or that led to the activity then; the flow that arrives last, else the next
 * one; the first edges that leave from then on, else the last one before. Stops searching
 * after some milliseconds of work. */
void arrows_find(const struct profile *p, actor_id a, int64_t from, int64_t to, int64_t when,
		 struct arrows *out);
/* Returns when the chain of slices began that led to the slice [from, to) of an actor: those whose
 * flows arrive in it, in the slices that sent them, and so on. `from` if none arrives. */
int64_t arrows_chain_begin(const struct profile *p, actor_id a, int64_t from, int64_t to);

#endif
