/* packed.h - many numbers that are kept until they can be used, in as few bytes as they allow.
 *
 *	struct packed p = {0};
 *	packed_push(&p, 17);
 *	struct packed_reader r = {.of = &p};
 *	while (r.at < p.n)
 *		use(packed_next(&r));
 *	packed_release(&p);
 *
 * They are read one after the other, as often as one likes; a reader that drops gives the
 * memory of each run back behind itself, and is the last one. */
#ifndef PNAV_MODEL_PACKED_H
#define PNAV_MODEL_PACKED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/profile/tracks.h"
#include "model/base/vec.h"

#define PACKED_RUN 1024u /* numbers that are packed together */

/* Zero-initialised is empty. */
struct packed {
	size_t n;
	VEC(struct column) run;
	int64_t *last; /* NULL, or room for a run: those that are not packed yet */
};

struct packed_reader {
	struct packed *of; /* borrowed; nothing is pushed while it is read */
	bool drops;
	size_t at;         /* which comes next */
	int64_t v[PACKED_RUN]; /* private: the run that it is in */
};

void packed_release(struct packed *p);
/* Number i, i < p->n, which was not dropped. */
int64_t packed_at(const struct packed *p, size_t i);
/* Private: packs a full run; unpacks the one that r->at begins. */
void packed_close_run(struct packed *p);
void packed_open_run(struct packed_reader *r);

static inline void
packed_push(struct packed *p, int64_t v)
{
	if (p->n % PACKED_RUN == 0)
		packed_close_run(p);
	p->last[p->n++ % PACKED_RUN] = v;
}

/* The same for n of them, at least one. */
void packed_push_many(struct packed *p, const int64_t *v, size_t n);

/* Where not `full`, what is not packed takes no more room than it needs, and nothing may be pushed
 * until there is room again. */
void packed_room(struct packed *p, bool full);

/* Those that come next, at most n and those of a run: where they stand until the next call.  How
 * many; r->at < r->of->n. */
const int64_t *packed_some(struct packed_reader *r, size_t most, size_t *n);
/* What packed_next() will give; r->at < r->of->n. */
int64_t packed_peek(const struct packed_reader *r);

/* The next; r->at < r->of->n. */
static inline int64_t
packed_next(struct packed_reader *r)
{
	if (r->at % PACKED_RUN == 0)
		packed_open_run(r);
	return r->v[r->at++ % PACKED_RUN];
}

#endif
