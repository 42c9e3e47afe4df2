/* changes.h - which changes of a comparison are more than chance (evidence.h), row by row.
 *
 * What is known depends on what is compared:
 *   one against one, sampled   eight blocks of the time of each side show how much a total varies,
 *                              at least as much as that of independent samples (batch means)
 *   several files a side       the totals of the files show it, changes from run to run included,
 *                              and never less than the number of samples allows
 *   samples without time       nothing, unless the user says that they are independent
 *   all else                   nothing: times that were traced have no error of sampling, and one
 *                              run does not show the changes from run to run
 * The numbers of a single side have error bars by the same means.
 *
 * Of many rows some differ by chance: a row is sure where the rate of those that are called
 * sure without being so stays below one in twenty over all rows of its table. */
#ifndef PNAV_MODEL_CHANGES_H
#define PNAV_MODEL_CHANGES_H

#include <stdbool.h>
#include <stdint.h>

#include "model/base/evidence.h"
#include "model/fold/numbers.h"
#include "model/base/pace.h"
#include "model/profile/profile.h"
#include "model/fold/project.h"
#include "model/fold/tally.h"

enum sure { SURE_UNKNOWN, SURE_NO, SURE_YES };

/* Of which table a row is: of keys, by self or by total, or of nodes by total. */
enum change_of { CHANGE_SELF, CHANGE_TOTAL, CHANGE_NODE, CHANGES_OF };
/* Of a row that is no node of the tree, though it has its numbers. */
#define CHANGE_ELSEWHERE UINT32_MAX

struct changes {
	bool sampled; /* one against one, or a single one, whose totals are of samples */
	bool untimed; /* these have no time, so what is known of them is only an assumption */
	bool files;   /* several a side */
	bool single;  /* no comparison: error bars of the numbers of one side */
	bool shares;  /* the base is normalized: */
	bool rates;   /* two ranges of unequal length: the base counts as if it were as long */
	double scale; /* what 1 of the base counts as */
	uint64_t tested[CHANGES_OF]; /* rows in which anything changed */
	uint64_t found[CHANGES_OF];  /* those that are sure */
	/* [node] nothing at or below it changed surely; NULL: there is no telling */
	uint8_t *chance;
	uint64_t n_chance; /* of the nodes that are shown */
	/* private */
	double limit[CHANGES_OF]; /* the p up to which a row is sure; below 0: none */
	double weight[2], whole[2]; /* of now and base, as recorded */
	struct evidence_limits limits;
	struct evidence_sums *sums[2][CHANGES_OF]; /* [key or node] files, or blocks, of a side */
	struct evidence_dispersion common[CHANGES_OF]; /* of the rows of a table */
	uint32_t n_keys, n_nodes;
};

/* What is compared. */
struct changes_asks {
	const struct profile *p;
	const struct projection *tree;
	const struct slice *now, *base; /* base NULL: nothing is compared */
	const struct fold_numbers *now_numbers, *base_numbers;
	struct pace *pace;
};

/* Before numbers of several files are made those of one, and a base is normalized: finds out
 * what can be known.  c is zeroed, or was made before. */
void changes_make(struct changes *c, const struct changes_asks *asks, uint32_t now_files,
		  uint32_t base_files);
/* Then, with numbers as they are shown: finds out what is sure.  O(nodes). */
void changes_weigh(struct changes *c, const struct changes_asks *asks);
void changes_release(struct changes *c);

/* Of a row: a key, or a node.  Numbers are those that are shown. */
struct evidence changes_evidence(const struct changes *c, enum change_of of, uint32_t id,
				 int64_t now, int64_t base);
/* What that comes to among all rows of its table. */
enum sure changes_judge(const struct changes *c, enum change_of of, struct evidence e);

#endif
