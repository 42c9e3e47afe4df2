/* callreplay.h - replays a track's steps as calls. Used through callwalk.h.
 *
 *	struct replay r = {.p = p, .place = zeroes for each function};
 *	replay_begin(&r, series, from, to, whole);
 *	while (!replay_some(&r, 100000))
 *		;                               -- in portions, or with UINT64_MAX at once
 *	replay_end(&r);
 *	... r.known ...
 *	replay_release(&r);
 */
#ifndef PNAV_MODEL_CALLS_CALLREPLAY_H
#define PNAV_MODEL_CALLS_CALLREPLAY_H

#include <stdbool.h>
#include <stdint.h>

#include "model/base/vec.h"
#include "model/base/wide.h"
#include "model/profile/callrows.h"
#include "model/profile/profile.h"

struct slice;

struct replay_numbers {
	wide total;
	int64_t min, max;
	uint64_t n;
};

/* An open call. */
struct replay_call {
	stack_id stack; /* as last recorded */
	stack_id plain; /* the stack without frames of labels, which identifies the call */
	function_id function;
	bool entered; /* its entry was recorded, and lies in the range */
	bool here;    /* its entry was recorded, perhaps before the range */
	int64_t entry, net, clock;
};

/* The state of one function on the track. */
struct replay_known {
	function_id function;
	uint32_t depth; /* number of its open calls */
	bool has_entry, has_exit;
	int64_t last_entry, last_exit, clock;
	int64_t calls;
	wide net, gross;
	struct replay_numbers of[CALL_TIMES];
};

struct replay {
	const struct profile *p;
	/* callback, or NULL: called with each value of a call when it ends; the value began at
	 * `from` */
	void (*heard)(void *ctx, const struct replay_known *k, enum call_time time, int64_t v,
		      int64_t from);
	/* Callbacks, or NULL. opened: open.at[open.n - 1] is new. closed: `o` has ended, at
	 * `now`. ran: the topmost call ran for `lasted`. valued, labelled: the value and the
	 * labels of a running step. */
	void (*opened)(void *ctx);
	void (*closed)(void *ctx, const struct replay_call *o, bool returned);
	void (*ran)(void *ctx, int64_t lasted);
	void (*valued)(void *ctx, int64_t value);
	void (*labelled)(void *ctx, labels_id set);
	void *ctx;
	const struct series *series; /* the series being read, from event `at` on */
	uint64_t at;
	int64_t from, to;
	bool whole;
	VEC(struct replay_call) open;
	VEC(struct replay_known) known;
	VEC(stack_id) path;
	uint32_t *place; /* [function] index in `known` + 1 */
	bool running;
	/* The track has overlap lanes, or is one: a call goes on while nothing runs, and one
	 * without an entry is on another lane. */
	bool lanes;
	bool before;   /* the events up to `at` precede the range: nothing counts yet */
	bool left_out; /* the running stack is not shown (profile.h), so its calls do not count */
	int64_t now;
	int64_t clock; /* time in which something ran */
};

/* Prepares to read a series: from the event that runs when the range begins. With lanes, only the
 * events before that one tell which of its calls were entered on this lane, so all are read. */
void replay_begin(struct replay *r, const struct series *s, int64_t from, int64_t to,
		  bool whole);
/* Reads at most n events; returns true at the end of the series or of the range. */
bool replay_some(struct replay *r, uint64_t n);
/* Ends the calls that are still open. */
void replay_end(struct replay *r);
void replay_release(struct replay *r);

/* Returns true if the call was not entered on this lane of a track with several: it is on another
 * one, and only the path of what runs here. */
bool replay_elsewhere(const struct replay *r, const struct replay_call *o);
/* Returns the time between two moments, which may be more than 2^63 apart. */
int64_t replay_between(int64_t from, int64_t to);
/* The range of a slice in the times of a track. */
void replay_range(const struct profile *p, const struct slice *s, track_id t, int64_t *from,
		  int64_t *to);

#endif
