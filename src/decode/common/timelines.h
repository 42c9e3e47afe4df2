/* timelines.h - the tracks of a file that tells when things began and ended.
 *
 *	struct timelines t = {.in = in, .b = b};
 *	uint32_t lane = timelines_find(&t, tid);
 *	if (lane == TIMELINES_NONE) lane = timelines_add(&t, tid, "main 7", 6, TRACK_THREAD);
 *	timelines_begin(&t, lane, time_ns, frame);   ...   timelines_end(&t, lane, time_ns);
 *	timelines_slice(&t, lane, time_ns, length_ns, frame, labels);
 *	timelines_show(&t, metric);		-- while the input waits for more
 *	timelines_write(&t, metric, offset, e);
 *	timelines_release(&t);
 *
 * Slices are kept until all is read and written as steps then, nested by containment
 * (slices.h); while a file grows, what there is of them.  What was never ended lasts to the last
 * time of its track, and is no complete call. */
#ifndef PNAV_SRC_DECODE_COMMON_TIMELINES_H
#define PNAV_SRC_DECODE_COMMON_TIMELINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/base/err.h"
#include "model/base/vec.h"
#include "model/build/builder.h"
#include "src/decode/common/idmap.h"
#include "src/decode/common/slices.h"
#include "src/input/input.h"

#define TIMELINES_NONE IDMAP_NONE

struct timeline {
	track_id track;
	char *name;
	size_t name_len;
	enum track_kind kind;
	struct slices slices;
	VEC(size_t) open; /* indexes of slices, innermost last */
	int64_t last_ns;  /* the latest that was told of it */
	bool any, changed; /* changed: since it was shown */
	struct slices_kept shown;
};

struct timelines {
	struct input *in; /* borrowed, both */
	struct builder *b;
	bool labelled; /* slices have labels */
	VEC(struct timeline) lane;
	struct idmap of; /* the caller's key -> lane */
};

uint32_t timelines_find(const struct timelines *t, uint64_t key);
/* A new track. */
uint32_t timelines_add(struct timelines *t, uint64_t key, const char *name, size_t len,
		       enum track_kind kind);
void timelines_rename(struct timelines *t, uint32_t lane, const char *name, size_t len);
/* Something is known of the track at this moment. */
void timelines_seen(struct timelines *t, uint32_t lane, int64_t time_ns);
void timelines_begin(struct timelines *t, uint32_t lane, int64_t time_ns, frame_id frame);
/* Ends what began last; false where nothing is open. */
bool timelines_end(struct timelines *t, uint32_t lane, int64_t time_ns);
void timelines_slice(struct timelines *t, uint32_t lane, int64_t start_ns, int64_t length_ns,
		     frame_id frame, labels_id labels);
/* Has there been any slice? */
bool timelines_any(const struct timelines *t);
/* Writes what there is so far, of tracks that have changed since; what cannot be is left to
 * timelines_write(). */
void timelines_show(struct timelines *t, metric_id metric);
/* Writes all, as time of this metric, which has ROLE_TIME.  Once. */
bool timelines_write(struct timelines *t, metric_id metric, uint64_t offset, struct err *e);
void timelines_release(struct timelines *t);

#endif
