/* heaptrack_inside.h - shared by the files of the decoder; no other file includes it.
 *
 * heaptrack.c         detection, the lines
 * heaptrack_events.c  the events */
#ifndef PNAV_SRC_DECODE_HEAPTRACK_HEAPTRACK_INSIDE_H
#define PNAV_SRC_DECODE_HEAPTRACK_HEAPTRACK_INSIDE_H

#include <stdbool.h>
#include <stdint.h>

#include "model/base/vec.h"
#include "model/build/builder.h"
#include "src/decode/common/idmap.h"
#include "src/input/lines.h"

#define NO_INFO UINT32_MAX

enum { ALLOC, ALLOCS, LIVE, LIVES, TEMPORARY, CARRIED };

/* All series have two columns: the change of live bytes, and flags. */
enum { COLUMN_LIVE, COLUMN_FLAGS, COLUMNS };
enum { FLAG_MADE = 1, FLAG_TEMPORARY = 2 };

/* An address: its frames, innermost first. */
struct heap_ip {
	uint32_t first, n;
};

struct heap_trace {
	stack_id stack;
	uint32_t depth;
};

/* Packed, since there is one for each size and trace. */
struct heap_info {
	int64_t size;
	int32_t now, at_peak; /* live allocations of that size */
	stack_id stack : 31;
	bool changed : 1; /* since the last maximum */
} __attribute__((packed, aligned(4)));

/* Later lines refer to these by number, from 1 on. */
struct heap_tables {
	VEC(name_id) string;
	VEC(struct heap_ip) ip;
	VEC(frame_id) frame;
	VEC(struct heap_trace) trace;
	VEC(struct heap_info) info; /* from 0 on */
	struct idmap info_of;       /* format 0: a pointer to its info */
};

/* Where the events go. */
struct heap_events {
	metric_id metric[CARRIED];
	track_id track;
	struct series *series;
	bool apart;         /* each metric has a column */
	int64_t n_freed;    /* not yet counted in the track */
	uint32_t last_made; /* the info of the previous `+` or `-`, if that was a `+` */
};

/* The highest total so far. */
struct heap_peak {
	metric_id metric;
	bool there;
	int64_t total, most, time_ns; /* total: now */
	VEC(uint32_t) changed;        /* infos, since the highest */
};

/* Records that are counted for `info` and warnings. */
struct heap_counts {
	uint64_t back, unknown, unmatched, strange, suppressions;
};

struct heaptrack {
	struct builder *b;
	struct err *e;
	struct lines lines;
	uint64_t offset;
	int64_t format, page_size, time_ns;
	struct heap_tables tables;
	struct heap_events events;
	struct heap_peak peak;
	struct series *rss;
	struct heap_counts counts;
};

static inline bool
heaptrack_bad_line(struct heaptrack *h, const char *what)
{
	return err_damage(h->e, h->offset, "%s", what);
}

/* Makes the series of the events. */
void heaptrack_begin_events(struct builder *b, struct heap_events *x);
/* Counts the frees since the last call. */
void heaptrack_count(struct builder *b, struct heap_events *x);
/* Call it at a new maximum: the current live bytes become the peak. */
void heaptrack_settle_peak(struct heap_peak *p, struct heap_tables *t, int64_t time_ns);
/* Appends an event to a series with a column for each metric. */
bool heaptrack_append_apart(struct heaptrack *h, stack_id stack, bool made,
			    const int64_t number[COLUMNS]);

/* Handles an allocation or a free of this info. */
bool heaptrack_happened(struct heaptrack *h, uint32_t info, bool made);
/* The same, inlined into the loop over nearly all events. */
static inline __attribute__((always_inline)) bool
heaptrack_happened_here(struct heaptrack *h, uint32_t info, bool made)
{
	struct heap_info *x = &h->tables.info.at[info];
	stack_id stack = x->stack; /* before `changed` is written, which would delay it */
	int64_t number[COLUMNS] = {
		[COLUMN_LIVE] = made ? x->size : -x->size,
		[COLUMN_FLAGS] = made                          ? FLAG_MADE
				 : h->events.last_made == info ? FLAG_TEMPORARY
							       : 0,
	};

	if (__builtin_add_overflow(h->peak.total, number[COLUMN_LIVE], &h->peak.total) ||
	    x->now == (made ? INT32_MAX : INT32_MIN))
		return heaptrack_bad_line(h, "the sum of the values exceeds 2^63");
	h->events.last_made = made ? info : NO_INFO;
	x->now += made ? 1 : -1;
	if (!x->changed) {
		x->changed = true;
		*vec_push(&h->peak.changed) = info;
	}
	if (h->peak.total > h->peak.most)
		heaptrack_settle_peak(&h->peak, &h->tables, h->time_ns);
	if (h->events.apart)
		return heaptrack_append_apart(h, stack, made, number);
	if (made)
		return builder_sample(h->b, h->events.series, h->time_ns, stack, number,
				      h->offset, h->e);
	h->events.n_freed++;
	return builder_sample_aside(h->b, h->events.series, h->time_ns, stack, number, h->offset,
				    h->e);
}

/* Clears all sums, because heaptrack was attached to a running program. */
void heaptrack_begin_anew(struct heaptrack *h);
/* Writes the peak as totals. */
bool heaptrack_write_peak(struct heaptrack *h);

#endif
