/* linecost.h - what the lines of one file cost, from a fold by line.
 *
 *	struct linecosts c = {0};
 *	linecosts_make(&c, fold, profile, file);      -- after each fold
 *	size_t i = linecosts_from(&c, 40);            -- the first at or behind line 40
 *
 * The fold must be BY_LINE and not turned over. */
#ifndef PNAV_MODEL_LINECOST_H
#define PNAV_MODEL_LINECOST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/fold/fold.h"
#include "model/base/vec.h"

struct linecost {
	uint32_t line;
	/* What is counted here are functions as wholes: their lines are not known, so this
	 * is the line of their definition. */
	bool whole;
	int64_t self;
	int64_t total; /* a stack counts once, however often the line is on it */
	key_id key;    /* of the frames on this line the one that costs the most */
	int64_t most;  /* private */
};

struct linecosts {
	VEC(struct linecost) all; /* by line; only lines that occur */
};

#define LINECOST_NONE SIZE_MAX

void linecosts_make(struct linecosts *c, const struct fold *f, const struct profile *p,
		    name_id file);
/* The same with rests; empty when the pace gave up. */
void linecosts_paced(struct linecosts *c, const struct fold *f, const struct profile *p,
		     name_id file, struct pace *pace);
void linecosts_release(struct linecosts *c);
/* Index of the first at or behind a line; all.n when there is none. */
size_t linecosts_from(const struct linecosts *c, uint32_t line);
/* Index of this very line, or LINECOST_NONE. */
size_t linecosts_at(const struct linecosts *c, uint32_t line);

#endif
