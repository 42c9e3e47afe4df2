/* perfetto_inside.h - shared by the files of the decoder, and private to them.
 *
 * perfetto.c          the probe, the packets of a file, the end
 * perfetto_packet.c   one packet: its sequence, its clock, its payload
 * perfetto_intern.c   interned data
 * perfetto_frames.c   names of frames, stacks
 * perfetto_tracks.c   descriptors, and tracks made from them
 * perfetto_events.c   track events
 * perfetto_slices.c   begins and ends
 * perfetto_samples.c  samples and heaps
 * perfetto_ftrace.c   the kernel's events
 * perfetto_sched.c    those of its scheduler: states and wake-ups */
#ifndef PNAV_SRC_DECODE_PERFETTO_PERFETTO_INSIDE_H
#define PNAV_SRC_DECODE_PERFETTO_PERFETTO_INSIDE_H

#include <stdbool.h>
#include <stdint.h>

#include "model/base/buf.h"
#include "model/base/vec.h"
#include "model/build/builder.h"
#include "src/decode/common/cast.h"
#include "src/decode/common/comms.h"
#include "src/decode/common/flows.h"
#include "src/decode/common/idmap.h"
#include "src/decode/common/sched.h"
#include "src/decode/common/text_cache.h"
#include "src/input/rows_proto.h"
#include "src/symbol/symbols.h"

#define PF_NONE UINT32_MAX
#define PF_EXTRA_MAX 8u
#define PF_VALUES_MAX 8u
#define PF_TIME_MAX (INT64_MAX / 4)

/* Builtin clocks (ClockSnapshot). */
enum {
	CLOCK_REAL = 1,
	CLOCK_MONOTONIC_COARSE = 4,
	CLOCK_BOOT = 6,
	CLOCK_OWN = 64,
	CLOCK_GLOBAL = 128,
};

/* Fields of TracePacket that are read. */
enum {
	PACKET_FTRACE = 1,
	PACKET_PROCESS_TREE = 2,
	PACKET_CLOCKS = 6,
	PACKET_TIME = 8,
	PACKET_SEQUENCE = 10,
	PACKET_EVENT = 11,
	PACKET_INTERNED = 12,
	PACKET_FLAGS = 13,
	PACKET_PROFILE = 37,
	PACKET_CLEARED = 41,
	PACKET_DROPPED = 42,
	PACKET_PROCESS = 43,
	PACKET_THREAD = 44,
	PACKET_ZLIB = 50,
	PACKET_STREAMING = 54,
	PACKET_CLOCK = 58,
	PACKET_DEFAULTS = 59,
	PACKET_TRACK = 60,
	PACKET_SYMBOLS = 61,
	PACKET_DEOBFUSCATION = 64,
	PACKET_PERF = 66,
	PACKET_ZSTD = 133,
	PACKET_STACK = 135,
};

/* ---- interned data ---- */

enum pf_kind {
	PF_CATEGORY,
	PF_EVENT_NAME,
	PF_SOURCE,
	PF_FUNCTION,
	PF_BUILD_ID,
	PF_PATH,
	PF_SOURCE_PATH,
	PF_MAPPING,
	PF_FRAME,
	PF_STACK,
	PF_TASK,
	PF_DESCRIPTOR,
	PF_KINDS,
};

struct pf_source {
	name_id file, function;
	uint32_t line;
};

struct pf_mapping {
	name_id module; /* the whole path */
	name_id build_id;
	bool tried, there;
	uint32_t symbols; /* there: symbols_add() */
};

/* A frame.  It is resolved at the end, because symbols may follow it. */
struct pf_frame {
	name_id function, file;
	uint32_t mapping; /* PF_NONE */
	uint64_t pc;
	uint32_t line;
	bool kernel;
};

struct pf_stack {
	uint32_t first, n; /* in `stack_frame`, root first */
	stack_id stack;
	bool bound;
};

struct pf_task {
	uint32_t pid, tid;
};

/* A metric of samples. */
struct pf_descriptor {
	name_id name;
	uint8_t unit; /* enum unit */
	int64_t factor;
};

/* ---- sequences ---- */

struct pf_defaults {
	bool has_clock, has_track;
	uint32_t clock;
	uint64_t track;
	unsigned n_extra, n_extra_double;
	uint64_t extra[PF_EXTRA_MAX], extra_double[PF_EXTRA_MAX];
	unsigned n_perf;               /* timebase and followers */
	uint32_t perf[PF_VALUES_MAX];  /* in `metric` */
	uint32_t primary;              /* descriptor of stack samples; PF_NONE */
};

struct pf_sequence {
	struct idmap of[PF_KINDS]; /* iid -> index */
	struct pf_defaults defaults;
	bool valid;      /* the state is all there */
	uint32_t thread; /* track of its thread descriptor; PF_NONE */
	uint64_t uuid;   /* of the track of its last event, and */
	uint32_t track;  /* that track; PF_NONE */
	int64_t last_us; /* for deltas of old track events */
	struct idmap sums; /* counter's track -> index in `sum` */
};

/* ---- clocks ---- */

struct pf_clock {
	int64_t last;   /* incremental: the sum so far */
	int64_t offset; /* primary = own + offset */
	int64_t unit;
	bool incremental, known;
};

/* ---- tracks ---- */

enum pf_form { PF_OTHER, PF_PROCESS, PF_THREAD, PF_COUNTER, PF_STATE, PF_CORE, PF_MARK, PF_HEAP };

struct pf_track {
	uint64_t uuid, parent;
	bool has_parent, described;
	uint8_t form; /* enum pf_form */
	int64_t pid, tid; /* -1 not known */
	name_id name;
	/* counters */
	name_id unit;
	int64_t factor;
	bool incremental, floating;
	uint8_t counter_type;
	uint32_t cast; /* its number in d->cast; CAST_NONE: the track has no events */
	int64_t peak;  /* of a heap: the time of its last peak */
	VEC(struct pf_series) series;
};

/* Samples of a track with one set of metrics. */
struct pf_series {
	uint32_t set; /* PF_NONE: totals, of peaks */
	struct series *series;
};

/* ---- events that wait ---- */

struct pf_sample {
	int64_t time;
	uint64_t offset;
	uint32_t track, stack;
	uint32_t set, value; /* which metrics; the index of the first of their values */
};

/* Metrics that samples have together. */
struct pf_set {
	unsigned n;
	metric_id metric[PF_VALUES_MAX];
};

struct pf_switch {
	int64_t time;
	uint64_t order;
	int64_t tid;
};

struct pf_core {
	VEC(struct pf_switch) run;
	uint32_t track;
};

struct pf_symbol {
	uint32_t first, n; /* lines, innermost first */
};

struct pf_line {
	name_id function, file;
	uint32_t line;
};

struct pf_heap {
	int64_t allocated, freed, allocs, frees;
};

/* ---- a packet ---- */

struct pf_packet {
	uint64_t offset;
	bool has_time, has_clock;
	int64_t time; /* of the primary clock, ns */
	uint64_t stamp;
	uint32_t clock;
	uint64_t sequence, flags;
	bool cleared, dropped;
	uint8_t odd; /* not 0: a field has another wire type than in the schema */
	struct proto_field interned, defaults, payload;
};

/* ---- the decoder ---- */

struct pf_clocks {
	VEC(struct pf_clock) clock;
	struct idmap clock_of;
	uint64_t last_key; /* the last clock that was looked up */
	uint32_t last, primary;
	bool has_primary;
};

/* Interned data, and the frames and stacks made from it. */
struct pf_names {
	VEC(name_id) name; /* interned texts */
	VEC(struct pf_source) source;
	VEC(struct pf_mapping) mapping;
	VEC(struct pf_frame) frame;
	VEC(uint32_t) stack_frame;
	VEC(struct pf_stack) stack;
	VEC(struct pf_task) task;
	VEC(struct pf_descriptor) descriptor;
	VEC(struct pf_line) line;
	VEC(struct pf_symbol) symbol;
	struct text_cache symbol_of; /* (build id, pc) */
	/* Obfuscated `CLASS.METHOD` -> 1 + name_id of the original */
	struct text_cache whole_name_of;
	struct symbols *symbols;     /* for frames that the trace does not name */
	struct idmap labels_of;      /* categories of events -> labels */
	struct idmap function_of;    /* names of slices with a place -> frames */
};

struct pf_tracks {
	VEC(struct pf_track) track;
	struct idmap track_of;          /* uuid */
	struct text_cache track_keyed;  /* threads by pid and tid, processors, ... */
	struct idmap thread_pid;  /* tid -> pid */
	struct idmap thread_name; /* tid -> name */
	struct idmap named;       /* pids of processes whose name was stated -> 1 */
	struct flows flows;       /* between slices */
};

struct pf_samples {
	VEC(struct pf_sample) sample, peak;
	VEC(int64_t) value;
	VEC(struct pf_set) set;
	VEC(struct pf_descriptor) metric; /* of perf samples */
	struct idmap perf_last;           /* cpu and metric -> index in `sum` */
	struct text_cache heap_of;
	VEC(struct pf_heap) heap;
};

/* A record of the scheduler, in the bundle of its processor. */
enum pf_record_kind { PF_RUNS, PF_SWITCH, PF_WAKING, PF_WAKEUP, PF_WAKEUP_NEW };
struct pf_record {
	int64_t time;
	int64_t on;  /* the thread that runs there, or leaves in a switch; -1: not said */
	int64_t tid; /* the thread that runs next, or is woken */
	uint64_t state; /* of a switch: prev_state; of a wake-up: common_flags */
	name_id comm;   /* of `tid`; */
	name_id was;    /* in a switch, of `on`; NAME_EMPTY: not said */
	uint32_t order;
	enum pf_record_kind kind;
};

struct pf_sched {
	struct sched of;
	VEC(struct pf_record) bundle;
	struct idmap track_of; /* tid -> track of the cast that is made */
};

struct pf_cores {
	VEC(struct pf_core) core;
	struct idmap core_of;
	struct pf_sched sched;
};

/* Things that are counted for `info`. */
struct pf_counts {
	uint64_t packets, snapshots, needs_state, skipped_samples, unwind_errors;
	uint64_t counted[256], counted_more, ftrace_events[1024], ftrace_more, deeper;
};

struct perfetto {
	struct input *in;
	struct builder *b;
	struct err *err;
	struct pf_packet p;
	struct buf text;
	unsigned depth; /* of packets within packets */
	bool wrong;     /* the packet has a field with another wire type than in the schema */
	VEC(struct pf_sequence) sequence;
	struct idmap sequence_of;
	struct pf_sequence *s; /* the sequence of the current packet */
	struct pf_clocks clocks;
	struct pf_names names;
	struct pf_tracks tracks;
	struct cast cast;
	VEC(int64_t) sum; /* of counters that say differences */
	struct pf_samples samples;
	struct pf_cores cores;
	struct pf_metrics {
		metric_id samples, time, async, cpu, weight, alloc, allocs, live, lives, peak;
	} is;
	int64_t latest; /* of all events */
	struct pf_counts counts;
};

/* proto_next() for a message with such fields: a field with another wire type ends the message,
 * and makes the packet damage. */
static inline bool
pf_next(struct perfetto *d, struct proto *p, const struct proto_types *t, struct proto_field *out)
{
	if (!proto_next(p, out))
		return false;
	if (proto_fits(out, t))
		return true;
	d->wrong = p->c.bad = true;
	return false;
}

/* ---- perfetto_packet.c ---- */
/* Converts a time of a clock to the primary clock. */
int64_t pf_time(struct perfetto *d, uint32_t clock, uint64_t stamp);
/* Passes the time of day at time 0 to the builder, if a snapshot had both clocks. */
void pf_tell_clock(struct perfetto *d);
name_id pf_text(struct perfetto *d, const struct proto_field *f);
/* The name of a field of TracePacket; NULL if it is not known. */
const char *pf_packet_name(uint32_t field);
extern const struct proto_table pf_trace_table;

/* ---- perfetto_intern.c ---- */
/* Reads one entry; its field is numbered as in InternedData. */
void pf_intern_one(struct perfetto *d, struct proto_field f);
void pf_intern(struct perfetto *d, struct proto_field data);
void pf_defaults(struct perfetto *d, struct proto_field data);
/* Returns the index for an iid of the current sequence; PF_NONE if there is none. */
uint32_t pf_interned(struct perfetto *d, enum pf_kind kind, uint64_t iid);
name_id pf_interned_name(struct perfetto *d, enum pf_kind kind, uint64_t iid);
uint32_t pf_descriptor_read(struct perfetto *d, struct proto_field data);
/* Returns the number of a stack whose frames are in the packet. */
uint32_t pf_stack_inline(struct perfetto *d, struct proto_field data);

/* ---- perfetto_frames.c ---- */
/* Handle packets with names of frames: for addresses, and for obfuscated names. */
void pf_symbols(struct perfetto *d, struct proto_field data);
void pf_deobfuscation(struct perfetto *d, struct proto_field data);
/* The stack, when all is read. */
stack_id pf_stack_bind(struct perfetto *d, uint32_t stack);

/* ---- perfetto_tracks.c ---- */
void pf_track_descriptor(struct perfetto *d, struct proto_field data);
void pf_process_descriptor(struct perfetto *d, struct proto_field data);
void pf_thread_descriptor(struct perfetto *d, struct proto_field data);
void pf_process_tree(struct perfetto *d, struct proto_field data);
/* Each returns the track of a uuid, thread or other owner, and adds it if it is unknown. */
uint32_t pf_track_uuid(struct perfetto *d, uint64_t uuid);
uint32_t pf_track_thread(struct perfetto *d, int64_t pid, int64_t tid);
uint32_t pf_track_named(struct perfetto *d, enum pf_form form, int64_t pid, int64_t key,
			name_id name);
/* Returns the builder's track; the first call makes it. */
track_id pf_track_made(struct perfetto *d, uint32_t track);
/* The same as a track of d->cast. */
uint32_t pf_cast(struct perfetto *d, uint32_t track);
/* Returns the process of a track, which may come from the tracks above it; -1: none. */
int64_t pf_pid_of(struct perfetto *d, uint32_t track);
/* Updates d->cast with everything that is known of all tracks. */
void pf_tracks_cast(struct perfetto *d);
bool pf_point(struct perfetto *d, uint32_t track, int64_t time, bool whole, int64_t value,
	      double number);
bool pf_mark(struct perfetto *d, uint32_t track, int64_t time, name_id name);

/* ---- perfetto_events.c ---- */
bool pf_event(struct perfetto *d, struct proto_field data);

/* ---- perfetto_slices.c ---- */
void pf_slice_begin(struct perfetto *d, uint32_t track, int64_t time, uint32_t frame,
		    labels_id labels);
/* Marks a track that has one slice at a time: each begin ends the slice before. */
void pf_single(struct perfetto *d, uint32_t track);
/* Extends such tracks to the latest event of all: a state lasts until the next one. */
void pf_singles_reach(struct perfetto *d);
void pf_slice_end(struct perfetto *d, uint32_t track, int64_t time);
void pf_slice_whole(struct perfetto *d, uint32_t track, int64_t time, int64_t length,
		    uint32_t frame, labels_id labels);
void pf_async_begin(struct perfetto *d, uint64_t key, int64_t pid, name_id cat, name_id name,
		    int64_t time, uint32_t frame, labels_id labels);
void pf_async_end(struct perfetto *d, uint64_t key, int64_t time);
frame_id pf_frame_named(struct perfetto *d, name_id name);
/* Extends a track (PF_NONE: none that is known) to the time of an event. */
void pf_reach(struct perfetto *d, uint32_t track, int64_t time);

/* ---- perfetto_samples.c ---- */
bool pf_sample_event(struct perfetto *d, uint32_t track, int64_t time, uint32_t stack,
		     bool weighs, double weight);
bool pf_sample_perf(struct perfetto *d, struct proto_field data);
bool pf_sample_stack(struct perfetto *d, struct proto_field data);
bool pf_sample_streaming(struct perfetto *d, struct proto_field data);
bool pf_heap(struct perfetto *d, struct proto_field data);
/* Returns the index of the metric of a timebase or follower of perf samples. */
uint32_t pf_perf_metric(struct perfetto *d, struct proto_field data, bool timebase);
bool pf_samples_write(struct perfetto *d);

/* ---- perfetto_ftrace.c ---- */
bool pf_ftrace(struct perfetto *d, struct proto_field bundle);
bool pf_cores_write(struct perfetto *d);
void pf_ftrace_report(struct perfetto *d);

/* ---- perfetto_sched.c ---- */
/* Notes a record of the bundle in progress. */
void pf_sched_put(struct perfetto *d, struct pf_record r);
/* Returns the name of the thread with this number at a time; NAME_EMPTY if there is none. A program
 * that is executed gives it another one, and the last one counts. From pf_cores_write() on. */
name_id pf_comm_at(const struct perfetto *d, int64_t tid, int64_t time);
/* Ends the bundle. `lost`: events of the processor were lost before it. */
void pf_sched_bundle(struct perfetto *d, uint64_t cpu, bool lost);
/* Writes states and wake-ups, after the slices of threads, and when their names are known. */
void pf_sched_write(struct perfetto *d);
void pf_sched_release(struct perfetto *d);

#endif
