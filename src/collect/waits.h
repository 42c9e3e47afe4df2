/* waits.h - records the stacks of waiting threads from outside, if the kernel takes no sample: all
 * of them if the kernel may not be sampled, else only threads that wait since before the recording.
 *
 *	struct waits *w = waits_new(&attr, id, kernel);
 *	waits_begin(w, pid, tid, since, &records);  -- each thread that exists at the start
 *	waits_take(w, record);              -- each record of the kernel
 *	waits_look(w, &records);            -- when waits_pause() is over
 *	waits_end(w, &records);             -- once, after sampling has ended
 *	waits_free(w); */
#ifndef PNAV_SRC_COLLECT_WAITS_H
#define PNAV_SRC_COLLECT_WAITS_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>

struct buf;
struct waits;

/* Counts of all waits that have ended, and of those that still last; zero if the kernel takes the
 * samples. */
struct waits_counts {
	uint64_t n, seen;     /* their number; the number with a stack */
	uint64_t ns, seen_ns; /* their durations */
	uint64_t refused;     /* looks that the system refused */
};

/* Samples have the form of attr (copies of stacks, or only leaves) and the counter `id`; attr's
 * registers are reduced to those visible from outside.  `kernel`: the kernel itself samples each
 * thread that leaves a CPU, so only waits of waits_begin() are examined. */
struct waits *waits_new(struct perf_event_attr *attr, uint64_t id, bool kernel);
/* Adds a thread that exists when sampling begins, at `since` (record_now()).  If it waits, appends
 * a switch record of that time, and it will be examined. */
void waits_begin(struct waits *w, uint32_t pid, uint32_t tid, uint64_t since, struct buf *out);
/* Does the same for all threads that waits_take() has seen begin and not end. */
void waits_begin_known(struct waits *w, uint64_t since, struct buf *out);
/* Notes threads that leave a CPU, and those that return. */
void waits_take(struct waits *w, const struct perf_event_header *record);
/* Appends a sample of each waiting thread that was not examined since its wait began, the longest
 * waits first, within the limit of looks a second.  Does nothing before its time. */
void waits_look(struct waits *w, struct buf *out);
/* Appends a sample of the threads that still wait and were never examined, and a switch record of
 * no thread, which marks the end of sampling. */
void waits_end(struct waits *w, struct buf *out);
/* Returns the nanoseconds to the next look. */
uint64_t waits_pause(const struct waits *w);
struct waits_counts waits_counted(const struct waits *w);
void waits_free(struct waits *w);

#endif
