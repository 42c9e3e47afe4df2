/* ftrace.h - the state while a text of ftrace is read.  For ftrace*.c only. */
#ifndef PNAV_SRC_DECODE_FTRACE_FTRACE_H
#define PNAV_SRC_DECODE_FTRACE_FTRACE_H

#include <stdbool.h>
#include <stdint.h>

#include "model/base/err.h"
#include "model/base/vec.h"
#include "model/build/builder.h"
#include "src/decode/common/cast.h"
#include "src/decode/common/comms.h"
#include "src/decode/common/idmap.h"
#include "src/decode/common/sched_text.h"
#include "src/decode/common/timed.h"
#include "src/decode/common/words.h"

/* The fields of `shop-42 (40) [001] d..2 12.345678: sched_switch: prev_comm=...`. */
struct ftrace_line {
	const char *comm, *comm_end;
	const char *event, *event_end;
	const char *args, *end;
	int64_t pid, tgid; /* tgid -1: not known */
	int64_t cpu, time_ns;
	bool cut;        /* comm may be the beginning of a longer one */
	bool ticks;      /* time_ns counts ticks of an unknown clock */
	bool flagged;    /* it has flags */
	bool interrupts; /* an interrupt caused the event, not the thread */
};

/* A processor. */
struct ftrace_cpu {
	int64_t first_ns, last_ns; /* of its lines */
	track_id track;
	struct series *steps; /* NULL: no switch was seen */
	uint32_t graph;       /* track of its functions, CAST_NONE */
	int64_t clock_ns;     /* of functions without times */
};

/* A sample that waits for its stack. */
struct ftrace_pending {
	VEC(frame_id) frame; /* leaf first; none: no sample waits */
	size_t program;      /* index of the first frame of the program; 0: none */
	size_t next;         /* index of the next frame; 0: it is the last one */
	uint32_t track;
	int64_t time_ns;
	bool traced;  /* by the function tracer: a function and its caller */
	bool foreign; /* the stack that is read is that of another thread's event */
	bool of_call; /* it enters a call of the system: a sample only if it has a stack */
};

/* A call of the system by a thread. */
enum ftrace_call_state { CALL_NONE, CALL_OPEN, CALL_CUT, CALL_ENDED };
struct ftrace_call {
	int64_t start_ns, cpu;
	frame_id frame;
	uint8_t state; /* enum ftrace_call_state; cut: by a mark that the call wrote */
	bool numbered; /* raw_syscalls */
	bool last;     /* it never returns */
	bool dies;     /* the thread ends in it, */
	int64_t dies_ns; /* at this time */
	bool lost;     /* events after it were lost */
	bool sampled;
};

struct ftrace_calls {
	VEC(struct ftrace_call) at; /* [track of the cast] */
	bool paired;                /* a call has both events */
};

/* An event of a call of the system. */
struct ftrace_syscall {
	const char *at, *end; /* name, or number */
	bool enters, numbered;
};

/* A count of events that are not displayed, by name. */
struct ftrace_count {
	name_id name;
	uint64_t n;
};

struct ftrace_counts {
	VEC(struct ftrace_count) at;
	struct idmap of; /* name to index */
};

/* A call of function_graph on a track whose outermost call has not ended. */
struct ftrace_node {
	uint32_t slice, parent;
	int64_t start_ns, length_ns; /* -1: it has not ended */
	int64_t inner_ns; /* lengths of the calls in it */
	int64_t rest_ns;  /* its length, and those of the calls that follow it in the outer one */
	int64_t free_ns;  /* the end of the last call placed in it */
};

struct ftrace_nest {
	VEC(struct ftrace_node) node; /* outer ones first */
	VEC(uint32_t) open;           /* nodes */
	int64_t free_ns;              /* the end of the last outermost call */
};

struct ftrace {
	struct builder *b;
	struct err *e;
	uint64_t offset;
	struct cast cast;
	VEC(struct series *) samples; /* [track of the cast] */
	metric_id cpu, sample;        /* METRIC_NONE: none yet */
	struct sched sched;
	VEC(struct ftrace_cpu) processor;
	struct timed_list turns; /* index of a processor, a thread's track + 1 or 0 */
	struct idmap processor_of;
	struct ftrace_counts counted;
	struct ftrace_pending pending;
	struct ftrace_calls calls;
	VEC(struct ftrace_nest) nests; /* [track of the cast] */
	int64_t last_ns;
	bool any, ticks;
	struct {
		uint64_t lost, unmatched, strange;
	} n;
};

#define FTRACE_IN_INTERRUPT 0x58 /* of common_flags: hard, soft, or not to be masked */

/* ---- ftrace_line.c ---- */
/* Parses a line of an event; returns false for other lines. */
bool ftrace_line_parse(struct ftrace_line *l, const char *at, const char *end);

/* ---- ftrace_tracks.c ---- */
/* Declares a metric of time in the unit of the clock, and `calls` if it is one of calls. */
metric_id ftrace_time(struct ftrace *f, const char *name, bool calls);
/* The processor of this number. */
struct ftrace_cpu *ftrace_processor(struct ftrace *f, int64_t cpu);
/* A thread, whose track is `COMM TID`; ftrace_thread() makes the track. */
uint32_t ftrace_task(struct ftrace *f, int64_t tid);
uint32_t ftrace_thread(struct ftrace *f, int64_t tid);
/* Sets the name and track of a thread that has states (sched.h). `f` is a struct ftrace. */
void ftrace_describe(void *f, int64_t tid, struct sched_thread *out);
/* Learns what every line says: the time of its processor, its thread, its process. */
void ftrace_learn(struct ftrace *f, const struct ftrace_line *l);
/* Learns the name of a thread at a time. */
void ftrace_comm(struct ftrace *f, int64_t tid, int64_t time_ns, const char *at, size_t len);
/* A frame of kind system, or user. */
frame_id ftrace_frame(struct ftrace *f, const char *at, size_t len, bool system);
/* The same for a function as the kernel prints it, `vfs_read+0x5d/0x1c0 [module] <ffffffff8123>`
 * or `vfs_read(fd=3)`: its name and module. Of programs, `/lib/libc.so.6[+0xae353]`: the offset. */
frame_id ftrace_symbol(struct ftrace *f, const char *at, const char *end);
/* A value of a counter, or a mark. */
bool ftrace_point(struct ftrace *f, const char *name, size_t len, enum track_kind kind,
		  int64_t time_ns, int64_t value);
/* A value of the counter `cpu N WHAT`. */
bool ftrace_cpu_point(struct ftrace *f, int64_t cpu, const char *what, int64_t time_ns,
		      int64_t value);
void ftrace_counted(struct ftrace *f, const char *at, size_t len);

/* ---- ftrace_syscalls.c ---- */
/* These return false with damage in *f->e. */
/* Begins a sample with this frame, whose callers may follow. */
bool ftrace_sample(struct ftrace *f, const struct ftrace_line *l, frame_id frame);
/* Adds a caller to the buffered sample, if there is one. */
void ftrace_caller(struct ftrace *f, frame_id frame);
/* Writes the buffered sample, if there is one. */
bool ftrace_settle(struct ftrace *f);
/* Returns false for other events. */
bool ftrace_syscall_parse(const struct ftrace_line *l, struct ftrace_syscall *out);
/* Handles such an event. */
bool ftrace_syscall(struct ftrace *f, const struct ftrace_line *l, const struct ftrace_syscall *s);
/* Ends the call that writes the mark of this line, if there is one. */
void ftrace_syscall_cut(struct ftrace *f, const struct ftrace_line *l);
/* Notes that a thread has left its processor for the last time. */
void ftrace_dies(struct ftrace *f, int64_t tid, int64_t time_ns);
/* Notes that events of a processor were lost. */
void ftrace_lost(struct ftrace *f, int64_t cpu);
/* Ends the calls that are open at the end of the file. */
bool ftrace_syscalls_end(struct ftrace *f);

/* ---- ftrace_events.c ---- */
/* Handles an event. Returns false with damage in *f->e. */
bool ftrace_event(struct ftrace *f, const struct ftrace_line *l);
/* Writes the turns on processors so far, instead of those that it wrote before. */
bool ftrace_turns_write(struct ftrace *f, struct err *e);

/* ---- ftrace_noise.c ---- */
/* Handles a line of timerlat or osnoise; *good becomes false with damage in *f->e. Returns false
 * for other lines. */
bool ftrace_noise(struct ftrace *f, const struct ftrace_line *l, bool *good);

/* ---- ftrace_graph.c ---- */
/* Handles a line of function_graph: ` 0)  1.2 us  |  name() {`; returns false for other lines. */
bool ftrace_graph_line(struct ftrace *f, const char *at, const char *end);
/* Handles the last column, `name() {`. `timed`: the clock is that of a column of the line. */
void ftrace_graph_call(struct ftrace *f, uint32_t track, int64_t *clock_ns, bool timed,
		       int64_t duration_ns, const char *at, const char *end);
/* Parses `1.2 us` after marks; returns -1 if there is no duration. */
int64_t ftrace_graph_duration(const char *at, const char *end);

/* ---- ftrace_nest.c ---- */
/* Note that the last slice of the track is a call, which has begun at this time of the column; or
 * is a whole one. */
void ftrace_nest_begin(struct ftrace *f, uint32_t track, int64_t time_ns);
void ftrace_nest_leaf(struct ftrace *f, uint32_t track, int64_t time_ns, int64_t length_ns);
/* Notes that the call of this slice has ended; `duration_ns` -1: the line does not say how long it
 * was. */
void ftrace_nest_end(struct ftrace *f, uint32_t track, uint32_t slice, int64_t time_ns,
		     int64_t duration_ns);
/* Places the calls that wait for the end of others. */
void ftrace_nests_end(struct ftrace *f);
void ftrace_nests_release(struct ftrace *f);

/* ---- tracedat.c ---- */
/* Returns true if a file begins with these bytes: it is trace-cmd's trace.dat. */
bool tracedat_is(const uint8_t *at, size_t len);
/* Reads all of such a file, whose events go to f as those of the text do. */
bool tracedat_read(struct ftrace *f, struct input *in, struct err *e);
bool tracedat_dump(struct input *in, struct dump *d, struct err *e);

#endif
