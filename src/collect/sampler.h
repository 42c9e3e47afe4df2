/* sampler.h - the two samplers: perf events and ptrace.
 *
 * Both get a process that waits at the gate of child.h, or a running one, and return records
 * (collect.h) on request. */
#ifndef PNAV_SRC_COLLECT_SAMPLER_H
#define PNAV_SRC_COLLECT_SAMPLER_H

#include <stdbool.h>
#include <stdint.h>
#include <stddef.h>
#include <sys/types.h>

struct collect_result;
struct collect_sink;
struct err;
struct interp;
struct eventlist;
struct perf_event_attr;

/* The target of sampling. */
struct sampler_target {
	const pid_t *pid; /* processes; NULL: the whole system */
	size_t n;
	bool threads;     /* these are threads, sampled separately */
	bool runs;        /* already running: it does not begin with an exec */
	bool waits;       /* events_start() begins, not the exec */
	int cgroup;       /* only this part of the system: an open folder; or -1 */
	const char *cpus; /* only on these: "0,2-3"; NULL: all */
	struct interp *interp; /* adds frames of interpreters to the tracer's samples; or NULL */
};

struct events;
/* Opens the counters of all events on every CPU, and adds their ids to the list.  Adapts the attrs
 * to the system's limits: without the kernel, without build ids; an event without a name may become
 * the CPU's clock instead of its cycles.  Returns NULL with errno; *failed is then the event that
 * failed. */
struct events *events_new(struct eventlist *list, struct sampler_target target,
			  size_t *failed);
/* Starts only the first event, if the target runs already or waits. */
void events_start_tracking(struct events *v);
/* Starts all events, if the target runs already or waits. */
void events_start(struct events *v);
/* True if a list of CPUs is valid and names one. */
bool events_cpus_good(const char *cpus);
/* Returns the records written meanwhile, and the end of a round. */
bool events_drain(struct events *v, const struct collect_sink *sink,
		  struct collect_result *r, struct err *e);
/* Returns the descriptors to poll for half-full rings. */
size_t events_fds(const struct events *v, const int **fds);
/* Stops sampling. */
void events_stop(struct events *v);
void events_free(struct events *v);

struct tracer;
/* The maximum number of addresses in its chains of frame pointers */
#define TRACER_CHAIN_MAX 1000u
/* Attaches; returns NULL with errno. */
struct tracer *tracer_new(const struct perf_event_attr *attr,
			  struct sampler_target target);
/* Handles stopped or ended threads.  Sets *ended once the target has ended, and *status to its
 * status. */
bool tracer_handle(struct tracer *t, const struct collect_sink *sink,
		   struct collect_result *r, bool *ended, struct err *e);
/* Waits for a tick, in which it stops the running threads, for a stopped thread, or for another
 * signal of that descriptor, but no longer than that. */
void tracer_wait(struct tracer *t, int signals, uint64_t most_ns);
/* Detaches from everything that still runs. */
void tracer_free(struct tracer *t);

#endif
