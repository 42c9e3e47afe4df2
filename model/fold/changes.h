/* changes.h - which changes of a comparison exceed chance (evidence.h), row by row.
 *
 * The available evidence depends on the kind of comparison:
 *   one against one, sampled   eight blocks of the time of each phase of a side (phases.h) show
 *                              how much a total varies, at least as much as that of independent
 *                              samples (batch means)
 *   several files a side       the totals of the files show it, including changes from run to run,
 *                              and never less than the number of samples allows
 *   several hosts a side       the same, for two addresses of a store: each host is a run
 *   samples without time       nothing, unless the user declares them independent
 *   all others                 nothing: traced times have no sampling error, and one run does not
 *                              show the changes from run to run
 * The numbers of a single side get error bars in the same way.
 *
 * Of many rows some differ by chance. A row is sure if the rate of false discoveries stays below
 * one in twenty over all rows of its table. */
#ifndef PNAV_MODEL_FOLD_CHANGES_H
#define PNAV_MODEL_FOLD_CHANGES_H

#include <stdbool.h>
#include <stdint.h>

#include "model/base/evidence.h"
#include "model/base/pace.h"
#include "model/fold/numbers.h"
#include "model/fold/project.h"
#include "model/fold/sides.h"
#include "model/fold/tally.h"
#include "model/profile/profile.h"

enum sure { SURE_UNKNOWN, SURE_NO, SURE_YES };

/* The table of a row: keys, by self or by total, or nodes by total. */
enum change_of { CHANGE_SELF, CHANGE_TOTAL, CHANGE_NODE, CHANGES_OF };
/* The id of a row that has a node's numbers but is not a node. */
#define CHANGE_ELSEWHERE UINT32_MAX

struct changes {
	bool sampled; /* one against one, or a single side, with totals of samples */
	bool untimed; /* the samples have no time, so the result is only an assumption */
	bool files;   /* several files or hosts a side */
	bool hosts;   /* the runs of both sides are hosts of a store, not files */
	bool single;  /* no comparison: error bars of the numbers of one side */
	bool shares;  /* the base is normalized; `scale` applies */
	bool rates;   /* unequal lengths of two ranges, or of what hosts recorded: the base is
		       * scaled to the same length */
	double scale; /* the factor of base numbers */
	uint32_t averaged[2]; /* of now and base: the number of files whose average is displayed */
	uint64_t tested[CHANGES_OF]; /* number of rows with a change */
	uint64_t found[CHANGES_OF];  /* number of sure rows */
	/* [node] 1 if nothing at or below it surely changed; NULL: unknown */
	uint8_t *chance;
	uint64_t n_chance; /* number of shown nodes with `chance` */
	/* private */
	double limit[CHANGES_OF]; /* the largest p of a sure row; below 0: none is sure */
	double weight[2], whole[2]; /* of now and base, as recorded */
	double run_weight[2]; /* of a sample of one run, where the sums are those of runs */
	struct evidence_limits limits;
	/* [key or node] sums over the runs, or blocks, of a side */
	struct evidence_sums *sums[2][CHANGES_OF];
	/* the common dispersion of the rows of a table */
	struct evidence_dispersion common[CHANGES_OF];
	uint32_t n_keys, n_nodes;
};

/* The input of a comparison. */
struct changes_asks {
	const struct profile *p;
	const struct projection *tree;
	const struct slice *now, *base; /* base NULL: no comparison */
	const struct fold_numbers *now_numbers, *base_numbers;
	struct pace *pace;
};

/* Finds out what can be known. Call it before the numbers of several files are averaged and a
 * base is normalized. c is zeroed, or was made before. */
void changes_make(struct changes *c, const struct changes_asks *asks);
/* Finds out what is sure. Call it after changes_make(), with the numbers as displayed. O(nodes). */
void changes_weigh(struct changes *c, const struct changes_asks *asks);
void changes_release(struct changes *c);

/* Returns the evidence of a row: a key, or a node. Numbers are as displayed, not rounded. */
struct evidence changes_evidence(const struct changes *c, enum change_of of, uint32_t id,
				 struct sides x);
/* Returns what that evidence means among all rows of its table. */
enum sure changes_judge(const struct changes *c, enum change_of of, struct evidence e);

#endif
