/* changes_inside.h - counts the runs, or the blocks, of a side of a comparison (changes.h). */
#ifndef PNAV_MODEL_FOLD_CHANGES_INSIDE_H
#define PNAV_MODEL_FOLD_CHANGES_INSIDE_H

#include "model/fold/changes.h"
#include "model/fold/runs.h"

/* The numbers of a key, as recorded. */
struct changes_key {
	int64_t self, total;
};

/* Writes the numbers of each key, [key], from those of the nodes. */
void changes_sum_keys(struct changes_key *key, const struct projection *t,
		      const struct fold_numbers *x, struct pace *pace);
/* Makes c->sums[side]: of the runs of a side. Sets c->run_weight[side], too. */
void changes_count_runs(struct changes *c, int side, const struct changes_asks *asks,
			const struct side_runs *r);
/* Makes c->sums: of the blocks of the time of each side. */
void changes_count_blocks(struct changes *c, const struct changes_asks *asks);

#endif
