/* collect_inside.h - a collection, shared by the files of collect.h. */
#ifndef PNAV_SRC_COLLECT_COLLECT_INSIDE_H
#define PNAV_SRC_COLLECT_COLLECT_INSIDE_H

#include <errno.h>
#include <signal.h>

#include "src/collect/buildid.h"
#include "src/collect/cgroup.h"
#include "src/collect/child.h"
#include "src/collect/collect.h"
#include "src/collect/eventlist.h"
#include "src/collect/interp.h"
#include "src/collect/mapid.h"
#include "src/collect/owners.h"
#include "src/collect/sampler.h"
#include "src/collect/usage.h"
#include "src/collect/waits.h"

#define NS 1000000000u
#define COLLECT_TRIED 3u   /* samples of a new process before its maps are searched */
#define COLLECT_PIDS 4096u /* numbers of processes modulo this */

struct collect {
	struct collect_options options;
	struct eventlist events_list; /* the first one reports tasks and maps */
	struct collect_result result;
	struct child child;
	struct sampler_target target;
	struct cgroup *cgroup; /* the command's own; NULL: none */
	pid_t command;  /* of the child; 0: none */
	struct events *events;
	struct tracer *tracer;
	struct waits *waits; /* NULL: places of waits are not recorded */
	struct interp *interp; /* NULL: frames of interpreters are not read */
	struct buildids *ids;
	struct mapids *mapids;
	struct owners *owners; /* NULL: users and containers are not recorded */
	struct taskusage *usage; /* NULL: what tasks wait for, read and write is not recorded */
	/* With `system`: [pid % COLLECT_PIDS] samples of a process since it began, up to
	 * COLLECT_TRIED; processes that ran already have these. */
	uint8_t sampled[COLLECT_PIDS];
	uint64_t forks;      /* threads and processes that began */
	bool at_once;        /* each sample wakes the recorder, to read those frames */
	bool quiet;          /* samples of some event do not wake it */
	struct probed *probed; /* NULL: no event is a probe, or the whole system is sampled */
	sigset_t mask;       /* the previous mask */
	int signals;         /* the descriptor */
	bool ended, released;
	uint64_t idle_at;                  /* the next call of idle() */
	uint64_t begun_at;                 /* of sampling, or of the delay before it */
	bool delayed;                      /* it is not yet over */
	uint64_t interrupted_at, asked_at; /* by a signal; when its end was requested */
	bool left, reported, killed;
	int events_fault; /* errno of perf events, when the tracer runs */
};

/* True if a separate event, which counts nothing, reports tasks and maps. */
static inline bool
collect_tracks_apart(const struct collect *c)
{
	return c->options.delay_ns > 0 || c->options.system || c->cgroup || c->probed;
}

/* True if events are of CPUs, not of tasks.  The recorder then adds build ids, see mapid.c. */
static inline bool
collect_of_cpus(const struct collect *c)
{
	return c->options.system || c->options.cgroup || c->cgroup;
}

/* Returns the index of the first event that counts. */
static inline size_t
collect_first(const struct collect *c)
{
	return collect_tracks_apart(c); /* after the one that reports tasks */
}

/* Makes the list of events that the options ask for. */
void collect_make_events(struct collect *c);

/* Returns the setting that must change if perf events fail with this errno. */
static inline const char *
collect_allows(int fault)
{
	return fault == EMFILE || fault == ENFILE ? "ulimit -n"
						  : "/proc/sys/kernel/perf_event_paranoid";
}

/* Removes the command's control group: the target is the command again. */
void collect_leave_group(struct collect *c);

/* Opens one of the two samplers for the target.  Returns false with *e. */
bool collect_choose(struct collect *c, struct err *e);

/* Passes the contents of the rings to the sink; returns false with *e if it fails. */
bool collect_drain(struct collect *c, const struct collect_sink *sink, struct err *e);

/* Passes the state before the first record to the sink: the kernel, and running processes. Returns
 * false with *e if the sink failed, or a process is gone. */
bool collect_write_past(struct collect *c, const struct collect_sink *sink, struct err *e);

/* Passes switches of the threads that wait already when sampling begins, at `since` (record_now()),
 * to the sink.  Does nothing if the options exclude waits.  Returns false with *e if the sink
 * failed. */
bool collect_begin_waits(struct collect *c, uint64_t since, const struct collect_sink *sink,
			 struct err *e);

#endif
