/* chrome_inside.h - shared by the files of the decoder, and private to them.
 *
 * chrome.c         the container, the kinds of events, the end
 * chrome_event.c   one event: its members, its args
 * chrome_tracks.c  the tracks of slices, counters and marks
 * chrome_names.c   names of processes and threads
 * chrome_tree.c    the nodes of CPU profiles
 * chrome_words.c   ids, times, functions and labels of events
 * chrome_cpu.c     samples: CPU profiles inside, stackFrames
 * chrome_profile.c the samples of CPU profiles, in the order of their times
 * chrome_fuchsia.c the kernel's events in traces of Fuchsia
 * chrome_dump.c    the raw listing */
#ifndef PNAV_SRC_DECODE_CHROME_CHROME_INSIDE_H
#define PNAV_SRC_DECODE_CHROME_CHROME_INSIDE_H

#include <stdbool.h>
#include <stdint.h>

#include "model/base/buf.h"
#include "model/base/vec.h"
#include "model/build/builder.h"
#include "src/decode/common/cast.h"
#include "src/decode/common/flows.h"
#include "src/decode/common/idmap.h"
#include "src/decode/common/sched.h"
#include "src/decode/common/text_cache.h"
#include "src/input/input.h"
#include "src/input/rows_json.h"

#define CHROME_ARGS_MAX 16u
#define CHROME_TIME_MAX (INT64_MAX / 4) /* ns: sums of two such times fit */

/* ---- one event ---- */

enum chrome_value { VALUE_TEXT, VALUE_WHOLE, VALUE_FRACTION };

/* A member of `args` that is a string or a number. */
struct chrome_arg {
	name_id key;
	uint8_t kind; /* enum chrome_value */
	uint32_t at, len; /* in the event's text */
	int64_t whole;
};

/* The place of a function in its source, according to args. */
struct chrome_place {
	name_id file, name;
	int64_t line;
	bool has_file, has_line, has_column, has_name;
};

/* Members that pnav itself adds to a CPU profile (src/encode/chrome_samples.c), so that samples
 * get their old weights back.  The first event of a profile names its metric; each chunk has
 * the other members. */
struct chrome_own {
	name_id metric;        /* `pnav_metric`; NAME_EMPTY: absent */
	uint8_t unit;          /* `pnav_unit` */
	bool decimals;         /* `pnav_decimals`: weights are in millionths */
	bool shown;            /* `pnav_shown`: it was the metric in view */
	size_t weight, n_weights; /* `pnav_weights`, one for each sample */
	size_t rest, n_rests;  /* `pnav_ns`: added to the time of a sample */
};
#define CHROME_NO_WEIGHT INT64_MIN /* not a sample: it ends the one before */

/* The part of the tables that one event of a CPU profile filled. */
struct chrome_chunk {
	uint32_t profile;
	uint64_t place;      /* its position among the chunks */
	int64_t time;        /* of its event */
	int64_t start, end;  /* CHROME_NO_TIME: absent */
	size_t sample, n_samples, delta, n_deltas;
	uint32_t thread;
	bool opens; /* a `Profile` event: its thread is the sampled one */
	bool kept;  /* it is among the chunks */
	struct chrome_own own;
};
#define CHROME_NO_TIME INT64_MIN

/* `args`, and what it says of the function and of the call. */
struct chrome_args {
	bool is_sum;
	struct chrome_place own, data; /* in args, and in args.data */
	unsigned n, n_deeper;
	struct chrome_arg at[CHROME_ARGS_MAX];
};

/* `id` or `id2`, and `scope`; `bind_id` of a slice that flows leave or enter: hashes of their
 * texts. */
struct chrome_key {
	bool there, local;
	bool binds, flow_in, flow_out;
	uint64_t bind;
	uint64_t hash, scope;
	uint32_t at, len; /* of the id in the event's text */
};

struct chrome_event {
	uint64_t offset;
	char ph, s;
	bool has_ts, has_dur, has_tdur, has_sf, has_profile;
	int64_t ts, dur, tdur; /* ns */
	int32_t off; /* what is missing of ts and dur, which are rounded: billionths of a ns */
	int64_t pid, tid, sf;  /* as chrome_id() returns them */
	name_id name, cat;
	struct chrome_key id;
	struct chrome_args args; /* its arguments are not cleared, nor what follows */
	struct chrome_chunk chunk;
};

/* ---- state ---- */

struct chrome_function {
	name_id name, file;
	uint32_t line;
	int8_t kind;    /* enum kind, or CHROME_KIND_BY_NAME */
	frame_id frame; /* CHROME_NO_FRAME: not made yet */
};
#define CHROME_NO_FRAME UINT32_MAX
#define CHROME_KIND_BY_NAME (-1)

#define CHROME_NONE UINT32_MAX

/* A node of a CPU profile, or of stackFrames. */
struct chrome_node {
	int64_t id, parent; /* as chrome_id() returns them; CHROME_NO_PARENT */
	/* CHROME_NONE: no frame, the root; CHROME_UNSAID: seen only as a parent */
	uint32_t function;
	uint32_t depth;
	stack_id stack;
	uint8_t state;
	bool idle; /* (idle): nothing ran */
};
#define CHROME_UNSAID (CHROME_NONE - 1)
#define CHROME_NO_PARENT INT64_MAX

struct chrome_tree {
	struct idmap of; /* id -> node */
	VEC(struct chrome_node) node;
};

struct chrome_profile {
	struct chrome_tree tree;
};

/* A sample of stackFrames. */
struct chrome_sample {
	int64_t time, frame;
	uint64_t place;
	uint32_t thread;
	bool lasts; /* until the next sample of its thread */
};

/* Names with a meaning in this format. */
struct chrome_names {
	name_id name, detail, data, avg, url, line, column, allocated, value, cat;
	name_id trace, spans, source;
	name_id kind[KINDS];
};

/* Functions; they become frames at the end of the file (chrome_words.c). */
struct chrome_functions {
	VEC(struct chrome_function) function;
	uint32_t *plain; /* [name] -> function + 1, for functions known only by name */
	size_t n_plain;
	struct text_cache placed; /* all other functions */
};

/* Samples; they are written at the end of the file (chrome_cpu.c, chrome_profile.c). */
struct chrome_cpu {
	VEC(struct chrome_profile) profile;
	struct idmap profile_of;
	VEC(struct chrome_chunk) chunk;
	VEC(struct chrome_node) raw; /* nodes of the event's profile */
	VEC(int64_t) ids;    /* nodes of the samples in chunks */
	VEC(int64_t) deltas; /* ns */
	VEC(int64_t) weights, rests;
	uint64_t idle_samples, idle_ns; /* idle samples of V8's profiles; not in `cpu` */
	size_t cpu_samples, own_samples; /* samples of chunks without and with pnav_weights */
	bool own_first; /* the default metric is the one of own_samples in view, or the first */
	bool own_chosen; /* one of them is the default metric */
	struct chrome_tree frames;
	VEC(struct chrome_sample) sample;
};

/* A thread leaves a CPU for another one; 0: the idle task. */
struct chrome_turn {
	int64_t time, cpu, out, in;
	uint8_t left; /* enum sched_left */
};

/* The name of a process, or of a thread. */
struct chrome_named {
	int64_t pid, tid;
	name_id name;
	bool thread;
};

/* systemTraceEvents of Fuchsia; they are written at the end of the file. */
struct chrome_fuchsia {
	bool there;
	VEC(struct chrome_turn) turn;
	VEC(struct chrome_named) named;
	struct idmap thread_of; /* number of a thread -> its index in the cast */
};

/* The last event without arguments: its labels are those of the next one, mostly. */
struct chrome_bare {
	name_id cat;
	labels_id labels;
};

/* Numbers of events that are counted and not shown. */
struct chrome_counts {
	uint64_t sums, deeper, counted[128]; /* [ph] skipped */
};

struct chrome {
	struct input *in;
	struct builder *b;
	struct rows_json r;
	struct json_token t; /* of args */
	struct buf system; /* the text of systemTraceEvents */
	uint64_t system_at;
	struct buf text, scratch; /* text of the current event; scratch space within one call */
	struct chrome_event e;
	struct chrome_names is;
	struct chrome_bare bare;
	bool viztracer;
	struct chrome_functions functions;
	struct cast cast;
	struct flows flows;
	struct chrome_cpu cpu;
	struct chrome_fuchsia fuchsia;
	struct chrome_counts counts;
};

/* ---- chrome_event.c ---- */
/* Reads an event into d->e, with its members in any order.  chrome_event_end() completes it. */
extern const struct json_row chrome_event_rows[];
void *chrome_event_begin(struct rows_json *r, void *parent, void *own);
void chrome_event_end(struct chrome_event *e);
/* Returns a number, or the value of a string of digits; any other string gets a number of its
 * own. */
int64_t chrome_id(struct chrome *d, const struct json_token *t);
/* The same as the callback of a row; stores an int64_t. */
bool chrome_id_take(struct rows_json *r, void *id, const struct json_value *v);
name_id chrome_name(struct chrome *d, const struct json_token *t);
/* Callback of a row: reads the name of a unit and stores an enum unit in a uint8_t. */
bool chrome_unit_take(struct rows_json *r, void *unit, const struct json_value *v);
/* Returns the text of an argument as it is in the file, without a NUL. */
const char *chrome_arg_text(const struct chrome *d, const struct chrome_arg *a);
/* Returns the labels of the current event, without those that name its function. */
labels_id chrome_labels(struct chrome *d);
/* The current event as a call: the function that its name and args describe, and its labels. */
struct chrome_said {
	uint32_t function;
	labels_id labels;
};
struct chrome_said chrome_said(struct chrome *d);
/* Returns the number of the function with these attributes. */
uint32_t chrome_function(struct chrome *d, name_id name, name_id file, uint32_t line,
			 int kind);
frame_id chrome_frame(void *chrome, uint32_t function);

/* ---- chrome_names.c ---- */
/* Handles an event of the phase M. */
void chrome_metadata(struct chrome *d);
/* At the end: reports the labels of each process in `info`. */
void chrome_labels_report(struct chrome *d);

/* ---- chrome_tracks.c ---- */
/* Returns the thread of the current event, an index in d->cast. */
static inline uint32_t
chrome_thread(struct chrome *d)
{
	return cast_thread(&d->cast, cast_process(&d->cast, d->e.pid), d->e.tid);
}

/* Returns true if pnav wrote this thread as a track of stacks (`points`: of points). */
static inline bool
chrome_is_own(const struct chrome *d, uint32_t thread, bool points)
{
	const struct cast_own *own = &d->cast.track.at[thread].own;

	return own->name != NAME_EMPTY && points == (own->kind >= TRACK_COUNTER);
}

/* Adds an event to its thread as a slice. */
void chrome_slice(struct cast *c, uint32_t thread, const struct chrome_event *e,
		  struct chrome_said said);
void chrome_async(struct chrome *d, bool ends, bool nests);
/* Adds the current event, of the phase s, t or f, to the flows. */
void chrome_flow(struct chrome *d);
/* Adds the current event, the begin of a slice, to the flows that it names. */
void chrome_bound_flow(struct chrome *d);
bool chrome_counter(struct chrome *d, struct err *err);
bool chrome_mark(struct chrome *d, struct err *err);

/* ---- chrome_cpu.c ---- */
/* Rows for the members of args.data, read into a struct chrome.  Members of a CPU profile go to
 * the columns of the chunk; the event's phase decides later which profile that is. */
extern const struct json_row chrome_data_rows[];
/* Adds a node, or updates the one with the same id. */
void chrome_tree_put(struct chrome_tree *t, struct chrome_node x);
/* Returns the stack of a node.  Makes the stacks of its parents first, without recursion. */
stack_id chrome_tree_stack(struct chrome *d, struct chrome_tree *t, int64_t id);
/* Returns true if the node is V8's `(idle)`. */
bool chrome_tree_is_idle(const struct chrome_tree *t, int64_t id);
void chrome_profile_event(struct chrome *d);
/* The document's members stackFrames and samples. */
extern const struct json_row chrome_frames_rows[];
extern const struct json_list chrome_samples_list;
void chrome_sample(struct chrome *d, uint32_t thread, int64_t time, int64_t frame, bool lasts);
/* Writes a sample of a CPU profile, which lasts `lasts` ns. */
bool chrome_sample_write(struct chrome *d, struct series *s, int64_t time,
			 int64_t lasts, stack_id stack, struct err *err);
/* Writes all samples.  `metric`: `samples` and `cpu`, for profiles that name no metric. */
bool chrome_cpu_write(struct chrome *d, const metric_id metric[2], struct err *err);
void chrome_cpu_release(struct chrome *d);
/* Reads systemTraceEvents, a text of ftrace inside the file.  Returns false if there is none,
 * or if CPU samples already use the names of its metrics. */
bool chrome_system_read(struct chrome *d, bool cpu);

/* ---- chrome_profile.c ---- */
bool chrome_profiles_write(struct chrome *d, const metric_id metric[2], struct err *err);
/* Drops the samples of an event that turned out not to belong to a profile. */
void chrome_profile_drop(struct chrome *d);

/* ---- chrome_fuchsia.c ---- */
/* Rows for systemTraceEvents that is an object, read into a struct chrome. */
extern const struct json_row chrome_fuchsia_rows[];
/* Names processes and threads. Returns true if there are switches of threads. */
bool chrome_fuchsia_names(struct chrome *d);
/* Writes the states of threads, and with `turns` what runs on each CPU. */
void chrome_fuchsia_write(struct chrome *d, bool turns);
void chrome_fuchsia_release(struct chrome *d);

/* ---- chrome_dump.c ---- */
struct dump;
bool chrome_dump(struct input *in, struct dump *to, struct err *err);

#endif
