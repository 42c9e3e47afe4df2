/* doing.h - what a thread does at this moment, and what it waits for, from /proc. */
#ifndef PNAV_SRC_COLLECT_DOING_H
#define PNAV_SRC_COLLECT_DOING_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "model/base/buf.h"
#include "model/base/vec.h"

struct taskplace;

struct doing_thread {
	pid_t tid, inside; /* our number of a thread, and that in its own pid namespace */
};
/* The threads of a process, whose locks name their holders by the numbers inside. */
struct doing_threads {
	pid_t pid;
	VEC(struct doing_thread) thread; /* empty: the numbers inside are ours */
};
/* Reads the threads of a process. A zero-initialised *t is empty; release t->thread. */
void doing_threads_read(struct doing_threads *t, pid_t pid);

enum doing_state {
	DOING_RUNNING, /* on a CPU, or ready to run */
	DOING_WAITING,
	DOING_IO, /* in a sleep that no signal ends */
	DOING_STOPPED,
	DOING_NOTHING, /* it has ended, or belongs to the kernel */
};
/* Returns "running", "waiting", "io", "stopped", or "" for DOING_NOTHING. */
const char *doing_state_name(enum doing_state s);

struct doing {
	enum doing_state state;
	const char *call; /* the system call that it waits in; "": none or unknown */
	pid_t holder;     /* the thread that can end the wait; 0: unknown */
	bool locked;   /* it waits for a lock of the holder, not for the holder's end */
	uint64_t lock; /* address of that lock */
	int64_t waited_ns; /* since it left its CPU, or somewhat longer; -1: unknown */
};

/* Returns the state of a thread, and the CPU that it runs on or ran on last; *cpu -1: unknown. */
enum doing_state doing_state_of(pid_t pid, pid_t tid, int *cpu);
/* Returns the difference between the scheduler's clock of this CPU and record_now(), for
 * doing_read(); INT64_MIN: unknown.  Moves the calling thread to that CPU for a moment. */
int64_t doing_clock(int cpu);
/* Examines a thread of the process `threads` that is off its CPU at this place.  Appends to
 * `waits_for` what it waits for: "read from /var/log/x", "lock 0x7f12a8 held by", "sleep"; nothing
 * if it is unknown.  After "by" and after "the end of" the caller appends the holder. */
void doing_read(struct doing *d, const struct doing_threads *threads, pid_t tid,
		const struct taskplace *place, int64_t clock, struct buf *waits_for);

#endif
