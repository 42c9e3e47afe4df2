/* callers.h - shared by the files of the view of callers; no other file includes it.
 *
 * callers.c         the view's functions
 * callers_rows.c    the rows of the outline: links between callers and callees, numbers
 * callers_flames.c  both sides as flames */
#ifndef PNAV_UI_VIEW_CALLERS_CALLERS_H
#define PNAV_UI_VIEW_CALLERS_CALLERS_H

#include "model/fold/around.h"
#include "ui/part/branches.h"
#include "ui/part/show.h"
#include "ui/view/view.h"

/* A box of the flames; id AROUND_NONE: `left_out` boxes that are too narrow. */
struct callers_box {
	around_id id;
	int x, w; /* columns */
	uint32_t left_out;
};

/* The callers, or the callees. */
struct callers_side {
	VEC(struct callers_box) boxes;
	VEC(size_t) rows; /* index of the first box of each row, and one more element */
	bool whole;       /* there are no further rows */
};

enum callers_form { CALLERS_BY_SIZE, CALLERS_FLAME, CALLERS_OUTLINE };

struct callers {
	struct around around;
	struct branches rows;    /* rows of `around`; the function is AROUND_CALLEES */
	struct fold *upright;    /* a fold that is not inverted, made if the scene's is */
	struct work *work;       /* makes `upright` and `around` */
	struct scene *scene;     /* the source of the scene */
	uint64_t turned, making; /* the scene's folds of `upright`, and of the work */
	bool turns;              /* the work is running */
	bool made, occurs;       /* its result: it is complete; the function occurs */
	bool found;              /* the function occurs */
	struct row own;          /* its numbers */
	bool sure_only;          /* hide rows that may be chance, */
	uint64_t unsure;         /* and their number beside the function */
	bool recalled;           /* the path to the cursor was restored */
	key_id center;
	enum granularity by;
	uint64_t folds, moves;
	key_id seen;          /* nav's key after our last move or look */
	enum callers_form form;
	bool flames; /* what is shown, else the outline */
	struct callers_side side[2]; /* the flames: callers, callees */
	int w, h;                    /* of the flames or the outline */
	int middle;                  /* line of the function */
	struct row described; /* the function under the cursor, with all its costs */
};

/* The links of both trees; `of` is a struct callers. */
extern const struct branch_ops callers_links;
/* Returns the numbers of a node as a row of tables. The function in the middle has its whole self,
 * as in all tables; if it calls itself, part of that is its callee's, too. */
struct row callers_row_of(const struct callers *v, const struct around_node *n);
/* Computes v->described: the whole cost of the function under the cursor, as in the table of
 * functions. */
void callers_describe_cursor(struct callers *v);
/* Counts the omitted callers and callees of the function itself; deeper ones may not exist yet. */
void callers_count_unsure(struct callers *v);

/* Sets v->flames: as the user chose, else if there is room. */
void callers_choose_form(struct callers *v);
/* Drops the boxes, after a change of the function, the fold or the width. */
void callers_forget_flames(struct callers *v);
/* Makes the boxes for v->w columns and v->h rows; a cursor without a box moves towards the
 * function. */
void callers_arrange_flames(struct callers *v);
/* Moves the cursor; false for other actions. */
bool callers_step_flames(struct callers *v, enum action action);
/* Gets the node of the box at this line and column; false if there is none. */
bool callers_flame_at(const struct callers *v, int y, int x, around_id *out);
void callers_draw_flames(const struct callers *v, const struct scene *s, struct canvas *c,
			 struct area a);

#endif
