/* oddpart.h - the short parts of a run whose work differs most from the rest: the slow second, the
 * frame that took too long, the moment in which nothing ran.
 *
 *	struct oddparts odd = {0};
 *	oddparts_find(&odd, profile, fold, NULL);
 *	for (size_t i = 0; i < odd.n; i++)
 *		... odd.at[i].from ...
 */
#ifndef PNAV_MODEL_ANSWER_ODDPART_H
#define PNAV_MODEL_ANSWER_ODDPART_H

#include <stdbool.h>
#include <stdint.h>

#include "model/base/pace.h"
#include "model/fold/fold.h"

#define ODDPARTS_MAX 8u

struct oddpart {
	int64_t from, to; /* [from, to) from the first event, in units of the axis */
	double differs;   /* how much of its time other work has than beside it, 0 to 1 */
	key_id key;       /* what runs more than in the rest; KEY_NONE: nothing runs, or others */
	bool idle;        /* nothing runs for longer than in the rest */
	bool before;      /* the time before the part is longer than that after it */
	/* The share of that in the part and in this longer time, 0 to 1: of what runs there, as a
	 * comparison of both shows it; of idle time, of all. */
	double now, beside;
};

struct oddparts {
	struct oddpart at[ODDPARTS_MAX]; /* the oddest first; they do not overlap */
	unsigned n;
	bool complete; /* false if the pace cancelled */
};

/* Finds the parts of the whole run through the fold's tree, tracks and metric, whatever range it
 * has. A part has at most an eighth of the run. It differs from the longer one of the times before
 * and after it by a tenth of its time or more, beyond what is usual in this run, and beyond what
 * so few samples differ by chance.
 * O(256 times stacks). `pace` may be NULL. */
void oddparts_find(struct oddparts *out, const struct profile *p, const struct fold *f,
		   struct pace *pace);

#endif
