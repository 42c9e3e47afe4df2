/* perfdata_inside.h - the state while a perf.data file is decoded, shared by perfdata.c and the
 * files that handle some of its records. */
#ifndef PNAV_SRC_DECODE_PERF_PERFDATA_INSIDE_H
#define PNAV_SRC_DECODE_PERF_PERFDATA_INSIDE_H

#include "src/decode/common/cast.h"
#include "src/decode/perf/hybrid.h"
#include "src/decode/perf/perfdata_events.h"
#include "src/decode/perf/perfdata_labels.h"
#include "src/decode/perf/perfdata_order.h"
#include "src/decode/perf/perfdata_stacks.h"

#define NO_TRACK UINT32_MAX
/* records with this time or without a time are not sorted */
#define PERFDATA_NO_TIME UINT64_MAX

/* The samples of one event on one track. */
struct sampled {
	uint32_t event;
	struct series *series;
};

struct perfdata_track {
	track_id track;
	VEC(struct sampled) sampled;
	struct series *waits[2]; /* off-cpu and runnable; NULL: none yet */
};

/* The state of a thread, from its switch records. */
struct perfdata_wait {
	bool out, runnable; /* off its CPU; with work to do */
	bool seen;          /* `stack` belongs to its last switch */
	stack_id stack;
	uint32_t tid, cpu; /* which it left */
	uint64_t since;
};

/* Data of a sample until its stack is known. */
struct perfdata_turn {
	uint32_t event, thread;
	int64_t time;
	uint64_t offset;
	bool completed; /* it waited for its user chain; its scheduler's data are used already */
};

/* A sample that waits for its user chain (perfdata_deferred.c). */
struct perfdata_held {
	uint32_t next;              /* of the same thread, or the next unused one; 0: none */
	uint64_t cookie;            /* of the record that it waits for */
	struct perfdata_record rec; /* its bytes are in `bytes` */
	VEC(uint8_t) bytes;
};

struct perfdata_held_list {
	uint32_t first, last; /* 0: none */
};

/* Zero-initialise it. */
struct perfdata_deferred {
	VEC(struct perfdata_held) held;      /* from the second on */
	VEC(struct perfdata_held_list) list; /* [thread of tasks] as far as it goes */
	uint32_t unused;
	VEC(uint8_t) whole; /* the record of a completed sample */
	uint64_t size;      /* bytes of those that wait */
	uint64_t missing;   /* samples whose record did not come */
};

/* Samples whose turn has come, and that wait for their stacks. */
struct perfdata_turns {
	struct stack_queue queue;
	struct perfdata_asked asked[STACK_QUEUE];
	struct perfdata_turn at[STACK_QUEUE]; /* [item] */
	uint32_t faults; /* samples that were damage */
	struct perfdata_deferred deferred;
};

/* The waits of threads, by the switch records. */
struct perfdata_waits {
	VEC(struct perfdata_wait) of; /* [thread of tasks], as far as it goes */
	uint64_t last_switch;
	uint64_t n, seen; /* with work to do aside; whose stack is known */
	uint64_t ns, seen_ns;
};

/* Records, by what became of them. */
struct perfdata_counts {
	uint64_t samples, records, lost, lost_records, unknown_types, unknown_ids,
		throttled;
};

struct perfdata {
	struct builder *b;
	struct err *e;
	struct perfdata_file file;
	struct perfdata_events events;
	struct perfdata_order order;
	struct perfdata_tasks tasks;
	struct perfdata_frames frames;
	struct perfdata_labels labels;

	struct perfdata_turns turns;
	metric_id samples;
	struct cast cast; /* threads, by their names */
	VEC(struct perfdata_track) track; /* [track of the cast] */
	struct {
		struct hybrid hybrid;
		uint32_t event; /* UINT32_MAX: none yet */
	} preferred; /* the event of the default metric */
	uint32_t nobodys_track; /* of samples without a tid */
	bool timed, any_sample;
	bool parts; /* a directory: there are no rounds */
	int64_t last_time;
	struct perfdata_waits waits;
	struct perfdata_counts counts;
};

/* Handles a sample when its turn comes.  It keeps the sample and its record until
 * perfdata_samples_end(), which must be called before any other record is handled. `own`: NULL; of
 * a sample that has waited, the number of addresses that it had itself. */
bool perfdata_take_sample(struct perfdata *p, const struct perfdata_record *rec,
			  const uint32_t *own);
/* Uses what a sample that is going to wait says about its thread and its CPU. */
bool perfdata_look_at_sample(struct perfdata *p, const struct perfdata_record *rec);
bool perfdata_samples_end(struct perfdata *p);
/* Must be called before the first sample. */
void perfdata_samples_init(struct perfdata *p);
/* Returns the name of a thread (UINT32_MAX: of samples without one); NAME_EMPTY: unknown. */
static inline name_id
perfdata_comm_of(const struct perfdata *p, uint32_t thread)
{
	return thread == UINT32_MAX ? NAME_EMPTY : p->tasks.thread.at[thread].comm;
}
/* Returns the index of a thread's track (UINT32_MAX: that of samples without a thread). */
uint32_t perfdata_track_of(struct perfdata *p, uint32_t thread, uint32_t tid);
/* Returns the process of a thread; PROCESS_NONE: it has none. */
process_id perfdata_process_made(struct perfdata *p, uint32_t thread);

/* Returns true for the event that counts switches. */
bool perfdata_of_switches(const struct perfdata_event *v);
/* Handles a sample of that event: it shows where its thread leaves the CPU or,
 * if the kernel may not be sampled, where the recorder saw it waiting. Returns true in these cases:
 * the sample counts for nothing else. */
bool perfdata_waits_here(struct perfdata *p, uint32_t event, uint32_t thread,
			 stack_id stack);
/* Handles SWITCH and SWITCH_CPU_WIDE; returns false with p->e. */
bool perfdata_take_switch(struct perfdata *p, const struct perfdata_record *rec);
/* Call it after the last record: threads that still wait have waited up to it. */
bool perfdata_waits_end(struct perfdata *p);

/* ---- perfdata_deferred.c ---- */

/* Handles a sample: at once, or when its user chain has come. As perfdata_take_sample(). */
bool perfdata_take_or_wait(struct perfdata *p, const struct perfdata_record *rec);
/* Handles CALLCHAIN_DEFERRED: the samples of its thread that wait. Returns false with p->e. */
bool perfdata_take_deferred(struct perfdata *p, const struct perfdata_record *rec);
/* Call it after the last record: handles all that still wait without their user chains. */
bool perfdata_deferred_end(struct perfdata *p);
void perfdata_deferred_release(struct perfdata_deferred *d);

/* ---- perfdata_sched.c ---- */

/* Returns true for tracepoints of the scheduler. */
bool perfdata_is_sched(struct perfdata *p, uint32_t event);
/* Handles the scheduler's data of a sample. */
void perfdata_sched(struct perfdata *p, const struct perfdata_turn *turn,
		    const struct perfdata_asked *q);
/* Call it at the end: writes states and wake-ups. */
void perfdata_sched_end(struct perfdata *p);

#endif
