/* track_ids.h - numbers processes and threads for formats that distinguish them.
 *
 * In pnav a track has one name, `PROCESS PID / NAME TID` at most. These formats have a number and a
 * name for each thread and each process. The encoder splits the name, so that other programs
 * display what they would have recorded. Members of our own preserve what reading back could not
 * reconstruct: the whole name, the kind, start and end. Other programs ignore them. */
#ifndef PNAV_SRC_ENCODE_TRACK_IDS_H
#define PNAV_SRC_ENCODE_TRACK_IDS_H

#include <stdint.h>

#include "src/encode/shown.h"

struct track_ids {
	const struct shown *s;
	int64_t *pid; /* [group], then [process]: all different */
	int64_t *tid; /* [track] */
	uint8_t *has_run; /* [track] 1: the begin and end of its file's run are written with it */
	int64_t shift; /* added to the times that track_members() writes; 0 */
};

void track_ids_make(struct track_ids *x, const struct shown *s);
void track_ids_release(struct track_ids *x);

int64_t track_pid(const struct track_ids *x, track_id t);
/* Returns the process of a counter; that of the first thread if the counter has none, for formats
 * that show counters only beside threads. */
int64_t track_pid_of_counter(const struct track_ids *x, track_id t);
/* Appends the name of a track without its process and its number; the name of its process, or file,
 * without the number. In the form for programs. */
void track_own_name(const struct track_ids *x, track_id t, struct buf *out);
void track_process_name(const struct track_ids *x, track_id t, struct buf *out);

/* Writes members, each with a comma before it: `pnav_track`, `pnav_kind`; `pnav_process` if the
 * track belongs to one; `pnav_unit` of a counter; `pnav_start` and `pnav_end` in ns if the track
 * has times and is shown completely; `pnav_run_start` and `pnav_run_end` on one track of a file
 * whose run is longer than its tracks. */
void track_members(const struct track_ids *x, track_id t, FILE *out);

#endif
