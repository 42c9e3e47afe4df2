/* answers_inside.h - shared by the files of the answers; no other file includes it.
 *
 * answers.c          the table, and what all answers share
 * answers_say.c      sentences and numbers
 * answers_show.c     the view and the command that show an answer
 * answers_stacks.c   hot, system, recursion, trust
 * answers_runtime.c  runtime, with the table of well-known names
 * answers_tracks.c   imbalance
 * answers_running.c  what runs when: the idle intervals of threads
 * answers_serial.c   serial
 * answers_blocks.c   calls that block all other threads, for stalls
 * answers_gaps.c     gaps in which no thread has work, for stalls
 * answers_time.c     stalls, periodic
 * answers_phases.c   phases
 * answers_calls.c    outliers
 * answers_values.c   growth, spikes
 * answers_held.c     how much memory is held over time, for growth
 * answers_words.c    classes of functions by their names
 * answers_callees.c  callees of a runtime that are the program's code
 * answers_waits.c    waits
 * answers_convoy.c   convoy
 * answers_change.c   change */
#ifndef PNAV_MODEL_ANSWER_ANSWERS_INSIDE_H
#define PNAV_MODEL_ANSWER_ANSWERS_INSIDE_H

#include <string.h>

#include "model/answer/answers.h"
#include "model/base/evidence.h"

/* The table: a row here, and a struct answers_row in one of the files. */
#define ANSWERS_ROWS(X)                                                                    \
	X(change)                                                                          \
	X(hot)                                                                             \
	X(system)                                                                          \
	X(runtime)                                                                         \
	X(recursion)                                                                       \
	X(serial)                                                                          \
	X(imbalance)                                                                       \
	X(waits)                                                                           \
	X(convoy)                                                                          \
	X(phases)                                                                          \
	X(stalls)                                                                          \
	X(periodic)                                                                        \
	X(outliers)                                                                        \
	X(growth)                                                                          \
	X(spikes)                                                                          \
	X(trust)

#define ANSWERS_DECLARE(name) extern const struct answers_row answer_##name;
ANSWERS_ROWS(ANSWERS_DECLARE)
#undef ANSWERS_DECLARE

/* A span of time, from the first event of each file. */
struct answers_span {
	int64_t from, to;
};

typedef VEC(struct answers_span) answers_spans;

/* The times at which lanes run. A lane is a series of a running track: the tracks of kind thread
 * that have steps or samples of the base metric; if there are none, those of kind task, else those
 * of kind core. A lane runs in a step whose stack is not empty, and in the extent of a sample as
 * the timeline draws it. The base metric is the default metric if it is a time or a number of
 * samples, else the first such metric. */
#define ANSWERS_BINS 1024u
struct answers_running {
	uint32_t group;   /* its file: those of others have times of their own */
	int64_t from, to; /* the range, at most to the end of the file */
	unsigned lanes;   /* at least 1 */
	enum track_kind kind;
	metric_id base;
	bool sampled;     /* a lane has samples */
	int64_t usual;    /* the usual duration of a sample or a step */
	unsigned tracks;  /* with lanes */
	answers_spans idle;  /* when no lane runs, in order */
	answers_spans alone; /* when at most one lane runs, in order */
	double *busy;     /* [ANSWERS_BINS] the time that lanes run in each part of the range */
};

/* Classes of functions. Each is a text of names: blanks separate them, `*` at the end of one means
 * any continuation, `~` a blank. */
struct answers_words {
	struct answers_word {
		const char *at;
		size_t len;
		int class;
	} *word; /* by first byte; those of one byte in their order */
	uint32_t n, from[257]; /* [byte + 1] its first word */
};

/* The data that all answers read. */
struct answers_work {
	const struct profile *p;
	struct pace *pace;
	bool programs;
	const struct answers_asks *asks;
	struct regroup *regroup; /* the profile without unfinished slices; NULL: it has none */
	struct lens lens;   /* as asked, by function, not inverted, without those slices */
	struct fold *fold;  /* of that lens */
	struct rows rows;   /* of that fold: functions */
	struct slice slice; /* of the fold; its tracks are owned */
	uint8_t *tracks;
	double weight;  /* of a sample, in units of the metric; 0: the numbers have no error of
			 * sampling */
	bool untimed;   /* the samples have no time */
	bool has_chance; /* the error of samples is known: they have times, or are declared
			  * independent (recorded sums of bytes or µs may have no times either) */
	double samples; /* how many there are; 0 if weight is */
	struct changes bars; /* error bars of the fold; made by answers_bar() */
	bool has_bars;
	int64_t from, to; /* the range */
	VEC(struct answers_running) running; /* of each file with lanes; made by answers_run() */
	bool has_running;
	uint8_t *idle; /* of answers_run(): running_idle() */
	struct answers_words waits; /* names of functions that wait: enum wait_class */
	/* memory that is still held, over time: answers_find_held() */
	metric_id live; /* with the stacks that hold it; METRIC_NONE: there are none */
	track_id heap;	/* a counter of it, if the samples are too few; else TRACK_NONE */
};

/* Makes them from texts known[1] to known[n_classes - 1], which it borrows. */
void answers_words_init(struct answers_words *x, const char *const *known, int n_classes);
void answers_words_release(struct answers_words *x);
/* Returns the class of a function: the index of the first text that has its name; 0, which has no
 * text, if there is none. */
int answers_class_of(const struct answers_words *x, struct name n);
/* Returns what is known of each function that is called, [key]; the caller frees it. */
struct answers_callee;
struct answers_callee *answers_callees(const struct answers_work *w);
/* Returns true if the callee of a function of a runtime is the program's code, which the runtime
 * calls back. */
bool answers_leaves_runtime(const struct answers_work *w, const struct answers_callee *of,
			    key_id caller, key_id callee);
/* The same within a function that waits. Those of a list run the program's code meanwhile; what the
 * others call waits, too. */
bool answers_leaves_wait(const struct answers_work *w, const struct answers_callee *of,
			 key_id caller, key_id callee);
/* Returns true if all functions are the system's: a list of system calls has no program. */
bool answers_of_system(const struct answers_work *w);
/* Initialises w->waits. */
void answers_wait_words(struct answers_words *out);
/* Returns true if the function has the name of one that waits for a lock, a timer or a thread. */
bool answers_is_wait(const struct answers_work *w, key_id key);
/* Returns true if it is known over time what threads wait for. */
bool answers_has_waits(const struct answers_work *w);
/* Returns true if the function has no name, or an address for one. */
bool answers_nameless(const struct answers_work *w, key_id key);
/* Finds out what runs when in each file, on first use. Returns the number of w->running.
 * O(events). */
size_t answers_run(struct answers_work *w);
void answers_running_release(struct answers_running *r);
/* Appends the name of a file to the answer, if there are several files. */
void answers_say_file(const struct answers_work *w, struct answers_item *out, uint32_t group);
/* Returns true if the series is a lane of this kind of track. */
bool answers_is_lane(const struct answers_work *w, const struct series *s, enum track_kind kind,
		     metric_id base);
/* Finds the kind of the running tracks of the first file that has such, and the base metric; false
 * if nothing runs over time. */
bool answers_lanes(const struct answers_work *w, enum track_kind *kind, metric_id *base);
/* Returns true if the running tracks are tasks, such as the lanes of spans and of requests: these
 * do not share work as threads do, and `wait` is a part of them like any other. */
bool answers_runs_tasks(const struct answers_work *w);
/* Takes the times at which a thread of the file runs or wants a CPU off n of its idle spans.
 * Returns what is left and not shorter than `least`; the caller releases it. */
answers_spans answers_gaps(const struct answers_work *w, const struct answers_running *r,
			   const struct answers_span *idle, size_t n, double least);
/* Calls during which all other threads stop. */
struct answers_blocks {
	unsigned count;
	double total; /* ns */
	struct answers_span longest;
	key_id key; /* the function of the longest one */
};
/* Finds those of a file that last `limit` ns or longer. */
void answers_find_blocks(struct answers_work *w, const struct answers_running *r, double limit,
			 struct answers_blocks *out);
/* Finds what says how much memory is still held, at `least` moments. */
void answers_find_held(struct answers_work *w, uint64_t least);
/* Returns how much is held before a moment since the file's first event; one of both is known. */
double answers_held(const struct answers_work *w, int64_t when);
/* Returns the value of a point. */
static inline double
answers_value(const struct series *s, const struct event *e)
{
	double v = (double)e->value;

	if (s->floating)
		memcpy(&v, &e->value, sizeof v);
	return v;
}
/* Appends a value of a counter with its unit. */
void answers_say_value(const struct answers_work *w, struct answers_item *out, track_id t,
		       double v);
/* Appends a time or a duration in ns. */
void answers_say_time(struct answers_item *out, int64_t v);
/* Returns a moment of a lens, from one in units of the axis. */
struct moment answers_moment(const struct answers_work *w, int64_t v);
/* Returns the median of n values, which are sorted by that; 0 if there are none. */
double answers_median(double *v, size_t n);
/* The line through n >= 3 values at the places 0 to n - 1 with the least squares. */
struct answers_line {
	double mean, slope; /* of the values; by place */
	double places;	    /* sum of the squares of the places' distances from their mean */
	double rest;	    /* sum of the squares of the values' distances from the line */
};
struct answers_line answers_fit(const double *v, unsigned n);
/* Returns the height of the line at place i of n. */
static inline double
answers_line_at(const struct answers_line *l, unsigned i, unsigned n)
{
	return l->mean + l->slope * (i - (n - 1) / 2.0);
}

/* Returns what 100 % is: everything recorded in the range on the chosen tracks. */
static inline double
answers_whole(const struct answers_work *w)
{
	return (double)w->fold->now.everything;
}

/* Returns true if a file is on the old side of a comparison. */
static inline bool
answers_is_base(const struct answers_work *w, uint32_t group)
{
	return w->p->comparison == COMPARE_FILES && group < w->p->n_base;
}

/* Appends to the sentence. */
#define answers_say(out, ...) buf_addf(&(out)->text, __VA_ARGS__)
/* Appends a name of at most 60 characters to a text; a longer one loses its middle. */
void answers_name(const struct answers_work *w, name_id name, struct buf *out);
/* Appends the displayed name of a function. */
void answers_function(const struct answers_work *w, key_id key, struct buf *out);
/* Appends a number without an interval; `subject` is copied. The result is valid until the next
 * call. */
struct answers_number *answers_add(struct answers_item *out, const char *subject,
				   const char *name, const char *unit, double value);
/* The same about a function, or any name of the profile. */
struct answers_number *answers_add_of(const struct answers_work *w, struct answers_item *out,
				      name_id subject, const char *name, const char *unit,
				      double value);
/* Appends a share in % of a part of the whole, with Wilson's interval if the parts are samples. */
struct answers_number *answers_add_share(const struct answers_work *w, struct answers_item *out,
					 const char *subject, double part);
/* Returns the interval of a function's self in % of the whole, from its error bar. */
struct evidence answers_bar(struct answers_work *w, const struct row *row);
/* Appends ` (38.0 % to 44.4 %)`; nothing if the number has no interval. */
void answers_say_interval(struct answers_item *out, const struct answers_number *n);
/* Appends `, from 312 samples`; nothing if there are no samples, or plenty. */
void answers_say_samples(const struct answers_work *w, struct answers_item *out);

/* ---- answers_show.c ---- */

/* Begins with the lens as asked, and the view of the row. */
void answers_show_init(const struct answers_work *w, struct answers_item *out);
void answers_show_release(struct answers_shown *s);
/* Another view of `pnav report`, a constant. */
void answers_show_view(struct answers_item *out, const char *view);
/* A range, since the file's first event. */
void answers_show_range(const struct answers_work *w, struct answers_item *out, int64_t from,
			int64_t to);
/* The run from a moment on; `compares`: beside what is before it, if nothing is compared yet. */
void answers_show_from(const struct answers_work *w, struct answers_item *out, int64_t from,
		       bool compares);
void answers_show_metric(const struct answers_work *w, struct answers_item *out, metric_id m);
/* One more entry of the lens. */
void answers_show_entry(struct answers_item *out, enum verb verb, const char *pattern);
/* The same with a name, as it is. */
void answers_show_named(const struct answers_work *w, struct answers_item *out, enum verb verb,
			name_id name);
/* Only what the functions of that file or module do themselves, and their calls. */
void answers_show_leaf(const struct answers_work *w, struct answers_item *out,
		       enum subject subject, name_id name);
/* Beside the tracks of that name, if nothing is compared yet. */
void answers_show_beside(const struct answers_work *w, struct answers_item *out, name_id name);
/* Returns what that view of functions has in all, in the unit of its metric. */
int64_t answers_show_total(const struct answers_work *w, const struct answers_item *out);
/* Appends the option of a word, which is quoted for a shell. */
void answers_show_option(struct answers_item *out, const char *word, const char *value);
/* Writes the command line that shows the answer. */
void answers_write_command(const struct answers_work *w, struct answers_item *out);

/* Returns 1 if v reaches the threshold, 2 if it reaches twice the threshold, else 0. */
unsigned answers_level(double v, double threshold);

#endif
