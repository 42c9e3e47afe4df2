/* columns.h - the columns of every table: reports, the browser's, by one row each.
 *
 * A *row* is a key and numbers (fold.h); rows that are no part of a fold point to what they
 * are of.  A *look* is what rows are seen in.  A column gives of a row
 *
 *	number()  what it is ordered by, and, but for words, what programs read
 *	plain()   words that programs read, where there is no number
 *	text()    what people read; without one, plain() or the number by its unit
 *
 * so a new column is a row of the table in columns.c.  Names are those of CSV and JSON: a
 * contract.  A table of one kind of rows is a list of such names, as column_list_read()
 * takes it. */
#ifndef PNAV_MODEL_COLUMNS_H
#define PNAV_MODEL_COLUMNS_H

#include <stdbool.h>
#include <stdint.h>

#include "model/base/buf.h"
#include "model/calls/callstats.h"
#include "model/fold/fold.h"
#include "model/base/vec.h"

/* Kinds of rows; a column says of which it can tell something. */
#define ROWS_FOLD 1u   /* of a fold, one a key */
#define ROWS_TREE 2u   /* of a fold, one a node: row.depth is set */
#define ROWS_CALLS 4u  /* row.of.call, row.key a function, row.track, row.calls */
#define ROWS_TRACKS 8u /* row.track */
#define ROWS_POINTS 16u /* row.of.point, row.track */
#define ROWS_FACTS 32u /* row.of.fact */
#define ROWS_SLICES 64u /* row.of.one, row.key, row.track: calls, one by one (calllist.h) */
#define ROWS_TIMES 128u /* row.of.line: one of the times of a row of calls */
#define ROWS_LABELS 256u /* row.of.label, row.self */
#define ROWS_INSTRUCTIONS 512u /* row.of.instruction, row.key of a fold by address */
#define ROWS_STACKS (ROWS_FOLD | ROWS_TREE)

/* A value of a counter at a time. */
struct point {
	int64_t time; /* from the group's first event */
	int64_t value;
	track_id track;
	bool floating;  /* the value is the bits of a double */
	int64_t place;  /* in the file */
};

/* What rows are seen in.  Borrows everything. */
struct look {
	const struct profile *p;
	const struct projection *tree; /* what keys are; NULL where rows have none */
	const struct fold *fold;       /* NULL: the rows are not of one */
	const struct metric *metric;   /* of values; NULL: they are counts */
	bool compares;                 /* rows have a base */
	bool programs; /* names as programs want them, not as a screen shows them */
	bool tenths;   /* shares have one decimal, for people: lines are long */
	bool one_axis; /* all times are in the unit `axis` */
	enum unit axis;
	int64_t whole, shown, user; /* what percentages are of: everything; self of the
				     * rows that are shown; of those that are user code */
	const struct calltimes *calls; /* NULL: not worked out */
};

/* Of a fold: its whole, no rows yet (shown and user are 0).  Of none: fold is NULL. */
void look_init(struct look *l, const struct profile *p, const struct fold *f);
/* Of a comparison: is the change of its self, or of its total, more than chance? */
enum sure look_sure(const struct look *l, const struct row *r, bool total);
/* Is the row the user's own code? */
bool look_is_user(const struct look *l, const struct row *r);

enum column_unit {
	COLUMN_WORDS,  /* a number is but what they are ordered by */
	COLUMN_PLAIN,  /* no amount: a line, a depth */
	COLUMN_COUNT,
	COLUMN_VALUE,  /* of the metric */
	COLUMN_CHANGE, /* of the metric, less that of the base */
	COLUMN_SHARE,  /* per cent */
	COLUMN_TIME,   /* of the axis */
};

/* What stays of a text that is wider than its column. */
enum column_cut {
	CUT_END,    /* its begin */
	CUT_BEGIN,  /* its end: paths */
	CUT_MIDDLE, /* both: tracks begin with what they do and end with their number */
	CUT_NAME,   /* the part of a function's name that identifies it */
};

/* Whose size, or change, a column tells. */
enum column_part { PART_NONE, PART_SELF, PART_TOTAL };

enum value_kind { VALUE_NONE, VALUE_WHOLE, VALUE_REAL };
struct value {
	uint8_t kind;     /* enum value_kind */
	uint8_t decimals; /* whole: in units of 10^-decimals, 0 or 6 */
	int64_t whole;
	double real;
};

struct table_column {
	const char *name;  /* in CSV, in settings, for --sort and --columns */
	const char *alias; /* another name that is understood; may be NULL */
	const char *title; /* above it on a screen; NULL where it is on none */
	unsigned rows;     /* ROWS_ of which it can tell something */
	enum column_unit unit;
	enum column_part part;
	int width;     /* on a screen; 0: takes what is left */
	uint8_t drop;  /* which goes first where there is no room; 0: never */
	bool left;     /* aligned, as words are */
	enum column_cut cut; /* what stays where it is too wide */
	bool changes;  /* it tells how something changed */
	bool compared; /* only of rows that have a base */
	bool bars;     /* it needs error bars, which a comparison has (fold_find_bars()) */
	bool replays;  /* it needs look.calls */
	bool replays_range; /* it does where the fold is not of the whole run */
	bool sparse;   /* text reports leave it out where no row has anything there */
	const char *about;
	/* Is there anything to show? NULL: always. */
	bool (*there)(const struct look *l);
	struct value (*number)(const struct look *l, const struct row *r);
	void (*plain)(const struct look *l, const struct row *r, struct buf *out);
	void (*text)(const struct look *l, const struct row *r, struct buf *out);
};

/* Does it need look.calls, of the whole run or of a range? */
static inline bool
column_replays(const struct table_column *c, bool whole)
{
	return c->replays || (!whole && c->replays_range);
}

extern const struct table_column table_columns[];
extern const unsigned n_table_columns;

/* The column of that name for such rows, or NULL. */
const struct table_column *column_find(const char *name, size_t len, unsigned rows);
/* Which bit stands for a column of ROWS_FOLD in a set of 64: those come first in the table. */
unsigned column_bit(const struct table_column *c);
/* Can a table of this look have it? */
bool column_is_there(const struct table_column *c, const struct look *l);

/* What programs read: nothing, a number, or words. */
enum cell_kind { CELL_EMPTY, CELL_NUMBER, CELL_WORDS };
enum cell_kind column_plain(const struct table_column *c, const struct look *l,
			    const struct row *r, struct buf *out);
/* What people read; nothing where there is nothing to say. */
void column_text(const struct table_column *c, const struct look *l, const struct row *r,
		 struct buf *out);
/* < 0 when a stands before b in the order of this column, always the same way: larger and
 * what changed more first, words from a on, empty ones last; ties by self, then by name.
 * Of rows of a fold. */
int column_compare(const struct table_column *c, const struct look *l, const struct row *a,
		   const struct row *b);

/* Much of that in one number, which tables of many rows are ordered by first: of rows of
 * which this is smaller, column_compare() says that they stand before the others. */
int64_t column_rank(const struct table_column *c, const struct look *l, const struct row *r);

/* The same of calls one by one, seen in a look whose tree is that of their list; ties are
 * left to call_compare(). */
int column_compare_calls(const struct table_column *c, const struct look *l,
			 const struct call *a, const struct call *b);

/* ---- lists of columns ---- */

struct listed_column {
	const struct table_column *column;
	const char *heading; /* in a text report; not terminated */
	size_t heading_len;
	bool asked; /* it stays where no row has anything there */
};

struct column_list {
	VEC(struct listed_column) all; /* the names are borrowed */
};

/* Appends the columns of "function,calls,delta_self=self change": a name, and after = how a
 * text report heads it instead.  NULL when all were found, else the name that no such rows
 * have, *len long. */
const char *column_list_read(struct column_list *list, const char *names, unsigned rows,
			     size_t *len);
void column_list_release(struct column_list *list);

#endif
