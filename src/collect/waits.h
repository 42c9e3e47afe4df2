/* waits.h - the stacks of threads that wait, looked at from outside, where the kernel may not be.
 *
 *	struct waits *w = waits_new(&attr, id);
 *	waits_take(w, record);              -- each that the kernel gives
 *	waits_look(w, &records);            -- when waits_pause() is over
 *	waits_free(w); */
#ifndef PNAV_SRC_COLLECT_WAITS_H
#define PNAV_SRC_COLLECT_WAITS_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>

struct buf;
struct waits;

/* What became of all waits that have ended, and of those that still last. */
struct waits_told {
	uint64_t n, seen;       /* how many; whose stacks were seen */
	uint64_t ns, seen_ns;   /* how long they were */
	uint64_t refused;       /* looks that the system did not allow */
};

/* Samples are made as attr says (copies of stacks, or leaves alone), of the counter `id`; attr's
 * registers become those that are seen from outside. */
struct waits *waits_new(struct perf_event_attr *attr, uint64_t id);
/* Notes who leaves a CPU, and who comes back. */
void waits_take(struct waits *w, const struct perf_event_header *record);
/* Appends a sample of each thread that waits and was not looked at since it began, as far as the
 * limit of looks a second goes: those that wait longest first.  Nothing before its time. */
void waits_look(struct waits *w, struct buf *out);
/* Nanoseconds to the next look. */
uint64_t waits_pause(const struct waits *w);
struct waits_told waits_tell(const struct waits *w);
void waits_free(struct waits *w);

#endif
