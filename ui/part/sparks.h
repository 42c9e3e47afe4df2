/* sparks.h - when each row of a table ran: a curve over the run of a few columns beside it.
 *
 * Only visible rows have curves, made one after the other while no key is pressed, and kept until
 * the numbers change.  The height is relative to the row's own highest column. */
#ifndef PNAV_UI_PART_SPARKS_H
#define PNAV_UI_PART_SPARKS_H

#include "model/base/map.h"
#include "model/base/vec.h"
#include "model/picture/curve.h"
#include "model/picture/layout.h"
#include "ui/part/scene.h"
#include "ui/screen/canvas.h"

#define SPARK_COLS 24

/* A function, or a node of the tree. */
typedef uint64_t spark_id;

static inline spark_id
spark_of_key(key_id key)
{
	return key;
}
static inline spark_id
spark_of_node(node_id node)
{
	return UINT64_C(1) << 32 | node;
}

struct spark {
	spark_id id;
	uint8_t level[SPARK_COLS]; /* 0: nothing ran; else eighths */
};

struct sparks {
	VEC(struct spark) made;
	struct map map; /* id -> index */
	struct layout layout;
	struct curve curve; /* of `now`; done: none is in the making */
	spark_id now;
	uint64_t folds, tree, generation, tracks; /* the state from which the curves were made */
	metric_id metric;
	uint8_t *chosen; /* [track] 1: its events count; n_chosen of them */
	uint32_t n_chosen;
	bool timed; /* the metric has values over time */
};

void sparks_init(struct sparks *sp);
void sparks_release(struct sparks *sp);
/* Returns the columns of the curves in a table of w columns; 0: there are none, since it is too
 * narrow, or since this profile has none that are made soon enough. */
int sparks_cols(const struct scene *s, int w);
/* Makes those of these rows that are missing, for about a portion; while keys are pressed none.
 * Sets s->again or s->later if some are still missing. */
void sparks_make(struct sparks *sp, struct scene *s, const spark_id *id, size_t n);
/* Draws the curve in w columns, SPARK_COLS or half of them; nothing if it is not made yet. */
void sparks_draw(const struct sparks *sp, spark_id id, struct canvas *c, int y, int x, int w);

#endif
