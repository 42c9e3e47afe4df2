/* threadlist.h - the last state and stack of each thread: the rows of the report `threads`. */
#ifndef PNAV_MODEL_FOLD_THREADLIST_H
#define PNAV_MODEL_FOLD_THREADLIST_H

#include <stdbool.h>
#include <stdint.h>

#include "model/base/pace.h"
#include "model/base/vec.h"
#include "model/fold/fold.h"
#include "model/profile/profile.h"

struct threadlist_row {
	track_id track;
	stack_id stack;
	int64_t time; /* on the clock of the file */
	name_id state, waits_for; /* labels of the sample; NAME_EMPTY: it has none */
	bool runs;
	int64_t waited_ns; /* -1: unknown */
};

struct threadlist {
	VEC(struct threadlist_row) row;
};

/* Lists the last sample with the label `state` of each track that the fold includes, within its
 * range: those that run first, then the longest waits.  Returns false if there is none. */
bool threadlist_make(const struct profile *p, const struct fold *f, struct pace *pace,
		     struct threadlist *out);
void threadlist_release(struct threadlist *t);

#endif
