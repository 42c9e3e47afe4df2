/* labelsum.h - what each label stands for: how many events have it, and how much of the
 * metric, of what a fold shows. */
#ifndef PNAV_MODEL_LABELSUM_H
#define PNAV_MODEL_LABELSUM_H

#include <stdint.h>

#include "model/fold/fold.h"
#include "model/profile/profile.h"

struct label_row {
	label_id label;
	uint64_t events; /* calls, samples, totals, points that begin in the range */
	int64_t self;    /* of the metric, of their own */
};

struct labelsum {
	struct label_row *at; /* by key (bytes), then self falling, then value (bytes) */
	uint32_t n;
};

/* The labels of what f, a fold of p, shows; read event by event.  The caller releases *out. */
void labelsum_make(const struct profile *p, const struct fold *f, struct labelsum *out);
/* The same with rests; nothing when the pace gave up. */
void labelsum_make_paced(const struct profile *p, const struct fold *f, struct pace *pace,
			 struct labelsum *out);
/* The same of what is at or below a node alone, points left out: below[node - top] says which
 * nodes are.  Takes rests, and gives nothing when the pace gives up. */
void labelsum_below(const struct profile *p, const struct fold *f, node_id top,
		    const uint8_t *below, struct pace *pace, struct labelsum *out);
void labelsum_release(struct labelsum *s);

#endif
