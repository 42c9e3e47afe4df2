/* sparks.h - when each function of a table ran: a curve over the run of a few columns beside it.
 *
 * Only visible rows have curves, made one after the other while no key is pressed, and kept until
 * the numbers change.  The height is relative to the function's own highest column. */
#ifndef PNAV_UI_PART_SPARKS_H
#define PNAV_UI_PART_SPARKS_H

#include "model/base/map.h"
#include "model/base/vec.h"
#include "model/picture/curve.h"
#include "model/picture/layout.h"
#include "ui/part/scene.h"
#include "ui/screen/canvas.h"

#define SPARK_COLS 24

struct spark {
	key_id key;
	uint8_t level[SPARK_COLS]; /* 0: nothing ran; else eighths */
};

struct sparks {
	VEC(struct spark) made;
	struct map map; /* key -> index */
	struct layout layout;
	struct curve curve; /* of `now`; done: none is in the making */
	key_id now;
	uint64_t folds, tree, generation, tracks; /* what the curves were made of */
	metric_id metric;
	bool timed; /* the metric has values over time */
};

void sparks_init(struct sparks *sp);
void sparks_release(struct sparks *sp);
/* True if this profile has such curves, and they are made soon enough. */
bool sparks_there(struct sparks *sp, const struct scene *s);
/* Makes those of these keys that are missing, for about a portion; while keys are pressed none.
 * Sets s->again or s->later if some are still missing. */
void sparks_make(struct sparks *sp, struct scene *s, const key_id *key, size_t n);
/* Draws the curve in w columns, SPARK_COLS or half of them; nothing if it is not made yet. */
void sparks_draw(const struct sparks *sp, key_id key, struct canvas *c, int y, int x, int w);

#endif
