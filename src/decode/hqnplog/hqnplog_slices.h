/* hqnplog_slices.h - the slices of one thread: collected in any order, then written as
 * steps, nested by containment.
 *
 *	hqn_slices_add(&s, start, length, name, designator, 0);	-- as often as there are
 *	hqn_slices_write(&s, &out, thread_name, err);	-- once; empties s */
#ifndef PNAV_SRC_DECODE_HQNPLOG_HQNPLOG_SLICES_H
#define PNAV_SRC_DECODE_HQNPLOG_HQNPLOG_SLICES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/builder.h"
#include "model/err.h"
#include "src/input/input.h"

#define HQN_PAIR 1u /* made from two records, an entry and an exit */
#define HQN_OPEN 2u /* never ended: `length` reaches to the thread's last time */

/* Zero-initialised is empty. */
struct hqn_slices {
	struct hqn_slice {
		uint64_t start;  /* ticks */
		uint64_t packed; /* length, name and flags: see the .c file */
		uint64_t designator;
	} * at;
	size_t n, cap;
	struct hqn_wide {
		uint64_t length;
		uint32_t name;
	} * wide; /* for those that do not fit */
	size_t n_wide, wide_cap;
};

/* An interval that an entry and an exit made. */
struct hqn_pair {
	uint64_t start, length, designator;
	uint64_t place;  /* of its entry, in the file */
	uint32_t slices; /* of the same thread that stand before that */
	uint32_t name;
	unsigned flags;
};

/* Where slices go: the same for all threads of a log. */
struct hqn_out {
	struct input *in;
	struct builder *b;
	uint64_t ticks;  /* a second */
	uint64_t offset; /* for damage: of the table of entries */
	int64_t spent;   /* ns of all slices that are not inside another */
	/* the frame of a trace id */
	frame_id (*frame)(void *context, uint32_t name);
	void *context;
};

void hqn_slices_add(struct hqn_slices *s, uint64_t start, uint64_t length, uint32_t name,
		    uint64_t designator, unsigned flags);
void hqn_slices_release(struct hqn_slices *s);
/* Writes slices, which were added in the order of the file, and pairs, which it puts into
 * that order, as what they are: intervals of one kind.  On the track `main`, and on tracks
 * `thread 0x... (overlap N)` what does not nest there. */
bool hqn_slices_write(struct hqn_slices *s, struct hqn_pair *pair, size_t n_pairs,
		      struct hqn_out *o, track_id main, uint64_t thread, struct err *err);
/* Ticks as ns: floor(ticks * 10^9 / ticks a second), for results below 2^63. */
int64_t hqn_ns(uint64_t ticks, uint64_t per_second);

#endif
