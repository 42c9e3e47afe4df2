/* slices.h - collects the slices of one track, intervals with a name in any order, and writes them
 * as steps, nested by containment.
 *
 *	slices_add(&s, start, length, name, value, 0);	-- any number
 *	slices_show(&s, &out, &track, err);		-- a preview; any number of times
 *	slices_write(&s, &out, &track, err);		-- once; empties s
 *
 * A slice nests in the innermost one that is open at its beginning and does not end before it. A
 * slice that begins inside another and ends after it goes to the first lane in which it nests, a
 * track of its own, `NAME (overlap N)`: no time is lost, none is counted twice. Of slices that
 * begin together the longer is the outer one; if they also end together, the one that was added
 * first. A slice of length 0 is a call without time; see `parents_first`. Some tracks have another
 * rule (slices_overlap). */
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

/* Zero-initialised, it is empty. */
struct slices {
	bool parents_first; /* slices are added so: one of length 0 is no call of a later one that
			     * begins with it, because it had ended before */
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

/* The meaning of a slice's value. */
enum slices_kind {
	SLICES_PLAIN,    /* none */
	SLICES_VALUED,   /* a number shown beside the slice: builder_steps_valued() */
	SLICES_LABELLED, /* its labels_id */
};

/* The destination of slices: the same for all tracks of a file. */
struct slices_out {
	struct input *in;
	struct builder *b;
	uint64_t ticks;  /* per second; 0: ticks are results of slices_tick() */
	uint64_t offset; /* for damage */
	int64_t spent;   /* ns of all outermost slices */
	uint64_t done, all; /* slices written, and all; 0: not counted */
	enum slices_kind kind;
	bool silent;      /* no warnings */
	metric_id metric; /* of their time; valued slices use that of the file */
	/* returns the frame of a name; NULL: names are frames */
	frame_id (*frame)(void *context, uint32_t name);
	void *context;
};

/* A slice that begins inside another one and ends after it: */
enum slices_overlap {
	OVERLAP_LANE,   /* it goes to the first lane in which it nests */
	OVERLAP_NAMES,  /* the same, and a slice that has an owner is not below one of its name */
	OVERLAP_BESIDE, /* no slice nests: each goes to the first lane whose last one has ended */
	OVERLAP_CUT,    /* it ends the other one */
	OVERLAP_OWN,    /* as OVERLAP_LANE, and slices of different owners do not nest either */
};

/* The value of a slice on a track with OVERLAP_OWN or OVERLAP_NAMES: its owner, and its labels. */
static inline uint64_t
slices_owned(uint32_t owner, labels_id labels)
{
	return (uint64_t)owner << 32 | labels;
}

/* The lanes of a track whose preview is written repeatedly while its file grows. Zero-initialise
 * it. */
struct slices_kept {
	struct slices_lane {
		track_id track;
		struct series *series;
		uint64_t events; /* counted so far */
	} * at;
	size_t n, cap;
};

/* The destination of one track; `name` and `kind` are for its overlap lanes. */
struct slices_track {
	track_id track;
	const char *name;
	size_t len;
	enum track_kind kind;
	uint8_t overlap;          /* enum slices_overlap */
	struct slices_kept *kept; /* NULL: written only once */
};

void slices_add(struct slices *s, uint64_t start, uint64_t length, uint32_t name,
		uint64_t value, unsigned flags);
/* Ends the i-th slice at `end`, or at its start if that is later, and replaces its flags: for
 * slices whose end comes later in the file. */
void slices_end(struct slices *s, size_t i, uint64_t end, unsigned flags);
/* Adds the label `unfinished=yes` to the i-th slice, whose value is its labels: the file lacks its
 * end. Warns of it. */
void slices_unfinished(struct slices *s, size_t i, struct builder *b);
/* Returns labels with that one, and warns, too. */
labels_id slices_unfinished_labels(labels_id labels, struct builder *b);
void slices_release(struct slices *s);
bool slices_write(struct slices *s, struct slices_out *o, const struct slices_track *track,
		  struct err *err);
/* Writes all slices that a reader returns. */
bool slices_write_packed(struct slicepack_reader *r, struct slices_out *o,
			 const struct slices_track *track, struct err *err);
/* Write the slices of a track whose begins and ends are in the order of time, n slices, without
 * collecting them: each end ends the innermost one. Of edges at one time, ends of slices that began
 * earlier come first, and slices of length 0 end immediately. */
struct slicer;
struct slicer *slices_inorder(struct slices_out *o, const struct slices_track *track,
				     uint64_t n);
bool slices_inorder_begin(struct slicer *w, uint64_t start, uint32_t name, uint64_t value,
			  struct err *err);
/* `cut`: the slice did not end by itself. */
bool slices_inorder_end(struct slicer *w, uint64_t end, bool cut, struct err *err);
/* Frees the writer; the slices must have ended unless there was an error. */
void slices_inorder_free(struct slicer *w);
/* Writes a preview and leaves s unchanged. Replaces the previous contents of the lanes in
 * track->kept. */
bool slices_show(const struct slices *s, struct slices_out *o, const struct slices_track *track,
		 struct err *err);
void slices_kept_release(struct slices_kept *kept);

/* Converts ns, which may be negative, to ticks for slices_out.ticks 0. */
static inline uint64_t
slices_tick(int64_t ns)
{
	return (uint64_t)ns ^ (uint64_t)1 << 63;
}

/* Converts ticks to ns: floor(ticks * 10^9 / ticks per second), for results below 2^63. */
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
