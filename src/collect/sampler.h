/* sampler.h - the two ways to see where a process is: perf events and ptrace.
 *
 * Both are given a process that waits at the gate of child.h, or one that runs, and give
 * records (collect.h) whenever they are asked. */
#ifndef PNAV_SRC_COLLECT_SAMPLER_H
#define PNAV_SRC_COLLECT_SAMPLER_H

#include <stdbool.h>
#include <stdint.h>
#include <stddef.h>
#include <sys/types.h>

struct collect_result;
struct collect_sink;
struct err;
struct eventlist;
struct perf_event_attr;

/* Who is sampled. */
struct sampler_target {
	const pid_t *pid; /* processes; NULL: all of the system */
	size_t n;
	bool threads;     /* these are threads, each by itself */
	bool runs;        /* already: it does not begin with an exec */
	bool waits;       /* events_start() begins, not the exec */
	int cgroup;       /* of the system this alone: an open folder; or -1 */
	const char *cpus; /* on these alone: "0,2-3"; NULL: all */
};

struct events;
/* Opens the counters of all events on every CPU, and adds their ids to the list.  Adapts
 * the attrs to what the system allows: without the kernel, without build ids; for an event
 * without a name the CPU's clock in place of its cycles.  NULL with errno; then *failed is
 * the event that could not be. */
struct events *events_new(struct eventlist *list, struct sampler_target target,
			  size_t *failed);
/* From here on, where the target runs already or waits. */
void events_start(struct events *v);
/* Whether a list of CPUs can be read, and names one. */
bool events_cpus_good(const char *cpus);
/* Gives what the kernel has written meanwhile, and the end of a round. */
bool events_drain(struct events *v, const struct collect_sink *sink,
		  struct collect_result *r, struct err *e);
/* Descriptors to poll for being half full. */
size_t events_fds(const struct events *v, const int **fds);
/* No more samples. */
void events_stop(struct events *v);
void events_free(struct events *v);

struct tracer;
/* Attaches; NULL with errno. */
struct tracer *tracer_new(const struct perf_event_attr *attr,
			  struct sampler_target target);
/* Handles what has stopped or ended.  *ended when the target has; then *status is its. */
bool tracer_handle(struct tracer *t, const struct collect_sink *sink,
		   struct collect_result *r, bool *ended, struct err *e);
/* When a tick is due, stops the threads that are running.  Nanoseconds to the next one. */
uint64_t tracer_tick(struct tracer *t);
/* Lets all that still runs go on by itself. */
void tracer_free(struct tracer *t);

#endif
