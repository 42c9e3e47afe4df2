/* packed.h - a queue of many numbers, packed to as few bytes as their values allow.
 *
 *	struct packed p = {0};
 *	packed_push_many(&p, &(int64_t){17}, 1);
 *	struct packed_reader r = {.of = &p};
 *	while (r.at < p.n)
 *		use(packed_next(&r));
 *	packed_release(&p);
 *
 * Numbers are read in order, any number of times. A reader with `drops` frees each run after
 * reading it, so it must be the last one. */
#ifndef PNAV_MODEL_PROFILE_PACKED_H
#define PNAV_MODEL_PROFILE_PACKED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/base/vec.h"
#include "model/profile/tracks.h"

#define PACKED_RUN 1024u /* numbers packed together */

/* A zero-initialised struct is empty. */
struct packed {
	size_t n;
	VEC(struct column) run;
	int64_t *last; /* NULL, or room for a run: the numbers not packed yet */
};

struct packed_reader {
	struct packed *of; /* borrowed; do not push while reading */
	bool drops;
	size_t at;         /* index of the next number */
	int64_t v[PACKED_RUN]; /* private: the current run, unpacked */
};

void packed_release(struct packed *p);
/* Returns number i, i < p->n, which must not have been dropped. */
int64_t packed_at(const struct packed *p, size_t i);
/* Private: unpacks the run that begins at r->at. */
void packed_open_run(struct packed_reader *r);

/* Appends n numbers, at least one. */
void packed_push_many(struct packed *p, const int64_t *v, size_t n);

/* If not `full`, shrinks the unpacked numbers' memory to fit; do not push until the room is full
 * again. */
void packed_room(struct packed *p, bool full);

/* Returns the next numbers, at most `most` and within one run, and their count *n; valid until
 * the next call. Requires r->at < r->of->n. */
const int64_t *packed_some(struct packed_reader *r, size_t most, size_t *n);

/* Returns the next number. Requires r->at < r->of->n. */
static inline int64_t
packed_next(struct packed_reader *r)
{
	if (r->at % PACKED_RUN == 0)
		packed_open_run(r);
	return r->v[r->at++ % PACKED_RUN];
}

#endif
