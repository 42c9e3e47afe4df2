/* labelsum.h - the sums of each label: its number of events, and their part of the metric that a
 * fold shows. */
#ifndef PNAV_MODEL_FOLD_LABELSUM_H
#define PNAV_MODEL_FOLD_LABELSUM_H

#include <stdint.h>

#include "model/fold/fold.h"
#include "model/profile/profile.h"

/* All numbers are as recorded: shares are those of fold_numbers.recorded, and what is displayed is
 * scaled (row_scale()). */
struct label_row {
	label_id label;
	uint64_t events; /* calls, samples, totals, points that begin in the range */
	int64_t self;    /* sum of the metric's own values of these events */
	int64_t base_self; /* the same of the base of a comparison */
};

struct labelsum {
	struct label_row *at; /* sorted by key (bytes), then falling self, then value (bytes) */
	uint32_t n;
};

/* Sums the labels of everything that f, a fold of p, shows: of a comparison, on its new side,
 * beside the sums of its base. Reads every event; *out is empty if
 * the pace cancels. The caller releases *out. */
void labelsum_make(const struct profile *p, const struct fold *f, struct pace *pace,
		   struct labelsum *out);
/* The same for events at or below one node, without points; below[node - top] marks these nodes.
 * *out is empty if the pace cancels. */
void labelsum_below(const struct profile *p, const struct fold *f, node_id top,
		    const uint8_t *below, struct pace *pace, struct labelsum *out);
void labelsum_release(struct labelsum *s);

#endif
