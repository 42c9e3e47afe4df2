/* track_ids.h - processes and threads as formats number them that know both.
 *
 * Here a track has one name, `PROCESS PID / NAME TID` at the longest; there it is a number, a
 * name, and those of a process.  What others show is then what they would have recorded.  What
 * reading back would put together otherwise stands in members of our own, which others pass
 * over: the whole name, the kind, where it starts and ends. */
#ifndef PNAV_SRC_ENCODE_TRACK_IDS_H
#define PNAV_SRC_ENCODE_TRACK_IDS_H

#include <stdint.h>

#include "src/encode/shown.h"

struct track_ids {
	const struct shown *s;
	int64_t *pid; /* [group], then [process]: no two alike */
	int64_t *tid; /* [track] */
	int64_t shift; /* what is added to the times that track_members() writes; 0 */
};

void track_ids_make(struct track_ids *x, const struct shown *s);
void track_ids_release(struct track_ids *x);

int64_t track_pid(const struct track_ids *x, track_id t);
/* That of the first thread where the counter has no process: for formats that show counters
 * beside threads alone. */
int64_t track_pid_of_counter(const struct track_ids *x, track_id t);
/* The name of the track without that of its process, and without its number; that of the
 * process, or file, without its number.  Appended as programs read names. */
void track_own_name(const struct track_ids *x, track_id t, struct buf *out);
void track_process_name(const struct track_ids *x, track_id t, struct buf *out);

/* Members, each with a comma before it: `pnav_track`, `pnav_kind`; `pnav_process` where the
 * track stands under one; `pnav_unit` of what it counts; `pnav_start` and `pnav_end` in ns
 * where it has time and is shown whole. */
void track_members(const struct track_ids *x, track_id t, FILE *out);

#endif
