/* linecost.h - the cost of each line of one file, from a fold by line.
 *
 *	struct linecosts c = {0};
 *	linecosts_make(&c, fold, profile, file, pace); -- after each fold
 *	size_t i = linecosts_from(&c, 40);             -- the first at or after line 40
 *
 * The fold must be BY_LINE and not inverted. */
#ifndef PNAV_MODEL_FOLD_LINECOST_H
#define PNAV_MODEL_FOLD_LINECOST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/base/vec.h"
#include "model/fold/fold.h"

struct linecost {
	uint32_t line;
	/* The costs are those of whole functions whose lines are unknown; `line` is their
	 * definition. */
	bool whole;
	int64_t self;
	int64_t total; /* a stack counts once, even if the line is on it several times */
	key_id key;    /* the frame on this line that costs the most */
	int64_t most;  /* private: the cost of `key` */
};

struct linecosts {
	VEC(struct linecost) all; /* sorted by line; only lines that occur */
};

#define LINECOST_NONE SIZE_MAX

/* Empty if the pace cancels. */
void linecosts_make(struct linecosts *c, const struct fold *f, const struct profile *p,
		    name_id file, struct pace *pace);
void linecosts_release(struct linecosts *c);
/* Returns the index of the first entry at or after a line; all.n if there is none. */
size_t linecosts_from(const struct linecosts *c, uint32_t line);
/* Returns the index of exactly this line, or LINECOST_NONE. */
size_t linecosts_at(const struct linecosts *c, uint32_t line);

#endif
