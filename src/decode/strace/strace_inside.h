/* strace_inside.h - shared by the files of the decoder, and private to them.
 *
 * strace.c          the calls, their slices or sums
 * strace_threads.c  the tracks of lines, and their names
 * strace_line.c     the head of a line: process, time, other columns
 * strace_table.c    the table of -c and -C */
#ifndef PNAV_SRC_DECODE_STRACE_STRACE_INSIDE_H
#define PNAV_SRC_DECODE_STRACE_STRACE_INSIDE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/base/err.h"
#include "model/base/vec.h"
#include "model/build/builder.h"
#include "src/decode/common/cast.h"
#include "src/decode/common/last_line.h"
#include "src/decode/common/odd_lines.h"

/* ---- strace_line.c ---- */

enum strace_clock { CLOCK_UNKNOWN, CLOCK_EPOCH, CLOCK_DAY, CLOCK_STEP };

/* A line taken apart. */
struct strace_line {
	int64_t pid;
	bool has_pid, has_time;
	bool whole; /* the time has no fraction */
	int64_t time_ns;
	enum strace_clock clock;
	const char *comm; /* the thread's name (-Y), not terminated */
	size_t comm_len;
	const char *rest; /* the call, or another event */
};

void strace_line_parse(struct strace_line *l, const char *at, const char *end);
/* Recognises `name(`: returns the position of the bracket, or NULL. */
const char *strace_call_name(const char *at, const char *end);
/* Returns true if a call goes on in a later line, or never: its line ends with `<unfinished ...>`,
 * or `<unfinished ...>) = ?` if it was killed. In an argument, a quote follows such a text. */
bool strace_is_unfinished(const char *at, const char *end);

/* ---- strace_table.c ---- */

#define STRACE_COLUMNS_MAX 12u

/* The rows of all tables of a file. Zero-initialised it is empty. */
struct strace_table {
	VEC(struct strace_row {
		frame_id frame;
		int64_t time_ns;
		int64_t calls;
	})
	row;
	uint8_t column[STRACE_COLUMNS_MAX]; /* of the table that is being read */
	unsigned columns;
	bool has_time, has_calls;
	bool any_time; /* some row has more than 0 seconds */
	struct buf plain; /* a row without decimal commas */
};

/* If the line is the head of a table, begins that table and returns true. */
bool strace_table_begin(struct strace_table *t, const char *at, const char *end);
/* Reads a line below the head; the row `total` ends the table. Returns false with damage at
 * `offset` if a row lacks numbers. *odd counts lines that are no rows. */
bool strace_table_line(struct strace_table *t, struct builder *b, const char *at,
		       const char *end, struct odd_lines *odd, uint64_t offset,
		       struct err *e);
/* Adds the times, and with `calls` the calls, to the sums of a track, for columns that the tables
 * have. The default metric is the time, unless all rows have 0 seconds. Returns false if a sum is
 * too large. */
bool strace_table_write(const struct strace_table *t, struct builder *b, track_id track,
			bool calls, uint64_t offset, struct err *e);
void strace_table_release(struct strace_table *t);
/* Returns the frame of a system call. */
frame_id strace_frame(struct builder *b, const char *name, size_t len);

/* ---- strace_threads.c ---- */

#define STRACE_BEGUN_MAX 8u

/* The last call of a thread. */
struct last_call {
	bool waits, unfinished;
	bool split; /* unfinished since a message of strace splits its line */
	int64_t start_ns, length_ns; /* -1: to the next line */
	frame_id frame;
	labels_id labels;
	name_id program;      /* of an execve, once it has succeeded */
	bool is_execve, done; /* done: the result is 0 */
};

struct strace_thread {
	struct last_call last;
	name_id comm;    /* that of its latest line (-Y) */
	int64_t busy_ns; /* when its call before ended */
	uint32_t execs;  /* the thread that goes on with its number: track + 1; 0: none */
	enum strace_state { THREAD_NONE, THREAD_RUNS, THREAD_ENDED } state;
	struct series *calls, *lengths; /* of a log without times */
};

struct strace {
	struct builder *b;
	struct err *e;
	uint64_t offset;
	struct cast cast;                 /* threads by pid, and marks */
	VEC(struct strace_thread) thread; /* [track] */
	VEC(frame_id) caller; /* of the call in the previous line, innermost first */
	uint32_t caller_track;
	struct {
		bool any;       /* some line has a process */
		uint32_t first; /* track of the first lines without one, or CAST_NONE */
		int64_t main;   /* its process, or 0 if unknown */
		uint32_t alone; /* the only thread that runs; CAST_NONE: count again */
		int64_t begun[STRACE_BEGUN_MAX]; /* processes that strace has announced */
		unsigned n_begun;
	} pid;
	name_id result;
	struct {
		enum strace_clock kind;
		int64_t now_ns, day_ns, before_ns;
		bool any;
		bool none;  /* the log has no times: calls are added up */
		bool whole; /* of seconds */
	} clock;
	bool any_length; /* some call has a duration (-T) */
	struct {
		uint64_t calls, unmatched;
	} n;
	struct odd_lines odd;
	metric_id calls, lengths; /* of a log without times */
	struct strace_table table;
};

/* A call is whole with its result, or its duration if others have one; a table with its row
 * `total`. A result that is a number may have had more digits. */
enum last_line strace_last_line(const struct strace *s, const char *at, const char *end);
/* Returns the track of the line's thread. Lines without a process belong to the first one until the
 * second begins, and to the last one again. `resumed`: the line ends a call. */
uint32_t strace_track_of(struct strace *s, const struct strace_line *l, bool resumed);
/* Returns the track of a process that has lines; CAST_NONE if it has none. */
uint32_t strace_track_known(struct strace *s, int64_t pid);
/* Notes whether the line is the end of the thread. */
void strace_thread_ended(struct strace *s, uint32_t track, bool ended);
/* Notes `strace: Process N attached` in the line. Returns true if it has that. */
bool strace_attached(struct strace *s, const char *at, const char *end);
/* Names the track `PROGRAM PID`, or only with the program. */
void strace_rename(struct strace *s, uint32_t track, name_id program);
/* Names the track with the thread's own name that the line has. */
void strace_take_comm(struct strace *s, uint32_t track, const struct strace_line *l);

#endif
