/* calllist.h - calls, one by one: which ones took longest.
 *
 * A call is of the frame that it entered, and is filtered with it: it is there when its
 * stack is shown, under the name that the lens gives to it.  It lasts from entry to exit,
 * whatever was hidden in between; its self is what the fold gives to its frame meanwhile.
 * A call that the range cuts, or whose entry or exit was not recorded, is there with the
 * part that is known, and says so.
 *
 *	struct calllist *l = calllist_new(profile, &asks);
 *	while (!calllist_run(l, 100000))
 *		;
 *	const struct call *c = calllist_sorted(l, &n);
 */
#ifndef PNAV_MODEL_CALLLIST_H
#define PNAV_MODEL_CALLLIST_H

#include <stdbool.h>
#include <stdint.h>

#include "model/fold/fold.h"
#include "model/lens/lens.h"
#include "model/lens/match.h"
#include "model/profile/profile.h"
#include "model/fold/project.h"

#define CALL_CUT_BEGIN 0x80000000u /* it began earlier */
#define CALL_CUT_END 0x40000000u   /* it goes on, or nobody saw its end */
#define CALL_VALUED 0x20000000u    /* its steps carry a value */
#define CALL_STACK 0x1FFFFFFFu

struct call {
	int64_t start; /* from the first event of its file */
	int64_t duration, self;
	int64_t value;
	labels_id labels;
	uint32_t stack; /* that it entered, with CALL_ flags */
	track_id track;
};

/* < 0 when a stands before b: the longer one, the earlier, then by track; the caller before
 * what it calls.  Equal ones are alike in everything. */
int call_compare(const struct call *a, const struct call *b);

/* Which calls, and which of them first. */
struct calllist_asks {
	const struct lens *lens;   /* filters and granularity */
	const struct slice *range; /* range and tracks */
	struct pattern *function;  /* only of functions that match; NULL: of all */
	key_id key;                /* only of this one; KEY_NONE: of all */
	int64_t over;              /* only those that last longer; < 0: all */
	uint32_t keep;             /* the first so many are kept, all are counted */
	/* before call_compare(); NULL: that alone decides */
	int (*order)(const void *ctx, const struct call *a, const struct call *b);
	const void *ctx;
};

struct calllist;
/* Copies what it is asked, but for ctx.  Costs the stacks. */
struct calllist *calllist_new(const struct profile *p, const struct calllist_asks *asks);
void calllist_free(struct calllist *l);
/* Reads about so many events; true when all were read. */
bool calllist_run(struct calllist *l, uint64_t events);
void calllist_progress(const struct calllist *l, uint64_t *read, uint64_t *all);
/* How many there are so far, kept or not. */
uint64_t calllist_found(const struct calllist *l);
/* Those that are kept, in order; they stay where they are until run() or free(). */
const struct call *calllist_sorted(struct calllist *l, uint32_t *n);
/* What keys of its calls are keys of; never inverted. */
const struct projection *calllist_tree(const struct calllist *l);

/* The row of a table (columns.h). */
struct row call_row(const struct projection *t, const struct call *c);
/* Who called it, as it is shown; KEY_NONE: nobody. */
key_id call_caller(const struct projection *t, const struct call *c);

#endif
