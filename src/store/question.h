/* question.h - builds the queries of a reader in ClickHouse's SQL.
 *
 * All derive from one address. Answers to earlier queries are parameters of later ones. */
#ifndef PNAV_SRC_STORE_QUESTION_H
#define PNAV_SRC_STORE_QUESTION_H

#include <stdbool.h>
#include <stdint.h>

#include "model/base/buf.h"
#include "src/store/storeurl.h"
#include "src/store/tracelog.h"

struct periods;

struct question {
	const struct store_url *url;
	const struct trace_log *log; /* not NULL: the samples are rows of it (tracelog.h) */
	int64_t from, to;    /* ns since 1970, [from, to); INT64_MIN, INT64_MAX: open */
	bool explains;       /* unknown parameters are printed as {word} */
	/* from answers: */
	const char *metric;  /* NULL: unknown */
	const char *calls;   /* the metric beside it that counts calls; NULL: none */
	int64_t first, step; /* ns: the time of the first sample, and the length of a step */
	int64_t begin;       /* s: no profile that starts earlier reaches into the range */
	int64_t longest;     /* ns: no selected profile lasts longer; -1: unknown */
	bool unique;         /* no profile of the selection was stored twice */
	bool cut;            /* some profiles lie only partly in the range */
	bool labelled;       /* samples have labels */
	bool labels;         /* the detail includes the labels of samples */
	bool owned;          /* the detail includes those that profiles were stored with */
	enum store_tracks tracks;
	const struct periods *periods; /* used in place of their profiles' sums; or NULL */
};

/* Initialises from an address; now is in ns since 1970. */
void question_init(struct question *q, const struct store_url *url, int64_t now);
/* Returns the selection of the trace log, for an address of one. */
struct trace_ask question_of_log(const struct question *q);
/* Returns how many strings identify a track; they are the first columns. */
unsigned question_keys(const struct question *q);

/* Each appends a SELECT. Columns, in order: */
/* service String, by name */
void question_services(const struct question *q, struct buf *out);
/* UInt8: 1 if a profile of the selection was stored twice */
void question_twice(const struct question *q, struct buf *out);
/* metric String, profiles UInt64, cut UInt64, labels UInt64, longest Int64, ordered by number: the
 * default metrics of the selection, how many profiles lie only partly in the range, the most labels
 * that one was stored with, and for how many ns one was recorded at most */
void question_profiles(const struct question *q, struct buf *out);
/* metric String, unit String, decimals UInt8, labels UInt32 (the maximum of one sample), ordered by
 * metric: of profiles in the range */
void question_metrics(const struct question *q, struct buf *out);
/* host String, Int64: the ns of the range in which its profiles recorded the metric, by host */
void question_hours(const struct question *q, struct buf *out);
/* begin UInt32, s since 1970: no profile that starts earlier reaches into the range, which has a
 * begin */
void question_begin(const struct question *q, struct buf *out);
/* span UInt32, start UInt32 (s), period, profiles, hash, rows UInt64, last Int64: the periods of
 * the service that lie in the range, by start, the latest computed last */
void question_periods(const struct question *q, struct buf *out);
/* hour UInt32 (h since 1970), profiles UInt64, hash UInt64, contents UInt64, by hour: the service's
 * profiles that can lie in the range.  The hour 0 has those that are in no period of q, and copies
 * of their contents; `contents` is the number of distinct ones there. */
void question_period_profiles(const struct question *q, struct buf *out);
/* hour, profiles, hash, last Int64, hosts UInt64, by hour: the service's profiles from a time on,
 * in s */
void question_period_hours(const struct question *q, int64_t from, struct buf *out);
/* UInt8: 1 if a profile that begins in [from, to) s was stored twice */
void question_period_twice(const struct question *q, int64_t from, int64_t to, struct buf *out);
/* period UInt64, rows UInt64: of the sums and profiles of periods that begin in [from, to), in s */
void question_period_rows(const struct question *q, int64_t from, int64_t to, struct buf *out);
/* stack UInt64, functions, files, modules, lines, kinds, defined, clauses, address, builds: at
 * least the stacks of the selection */
void question_stacks(const struct question *q, struct buf *out);
/* keys String..., stack UInt64, value Int64, [calls Int64, and the number of its rows UInt64,]
 * samples UInt64, first Int64, last Int64; at most `most` rows, 0: all */
void question_totals(const struct question *q, uint64_t most, struct buf *out);
/* keys String..., step Int64, value Int64: sums of steps of `step` ns, from the first sample on */
void question_curves(const struct question *q, int64_t step, struct buf *out);
/* For each of n steps: rows UInt64, an estimate from one in `part` stacks */
void question_rows(const struct question *q, const int64_t *step, unsigned n, uint64_t part,
		   struct buf *out);
/* own UInt64, keys Array(String), values Array(String): the sets of labels that profiles were
 * stored with, and their hashes */
void question_owned(const struct question *q, struct buf *out);
/* keys String..., step Int64, stack UInt64, value Int64, [calls Int64,] samples UInt64, [keys,
 * values, is_number, numbers, units of labels,] [own UInt64,] by step; of steps [from, to) */
void question_detail(const struct question *q, int64_t from, int64_t to, struct buf *out);


/* ---- for lists of what a store holds ---- */

/* service String, by name: those with profiles of the selected hosts */
void question_held_services(const struct question *q, struct buf *out);
/* service String, profiles UInt64, samples UInt64, from Int64, to Int64 (ns), stored UInt32 (s),
 * the number of hosts UInt64, and up to QUESTION_NAMES of their names, by service */
#define QUESTION_NAMES 20
void question_held(const struct question *q, struct buf *out);
/* service, key and value String, profiles UInt64, samples UInt64, from Int64, to Int64 (ns), the
 * number of hosts UInt64, by the first three; at most QUESTION_NAMES + 1 values of a key */
void question_held_labels(const struct question *q, struct buf *out);
/* bytes on disk of the tables of this store: UInt64 */
void question_held_bytes(const struct question *q, struct buf *out);

#endif
