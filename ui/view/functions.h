/* functions.h - the rows of the table of functions; for its two files. */
#ifndef PNAV_UI_VIEW_FUNCTIONS_H
#define PNAV_UI_VIEW_FUNCTIONS_H

#include "ui/part/grid.h"
#include "ui/view/view.h"

/* What is made: an order, and perhaps of other rows. */
struct made {
	bool refills;
	bool done;
	struct rows rows;
	struct order sorted;
	int64_t shown, user;
	uint32_t unsure;
};

/* Matches of a search among the rows. */
struct functions_counted {
	uint64_t search, made; /* of which search, and which rows in which order */
	uint64_t all, before;
	uint32_t to; /* `before` are those of the places below this */
};

struct functions {
	struct rows rows;
	struct order sorted; /* [place] which of the rows; those on the screen are known */
	struct grid_order sorted_by;
	int64_t shown, user; /* self of all rows, and of those that are user code */
	uint32_t unsure; /* rows that are left out, as they may be chance */
	struct made next;
	struct work *work; /* makes that */
	struct scene *scene; /* of which */
	struct grid_order order; /* that is asked for */
	uint64_t made; /* counts the rows, and their orders */
	struct functions_counted counted;
	bool unsorted;
	bool makes; /* other rows than those that are shown are wanted */
	enum granularity by; /* what the keys of the rows are */
	uint64_t of; /* the serial of the names of their profile */
	bool compares;
	uint64_t folds, moves;
	struct scroll scroll;
	key_id here; /* of the row of the cursor, at the last picture */
	struct pattern *only; /* the rows that match; NULL: all */
	struct buf title;     /* of the names, which says so */
	int w;
	struct calltimes *times; /* how long calls took, where a column asks for it */
	bool timed;              /* all of them were read */
};

/* What rows are seen in. */
struct look functions_look(const struct functions *v, const struct scene *s);

/* The column that a table is sorted by at the start. */
unsigned functions_first_column(bool compares);

struct functions_columns {
	const struct scene *s;
	const struct look *look;
};
/* Has the table this column of table_columns?  `of` is a struct functions_columns. */
bool functions_has_column(const void *of, unsigned c);

/* What the order of the rows is made of; `is` begins it. */
struct functions_sorting {
	struct look look;
	struct grid_sorting of;
	struct order_by by;
};

/* Of the rows that are shown. */
void functions_sorting(struct functions_sorting *is, const struct functions *v,
		       const struct scene *s);

/* Begins with another order, or `anew` with other rows. */
void functions_begin_rows(struct functions *v, struct scene *s, bool anew);
/* What was made is shown from now on. */
void functions_take_rows(struct functions *v);

#endif
