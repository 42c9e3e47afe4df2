/* slices.h - the slices of one track: intervals with a name, collected in any order, then
 * written as steps, nested by containment.
 *
 *	slices_add(&s, start, length, name, value, 0);	-- as often as there are
 *	slices_show(&s, &out, &track, err);		-- those so far; as often as one likes
 *	slices_write(&s, &out, &track, err);		-- once; empties s
 *
 * A slice nests in the innermost one that is open where it begins and that ends no earlier
 * than it.  One that begins inside another and ends behind it goes to the first lane in which
 * it nests, a track of its own, `NAME (overlap N)`: no time is lost, none is counted twice.
 * Of slices that begin together the longer is the outer one, of those equal in that, too, the
 * one that was added first.  A slice of length 0 is a call with no time. */
#ifndef PNAV_SRC_DECODE_COMMON_SLICES_H
#define PNAV_SRC_DECODE_COMMON_SLICES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/base/err.h"
#include "model/base/wide.h"
#include "model/build/builder.h"
#include "src/decode/common/slicepack.h"
#include "src/input/input.h"

/* A zero-initialised list is empty. */
struct slices {
	struct slices_one {
		uint64_t start;  /* ticks */
		uint64_t packed; /* length, name and flags: see the .c file */
		uint64_t value;
	} * at;
	size_t n, cap;
	struct slice_wide {
		uint64_t length;
		uint32_t name;
	} * wide; /* for those that do not fit */
	size_t n_wide, wide_cap;
};

/* What the value of a slice is. */
enum slices_kind {
	SLICES_PLAIN,    /* nothing */
	SLICES_VALUED,   /* a number that is shown beside it: builder_steps_valued() */
	SLICES_LABELLED, /* its labels_id */
};

/* Where slices go: the same for all tracks of a file. */
struct slices_out {
	struct input *in;
	struct builder *b;
	uint64_t ticks;  /* a second; 0: ticks are what slices_tick() gives */
	uint64_t offset; /* for damage */
	int64_t spent;   /* ns of all slices that are not inside another */
	uint64_t done, all; /* slices: written so far, and there are; 0: nobody counts them */
	enum slices_kind kind;
	bool silent;      /* nothing is warned of */
	metric_id metric; /* of their time; those that are valued have the file's */
	/* the frame of a name; NULL: names are frames */
	frame_id (*frame)(void *context, uint32_t name);
	void *context;
};

/* The lanes of a track whose slices are written again and again, while its file grows.
 * Zero-initialised there are none. */
struct slices_kept {
	struct slices_lane {
		track_id track;
		struct series *series;
		uint64_t events; /* that were counted */
	} * at;
	size_t n, cap;
};

/* Where those of one track go; `name` and `kind` are for its overlap lanes. */
struct slices_track {
	track_id track;
	const char *name;
	size_t len;
	enum track_kind kind;
	struct slices_kept *kept; /* NULL: they are written once */
};

void slices_add(struct slices *s, uint64_t start, uint64_t length, uint32_t name,
		uint64_t value, unsigned flags);
/* Ends the i-th that was added, at `end` (when that is before its start, there), with flags
 * instead of those it had: for slices whose end comes later in the file. */
void slices_end(struct slices *s, size_t i, uint64_t end, unsigned flags);
/* Gives the i-th, whose value is its labels, the label `unfinished=yes`: its end is not in the
 * file. */
void slices_unfinished(struct slices *s, size_t i, struct builder *b);
void slices_release(struct slices *s);
bool slices_write(struct slices *s, struct slices_out *o, const struct slices_track *track,
		  struct err *err);
/* Writes those that a reader tells, to its end. */
bool slices_write_packed(struct slicepack_reader *r, struct slices_out *o,
			 const struct slices_track *track, struct err *err);
/* slices_write() of a copy: s stays as it is.  What was written to the lanes that track->kept names
 * is replaced. */
bool slices_show(const struct slices *s, struct slices_out *o, const struct slices_track *track,
		 struct err *err);
void slices_kept_release(struct slices_kept *kept);

/* ns, which may be negative, as ticks where slices_out.ticks is 0. */
static inline uint64_t
slices_tick(int64_t ns)
{
	return (uint64_t)ns ^ (uint64_t)1 << 63;
}

/* Ticks as ns: floor(ticks * 10^9 / ticks a second), for results below 2^63. */
static inline int64_t
slices_ns(uint64_t ticks, uint64_t per_second)
{
	if (!per_second)
		return (int64_t)(ticks ^ (uint64_t)1 << 63);
	uint64_t whole = ticks / per_second, rest = ticks % per_second;
	/* rest < per_second, so the product fits 64 bits for all but absurd clocks */
	if (per_second <= UINT64_MAX / 1000000000u)
		return (int64_t)(whole * 1000000000u + rest * 1000000000u / per_second);
	return (int64_t)(whole * 1000000000u +
			 wide_low(wide_div(wide_mul(wide_of_unsigned(rest), wide_of(1000000000)),
					   wide_of_unsigned(per_second))));
}

#endif
