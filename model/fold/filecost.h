/* filecost.h - the cost of the files of a profile, and of their folders.
 *
 *	struct filecosts c = {0};
 *	filecosts_paced(&c, fold, profile, NULL, NULL);   -- after each fold
 *	c.all.at[0]                                   -- the root of the tree
 *
 * A folder whose only content is a folder is joined with it: `src/decode/`. The fold must be
 * BY_LINE or BY_FUNCTION, and not inverted. */
#ifndef PNAV_MODEL_FOLD_FILECOST_H
#define PNAV_MODEL_FOLD_FILECOST_H

#include <stdbool.h>
#include <stdint.h>

#include "model/base/vec.h"
#include "model/fold/fold.h"
#include "model/lens/match.h"

#define FILECOST_NONE UINT32_MAX

/* A file or a folder. */
struct filecost {
	/* Links, or FILECOST_NONE. Siblings are sorted by falling cost. */
	uint32_t parent, first, last, next, prev;
	/* Its name is path[from..to) of this file, which it is or contains; NAME_EMPTY: the
	 * functions whose file is unknown. */
	name_id path;
	uint32_t from, to;
	bool folder;
	int64_t self;
	int64_t total; /* a stack counts once, even if it passes through it several times */
	key_id key;    /* the key in it with the most self */
	int64_t most;  /* private: the self of `key` */
};

struct filecosts {
	VEC(struct filecost) all; /* parents before their children */
	/* private */
	uint32_t *of_key; /* [key] its file; FILECOST_NONE: the key does not occur */
	uint32_t n_keys;
};

/* Computes the tree. `only`: files whose path does not match are not linked, nor are folders
 * without any other; the numbers still cover all files. NULL: all files. If the pace cancels, do
 * not read c. */
void filecosts_paced(struct filecosts *c, const struct fold *f, const struct profile *p,
		     struct pattern *only, struct pace *pace);
void filecosts_release(struct filecosts *c);
/* Returns the file of a key of the fold; FILECOST_NONE if the key does not occur. */
uint32_t filecosts_of_key(const struct filecosts *c, key_id key);

#endif
