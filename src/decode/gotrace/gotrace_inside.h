/* gotrace_inside.h - the state of the decoder of Go's execution traces. For gotrace*.c alone.
 *
 *	bytes ─► gotrace_v2 (batches of threads) ─┐   in order    gotrace_run: states of goroutines
 *	bytes ─► gotrace_v1 (batches of Ps) ──────┴─► events ───► gotrace_marks: regions, tasks, ...
 *	              │                                               │
 *	              └─► gotrace_tables: strings, stacks ◄───────────┘ names, stacks
 *
 * Each thread (in v1: each P) writes its own events in order. Sequence numbers, not clocks, order
 * the events of different threads: gotrace_order.c holds an event back until the goroutine, P or
 * collection that it needs has the right state and number. */
#ifndef PNAV_SRC_DECODE_GOTRACE_INSIDE_H
#define PNAV_SRC_DECODE_GOTRACE_INSIDE_H

#include <stdbool.h>
#include <stdint.h>

#include "model/base/err.h"
#include "model/base/vec.h"
#include "model/build/builder.h"
#include "src/decode/common/cast.h"
#include "src/decode/common/idmap.h"
#include "src/decode/decoder.h"
#include "src/input/cursor.h"
#include "src/input/input.h"

#define GOTRACE_NONE UINT32_MAX
#define GOTRACE_HEADER 16u
#define GOTRACE_ARGS 5u
#define GOTRACE_LONE 10000u /* goroutines that have tracks of their own */

/* ---- tables ---- */

struct gotrace_string {
	size_t at, len; /* in the window */
	name_id name;
	bool known; /* `name` is set */
};

struct gotrace_stack {
	size_t at; /* in the window, of the first frame */
	uint32_t n;
	bool known;
	stack_id stack;
	function_id outermost; /* GOTRACE_NONE: an empty stack */
};

/* The strings and stacks of a generation (v2) or of the file (v1). */
struct gotrace_tables {
	const uint8_t *window;
	size_t len;
	struct idmap string_of, stack_of;
	VEC(struct gotrace_string) string;
	VEC(struct gotrace_stack) stack;
	VEC(frame_id) frame;
	uint64_t missing;    /* frames and names that the tables lack */
};

/* ---- order ---- */

/* A goroutine, a P or the garbage collector, as far as the order of events depends on it. */
struct gotrace_turn {
	uint64_t seq;        /* of its last event */
	uint64_t generation; /* in which seq counts */
	uint32_t waiting;    /* the first lane that waits for it; GOTRACE_NONE */
	uint8_t status;
};

struct gotrace_event {
	uint64_t ticks, offset;
	uint64_t arg[GOTRACE_ARGS];
	uint8_t type, n;     /* n: number of arguments */
};

/* A thread's events in v2, a P's in v1. */
struct gotrace_lane {
	uint64_t id;
	uint32_t batch; /* the next one; GOTRACE_NONE */
	uint32_t last_batch;
	uint32_t next_waiting;
	uint32_t goroutine, proc; /* what runs there; GOTRACE_NONE */
	bool waits;
	int64_t syscall_ns; /* v1: when a system call began that may not block; INT64_MIN */
	struct cursor c;
	struct gotrace_event event;
};

struct gotrace_batch {
	uint64_t lane, ticks;
	size_t at, len; /* in the window */
	uint32_t next;  /* of the same lane */
};

struct gotrace_order {
	VEC(struct gotrace_lane) lane;
	struct idmap lane_of;
	VEC(struct gotrace_batch) batch;
	VEC(uint32_t) heap; /* lanes whose event may be next, the earliest first */
};

/* ---- goroutines and Ps ---- */

enum gotrace_status { GO_UNDEFINED, GO_RUNNABLE, GO_RUNNING, GO_SYSCALL, GO_WAITING };
enum gotrace_proc_status { PROC_UNDEFINED, PROC_RUNNING, PROC_IDLE, PROC_SYSCALL, PROC_ABANDONED };

/* Where a goroutine waits, and the label sets of its last samples. */
struct gotrace_wait {
	struct series *series;
	name_id reason;   /* of `labels` */
	labels_id labels; /* LABELS_NONE: none yet */
};

struct gotrace_goroutine {
	uint64_t id;
	function_id start; /* GOTRACE_NONE: not known */
	track_id track;
	actor_id actor; /* ACTOR_NONE: it shares a track */
	stack_id base;  /* the stack of its start function; STACK_EMPTY: none yet */
	labels_id turn_labels; /* of its steps; LABELS_NONE: none yet */
	name_id label;
	int64_t since_ns; /* when its state began */
	stack_id stack;   /* where it stopped */
	name_id reason;
	uint8_t state; /* enum gotrace_status */
	struct gotrace_wait off, runnable;
	struct series *samples;
	int64_t assist_ns; /* when its mark assist began; INT64_MIN: none */
	uint32_t regions, ranges; /* cast tracks; GOTRACE_NONE */
	struct gotrace_turn turn;
};

struct gotrace_proc {
	uint64_t id;
	track_id track;
	struct series *series, *samples;
	uint32_t goroutine; /* that runs since since_ns; its step is not written yet */
	int64_t since_ns;
	bool any; /* a step was written */
	int64_t sweep_ns;
	uint32_t ranges;
	struct gotrace_turn turn;
};

/* The goroutines of one start function. */
struct gotrace_heading {
	name_id name;
	process_id process;
	track_id others; /* of those without a track of their own; TRACK_NONE */
	uint32_t n;
	struct series *wait[2], *samples; /* of `others` */
};

struct gotrace_actors {
	VEC(struct gotrace_goroutine) go;
	VEC(struct gotrace_proc) proc;
	struct idmap go_of, proc_of;
	struct idmap heading_of; /* name of a start function -> heading */
	VEC(struct gotrace_heading) heading;
	struct idmap threads; /* of samples without goroutine and P -> index */
	VEC(struct series *) thread_samples;
	metric_id cpu, off_cpu, runnable, samples; /* METRIC_NONE: not declared yet */
	uint64_t sharing; /* goroutines without a track of their own */
	uint64_t unnamed_wakes, wakes;
};

/* ---- regions, tasks, ranges, counters ---- */

enum gotrace_counter { GO_HEAP, GO_HEAP_GOAL, GO_MAXPROCS, GO_COUNTERS };

/* A track of the cast that is named after a goroutine. */
struct gotrace_beside {
	uint32_t track, goroutine;
	bool regions;
};

struct gotrace_marks {
	struct cast cast;
	metric_id async;
	VEC(struct gotrace_beside) beside;
	struct idmap task_of; /* id -> name_id of `name id` */
	uint32_t gc;          /* cast track; GOTRACE_NONE */
	int64_t mark_ns, stop_ns;
	name_id stop_kind;
	struct series *counter[GO_COUNTERS];
	uint64_t collections, mark_total_ns;
};

/* ---- the decoder ---- */

struct gotrace_clock {
	uint64_t frequency;       /* ticks a second */
	uint64_t begin_ticks;     /* v1: the time 0 */
	uint64_t wall_s, wall_ns; /* of the first generation; 0: not known */
	uint64_t wall_ticks;      /* at that time of day */
	uint64_t clamped;         /* events whose time was before the last one */
};

struct gotrace {
	struct input *in;
	struct builder *b;
	struct err *e;
	unsigned version; /* the N of `go 1.N` */
	struct gotrace_tables tables;
	struct gotrace_order order;
	struct gotrace_actors actors;
	struct gotrace_marks marks;
	uint64_t generation; /* the current one; 0 in v1 */
	uint64_t n_generations;
	struct gotrace_clock clock;
	int64_t first_ns, last_ns; /* of events; last_ns is INT64_MIN before the first one */
	int64_t since_ns; /* statuses of this generation hold since then; INT64_MIN: since now */
	uint64_t events, experimental;
	struct gotrace_turn gc;
	struct err late; /* damage after which reading went on */
};

/* ---- gotrace_tables.c ---- */
void gotrace_tables_begin(struct gotrace_tables *t, const uint8_t *window, size_t len);
void gotrace_tables_release(struct gotrace_tables *t);
/* Adds a string, whose bytes are in the window. */
void gotrace_string_add(struct gotrace_tables *t, const uint8_t *at, size_t len, uint64_t id);
/* Adds a stack, whose n frames are at c->at, and steps over them. Returns false if they are not
 * whole. */
bool gotrace_stack_add(struct gotrace_tables *t, struct cursor *c, uint64_t id, uint64_t n);
/* Returns the name of a string; NAME_EMPTY for id 0 and for strings that are missing. */
name_id gotrace_string(struct gotrace *d, uint64_t id);
/* Returns the stack with this id, STACK_EMPTY for id 0. *outermost becomes the function of its
 * root, or GOTRACE_NONE. */
stack_id gotrace_stack(struct gotrace *d, uint64_t id, function_id *outermost);

/* ---- gotrace_order.c ---- */
void gotrace_order_release(struct gotrace_order *o);
/* Returns the index of a lane, a new one if necessary. */
uint32_t gotrace_lane(struct gotrace_order *o, uint64_t id);
/* Appends a batch to its lane. */
void gotrace_batch_add(struct gotrace_order *o, struct gotrace_batch batch);
/* Forgets all batches and events that were not taken; contexts of lanes stay. */
void gotrace_order_reset(struct gotrace_order *o);
/* Puts a lane, whose event is set, among those that may be next. */
void gotrace_order_put(struct gotrace_order *o, uint32_t lane);
/* Takes the lane with the earliest event; GOTRACE_NONE if there is none. */
uint32_t gotrace_order_take(struct gotrace_order *o);
/* Lets the lane wait until the turn changes. */
void gotrace_order_wait(struct gotrace_order *o, uint32_t lane, struct gotrace_turn *turn);
/* Changes a turn: the lanes that wait for it may be next again. */
void gotrace_turn_set(struct gotrace *d, struct gotrace_turn *turn, uint8_t status, uint64_t seq);
/* Returns the lane that waits with the earliest event; NULL if none waits. */
const struct gotrace_lane *gotrace_order_stuck(const struct gotrace_order *o);
/* Returns true if seq is the next one of the turn. */
static inline bool
gotrace_turn_is(const struct gotrace *d, const struct gotrace_turn *turn, uint64_t seq)
{
	return turn->generation == d->generation && seq == turn->seq + 1;
}

/* ---- gotrace_run.c: goroutines and Ps ---- */
void gotrace_actors_release(struct gotrace_actors *a);
/* Return the index of a goroutine or a P, a new one if necessary. */
uint32_t gotrace_goroutine(struct gotrace *d, uint64_t id);
uint32_t gotrace_proc(struct gotrace *d, uint64_t id);
/* Returns the turn of the goroutine with this id, valid until the next one is added. */
struct gotrace_turn *gotrace_turn_of(struct gotrace *d, uint64_t id);
/* Returns a stack of the goroutine, which may name it. */
stack_id gotrace_own_stack(struct gotrace *d, uint32_t goroutine, uint64_t id);
/* The goroutine's state begins. `stack` and `reason` say where and why it stopped. */
void gotrace_becomes(struct gotrace *d, uint32_t goroutine, enum gotrace_status state,
		     int64_t time_ns, stack_id stack, name_id reason);
/* The goroutine becomes runnable; `by` woke it, GOTRACE_NONE: none did. */
void gotrace_woken(struct gotrace *d, uint32_t goroutine, int64_t time_ns, uint32_t by);
/* The P runs this goroutine from now on, GOTRACE_NONE: none. */
void gotrace_runs(struct gotrace *d, uint32_t proc, uint32_t goroutine, int64_t time_ns);
/* The goroutine has this label from now on. */
void gotrace_label(struct gotrace *d, uint32_t goroutine, name_id label, uint32_t proc,
		   int64_t time_ns);
/* Adds a sample of CPU time. */
void gotrace_sample(struct gotrace *d, uint64_t thread, uint64_t proc, uint64_t goroutine,
		    int64_t time_ns, uint64_t stack, uint64_t offset);
/* All states are unknown from the last event on. */
void gotrace_forget(struct gotrace *d);
/* Ends all that lasts, and writes facts. */
void gotrace_actors_finish(struct gotrace *d);
/* Appends `NAME ID`. */
void gotrace_goroutine_text(const struct gotrace *d, uint32_t goroutine, struct buf *out);

/* ---- gotrace_marks.c ---- */
void gotrace_marks_init(struct gotrace *d);
void gotrace_marks_release(struct gotrace_marks *m);
void gotrace_count(struct gotrace *d, enum gotrace_counter counter, uint64_t value,
		   int64_t time_ns, uint64_t offset);
void gotrace_mark_begins(struct gotrace *d, int64_t time_ns);
void gotrace_mark_ends(struct gotrace *d, int64_t time_ns);
void gotrace_stop_begins(struct gotrace *d, name_id kind, int64_t time_ns);
void gotrace_stop_ends(struct gotrace *d, int64_t time_ns);
void gotrace_sweep(struct gotrace *d, uint32_t proc, bool begins, int64_t time_ns);
void gotrace_assist(struct gotrace *d, uint32_t goroutine, bool begins, int64_t time_ns);
void gotrace_task_begins(struct gotrace *d, uint64_t id, uint64_t parent, name_id name,
			 int64_t time_ns);
void gotrace_task_ends(struct gotrace *d, uint64_t id, int64_t time_ns);
void gotrace_region(struct gotrace *d, uint32_t goroutine, uint64_t task, name_id name,
		    bool begins, int64_t time_ns);
void gotrace_log(struct gotrace *d, uint32_t goroutine, name_id key, name_id message,
		 int64_t time_ns, uint64_t offset);
/* Writes slices: a preview, or all of them. */
void gotrace_marks_write(struct gotrace *d, bool last);

/* ---- gotrace_v1.c, gotrace_v2.c ---- */
/* Read everything after the header. */
bool gotrace_v1(struct gotrace *d);
bool gotrace_v2(struct gotrace *d);
bool gotrace_v1_dump(struct input *in, struct dump *out, struct err *e);
bool gotrace_v2_dump(struct input *in, struct dump *out, struct err *e);

/* ---- gotrace_clock.c ---- */
/* Converts ticks to ns; a time before the last one becomes that one. */
int64_t gotrace_time(struct gotrace *d, uint64_t ticks);
/* Converts ticks alone. */
int64_t gotrace_ns(const struct gotrace *d, uint64_t ticks);

#endif
