/* columns.h - the columns of all tables, in reports and in the browser; one table row each.
 *
 * A *row* is a key and numbers (fold.h). Rows that are not part of a fold point to their object.
 * A *look* is the context in which rows are displayed. A column has these functions of a row:
 *
 *	number()  the sort key; programs read it, too, unless the unit is words
 *	plain()   words that programs read, where there is no number
 *	text()    the displayed text; without it, plain() or the number in its unit
 *
 * So a new column is a row of the table in columns.c. Names appear in CSV and JSON and must not
 * change. A table of one kind of rows is a list of such names, as column_list_read() parses it. */
#ifndef PNAV_MODEL_TABLE_COLUMNS_H
#define PNAV_MODEL_TABLE_COLUMNS_H

#include <stdbool.h>
#include <stdint.h>

#include "model/base/buf.h"
#include "model/base/vec.h"
#include "model/calls/callstats.h"
#include "model/fold/fold.h"

/* Kinds of rows; each column lists those that it supports. */
#define ROWS_FOLD 1u   /* of a fold, one per key */
#define ROWS_TREE 2u   /* of a fold, one per node: row.depth is set */
#define ROWS_CALLS 4u  /* row.of.call, row.key a function, row.track, row.calls */
#define ROWS_TRACKS 8u /* row.track */
#define ROWS_POINTS 16u /* row.of.point, row.track */
#define ROWS_FACTS 32u /* row.of.fact */
#define ROWS_SLICES 64u /* row.of.one, row.key, row.track: single calls (calllist.h) */
#define ROWS_TIMES 128u /* row.of.line: one of the times of a row of calls */
#define ROWS_LABELS 256u /* row.of.label, row.self */
#define ROWS_INSTRUCTIONS 512u /* row.of.instruction, row.key; of a fold by address */
#define ROWS_STATES 1024u /* row.of.sum: a state of a thread (actorsum.h) */
#define ROWS_EDGES 2048u  /* row.of.sum: edges between two threads */
#define ROWS_ANSWERS 4096u /* row.of.answer, row.depth: which of its numbers */
#define ROWS_THREADS 8192u /* row.of.thread, row.track: what a thread does (threadlist.h) */
#define ROWS_MARKS 16384u /* row.of.mark */
#define ROWS_STACKS (ROWS_FOLD | ROWS_TREE)

/* A mark of a session: a range from the first event, and a frame with its callers. */
struct table_mark {
	const char *words;
	const char *frame; /* "" for all of the profile */
	bool has_from, has_to;
	int64_t from, to;
};

/* A value of a counter at a time. */
struct point {
	int64_t time; /* from the group's first event */
	int64_t value;
	track_id track;
	bool floating;  /* the value is the bits of a double */
	int64_t place;  /* index in the file */
};

/* The context in which rows are displayed. Borrows everything. */
struct look {
	const struct profile *p;
	const struct projection *tree; /* resolves keys; NULL if rows have none */
	const struct fold *fold;       /* NULL: the rows are not part of a fold */
	const struct metric *metric;   /* of the values; NULL: they are counts */
	bool compares;                 /* rows have a base */
	bool programs; /* print names for programs, not for a screen */
	bool tenths;   /* displayed shares have one decimal, since lines are long */
	bool one_axis; /* all times are in the unit `axis` */
	enum unit axis;
	int64_t whole, shown, user; /* the wholes of percentages: everything; the self of the
				     * displayed rows; the self of those that are user code */
	const struct calltimes *calls; /* NULL: not computed */
};

/* Prepares a look on a fold: sets its whole; shown and user are 0. fold may be NULL. */
void look_init(struct look *l, const struct profile *p, const struct fold *f);
/* For a comparison: returns whether the change of the row's self or total exceeds chance. */
enum sure look_sure(const struct look *l, const struct row *r, bool total);
/* Returns true if the row is the user's own code. */
bool look_is_user(const struct look *l, const struct row *r);

enum column_unit {
	COLUMN_WORDS,  /* the number is only a sort key */
	COLUMN_PLAIN,  /* not an amount: a line, a depth */
	COLUMN_COUNT,
	COLUMN_VALUE,  /* in the unit of the metric */
	COLUMN_CHANGE, /* in the unit of the metric: the difference to the base */
	COLUMN_SHARE,  /* percent */
	COLUMN_TIME,   /* in the unit of the axis */
};

/* Which part of a text stays if it is wider than its column. */
enum column_cut {
	CUT_END,    /* its beginning */
	CUT_BEGIN,  /* its end: paths */
	CUT_MIDDLE, /* both ends: names of tracks begin with their purpose and end with their
		     * number */
	CUT_NAME,   /* the part of a function's name that identifies it */
};

/* The amount, or its change, that a column shows. */
enum column_part { PART_NONE, PART_SELF, PART_TOTAL };

enum value_kind { VALUE_NONE, VALUE_WHOLE, VALUE_REAL };
struct value {
	uint8_t kind;     /* enum value_kind */
	uint8_t decimals; /* of whole: 0 or 6; the unit is 10^-decimals */
	int64_t whole;
	double real;
};

struct table_column {
	const char *name;  /* in CSV, in settings, for --sort and --columns */
	const char *alias; /* another accepted name; may be NULL */
	const char *title; /* heading on a screen; NULL: never on a screen */
	unsigned rows;     /* ROWS_ that it supports */
	enum column_unit unit;
	enum column_part part;
	int width;     /* on a screen; 0: takes the remaining width */
	uint8_t drop;  /* the order of omission when width is short; 0: never omitted */
	bool left;     /* left-aligned, as words are */
	enum column_cut cut; /* the part that stays if the text is too wide */
	bool changes;  /* shows how something changed */
	bool compared; /* only for rows that have a base */
	bool bars;     /* needs error bars, which a comparison has (fold_find_bars()) */
	bool replays;  /* needs look.calls */
	bool replays_range; /* needs it if the fold does not cover the whole run */
	bool sparse;   /* text reports omit it if it is empty in every row */
	/* Returns true if there is anything to show. NULL: always. */
	bool (*there)(const struct look *l);
	struct value (*number)(const struct look *l, const struct row *r);
	/* Returns the number as it is displayed in a comparison, with its fraction: rows are
	 * sorted by that. NULL: by `number`. */
	double (*order)(const struct look *l, const struct row *r);
	void (*plain)(const struct look *l, const struct row *r, struct buf *out);
	void (*text)(const struct look *l, const struct row *r, struct buf *out);
};

/* Returns true if the column needs look.calls, for the whole run or for a range. */
static inline bool
column_replays(const struct table_column *c, bool whole)
{
	return c->replays || (!whole && c->replays_range);
}

extern const struct table_column table_columns[];
extern const unsigned n_table_columns;

/* Returns the column with that name for such rows, or NULL. */
const struct table_column *column_find(const char *name, size_t len, unsigned rows);
/* Returns the bit of a ROWS_FOLD column in a set of 64; these columns come first in the table. */
unsigned column_bit(const struct table_column *c);
/* Returns true if a table of this look can have the column. */
bool column_is_there(const struct table_column *c, const struct look *l);

/* Appends what programs read; the result says whether it is nothing, a number or words. */
enum cell_kind { CELL_EMPTY, CELL_NUMBER, CELL_WORDS };
enum cell_kind column_plain(const struct table_column *c, const struct look *l,
			    const struct row *r, struct buf *out);
/* Appends the displayed text; nothing if the cell is empty. */
void column_text(const struct table_column *c, const struct look *l, const struct row *r,
		 struct buf *out);
/* Returns < 0 if a precedes b in the order of this column: larger values and larger changes
 * first, words in ascending order, empty cells last; ties by self, then by name. The order is
 * total. For rows of a fold. */
int column_compare(const struct table_column *c, const struct look *l, const struct row *a,
		   const struct row *b);

/* Returns a rank by which large tables are sorted first: rows of smaller rank precede the others
 * in column_compare(). Equal ranks leave the decision to that function. */
int64_t column_rank(const struct table_column *c, const struct look *l, const struct row *r);

/* The same for single calls, in a look whose tree is that of their list. Returns 0 for ties;
 * call_compare() decides them. */
int column_compare_calls(const struct table_column *c, const struct look *l,
			 const struct call *a, const struct call *b);

/* ---- lists of columns ---- */

struct listed_column {
	const struct table_column *column;
	const char *heading; /* heading in a text report; not NUL-terminated */
	size_t heading_len;
	bool asked; /* explicitly requested: it stays even if it is empty in every row */
};

struct column_list {
	VEC(struct listed_column) all; /* borrows the names */
};

/* Appends the columns of a list such as "function,calls,delta_self=self change": names, each
 * with an optional `=` and its heading in text reports. Returns NULL if all were found, else the
 * name that such rows lack, of length *len. */
const char *column_list_read(struct column_list *list, const char *names, unsigned rows,
			     size_t *len);
void column_list_release(struct column_list *list);

#endif
