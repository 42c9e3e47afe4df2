/* callreplay.h - a track's steps, read again as calls.  For callstats.c and callwatch.c.
 *
 *	struct replay r = {.p = p, .place = zeroes for each function};
 *	replay_begin(&r, series, from, to, whole);
 *	while (!replay_some(&r, 100000))
 *		;                               -- in portions, or with UINT64_MAX at once
 *	replay_end(&r);
 *	... r.known ...
 *	replay_release(&r); */
#ifndef PNAV_MODEL_CALLREPLAY_H
#define PNAV_MODEL_CALLREPLAY_H

#include <stdbool.h>
#include <stdint.h>

#include "model/profile/callrows.h"
#include "model/profile/profile.h"
#include "model/base/vec.h"

struct slice;

typedef __int128 replay_wide;

struct replay_numbers {
	replay_wide total;
	int64_t min, max;
	uint64_t n;
};

/* A call that is open. */
struct replay_call {
	stack_id stack; /* as it was recorded last */
	stack_id plain; /* the same without frames of labels: what calls are told apart by */
	function_id function;
	bool entered; /* its entry was recorded */
	int64_t entry, net, clock;
};

/* What is known of one function on the track. */
struct replay_known {
	function_id function;
	uint32_t depth; /* how often it is open */
	bool has_entry, has_exit;
	int64_t last_entry, last_exit, clock;
	int64_t calls;
	replay_wide net, gross;
	struct replay_numbers of[CALL_TIMES];
};

struct replay {
	const struct profile *p;
	/* told each value of a call as it ends, begun at `from`; NULL: nobody wants it */
	void (*heard)(void *ctx, const struct replay_known *k, enum call_time time, int64_t v,
		      int64_t from);
	/* told when open.at[open.n - 1] is new; that it is no more, at `now`; that something
	 * ran for so long, on top; the value of a step that runs, its labels.  NULL as above */
	void (*opened)(void *ctx);
	void (*closed)(void *ctx, const struct replay_call *o, bool returned);
	void (*ran)(void *ctx, int64_t lasted);
	void (*valued)(void *ctx, int64_t value);
	void (*labelled)(void *ctx, labels_id set);
	void *ctx;
	const struct series *series; /* being read, from event `at` on */
	uint64_t at;
	int64_t from, to;
	bool whole;
	VEC(struct replay_call) open;
	VEC(struct replay_known) known;
	VEC(stack_id) path;
	uint32_t *place; /* [function] index in known + 1 */
	bool running;
	bool left_out; /* what runs is not shown (profile.h): its calls are none */
	int64_t now;
	int64_t clock; /* time in which something ran */
};

/* Gets ready to read a series: what runs when the range begins was called before it. */
void replay_begin(struct replay *r, const struct series *s, int64_t from, int64_t to,
		  bool whole);
/* Reads at most n events; true when the series, or the range, is at its end. */
bool replay_some(struct replay *r, uint64_t n);
/* Ends what is still open. */
void replay_end(struct replay *r);
void replay_release(struct replay *r);

/* The time between two moments, which may be farther apart than 2^63. */
int64_t replay_between(int64_t from, int64_t to);
/* A sum as it is shown: cut at 2^63-1. */
int64_t replay_shown(replay_wide v);
/* The range of a slice in the times of a track. */
void replay_range(const struct profile *p, const struct slice *s, track_id t, int64_t *from,
		  int64_t *to);

#endif
