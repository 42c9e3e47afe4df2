/* callers.h - shared by the files of the view of callers; no other file includes it.
 *
 * callers.c         the view's functions
 * callers_rows.c    the rows: links between callers and callees, numbers */
#ifndef PNAV_UI_VIEW_CALLERS_CALLERS_H
#define PNAV_UI_VIEW_CALLERS_CALLERS_H

#include "model/fold/around.h"
#include "ui/part/branches.h"
#include "ui/part/show.h"
#include "ui/view/view.h"

struct callers {
	struct around around;
	struct branches rows;    /* rows of `around`; the function is AROUND_CALLEES */
	struct fold *upright;    /* a fold that is not inverted, made if the scene's is */
	struct work *work;       /* the work that makes it */
	struct scene *scene;     /* the source of the scene */
	uint64_t turned, making; /* the scene's folds that it was, and is being, made for */
	bool turns;              /* the work is running */
	bool found;              /* the function occurs */
	bool sure_only;          /* hide rows that may be chance, */
	uint64_t unsure;         /* and their number beside the function */
	bool recalled;           /* the path to the cursor was restored */
	key_id center;
	enum granularity by;
	uint64_t folds, moves;
	key_id seen;          /* nav's key after our last move or look */
	struct row described; /* the function under the cursor, with all its costs */
};

/* The links of both trees; `of` is a struct callers. */
extern const struct branch_ops callers_links;
/* Returns the numbers of a node as a row of tables. */
struct row callers_row_of(const struct around_node *n);
/* Computes v->described: the whole cost of the function under the cursor, as in the table of
 * functions. */
void callers_describe_cursor(struct callers *v);
/* Counts the omitted callers and callees of the function itself; deeper ones may not exist yet. */
void callers_count_unsure(struct callers *v);

#endif
