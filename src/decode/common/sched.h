/* sched.h - states of threads and wake-ups, from the events of a scheduler.
 *
 *	struct sched s = {.b = b};
 *	sched_runs(&s, cpu, tid, time_ns);                -- of each record
 *	sched_switch(&s, cpu, prev, SCHED_WAITS, next, time_ns);
 *	sched_wake(&s, cpu, tid, waker, SCHED_WAKING, time_ns);
 *	sched_lost(&s, cpu);                              -- before the next record of this CPU
 *	sched_write(&s, end_ns, describe, context);
 *	sched_release(&s);
 *
 * Events may come in any order between CPUs, but in the order of time within one. They are kept
 * until all is read, since a later line may say that earlier events were lost. */
#ifndef PNAV_SRC_DECODE_COMMON_SCHED_H
#define PNAV_SRC_DECODE_COMMON_SCHED_H

#include <stdbool.h>
#include <stdint.h>

#include "model/base/buf.h"
#include "model/base/vec.h"
#include "model/build/builder.h"
#include "src/decode/common/comms.h"
#include "src/decode/common/idmap.h"
#include "src/decode/common/timed.h"

/* The state of a thread that left a CPU. */
enum sched_left { SCHED_RUNNABLE, SCHED_WAITS, SCHED_IO, SCHED_ENDS };

/* The events of wake-ups. If there is any `waking`, it replaces `wakeup`, which comes later, often
 * from the interrupt of another CPU. */
enum sched_woken { SCHED_WAKEUP, SCHED_WAKING, SCHED_NEW };

#define SCHED_NOBODY (-1) /* no thread woke it: an interrupt, or the idle task */

/* The name of a thread in the profile, and its process. */
struct sched_thread {
	struct buf *name;
	track_id track;   /* TRACK_NONE to begin with */
	process_id under; /* PROCESS_NONE to begin with */
};

struct sched_loss {
	int64_t from_ns, to_ns;
	uint32_t cpu;
};

struct sched_cpu {
	int64_t number, first_ns, last_ns; /* of its records */
	struct series *turns;              /* NULL: none */
	track_id track;                    /* of these */
	uint32_t now; /* the thread of its last record; IDMAP_NONE: none */
	bool seen, lost, switches;
};

/* A thread with its name, see sched_runs_known(). */
struct sched_known {
	bool there;
	uint32_t thread; /* index of tids; IDMAP_NONE: none */
	name_id comm;    /* NAME_EMPTY: none */
};

/* Initialise with zeros and `b`. */
struct sched {
	struct builder *b;
	struct timed_list event;
	VEC(struct sched_loss) loss;
	VEC(struct sched_cpu) cpu;
	VEC(int64_t) tid;
	VEC(name_id) comm; /* [thread] its last known name, NAME_EMPTY */
	VEC(name_id) noted; /* [thread] the last one of its life in `comms` */
	struct comms comms; /* their names over time: a number is used again */
	struct idmap cpu_of, thread_of;
	bool has_waking;
	bool any;       /* there was a switch or a wake-up */
	bool turns;     /* set it to get tracks `cpu N` with the threads that run there */
	bool outside;   /* set it to show these tracks only if the user names them */
	metric_id cpu_metric; /* the metric of these tracks; METRIC_NONE if there are none */
};

/* Reports that a thread runs on a CPU at this time.  Thread 0 is the idle task. */
void sched_runs(struct sched *s, int64_t cpu, int64_t tid, int64_t time_ns);
/* The same as sched_runs() and sched_named(), for callers with many records of a thread and its
 * name: *k, initially zeros, remembers what was found. */
void sched_runs_known(struct sched *s, int64_t cpu, struct sched_known *k, int64_t tid,
		      const char *comm, size_t len, int64_t time_ns);
/* Reports that `prev` leaves the CPU and `next` runs. */
void sched_switch(struct sched *s, int64_t cpu, int64_t prev, enum sched_left left, int64_t next,
		  int64_t time_ns);
/* Reports that a thread became runnable.  `waker` is a thread, or SCHED_NOBODY. */
void sched_wake(struct sched *s, int64_t cpu, int64_t tid, int64_t waker, enum sched_woken how,
		int64_t time_ns);
/* Returns the thread that runs on the CPU by its records so far, 0 for the idle task; SCHED_NOBODY
 * if that is not known. */
int64_t sched_on(const struct sched *s, int64_t cpu);
/* Reports that events of the CPU were lost between its last record and its next one. */
void sched_lost(struct sched *s, int64_t cpu);
/* Reports the name of a thread at this time; a name that begins with `<` is ignored. Call it before
 * the event that has the name. */
void sched_named(struct sched *s, int64_t tid, const char *comm, size_t len, int64_t time_ns);
/* Reports its last name, which holds in its last life, unless it is empty. */
void sched_named_last(struct sched *s, int64_t tid, const char *comm, size_t len);
/* Callback for sched_write() that describes threads by these names: `COMM TID`. `s` is a struct
 * sched. */
void sched_describe(void *s, int64_t tid, struct sched_thread *out);
/* Reads `prev_state` as the kernel has it: bits. The thread is preempted if only those above 0x80
 * are set, before Linux 4.14 if 0x800 is. */
enum sched_left sched_left_by(uint64_t bits);
/* Writes states and wake-ups, if there were any. `describe` fills in the name of a thread. `end_ns`
 * is the time of the last record of the file. */
void sched_write(struct sched *s, int64_t end_ns,
		 void (*describe)(void *context, int64_t tid, struct sched_thread *out),
		 void *context);
void sched_release(struct sched *s);

#endif
