/* heaptrack_inside.h - what the parts of the decoder share; nobody else includes it.
 *
 * heaptrack.c         telling the format, the lines
 * heaptrack_events.c  what they say that happened */
#ifndef PNAV_SRC_DECODE_HEAPTRACK_HEAPTRACK_INSIDE_H
#define PNAV_SRC_DECODE_HEAPTRACK_HEAPTRACK_INSIDE_H

#include <stdbool.h>
#include <stdint.h>

#include "model/build/builder.h"
#include "model/base/vec.h"
#include "src/decode/common/idmap.h"
#include "src/input/lines.h"

#define NO_INFO UINT32_MAX

enum { ALLOC, ALLOCS, LIVE, LIVES, TEMPORARY, CARRIED };

/* All of them are of two numbers: the bytes that become live, and flags. */
enum { COLUMN_LIVE, COLUMN_FLAGS, COLUMNS };
enum { FLAG_MADE = 1, FLAG_TEMPORARY = 2 };

/* An address: its frames, itself first. */
struct heap_ip {
	uint32_t first, n;
};

struct heap_trace {
	stack_id stack;
	uint32_t depth;
};

struct heap_info {
	int64_t size, now; /* how many are live, */
	int64_t at_peak;   /* and were then */
	stack_id stack;
	bool changed; /* since the last maximum */
};

/* Events that were read and not told yet. */
struct heap_events {
	struct event_run run; /* their times; the rest is filled in when they are told */
	uint32_t info[EVENT_RUN_MAX];
	uint8_t flags[EVENT_RUN_MAX];
	uint64_t offset[EVENT_RUN_MAX];
};

struct heaptrack {
	struct builder *b;
	struct err *e;
	struct input *in;
	struct lines lines;
	metric_id carried[CARRIED], peak;
	track_id track, rss_track;
	struct series *series, *rss;
	bool apart; /* each metric has a column */
	uint64_t offset;
	int64_t version, format, page_size, time_ns;
	bool has_time;
	VEC(name_id) string; /* [1..] */
	VEC(struct heap_ip) ip;
	VEC(frame_id) frame;
	VEC(struct heap_trace) trace;
	VEC(struct heap_info) info;
	struct heap_events events;
	VEC(uint32_t) changed;  /* infos */
	struct idmap info_of;   /* format 0: a pointer -> its info */
	int64_t total, most, peak_ns;
	bool has_peak;
	uint32_t last_made; /* the info of the record before, when that was a `+` */
	uint64_t back, unknown, unmatched, strange, suppressions;
};

static inline bool
heaptrack_bad_line(struct heaptrack *h, const char *what)
{
	return err_damage(h->e, h->offset, "%s", what);
}

/* The series of the events. */
void heaptrack_begin_events(struct heaptrack *h);
/* Tells the events that wait.  False with damage in *h->e, which replaces what is there: they
 * stand before it. */
bool heaptrack_settle(struct heaptrack *h);

/* One allocation of this info was made, or freed.  False with damage in *h->e. */
static inline bool
heaptrack_happened(struct heaptrack *h, uint32_t info, bool made)
{
	struct heap_events *v = &h->events;
	uint32_t i = v->run.n++;

	v->info[i] = info;
	v->flags[i] = made ? FLAG_MADE : h->last_made == info ? FLAG_TEMPORARY : 0;
	v->run.time[i] = h->time_ns;
	v->offset[i] = h->offset;
	h->last_made = made ? info : NO_INFO;
	return v->run.n < EVENT_RUN_MAX || heaptrack_settle(h);
}

/* All that is known begins anew: heaptrack was attached to what ran. */
bool heaptrack_begin_anew(struct heaptrack *h);
/* The peak, as totals. */
bool heaptrack_write_peak(struct heaptrack *h);

#endif
