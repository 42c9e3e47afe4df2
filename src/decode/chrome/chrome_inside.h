/* chrome_inside.h - what the parts of the decoder share; nobody else includes it.
 *
 * chrome.c         the container, the kinds of events, the end
 * chrome_event.c   one event: its members, its args
 * chrome_tracks.c  what lasts, counters and marks: on which track
 * chrome_names.c   what processes and threads are called
 * chrome_tree.c    the nodes of CPU profiles
 * chrome_words.c   ids, times, functions and labels of events
 * chrome_cpu.c     samples: CPU profiles inside, stackFrames
 * chrome_profile.c the samples of CPU profiles, in the order of their times
 * chrome_dump.c    the raw listing */
#ifndef PNAV_SRC_DECODE_CHROME_CHROME_INSIDE_H
#define PNAV_SRC_DECODE_CHROME_CHROME_INSIDE_H

#include <stdbool.h>
#include <stdint.h>

#include "model/base/buf.h"
#include "model/base/vec.h"
#include "model/build/builder.h"
#include "src/decode/common/cast.h"
#include "src/decode/common/idmap.h"
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

/* Where a function stands, as args say it. */
struct chrome_place {
	name_id file, name;
	int64_t line;
	bool has_file, has_line, has_column, has_name;
};

/* What our own files say beside a CPU profile (src/encode/chrome_samples.c), so that samples weigh
 * again what they did.  A profile's metric stands in its first event, the others in each chunk. */
struct chrome_own {
	name_id metric;        /* `pnav_metric`; NAME_EMPTY: not said */
	uint8_t unit;          /* `pnav_unit` */
	bool decimals;         /* `pnav_decimals`: weights are in millionths */
	size_t weight, n_weights; /* `pnav_weights`, a sample each */
	size_t rest, n_rests;  /* `pnav_ns`: what is added to the time of a sample */
};
#define CHROME_NO_WEIGHT INT64_MIN /* no sample of ours: it ends the one before */

/* Parts of tables that one CPU profile, or a part of it, has filled. */
struct chrome_chunk {
	uint32_t profile;
	uint64_t place;      /* in the file */
	int64_t time;        /* of its event */
	int64_t start, end;  /* CHROME_NO_TIME: not said */
	size_t sample, n_samples, delta, n_deltas;
	uint32_t thread;
	bool opens; /* a `Profile`, whose thread it is that was sampled */
	struct chrome_own own;
};
#define CHROME_NO_TIME INT64_MIN

struct chrome_event {
	uint64_t offset;
	char ph, s;
	bool has_ts, has_dur, has_tdur, has_id, id_local, has_sf, is_sum, has_profile;
	bool kept; /* its part of a CPU profile waits in a chunk */
	int64_t ts, dur, tdur; /* ns */
	int64_t pid, tid, sf;  /* chrome_id() */
	name_id name, cat;
	uint64_t id, scope; /* hashes of their texts */
	uint32_t id_at, id_len;
	struct chrome_place own, data; /* in args, and in args.data */
	struct chrome_chunk chunk;
	unsigned n_args, n_deeper;
	struct chrome_arg arg[CHROME_ARGS_MAX];
};

/* ---- what is read ---- */

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
	int64_t id, parent; /* chrome_id(); CHROME_NO_PARENT */
	uint32_t function;  /* CHROME_NONE: no frame, the root; CHROME_UNSAID: only a parent */
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
	bool lasts; /* until the next of its thread */
};

/* Names that mean something. */
struct chrome_names {
	name_id name, detail, data, avg, url, line, column, allocated, value, cat;
};

/* Functions, which become frames when all is read (chrome_words.c). */
struct chrome_functions {
	VEC(struct chrome_function) function;
	uint32_t *plain; /* [name] -> function + 1, of those known by their name alone */
	size_t n_plain;
	struct text_cache placed; /* the others */
};

/* Samples, which wait for the end (chrome_cpu.c, chrome_profile.c). */
struct chrome_cpu {
	VEC(struct chrome_profile) profile;
	struct idmap profile_of;
	VEC(struct chrome_chunk) chunk;
	VEC(struct chrome_node) raw; /* of the event's profile */
	VEC(int64_t) ids;    /* of the samples of chunks */
	VEC(int64_t) deltas; /* ns */
	VEC(int64_t) weights, rests;
	uint64_t idle_samples, idle_ns; /* of V8's profiles; not in `cpu` */
	size_t cpu_samples, own_samples; /* of chunks without and with weights of ours */
	bool own_first; /* the metric of the latter is what the file is about */
	struct chrome_tree frames;
	VEC(struct chrome_sample) sample;
};

/* Events that are counted only. */
struct chrome_counts {
	uint64_t flows, sums, deeper, counted[128]; /* [ph] skipped */
};

struct chrome {
	struct input *in;
	struct builder *b;
	struct rows_json r;
	struct json_token t; /* of args */
	struct buf system; /* the text of systemTraceEvents */
	uint64_t system_at;
	struct buf text, scratch; /* the words of the event at hand; what only one call needs */
	struct chrome_event e;
	struct chrome_names is;
	bool viztracer;
	struct chrome_functions functions;
	struct cast cast;
	struct chrome_cpu cpu;
	struct chrome_counts counts;
};

/* ---- chrome_event.c ---- */
/* An event, into d->e, whatever the order of its members; chrome_event_end() when it is whole. */
extern const struct json_row chrome_event_rows[];
void *chrome_event_begin(struct rows_json *r, void *parent, void *own);
void chrome_event_end(struct chrome_event *e);
/* A number, or a string: of digits the number, else its own. */
int64_t chrome_id(struct chrome *d, const struct json_token *t);
/* Takes it into an int64_t. */
bool chrome_id_take(struct rows_json *r, void *id, const struct json_value *v);
name_id chrome_name(struct chrome *d, const struct json_token *t);
/* Takes the name of a unit, for an enum unit in a uint8_t. */
bool chrome_unit_take(struct rows_json *r, void *unit, const struct json_value *v);
/* The text of an argument, as it stands in the file. */
const char *chrome_arg_text(const struct chrome *d, const struct chrome_arg *a);
/* What the event says beside its function. */
labels_id chrome_labels(struct chrome *d);
/* The function that the event's name and args are. */
uint32_t chrome_event_function(struct chrome *d);
/* A function by what is known of it. */
uint32_t chrome_function(struct chrome *d, name_id name, name_id file, uint32_t line,
			 int kind);
frame_id chrome_frame(void *chrome, uint32_t function);

/* ---- chrome_names.c ---- */
/* Takes an event of the phase M. */
void chrome_metadata(struct chrome *d);
/* At the end: `info` has the labels of each process. */
void chrome_labels_tell(struct chrome *d);

/* ---- chrome_tracks.c ---- */
/* The thread of the event, an index in d->cast. */
uint32_t chrome_thread(struct chrome *d);
/* Did we write the thread as a track of stacks, or of points? */
bool chrome_is_own(const struct chrome *d, uint32_t thread, bool points);
/* Takes the event as a slice, or as a begin or end, of its thread. */
void chrome_slice(struct chrome *d, uint32_t thread);
void chrome_edge(struct chrome *d, uint32_t thread);
void chrome_async(struct chrome *d, bool ends, bool nests);
bool chrome_counter(struct chrome *d, struct err *err);
bool chrome_mark(struct chrome *d, struct err *err);

/* ---- chrome_cpu.c ---- */
/* Members of args.data, of a struct chrome: those of a CPU profile go to its columns, for the
 * profile that the event turns out to be of. */
extern const struct json_row chrome_data_rows[];
/* Adds a node, or what is said now of one that is there. */
void chrome_tree_put(struct chrome_tree *t, struct chrome_node x);
/* The stack of a node; its parents are made first, without recursion. */
stack_id chrome_tree_stack(struct chrome *d, struct chrome_tree *t, int64_t id);
/* Whether a sample of this node is one of no work: V8's `(idle)`. */
bool chrome_tree_is_idle(const struct chrome_tree *t, int64_t id);
void chrome_profile_event(struct chrome *d);
/* stackFrames and samples, members of the document. */
extern const struct json_row chrome_frames_rows[];
extern const struct json_list chrome_samples_list;
void chrome_sample(struct chrome *d, uint32_t thread, int64_t time, int64_t frame, bool lasts);
/* A sample of one of V8's profiles; `lasts` in ns. */
bool chrome_sample_write(struct chrome *d, struct series *s, int64_t time,
			 int64_t lasts, stack_id stack, struct err *err);
/* metric: `samples` and `cpu`, where some profile does not say its own. */
bool chrome_cpu_write(struct chrome *d, const metric_id metric[2], struct err *err);
void chrome_cpu_release(struct chrome *d);
/* What the system did meanwhile, a text of ftrace within the file.  False: there is none, or
 * CPU samples have the names of its metrics. */
bool chrome_system_read(struct chrome *d, bool cpu);

/* ---- chrome_profile.c ---- */
bool chrome_profiles_write(struct chrome *d, const metric_id metric[2], struct err *err);
/* Forgets the samples of an event that has turned out to be no part of a profile. */
void chrome_profile_drop(struct chrome *d);

/* ---- chrome_dump.c ---- */
struct dump;
bool chrome_dump(struct input *in, struct dump *to, struct err *err);

#endif
