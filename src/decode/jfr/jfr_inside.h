/* jfr_inside.h - shared by the files of the decoder; no other file includes it.
 *
 * jfr.c         detection, the chunks of a file, the end, the dump
 * jfr_read.c    numbers and strings, and the fields of a value
 * jfr_types.c   metadata: the types of a chunk
 * jfr_pools.c   constant pools, and objects in them
 * jfr_time.c    ticks and spans
 * jfr_events.c  the events
 * jfr_settings.c  intervals of samplers
 * jfr_slices.c  what the JVM does itself: collections, pauses, VM operations, compilations */
#ifndef PNAV_SRC_DECODE_JFR_JFR_INSIDE_H
#define PNAV_SRC_DECODE_JFR_JFR_INSIDE_H

#include <stdbool.h>
#include <stdint.h>

#include "model/base/buf.h"
#include "model/base/vec.h"
#include "model/build/builder.h"
#include "src/decode/common/cast.h"
#include "src/decode/common/idmap.h"
#include "src/decode/common/live_blocks.h"
#include "src/input/cursor.h"
#include "src/input/input.h"

#define JFR_HEADER 68u
#define JFR_NONE UINT32_MAX
#define JFR_DEEP 8u /* limit of nested values */
#define JFR_VALUES 4u

/* The names of the fields that the decoder uses. */
#define JFR_ATOMS(X)                                                                       \
	X(startTime)                                                                       \
	X(duration)                                                                        \
	X(eventThread)                                                                     \
	X(sampledThread)                                                                   \
	X(stackTrace)                                                                      \
	X(state)                                                                           \
	X(truncated)                                                                       \
	X(frames)                                                                          \
	X(method)                                                                          \
	X(lineNumber)                                                                      \
	X(type)                                                                            \
	X(id)                                                                              \
	X(name)                                                                            \
	X(string)                                                                          \
	X(descriptor)                                                                          \
	X(description)                                                                     \
	X(osName)                                                                          \
	X(osThreadId)                                                                      \
	X(javaName)                                                                        \
	X(value)                                                                           \
	X(objectClass)                                                                     \
	X(monitorClass)                                                                    \
	X(parkedClass)                                                                     \
	X(tlabSize)                                                                        \
	X(allocationSize)                                                                  \
	X(objectSize)                                                                      \
	X(weight)                                                                          \
	X(samples)                                                                         \
	X(samplingPeriod)                                                                  \
	X(size)                                                                            \
	X(address)                                                                         \
	X(machineTotal)                                                                    \
	X(jvmUser)                                                                         \
	X(heapUsed)                                                                        \
	X(cause)                                                                           \
	X(sumOfPauses)                                                                     \
	X(operation)                                                                       \
	X(thrownClass)                                                                     \
	X(message)                                                                         \
	X(cpuInterval)                                                                     \
	X(wallInterval)

#define JFR_ATOM(name) ATOM_##name,
enum jfr_atom { ATOM_NONE, JFR_ATOMS(JFR_ATOM) ATOMS };
#undef JFR_ATOM

enum jfr_kind {
	JFR_STRUCT,
	JFR_BOOL,
	JFR_BYTE,
	JFR_CHAR,
	JFR_SHORT,
	JFR_INT,
	JFR_LONG,
	JFR_FLOAT,
	JFR_DOUBLE,
	JFR_STRING,
};

struct jfr_field {
	uint64_t type_id;
	uint32_t type; /* JFR_NONE: an undefined type */
	uint8_t atom;  /* enum jfr_atom */
	bool pooled, array;
	int64_t unit; /* ns per unit of a duration; 0: ticks */
};

struct jfr_type {
	uint64_t id;
	name_id name;
	uint32_t first, n; /* in `field` */
	uint8_t kind;      /* enum jfr_kind */
	uint8_t event;     /* enum jfr_event */
	/* the number of values if the structure has only packed numbers; otherwise 0 */
	uint32_t numbers;
	struct idmap pool; /* key to offset in the chunk */
	uint64_t seen;     /* events that are not displayed */
};

/* A field of the current value. */
struct jfr_got {
	uint32_t when; /* it is set if this equals the set's */
	uint32_t type;
	uint64_t number; /* an integer, a key of a pool, or the length of an array */
	double real;
	size_t at; /* position of a string, a structure, the first element of an array */
	bool pooled;
};

struct jfr_set {
	uint32_t when;
	struct jfr_got got[ATOMS];
};

/* The kinds of events. */
enum jfr_event {
	EVENT_OTHER,
	EVENT_EXECUTION,
	EVENT_NATIVE,
	EVENT_CPU_TIME,
	EVENT_METHOD,
	EVENT_WALL,
	EVENT_ALLOC_IN,
	EVENT_ALLOC_OUT,
	EVENT_ALLOC_SAMPLE,
	EVENT_LOCK,
	EVENT_IO,
	EVENT_MALLOC,
	EVENT_FREE,
	EVENT_LIVE,
	EVENT_OLD,
	EVENT_LOAD,
	EVENT_HEAP,
	EVENT_EXCEPTION,
	EVENT_ERROR,
	EVENT_PINNED,
	EVENT_COLLECTION,
	EVENT_PHASE,
	EVENT_CONCURRENT,
	EVENT_SAFEPOINT,
	EVENT_OPERATION,
	EVENT_COMPILATION,
	EVENT_FAILURE,
	EVENT_SETTING,
	EVENT_DATADOG_CPU,
	EVENT_DATADOG_WALL,
	EVENT_DATADOG_ALLOC,
};

enum jfr_metric {
	METRIC_SAMPLES,
	METRIC_CPU,
	METRIC_NATIVE,
	METRIC_WALL,
	METRIC_ALLOC,
	METRIC_ALLOCS,
	METRIC_LOCK,
	METRIC_IO,
	METRIC_LIVE,
	METRIC_LIVES,
	METRIC_ALLOC_TLAB,
	METRIC_ALLOCS_TLAB,
	METRIC_EXECUTIONS,
	METRIC_EXECUTION,
	METRIC_TRACED,
	METRIC_EXCEPTIONS,
	METRIC_ERRORS,
	METRIC_PINNED,
	JFR_METRICS,
};

/* A chunk in memory: its bytes, and the types that its metadata defines. Whatever reads a value
 * needs both. */
struct jfr_chunk {
	const uint8_t *at;
	size_t len;
	uint64_t offset;                       /* in the file */
	bool packed;                           /* integers are LEB128 */
	uint64_t start_ns, start_ticks, ticks; /* ticks: per second */
	bool has_metadata;
	VEC(struct jfr_type) type;
	VEC(struct jfr_field) field;
	struct idmap type_of;
	uint32_t string_type;
};

/* The objects of a chunk's constant pools that events have referred to. */
struct jfr_pools {
	struct idmap stack_of, method_of, thread_of, class_of, word_of;
	VEC(stack_id) stack;
	VEC(function_id) method;
	VEC(frame_id) frames;                /* of the current stack */
	struct jfr_set trace, frame, thread; /* the fields of one of each */
};

/* Settings of the samplers, and what had to be assumed of them; in ns, 0: unknown. */
struct jfr_samplers {
	int64_t cpu_interval, period, wall_interval;
	bool wall;                     /* execution samples include those of the wall clock */
	bool wall_apart;               /* samples of the wall clock are separate events */
	bool event_is_wall;            /* async-profiler samples by the wall clock only */
	int64_t cpu_guess, wall_guess; /* assumed intervals; 0: none */
};

struct jfr_call {
	int64_t start, duration; /* ns */
};

struct jfr_track {
	struct series *series[1u << 4]; /* [what] see jfr_events.c */
	VEC(struct jfr_call) traced;    /* calls that no other has had in it so far */
};

struct jfr_count {
	name_id name;
	uint64_t n;
};

/* A phase of a collection. */
struct jfr_phase {
	int64_t start, length; /* ns */
	uint32_t track;
	frame_id frame;
};

struct jfr {
	struct input *in;
	struct builder *b;
	struct err *err;
	struct jfr_chunk chunk;
	struct jfr_pools pools;
	struct jfr_samplers samplers;
	struct jfr_set event;
	struct buf text;
	struct {
		name_id class, state;
		labels_id set;
	} labels; /* of the last event that had some */
	metric_id metric[JFR_METRICS];
	metric_id async; /* of the slices; METRIC_NONE: there are none */
	uint16_t replaced; /* bits of series whose numbers are another estimate of others */
	struct cast cast;   /* threads by their names and ids, counters, the JVM's own slices */
	VEC(struct jfr_track) track; /* [track of the cast] */
	VEC(struct jfr_phase) phase; /* all of them: the JDK writes them before their collection */
	struct live_blocks live;
	uint64_t unmatched; /* frees */
	uint64_t chunks, events;
	VEC(struct jfr_count) count; /* of events that are not displayed */
};

/* ---- jfr_read.c ---- */
uint64_t jfr_long(const struct jfr_chunk *k, struct cursor *c);
/* Reads an integer: `bytes` bytes in files with fixed sizes, a varint in others. */
uint64_t jfr_whole(const struct jfr_chunk *k, struct cursor *c, unsigned bytes);
static inline uint32_t
jfr_int(const struct jfr_chunk *k, struct cursor *c)
{
	return (uint32_t)jfr_whole(k, c, 4);
}
/* Returns a cursor over the chunk from `at` on. */
struct cursor jfr_at(const struct jfr_chunk *k, size_t at);
/* Reads a string, directly or from the pool; NAME_EMPTY for null. */
name_id jfr_string(struct jfr *d, struct cursor *c);
/* Reads the fields of a value of this type into a set, which is cleared first. The cursor is after
 * the value then, or bad. */
void jfr_fields(const struct jfr_chunk *k, uint32_t type, struct cursor *c,
		struct jfr_set *out);
void jfr_skip(const struct jfr_chunk *k, uint32_t type, struct cursor *c, unsigned depth);
/* Sets jfr_type.numbers, when the types of all fields are known. */
void jfr_count_numbers(struct jfr_chunk *k);
static inline const struct jfr_got *
jfr_got(const struct jfr_set *s, enum jfr_atom atom)
{
	return s->got[atom].when == s->when ? &s->got[atom] : NULL;
}

/* ---- jfr_types.c ---- */
/* Reads a metadata event, whose fields begin at the cursor. Returns false if it is malformed. */
bool jfr_metadata(struct jfr *d, struct cursor c);
void jfr_types_release(struct jfr *d);

/* ---- jfr_pools.c ---- */
/* Reads a checkpoint; with `later` it overrides existing entries. *delta is the distance to the
 * previous one. */
bool jfr_pools(struct jfr *d, struct cursor c, bool later, int64_t *delta);
/* Finds a value of a pool in the chunk; false if there is none. */
bool jfr_pooled(const struct jfr_chunk *k, uint32_t type, uint64_t key, size_t *at);
/* Returns the stack that a field refers to. */
stack_id jfr_stack(struct jfr *d, const struct jfr_got *got);
/* Returns the stack with the method that a field refers to as its leaf. */
stack_id jfr_stack_of_method(struct jfr *d, stack_id stack, const struct jfr_got *got);
/* Returns `package.Class`; NAME_EMPTY if there is none. */
name_id jfr_class(struct jfr *d, const struct jfr_got *got);
/* Returns the text of a value with a field `name`, such as a thread's state. */
name_id jfr_word(struct jfr *d, const struct jfr_got *got);
/* The same of the field `atom`, or of a string. */
name_id jfr_text(struct jfr *d, const struct jfr_got *got, enum jfr_atom atom);
/* Returns the index of a thread in the cast; that of `main` for events without a thread. */
uint32_t jfr_thread(struct jfr *d, const struct jfr_got *got);
void jfr_pools_forget(struct jfr *d);

/* ---- jfr_events.c ---- */
enum jfr_event jfr_event_of(struct name type);
/* Handles an event of a type, whose fields begin at the cursor. Returns false if the profile cannot
 * accept it. */
bool jfr_event(struct jfr *d, uint32_t type, struct cursor c, uint64_t offset);
void jfr_metrics_default(struct jfr *d);

/* ---- jfr_settings.c ---- */
/* Handles an event EVENT_SETTING. */
void jfr_setting(struct jfr *d, uint32_t type, struct cursor c);
/* Reports what was assumed and counted. */
void jfr_events_report(struct jfr *d);

/* ---- jfr_time.c ---- */
/* Ticks of this chunk as ns since 1970; NULL: when the chunk begins. */
int64_t jfr_time_of(const struct jfr *d, const struct jfr_got *got);
/* Returns a span of time of the event, in ns. */
int64_t jfr_span_of(const struct jfr *d, uint32_t type, enum jfr_atom atom);
/* Returns when the event ends: after its field `duration`. Ends of events that end in the same
 * tick are equal. */
int64_t jfr_end_of(const struct jfr *d, uint32_t type);

/* ---- jfr_slices.c ---- */
/* Handles an event that becomes a slice or mark of the JVM itself, beside the threads. */
bool jfr_slice(struct jfr *d, uint32_t type, enum jfr_event event, uint64_t offset);
/* Writes the slices, in the metric `async`. */
bool jfr_slices_write(struct jfr *d);

#endif
