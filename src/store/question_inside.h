/* question_inside.h - parts of queries; for question*.c alone. */
#ifndef PNAV_SRC_STORE_QUESTION_INSIDE_H
#define PNAV_SRC_STORE_QUESTION_INSIDE_H

#include "src/store/question.h"
#include "src/store/schema.h"

/* When a profile begins and ends, in ns since 1970. */
#define BEGIN "(toInt64(toUInt32(start)) * 1000000000 + start_ns)"
#define END "(" BEGIN " + toInt64(duration_ns))"

/* Which profiles of the range: all that overlap it, those inside, those that an end cuts. */
enum lies { LIES_SOMEHOW, LIES_WHOLE, LIES_CUT };

/* The time of a sample, in ns since 1970. */
#define MOMENT "(toInt64(toUInt32(time)) * 1000000000 + time_ns)"

/* A hash of the labels that a profile was stored with. */
#define OWN_SET "cityHash64(labels.key, labels.value)"

/* ---- question_parts.c ---- */
/* Returns true if tracks depend on something that only samples have. */
bool question_scans(const struct question *q);
/* Appends a text as an SQL literal. */
void question_add_text(struct buf *out, const char *text);
/* Append parts of queries over the table of sums or of samples: */
/* the columns of a track's key, each followed by a comma; `own` is the label that a profile was
 * stored with */
void question_add_keys(const struct question *q, bool of_samples, struct buf *out);
/* conditions on service and host, which profiles and samples have */
void question_add_whose(const struct question *q, struct buf *out);
/* a condition that selects samples in [from, to) */
void question_add_range(int64_t from, int64_t to, struct buf *out);
/* "'cpu', 'calls'" */
void question_add_metrics(const struct question *q, struct buf *out);
/* a condition that a profile is of the service, hosts and labels, and overlaps the range */
void question_add_overlap(const struct question *q, struct buf *out);
/* FROM, a join, and WHERE, for the selected rows of the table of profiles */
void question_add_from_profiles(const struct question *q, const char *join, struct buf *out);
/* a join with what profiles were stored with */
void question_add_join(const struct question *q, bool of_samples, struct buf *out);
/* a condition that selects visible profiles */
void question_add_profiles(const struct question *q, enum lies lies, struct buf *out);
/* Appends a condition that a profile or period starts in [from, to), in s since 1970. */
void question_add_starts(int64_t from, int64_t to, struct buf *out);
/* Appends conditions that the start of a profile is in no period that q uses. */
void question_add_beside_periods(const struct question *q, struct buf *out);
/* Appends the name of a metric, quoted. */
void question_add_metric(const struct question *q, const char *name, struct buf *out);
/* Returns true if rows of other metrics carry this one as a count. */
bool question_is_counted(const struct question *q);

/* conditions that skip parts of the table of profiles: no selected profile starts elsewhere */
void question_add_within(const struct question *q, struct buf *out);

/* ---- question_periods.c ---- */
/* Appends FROM and WHERE for the rows of a table that belong to the periods of q; `array`: "" or an
 * ARRAY JOIN. */
void question_add_in_periods(const struct question *q, enum schema_table t, const char *array,
			     struct buf *out);
/* The columns that a query reads of profiles. */
struct question_known {
	const char *each;   /* columns, of profiles without a period */
	const char *group;  /* by what these are grouped */
	const char *period; /* the same columns, of rows for the profiles of periods */
	const char *array;  /* "" or an ARRAY JOIN for both */
};
/* Appends FROM with these columns of all selected profiles. */
void question_add_known_profiles(const struct question *q, const struct question_known *k,
				 struct buf *out);

/* ---- question_sums.c ---- */
/* Appends FROM with the sums of everything in the range, in the columns of their table. */
void question_add_sums(const struct question *q, bool tracks, struct buf *out);
/* Appends FROM and WHERE for the sums of all profiles, also of those that are not selected. */
void question_add_stored_sums(const struct question *q, bool tracks, struct buf *out);

#endif
