/* calllist.h - single calls, longest first.
 *
 * A call belongs to the frame that it entered, and is filtered with it: the list has the call if
 * its stack is shown, under the name that the lens gives it. Its duration is from entry to exit,
 * whatever is hidden in between. Its self is what the fold gives to its frame meanwhile. If the
 * range cuts a call, or its entry or exit was not recorded, the list has the known part, with a
 * flag.
 *
 *	struct calllist *l = calllist_new(profile, &asks);
 *	while (!calllist_run(l, 100000))
 *		;
 *	const struct call *c = calllist_sorted(l, &n);
 */
#ifndef PNAV_MODEL_CALLS_CALLLIST_H
#define PNAV_MODEL_CALLS_CALLLIST_H

#include <stdbool.h>
#include <stdint.h>

#include "model/fold/fold.h"
#include "model/fold/project.h"
#include "model/lens/lens.h"
#include "model/lens/match.h"
#include "model/profile/profile.h"

#define CALL_CUT_BEGIN 0x80000000u /* it began earlier */
#define CALL_CUT_END 0x40000000u   /* it continues, or its end was not recorded */
#define CALL_VALUED 0x20000000u    /* its steps have a value */
#define CALL_STACK 0x1FFFFFFFu

struct call {
	int64_t start; /* from the first event of its file */
	int64_t duration, self;
	int64_t value;
	labels_id labels;
	uint32_t stack; /* the stack that it entered, with CALL_ flags */
	track_id track;
};

/* Returns < 0 if a precedes b: the longer call first, then the earlier, then by track; a caller
 * before its callees. Calls that compare equal are identical. */
int call_compare(const struct call *a, const struct call *b);

/* Which calls to list, and in which order. */
struct calllist_asks {
	const struct lens *lens;   /* filters and granularity */
	const struct slice *range; /* range and tracks */
	struct pattern *function;  /* only functions that match; NULL: all */
	key_id key;                /* only this key; KEY_NONE: all */
	int64_t over;              /* only calls longer than this; < 0: all */
	bool finished;             /* only calls whose end the file has, by their labels */
	uint32_t keep;             /* how many to keep, the first in order; all are counted */
	/* compares before call_compare(), which decides ties; NULL: only that */
	int (*order)(const void *ctx, const struct call *a, const struct call *b);
	const void *ctx;
};

struct calllist;
/* Copies *asks, but not ctx. O(stacks). */
struct calllist *calllist_new(const struct profile *p, const struct calllist_asks *asks);
void calllist_free(struct calllist *l);
/* Reads about `events` events; returns true when all were read. */
bool calllist_run(struct calllist *l, uint64_t events);
void calllist_progress(const struct calllist *l, uint64_t *read, uint64_t *all);
/* Returns the number of calls found so far, kept or not. */
uint64_t calllist_found(const struct calllist *l);
/* Returns the number of calls omitted because they are unfinished. */
uint64_t calllist_unfinished(const struct calllist *l);
/* Returns the kept calls in order, *n of them; valid until calllist_run() or calllist_free(). */
const struct call *calllist_sorted(struct calllist *l, uint32_t *n);
/* Returns the projection that resolves the keys of its calls; never inverted. */
const struct projection *calllist_tree(const struct calllist *l);

/* Returns the call as a row of a table (columns.h). */
struct row call_row(const struct projection *t, const struct call *c);
/* Returns the displayed caller; KEY_NONE if there is none. */
key_id call_caller(const struct projection *t, const struct call *c);

#endif
