/* latency.h - calls that last longer than a limit, by samples of probes at the begin and the return
 * of functions.
 *
 *	struct latency *l = latency_new(limit_ns);
 *	latency_add(l, &begins, &returns);      -- for each function, its two events
 *	latency_take(l, record);                -- each record, in the order of arrival
 *	if (latency_took(l)) ...                -- since the last question
 *	latency_free(l);
 *
 * A call counts once: when it returns, or while it still runs. */
#ifndef PNAV_SRC_COLLECT_LATENCY_H
#define PNAV_SRC_COLLECT_LATENCY_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>

struct collect_event;
struct latency;

struct latency *latency_new(uint64_t limit_ns);
void latency_free(struct latency *l);
/* Adds a function by its events; their numbers of counters may still grow. Borrowed. */
void latency_add(struct latency *l, const struct collect_event *begins,
		 const struct collect_event *returns);
/* Notes samples of these events, ends of threads, and rounds, at which calls are measured. Other
 * records are ignored. */
void latency_take(struct latency *l, const struct perf_event_header *record);
/* Returns true if a call has lasted longer than the limit since the last such question. */
bool latency_took(struct latency *l);

#endif
