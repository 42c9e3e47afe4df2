/* collect.h - runs a command and samples where its time goes.
 *
 *	struct collect *c = collect_new(&options, &e);    -- the command waits
 *	collect_events(c)                                 -- what the records look like
 *	collect_run(c, &sink, &e)                         -- lets it go, to its end
 *	collect_result(c)->status                         -- as waitpid() gives it
 *	collect_free(c);
 *
 * What is seen comes as records of the kernel's own form (linux/perf_event.h), whichever
 * sampler ran: perf events, or ptrace where the system forbids those.  Records of one CPU
 * are in order; PERF_RECORD_FINISHED_ROUND says up to where the others are complete.
 *
 * While a collector lives, SIGINT, SIGTERM, SIGHUP and SIGCHLD are blocked and seen by
 * collect_run().  The first of the former three is the command's (it is handed on unless
 * a terminal sent it), which may take the time that it needs to end; the second ends it. */
#ifndef PNAV_SRC_COLLECT_COLLECT_H
#define PNAV_SRC_COLLECT_COLLECT_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "model/base/buf.h"
#include "model/base/err.h"

enum collect_stacks { COLLECT_LEAF, COLLECT_FRAME_POINTERS, COLLECT_STACK_COPIES };
enum collect_sampler { COLLECT_ANY, COLLECT_PERF, COLLECT_PTRACE };

struct eventlist;

struct collect_options {
	char *const *argv;
	const char *path; /* the program; NULL: argv[0], found as a shell finds it */
	/* instead of a command: what runs already */
	const pid_t *pid;
	size_t n_pids;
	bool threads; /* these are threads, not processes */
	/* all of the system, to the end of the command where there is one */
	bool system;
	const char *cgroup; /* of it, the tasks of this control group: a folder */
	const char *cpus;   /* on these alone, "0,2-3"; NULL: all */
	const struct eventlist *events; /* NULL or empty: the CPU's time */
	unsigned hz;
	uint64_t period; /* so many events from one sample to the next; 0: by hz */
	bool off_cpu;    /* where threads wait, too */
	uint64_t delay_ns, duration_ns; /* before it begins; until it ends; 0: none */
	enum collect_stacks stacks;
	unsigned stack_bytes; /* of each copy; 0: 8 KB; whole words below 64 KB */
	enum collect_sampler sampler;
	bool cycles; /* the CPU's cycle counter, where it has one, instead of its clock */
	int in, out, err; /* the command's standard streams, or -1: as ours */
	/* called at least twenty times a second while it is sampled; true ends the command */
	bool (*idle)(void *ctx);
	/* called once, when a signal has been handed on and the command goes on; or NULL */
	void (*waits)(void *ctx);
	void *ctx;
};

/* Takes one record; false with *e ends the collection, but not the command. */
struct collect_sink {
	bool (*take)(void *ctx, const struct perf_event_header *record, struct err *e);
	void *ctx;
};

enum collect_fault {
	COLLECT_STARTED,
	COLLECT_NO_MEMORY, /* for the process */
	COLLECT_NOT_FOUND,
	COLLECT_NO_FORMAT, /* no program that the system knows */
	COLLECT_NOT_RUN,   /* otherwise */
};

struct collect_result {
	enum collect_sampler sampler;
	enum collect_fault fault;
	int status;       /* as of waitpid(); of a process that ran already 0 */
	bool interrupted; /* by a signal to us, or by idle() */
	bool kernel;      /* the kernel's time is seen */
	bool setuid;      /* the program runs as somebody else, and we may not look */
	uint64_t samples, lost;
	/* periods of all samples; CPU time that the command and its children really used,
	 * of a process that ran already 0 */
	uint64_t seen_ns, used_ns;
	bool overdue; /* its duration is over */
};

struct collect;

/* NULL with *e, and *fault where it is the command that cannot be started. */
struct collect *collect_new(const struct collect_options *o, enum collect_fault *fault,
			    struct err *e);
/* What is sampled: at least one event, as the system took it; the collection's. */
const struct eventlist *collect_events(const struct collect *c);
/* Runs to the command's end.  False with *e: it could not be started (result's fault), or
 * the sink failed; then nothing was sampled any more and the command went on without. */
bool collect_run(struct collect *c, const struct collect_sink *sink, struct err *e);
const struct collect_result *collect_result(const struct collect *c);
/* One line, without its end: which sampler ran, and what it cannot see. */
void collect_describe(const struct collect *c, struct buf *out);
/* What a shell says: the exit status, or 128 and the signal. */
int collect_exit_status(int status);
void collect_free(struct collect *c);

#endif
