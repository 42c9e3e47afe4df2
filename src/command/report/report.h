/* report.h - the views of `pnav report`: columns, and one function that produces rows. */
#ifndef PNAV_SRC_COMMAND_REPORT_REPORT_H
#define PNAV_SRC_COMMAND_REPORT_REPORT_H

#include <stdio.h>

#include "model/answer/answers.h"
#include "model/calls/calllist.h"
#include "model/derive/derived.h"
#include "model/fold/actorsum.h"
#include "model/fold/fold.h"
#include "model/fold/labelsum.h"
#include "model/fold/threadlist.h"
#include "model/lens/commandline.h"
#include "model/profile/profile.h"
#include "model/table/columns.h"
#include "model/table/facts.h"
#include "src/command/report/instructions.h"

/* The input of a view, and its rows. */
struct encode_job;
struct encode_note;
struct option_row;
struct options;

struct report {
	const struct profile *profile; /* the profile derived by the lens's labels */
	const struct profile *loaded;  /* the profile as loaded */
	const struct format_options *how; /* how it was loaded; or NULL */
	const struct lens *lens; /* the lens that the view uses */
	const struct lens *asked; /* the lens before the view adjusted it; NULL: unknown */
	const struct commandline *line; /* how the profile was loaded; NULL: unknown */
	const struct lens *kept; /* of a comparison of ranges: its base (lens_base()); or NULL */
	struct fold *fold;       /* the fold of that lens; only for views that use one */
	struct fold *made;       /* an existing fold, perhaps of that lens, */
	struct fold *plain;      /* and one of `loaded` without a lens; or NULL */
	struct look look;
	struct row grew, shrank; /* of a comparison: the largest significant changes, if any */
	bool changes; /* a comparison: the largest changes come first */
	const struct table_column *sort; /* NULL: the view's own order */
	bool reverse;
	struct err *err; /* usage errors found while making rows; the view then returns false */
	struct pace *pace; /* of a waiting UI; NULL: the work never yields */

	struct rows rows;
	struct {
		uint32_t rows;
		int64_t user; /* their self in functions of the user */
	} rest; /* rows of a tree beyond the limit: none was made */
	uint32_t rows_total; /* before the limit */
	/* for rows that are not of a fold */
	struct projection functions; /* its keys are functions */
	struct callstats calls;
	struct facts facts;
	struct labelsum labels;
	struct actorsum sums;
	struct threadlist threads;
	struct answers answers;
	VEC(struct table_mark) marks;
	VEC(struct point) points;
	struct calltimes *times; /* set if a column needs them */
	struct calllist *slices;
	struct instructions *instructions;
	/* which slices are selected */
	struct pattern *function; /* NULL: of all functions */
	const struct encode_note *notes; /* the marks of a session */
	size_t n_notes;
	struct moment over;       /* MOMENT_OPEN: of any duration */
	uint64_t limit;
};

struct report_view {
	const char *name;
	unsigned rows;       /* ROWS_ */
	const char *columns; /* in CSV and JSON; parsed by column_list_read() */
	const char *text;    /* in text reports; NULL: the same */
	const char *below; /* in text reports, a column on a line of its own; NULL: none */
	const char *document; /* in Markdown; NULL: as in CSV */
	const char *changes; /* in text reports of comparisons; NULL: as `text` */
	bool folds;   /* needs a fold */
	bool by_line; /* ... by line, whatever the lens selects */
	bool by_address; /* ... of addresses */
	bool turned;  /* ... inverted */
	bool tree;    /* rows in tree order: sorting reorders siblings only */
	bool calls;   /* accepts --function and --over */
	bool functions; /* accepts --function */
	bool parallelism; /* its events have the label of that name */
	bool (*fill)(struct report *r);
};

/* ---- report_options.c: the command line ---- */

enum format { FORMAT_TEXT, FORMAT_CSV, FORMAT_JSON, FORMAT_MD, FORMAT_NDJSON };

/* Values of the rows. All strings are from the command line; `function` is a reference that the
 * owner of the structure drops. */
struct report_options {
	const struct report_view *view;
	enum format format;
	const char *sort; /* column, with an optional leading '-' */
	const char *columns; /* --columns, with an optional leading '+'; NULL: the default */
	uint64_t limit;
	struct pattern *function; /* of slices; NULL: all */
	struct moment over;
	const char *only; /* an option for slices that was given */
	bool guides;         /* print the questions of the manual that fit, instead of a view */
	const char *fail_if; /* NULL: no condition on the status */
	bool unsure;         /* of --fail-if: include rows that may be chance */
	int argc; /* the command line; 0: there is none */
	char **argv;
	char *const *made; /* replaces the files: see report_made(); NULL: it does not */
	const char *guide; /* only this question, or NULL: all */
	const struct encode_note *notes; /* the marks of the session */
	size_t n_notes;
	FILE *out;
};

/* Returns the view of this name; NULL if there is none. */
const struct report_view *report_view_named(const char *name);

/* ---- report_stacks.c: rows of folds ---- */

/* Lets r's new fold have only what the view displays of it. */
void report_fit_fold(const struct report *r, const struct report_options *own);

/* ---- report_states.c: rows of states and edges ---- */

/* Fills r->rows with the sums that `make` computes (actorsum.h). Returns false with usage. */
bool report_sums_fill(struct report *r,
		      bool (*make)(const struct profile *p, const struct lens *l,
				   struct pace *pace, struct actorsum *out, struct err *e));

/* ---- report_changes.c: summary of a comparison ---- */

/* Finds the largest significant changes among all rows. */
void report_find_changes(struct report *r);
/* Writes a line about them, for text reports. */
void report_write_changes(const struct report *r, FILE *out);
/* Checks the syntax of --fail-if. Returns false with usage in *e. */
bool report_fail_check(const char *text, struct err *e);
/* Checks the condition against the view and its metric. Returns false with usage in *r->err. */
bool report_fail_fits(const struct report *r, const char *text);
/* Prints each row that exceeds the limit to stderr. Returns their number. `unsure`: include rows
 * that may be chance. */
unsigned report_fails(const struct report *r, const char *text, bool unsure);

/* Writes `"key": value, ...` for the profile; a key with several values has an array. `plain` is as
 * for facts_make(). */
void info_write_json(const struct profile *p, const struct fold *plain, FILE *out);

/* ---- report_line.c: the command line that gives a report again ---- */

/* Fills *out with how these options load n files, and with the verb "report", or "diff" if the
 * first n_base files are the base of a comparison of files; 0: they are not. The caller releases
 * it. */
void report_line_make(const struct options *o, const char *const *file, size_t n, uint32_t n_base,
		      struct commandline *out);
/* Sets the verb, and appends the words, of another command that made the profile; NULL: nothing. */
void report_line_made(char *const *words, struct commandline *out);
/* Appends the line of a report whose r->line and r->asked are set. */
void report_write_line(const struct report *r, const struct report_options *own, struct buf *out);

/* ---- report_marks.c ---- */

/* Writes the marks of the session as a list in Markdown; nothing if there are none. */
void report_write_md_marks(const struct report *r, FILE *out);

/* ---- report_json.c ---- */

/* Writes the members `view` and `warnings` of a report in JSON: the meaning of its numbers. */
void report_write_json_view(const struct report *r, const struct report_options *own, FILE *out);

/* ---- report.c: the parts of a report ---- */

void report_release(struct report *r);
extern const struct report_view *const report_views[];
extern const size_t n_report_views;

/* Applies what the view requires of the lens. */
void report_fit_lens(const struct report_view *view, struct lens *l);
/* Finds the column of --sort. Returns false with usage in *r->err. */
bool report_find_sort(const struct report_options *own, struct report *r);
/* Lists the columns: the view's, and those of --columns. The caller releases the list in all cases.
 * Returns false with usage in *r->err. */
bool report_list_columns(const struct report_options *own, const struct report *r,
			 struct column_list *list);
/* Computes the times of calls. */
void report_find_times(struct report *r);
/* The same, and error bars, if a column needs them. */
void report_find_extras(struct report *r, const struct column_list *list);
/* Sorts and cuts the rows. Disp then refers to the displayed rows, User to all user functions. */
void report_arrange(struct report *r, const struct report_view *view);
/* Writes the rows as own->format to own->out. */
void report_write_sheet(const struct report_options *own, const struct report *r,
			const struct column_list *list);

/* ---- report_programs.c: reports that print no messages ---- */

/* Computes a view for programs: all its rows, in its own order. r has profile, loaded, lens (which
 * the view adjusts), err and limit. `replays`: include the times of calls. Returns false with usage
 * in *r->err if the profile has no data for the view, and without usage if r's pace cancelled; the
 * caller releases r in all cases. */
bool report_make(struct report *r, const struct report_view *view, struct lens *l,
		 bool replays);

/* Returns true for a --format of reports. */
bool report_format_is(const char *name);

/* Writes all rows of a view of the job's lens as "csv", "json" or "ndjson".  The profile is that
 * of the lens (derived.h).  Returns false with usage in *e if there is no such view, or if the
 * profile has nothing for it. */
bool report_sheet(const struct encode_job *job, const char *view, const char *format,
		  struct err *e);

/* A loaded profile, about which a program asks in words, and what its reports share. */
struct report_source {
	const struct profile *profile;
	const struct format_options *how;
	struct fold *plain; /* its fold without a lens; NULL: there is none yet */
	struct fold *last;  /* the fold of the last report; NULL: there is none */
	struct derived *derived[2]; /* [the view wants parallelism] */
	VEC(const char *) files; /* in the command lines that repeat a report */
	struct commandline line; /* likewise: how it is loaded */
	bool compare; /* it is a comparison of its files */
};
void report_source_release(struct report_source *s);
/* Returns true if argv[1..] names a file to read or a server, as an operand or by an option of the
 * shared rows or of `own`: words of strangers may not. */
bool report_words_name_files(int argc, char **argv, const struct option_row *own);

struct report_asks {
	const char *const *words; /* behind `pnav report`, without files */
	size_t n;
	size_t most_bytes; /* of the whole result */
	struct pace *pace; /* may be NULL */
};
/* Appends what `pnav report WORDS FILE` prints, as CSV unless the words say otherwise, below a line
 * that says what the numbers are. Leaves out rows beyond the limit; appends to `note` what was cut
 * and how to get it, and what the words match nothing of. Returns false with usage in *e, without
 * if the pace cancelled. */
bool report_ask(struct report_source *s, const struct report_asks *asks, struct buf *out,
		struct buf *note, struct err *e);

/* The views: one file, or part of one, and a line here. */
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
	X(threads)                                                                         \
	X(values)                                                                          \
	X(answers)                                                                         \
	X(marks)                                                                           \
	X(info)

#define REPORT_VIEW_DECLARED(name) extern const struct report_view view_##name;
REPORT_VIEWS(REPORT_VIEW_DECLARED)
#undef REPORT_VIEW_DECLARED

#endif
