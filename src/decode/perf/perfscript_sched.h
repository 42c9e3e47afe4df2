/* perfscript_sched.h - the scheduler's events in the text of perf script (sched.h). */
#ifndef PNAV_SRC_DECODE_PERF_PERFSCRIPT_SCHED_H
#define PNAV_SRC_DECODE_PERF_PERFSCRIPT_SCHED_H

#include "src/decode/common/sched_text.h"

#include "src/decode/perf/perfscript_line.h"

/* Initialise with zeros, `track`, and the members of `of` that sched.h names. */
struct perfscript_sched {
	struct sched of;
	bool has_others;  /* events that are not the scheduler's */
	bool has_default; /* one of them has the default metric */
	/* Returns the track of that name, or TRACK_NONE. */
	track_id (*track)(void *context, name_id name);
	void *context;
};

/* Returns the number of a process or thread; 0 if the kernel never gives such a number. */
int64_t perfscript_tid(struct text_slice digits);
/* Returns true for events of the scheduler: their metrics are not the default. */
bool perfscript_is_sched(const struct perf_sample *s);
/* Handles the scheduler's data of a sample. *task is that of samples with the same comm and tid. */
void perfscript_sched(struct perfscript_sched *x, const struct perf_sample *s,
		      struct sched_known *task, int64_t time_ns);
/* Call it at the end: writes states and wake-ups, and releases x.  Without other events the
 * time of processors becomes the default metric. */
void perfscript_sched_end(struct perfscript_sched *x, int64_t end_ns);

#endif
