/* question.h - what a reader asks a store, in the SQL of ClickHouse.
 *
 * All are made from one address; what one of them answers goes into those that follow. */
#ifndef PNAV_SRC_STORE_QUESTION_H
#define PNAV_SRC_STORE_QUESTION_H

#include <stdbool.h>
#include <stdint.h>

#include "model/base/buf.h"
#include "src/store/storeurl.h"

struct question {
	const struct store_url *url;
	int64_t from, to;    /* ns since 1970, [from, to); INT64_MIN, INT64_MAX: open */
	bool explains;       /* what is not known yet is a {word} */
	/* learnt from answers: */
	const char *metric;  /* NULL: not known yet */
	const char *calls;   /* the metric beside it that counts calls; NULL: none */
	int64_t first, step; /* ns: when the first sample was, and how long a step is */
	bool cut;            /* some profiles lie in the range in part */
	bool labelled;       /* samples have labels */
	bool labels;         /* and the detail tells them */
	enum store_tracks tracks;
};

/* As the address has it, at this moment (ns since 1970). */
void question_init(struct question *q, const struct store_url *url, int64_t now);
/* Of how many strings the key of a track is: the first columns of what tells tracks. */
unsigned question_keys(const struct question *q);

/* Each appends a SELECT; columns as they come: */
/* service String, by name */
void question_services(const struct question *q, struct buf *out);
/* metric String, profiles UInt64, cut UInt64, by number: the default metrics of what is asked
 * for, and how many of the profiles lie in the range in part */
void question_profiles(const struct question *q, struct buf *out);
/* metric String, unit String, decimals UInt8, labels UInt32 (the most that a sample has), by
 * metric: of profiles that lie in the range */
void question_metrics(const struct question *q, struct buf *out);
/* stack UInt64, functions, files, modules, lines, kinds, defined, clauses, address */
void question_stacks(const struct question *q, struct buf *out);
/* keys String..., stack UInt64, value Int64, [calls Int64, of so many rows UInt64,] samples
 * UInt64, first Int64, last Int64; `most` rows, 0: all */
void question_totals(const struct question *q, uint64_t most, struct buf *out);
/* keys String..., step Int64, value Int64: of steps of so many ns from the first sample on */
void question_curves(const struct question *q, int64_t step, struct buf *out);
/* For each of n steps: rows UInt64 (about) that the detail would have, of one in `part` stacks */
void question_rows(const struct question *q, const int64_t *step, unsigned n, uint64_t part,
		   struct buf *out);
/* keys String..., step Int64, stack UInt64, value Int64, [calls Int64,] samples UInt64, [keys,
 * values, is_number, numbers, units of labels,] by step; of steps [from, to) */
void question_detail(const struct question *q, int64_t from, int64_t to, struct buf *out);

#endif
