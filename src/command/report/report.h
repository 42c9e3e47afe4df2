/* report.h - the views of `pnav report`: columns, and one function that gives rows. */
#ifndef PNAV_SRC_COMMAND_REPORT_REPORT_H
#define PNAV_SRC_COMMAND_REPORT_REPORT_H

#include <stdio.h>

#include "model/calls/calllist.h"
#include "model/fold/actorsum.h"
#include "model/fold/fold.h"
#include "model/fold/labelsum.h"
#include "model/profile/profile.h"
#include "model/table/columns.h"
#include "model/table/facts.h"
#include "src/command/report/instructions.h"

/* What a view is filled from, and its rows. */
struct encode_job;

struct report {
	const struct profile *profile; /* as the labels that the lens asks for make it */
	const struct profile *loaded;  /* as it was read */
	const struct format_options *how; /* as what was asked for was read; or NULL */
	const struct lens *lens; /* as the view wants it */
	struct fold *fold;       /* of that lens; only for views that use one */
	struct fold *made;       /* one that there is already, perhaps of that lens, */
	struct fold *plain;      /* and one of `loaded` through no lens; or NULL */
	struct look look;
	struct row grew, shrank; /* of a comparison: the largest changes that are sure, if any */
	bool changes; /* a comparison: what changed most comes first */
	const struct table_column *sort; /* NULL: the view's own order */
	bool reverse;
	struct err *err; /* usage that shows only here; views that fail return false */
	struct pace *pace; /* of whoever waits for rows; NULL: no rests */

	struct rows rows;
	/* what rows of no fold are of */
	struct projection functions; /* keys are functions */
	struct callstats calls;
	struct facts facts;
	struct labelsum labels;
	struct actorsum sums;
	VEC(struct point) points;
	struct calltimes *times; /* where a column asks for them */
	struct calllist *slices;
	struct instructions *instructions;
	/* which slices are asked for */
	struct pattern *function; /* NULL: of all functions */
	struct moment over;       /* MOMENT_OPEN: of any length */
	uint64_t limit;
};

struct report_view {
	const char *name;
	unsigned rows;       /* ROWS_ */
	const char *columns; /* in CSV and JSON, as column_list_read() takes them */
	const char *text;    /* as people read it; NULL: the same */
	const char *changes; /* as people read a comparison; NULL: as `text` */
	bool folds;   /* needs a fold */
	bool by_line; /* ... of lines, whatever the lens says */
	bool by_address; /* ... of addresses */
	bool turned;  /* ... the other way round */
	bool tree;    /* rows in tree order: siblings are sorted, not rows */
	bool calls;   /* takes --function and --over */
	bool functions; /* takes --function */
	bool (*fill)(struct report *r);
};

/* ---- report_options.c: the command line ---- */

enum format { FORMAT_TEXT, FORMAT_CSV, FORMAT_JSON };

/* What the rows fill in.  All strings are of the command line; `function` is a reference that the
 * owner of the structure drops. */
struct report_options {
	const struct report_view *view;
	enum format format;
	const char *sort; /* column, perhaps with a leading '-' */
	const char *columns; /* --columns, perhaps with a leading '+'; NULL: the default ones */
	uint64_t limit;
	struct pattern *function; /* of slices; NULL: all */
	struct moment over;
	const char *only; /* an option that is for slices, and was given */
	bool guides;         /* which questions of the manual fit, instead of a view */
	const char *fail_if; /* NULL: whatever it is, the status is 0 */
	bool unsure;         /* of --fail-if: rows that may be chance, too */
	const char *guide; /* the one of them, or NULL: all */
	FILE *out;
};

/* The view of this name; NULL when there is none. */
const struct report_view *report_view_named(const char *name);

/* ---- report_states.c: rows of states and edges ---- */

/* Fills r->rows with the sums that `make` computes (actorsum.h). Returns false with usage. */
bool report_sums_fill(struct report *r,
		      bool (*make)(const struct profile *p, const struct lens *l,
				   struct pace *pace, struct actorsum *out, struct err *e));

/* ---- report_changes.c: what a comparison comes to ---- */

/* Finds the largest sure changes among all rows. */
void report_find_changes(struct report *r);
/* A line about them, for text reports. */
void report_write_changes(const struct report *r, FILE *out);
/* What --fail-if asks, read by the profile that is compared.  False with usage in *e. */
bool report_fail_check(const char *text, struct err *e);
/* Does that fit the view and its metric?  False with usage in *r->err. */
bool report_fail_fits(const struct report *r, const char *text);
/* The rows that are over it, a line each on stderr; how many.  `unsure`: whether they are more
 * than chance or not. */
unsigned report_fails(const struct report *r, const char *text, bool unsure);

/* `"key": value, ...` of the profile; a key with many values gives an array.  `plain` is as of
 * facts_make(). */
void info_write_json(const struct profile *p, const struct fold *plain, FILE *out);

/* Works a view out for programs: all its rows, in its own order.  r has profile, loaded, lens
 * (which becomes what the view wants of it), err and limit.  `replays`: with the times of calls.
 * False with usage in *r->err when the profile has nothing for it, without when r's pace gave
 * up; released all the same. */
bool report_make(struct report *r, const struct report_view *view, struct lens *l,
		 bool replays);
void report_release(struct report *r);
extern const struct report_view *const report_views[];
extern const size_t n_report_views;

/* Writes all rows of a view of the job's lens as "csv" or "json".  The profile is that of the
 * lens (derived.h).  Returns false with usage in *e if there is no such view, or if the
 * profile has nothing for it. */
bool report_sheet(const struct encode_job *job, const char *view, const char *format,
		  struct err *e);

/* The views: a file, or a place in one, and a line here. */
#define REPORT_VIEWS(X)                                                                    \
	X(functions)                                                                       \
	X(tree)                                                                            \
	X(callers)                                                                         \
	X(lines)                                                                           \
	X(instructions)                                                                    \
	X(calls)                                                                           \
	X(slices)                                                                          \
	X(tracks)                                                                          \
	X(labels)                                                                          \
	X(states)                                                                          \
	X(edges)                                                                           \
	X(values)                                                                          \
	X(info)

#define REPORT_VIEW_DECLARED(name) extern const struct report_view view_##name;
REPORT_VIEWS(REPORT_VIEW_DECLARED)
#undef REPORT_VIEW_DECLARED

#endif
