/* collect.h - runs a command and samples where its time goes.
 *
 *	struct collect *c = collect_new(&options, &e);    -- the command waits
 *	collect_events(c)                                 -- the form of the records
 *	collect_run(c, &sink, &e)                         -- runs it to its end
 *	collect_result(c)->status                         -- as in waitpid()
 *	collect_free(c);
 *
 * The results are records of the kernel's own form (linux/perf_event.h) from either sampler: perf
 * events, or ptrace if the system forbids those.  Records of one CPU are in order;
 * PERF_RECORD_FINISHED_ROUND marks how far the others are complete.
 *
 * While a collector exists, SIGINT, SIGTERM, SIGHUP and SIGCHLD are blocked, and collect_run()
 * reads them.  The first of the former three is meant for the command (it is forwarded unless a
 * terminal sent it), which may take its time to end; the second ends it. */
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
	const char *path; /* the program; NULL: argv[0], found as in a shell */
	/* running processes; a command beside them only says when the recording ends */
	const pid_t *pid;
	size_t n_pids;
	bool threads; /* these are threads, not processes */
	/* the whole system, until the command ends if there is one */
	bool system;
	const char *cgroup;             /* only the tasks of this control group: a folder */
	const char *cpus;               /* only on these, "0,2-3"; NULL: all */
	const struct eventlist *events; /* NULL or empty: the CPU's time */
	unsigned hz;
	uint64_t period;                /* events from one sample to the next; 0: by hz */
	bool off_cpu;                   /* also where threads wait */
	bool usage; /* of the whole system: also what tasks wait for, read and write (usage.h) */
	bool no_idle; /* the clock of a CPU without work gives no sample */
	uint64_t delay_ns, duration_ns; /* before it starts; until it stops; 0: none */
	enum collect_stacks stacks;
	unsigned stack_bytes; /* of each copy; 0: 8 KB; whole words below 64 KB */
	enum collect_sampler sampler;
	bool no_interpreters; /* their frames are not read */
	bool cycles;      /* the CPU's cycle counter, if it has one, instead of its clock */
	int in, out, err; /* the command's standard streams, or -1: inherited */
	/* called at least twenty times a second while sampling; true ends the command */
	bool (*idle)(void *ctx);
	/* called once, after a signal was forwarded and the command still runs; or NULL */
	void (*waits)(void *ctx);
	void *ctx;
};

/* Takes one record; false with *e ends the collection, but not the command. */
struct collect_sink {
	bool (*take)(void *ctx, const struct perf_event_header *record, struct err *e);
	void *ctx;
};

/* Passes consecutive records to the sink; returns false with *e if it fails. */
bool collect_give(const struct buf *records, const struct collect_sink *sink, struct err *e);

enum collect_fault {
	COLLECT_STARTED,
	COLLECT_NO_MEMORY, /* for the process */
	COLLECT_NOT_FOUND,
	COLLECT_NO_FORMAT, /* the system cannot execute it */
	COLLECT_NOT_RUN,   /* any other failure */
};

struct collect_result {
	enum collect_sampler sampler;
	enum collect_fault fault;
	int status;       /* as in waitpid(); 0 for a process that ran already */
	bool interrupted; /* by a signal to pnav, or by idle() */
	bool kernel;      /* kernel time is included */
	bool setuid;      /* the program runs as another user, and pnav may not observe it */
	uint64_t samples, lost;
	/* periods of all samples; CPU time that the command and its children really used, 0 for a
	 * process that ran already */
	uint64_t seen_ns, used_ns;
	uint64_t ran_ns; /* by the clock, from start to end */
	bool overdue;    /* its duration is over, or that of the processes beside a command */
	bool cut;        /* the sink accepted no more records before the end */
};

struct collect;

/* Returns NULL with *e, and *fault if the command cannot be started. */
struct collect *collect_new(const struct collect_options *o, enum collect_fault *fault,
			    struct err *e);
/* Returns the sampled events, at least one, as the system accepted them; owned by the
 * collection. */
const struct eventlist *collect_events(const struct collect *c);
/* Runs to the command's end.  Returns false with *e if the command could not be started (result's
 * fault), or if the sink failed; then sampling stopped and the command continued. */
bool collect_run(struct collect *c, const struct collect_sink *sink, struct err *e);
/* Returns the command's process; 0: there is no command. */
pid_t collect_command(const struct collect *c);
const struct collect_result *collect_result(const struct collect *c);
/* Writes one line, without its end: the sampler, and what it cannot see. */
void collect_describe(const struct collect *c, struct buf *out);
/* Writes the part of that line that says what is wrong with the numbers: lost records, late
 * samples, programs that were not seen; nothing if all is well. */
void collect_warn(const struct collect *c, struct buf *out);
/* Appends a line for each interpreter whose frames cannot be read. */
void collect_say_interpreters(const struct collect *c, struct buf *out);
/* Converts a status as a shell does: the exit status, or 128 plus the signal. */
int collect_exit_status(int status);
void collect_free(struct collect *c);

#endif
