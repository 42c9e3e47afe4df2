/* functions.h - the rows of the table of functions, shared by its two files. */
#ifndef PNAV_UI_VIEW_FUNCTIONS_H
#define PNAV_UI_VIEW_FUNCTIONS_H

#include "ui/part/grid.h"
#include "ui/view/view.h"

/* The result of a work: a new order, and new rows if `refills`. */
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
	uint64_t search, made; /* search.updates and functions.made of the count */
	uint64_t all, before;
	uint32_t to; /* `before` counts matches at positions below this */
};

struct functions_state {
	struct rows rows;
	struct order sorted; /* [position] index of the row; sorted lazily for the screen */
	struct grid_order sorted_by;
	int64_t shown, user; /* sum of self of all rows, and of rows of user code */
	uint32_t unsure; /* omitted rows, which may be chance */
	struct made next;
	struct work *work; /* makes `next` */
	struct scene *scene; /* of the work */
	struct grid_order order; /* the requested order */
	uint64_t made; /* number of changes of the rows and their order so far */
	struct functions_counted counted;
	bool unsorted;
	bool makes; /* the work makes new rows, not only an order */
	enum granularity by; /* of the keys of the rows */
	uint64_t of; /* serial of the names of their profile */
	bool compares;
	uint64_t folds, moves;
	struct scroll scroll;
	key_id here; /* key of the cursor's row, in the last picture */
	struct pattern *only; /* the row filter; NULL: all rows */
	struct buf title;     /* of the column of names, with the filter */
	int w;
	struct calltimes *times; /* durations of calls, if a column needs them */
	bool timed;              /* `times` is complete */
};

/* Returns the context in which columns compute the cells of a row. */
struct look functions_look(const struct functions_state *v, const struct scene *s);

/* Returns the initial sort column. */
unsigned functions_first_column(bool compares);

struct functions_columns {
	const struct scene *s;
	const struct look *look;
};
/* Returns true if the table shows column c of table_columns; `of` is a struct
 * functions_columns. */
bool functions_has_column(const void *of, unsigned c);

/* The context of a comparison of two rows. */
struct functions_sorting {
	struct look look;
	struct grid_sorting of;
	struct order_by by;
};

/* Fills the context for the rows that are shown. */
void functions_sorting(struct functions_sorting *is, const struct functions_state *v,
		       const struct scene *s);

/* Begins a work that makes another order or, with `anew`, new rows. */
void functions_begin_rows(struct functions_state *v, struct scene *s, bool anew);
/* Replaces the displayed rows by those of the work. */
void functions_take_rows(struct functions_state *v);

#endif
