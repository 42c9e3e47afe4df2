/* rows.h - the rows of any table.
 *
 * A row is a key, numbers, and its object if that is not part of a fold (columns.h). A profile may
 * have a million functions and ten million nodes. So the rows of a fold are the keys or the nodes
 * alone: the numbers of keys are columns, those of nodes are read from the fold. Other tables store
 * whole rows. */
#ifndef PNAV_MODEL_FOLD_ROWS_H
#define PNAV_MODEL_FOLD_ROWS_H

#include <stdbool.h>
#include <stdint.h>

#include "model/fold/project.h"
#include "model/fold/sides.h"

struct call;
struct callstats_row;
struct point;
struct fact;
struct label_row;
struct instruction;
struct answers_item;
struct table_mark;

struct row {
	key_id key;
	uint32_t depth; /* of a node of the tree: 0 is a root frame */
	node_id node;   /* the node of the numbers; NODE_ROOT: those of all nodes of the key */
	track_id track; /* of rows of calls, tracks, points */
	int64_t self, total;
	int64_t calls, lines; /* -1 if not counted */
	int64_t base_self, base_total;
	struct sides exact_self, exact_total; /* of rows of a fold: before they are rounded */
	union {
		const struct callstats_row *call;
		const struct callstats_line *line;
		const struct call *one; /* one call of many */
		const struct point *point;
		const struct fact *fact;
		const struct label_row *label;
		const struct instruction *instruction;
		const struct actorsum_row *sum;
		const struct threadlist_row *thread;
		const struct answers_item *answer;
		const struct table_mark *mark;
	} of;
};

/* The numbers of all keys of a fold, as recorded. NULL: not counted, or nothing to compare with. */
struct key_numbers {
	int64_t *self, *total, *calls, *lines, *base_self, *base_total; /* [key] */
	double by, base_by; /* the factors of the displayed numbers */
};

/* The numbers of all nodes of a fold. */
struct node_numbers {
	const struct projection *tree;
	const struct fold_numbers *now, *base; /* base: NULL if there is nothing to compare with */
};

struct row_node {
	node_id node;
	uint32_t depth;
};

/* A zero-initialised structure has no rows. */
struct rows {
	uint32_t n, cap;
	struct row *at; /* of rows_add(); NULL if the rows are those of a fold: */
	key_id *key;    /* keys, may be sorted, */
	struct key_numbers of;
	struct row_node *node; /* or nodes, of rows_add_node() */
	struct node_numbers in; /* set by the caller; the fold lives as long as the rows */
};

void rows_release(struct rows *r);
/* Appends a row of zeros and returns it. Not for rows of a fold. */
struct row *rows_add(struct rows *r);

/* Appends a node of r->in. Not beside other rows. */
void rows_add_node(struct rows *r, node_id node, uint32_t depth);
/* Returns the numbers of one node. In an inverted tree, self and calls are on the first row,
 * the leaf function that they belong to; callers below it have only a total. */
struct row row_of_node(const struct node_numbers *in, node_id node);

/* Scales a row that has recorded numbers by those factors, and rounds it. */
void row_scale(struct row *r, double by, double base_by);
/* Return the displayed self of a key, and the displayed change of its self or total, for sorting
 * rows of a fold. */
int64_t key_self(const struct key_numbers *of, key_id key);
double key_change(const struct key_numbers *of, key_id key, bool total);

/* Returns row i. */
struct row rows_get(const struct rows *r, uint32_t i);
/* Overwrites a row by another one, to drop rows: rows_move(r, n++, i). */
static inline void
rows_move(struct rows *r, uint32_t to, uint32_t from)
{
	if (r->at)
		r->at[to] = r->at[from];
	else if (r->node)
		r->node[to] = r->node[from];
	else
		r->key[to] = r->key[from];
}

#endif
