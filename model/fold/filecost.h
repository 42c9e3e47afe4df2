/* filecost.h - what the files of a profile cost, and the folders that they are in.
 *
 *	struct filecosts c = {0};
 *	filecosts_paced(&c, fold, profile, NULL, NULL);   -- after each fold
 *	c.all.at[0]                                   -- all of them; the rest hangs below it
 *
 * A folder with nothing but a folder in it is one with that: `src/decode/`.  The fold must
 * be BY_LINE or BY_FUNCTION, and not turned over. */
#ifndef PNAV_MODEL_FILECOST_H
#define PNAV_MODEL_FILECOST_H

#include <stdbool.h>
#include <stdint.h>

#include "model/fold/fold.h"
#include "model/lens/match.h"
#include "model/base/vec.h"

#define FILECOST_NONE UINT32_MAX

/* A file or a folder. */
struct filecost {
	/* Links; FILECOST_NONE.  What costs the most comes first. */
	uint32_t parent, first, last, next, prev;
	/* Its name is path[from..to) of this file, which is it, or is in it; NAME_EMPTY: the
	 * functions whose file is not known. */
	name_id path;
	uint32_t from, to;
	bool folder;
	int64_t self;
	int64_t total; /* a stack counts once, however often it is in there */
	key_id key;    /* of what is in it, what costs the most itself */
	int64_t most;  /* private: that much */
};

struct filecosts {
	VEC(struct filecost) all; /* parents before what is in them */
	/* private */
	uint32_t *of_key; /* [key] the file; FILECOST_NONE: does not occur */
	uint32_t n_keys;
};

/* `only`: files whose path does not match are not linked, nor folders without any other; the
 * numbers are those of all files.  NULL: all are.  Nothing may be asked when the pace gave up. */
void filecosts_paced(struct filecosts *c, const struct fold *f, const struct profile *p,
		     struct pattern *only, struct pace *pace);
void filecosts_release(struct filecosts *c);
/* The file that a key of the fold belongs to; FILECOST_NONE where the key does not occur. */
uint32_t filecosts_of_key(const struct filecosts *c, key_id key);

#endif
