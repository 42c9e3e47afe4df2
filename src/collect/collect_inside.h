/* collect_inside.h - a collection, as the files of collect.h see it. */
#ifndef PNAV_SRC_COLLECT_COLLECT_INSIDE_H
#define PNAV_SRC_COLLECT_COLLECT_INSIDE_H

#include <errno.h>
#include <signal.h>

#include "src/collect/child.h"
#include "src/collect/collect.h"
#include "src/collect/eventlist.h"
#include "src/collect/sampler.h"
#include "src/collect/waits.h"

#define NS 1000000000u

struct collect {
	struct collect_options options;
	struct eventlist events_list; /* the first one tells of tasks and maps */
	struct collect_result result;
	struct child child;
	struct sampler_target target;
	pid_t command;  /* of the child; 0: none */
	struct events *events;
	struct tracer *tracer;
	struct waits *waits; /* NULL: the kernel tells, or nobody asks */
	sigset_t mask; /* as it was */
	int signals;   /* the descriptor */
	bool ended, released;
	uint64_t idle_at; /* the next time that the caller is asked */
	uint64_t begun_at; /* of sampling, or of the delay before it */
	bool delayed;      /* it is not yet over */
	uint64_t interrupted_at, asked_at; /* by a signal; when one asked for its end */
	bool left, told, killed;
	int events_fault; /* errno of perf events, when the tracer runs */
};

/* The first event that counts. */
static inline size_t
collect_first(const struct collect *c)
{
	return c->options.delay_ns > 0; /* behind the one that tells of tasks */
}

/* Appends the events that the options ask for. */
void collect_make_events(struct eventlist *l, const struct collect_options *o);

/* What has to allow it where perf events fail with this errno. */
static inline const char *
collect_allows(int fault)
{
	return fault == EMFILE || fault == ENFILE ? "ulimit -n"
						  : "/proc/sys/kernel/perf_event_paranoid";
}

/* Opens one of the two samplers for the target.  False with *e. */
bool collect_choose(struct collect *c, struct err *e);

/* Gives the sink records that stand one behind the other; false with *e when it fails. */
bool collect_give(const struct buf *records, const struct collect_sink *sink, struct err *e);

/* Gives the sink what was there before the first record: the kernel, and what runs
 * already.  False with *e: the sink failed, or a process has gone. */
bool collect_tell_past(struct collect *c, const struct collect_sink *sink, struct err *e);

#endif
