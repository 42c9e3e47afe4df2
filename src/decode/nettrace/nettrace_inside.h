/* nettrace_inside.h - the state of the decoder of nettraces. For nettrace*.c alone.
 *
 *	bytes ─► nettrace_read, nettrace_tables ─► nettrace.c; nettrace_ids.c: what has a number
 *	                                              │
 *	           nettrace_events.c, nettrace_system.c: what an event means
 *	              │              │                              │
 *	              ▼              ▼                              ▼
 *	   nettrace_rows.c:    nettrace_frames.c: methods,   nettrace_gc.c: slices
 *	   samples, packed     mappings, stacks
 *	              └───────► at the end of the file: nettrace_rows_write()
 *
 * .NET writes the names of methods when the recording ends. So samples wait in a few bytes each,
 * with the number of a stack of addresses, until the file has been read. */
#ifndef PNAV_SRC_DECODE_NETTRACE_NETTRACE_INSIDE_H
#define PNAV_SRC_DECODE_NETTRACE_NETTRACE_INSIDE_H

#include "model/base/vec.h"
#include "model/build/builder.h"
#include "src/decode/common/cast.h"
#include "src/decode/common/idmap.h"
#include "src/decode/common/text_cache.h"
#include "src/decode/nettrace/nettrace_read.h"
#include "src/symbol/symbols.h"

#define NETTRACE_NONE UINT32_MAX

/* ---- rows ---- */

/* The metric of a row of samples; the file names further ones. */
enum nettrace_measure {
	NETTRACE_SAMPLES,
	NETTRACE_CPU,
	NETTRACE_OFF_CPU,    /* values in ticks */
	NETTRACE_LOCK,       /* values in ticks */
	NETTRACE_ALLOC,
	NETTRACE_EXCEPTIONS,
	NETTRACE_MEASURES
};

struct nettrace_row {
	int64_t ticks;
	int64_t value;
	uint32_t stack; /* an index of nettrace_frames.stack */
	labels_id labels;
};

/* The rows of one thread and one measure, each packed as differences from the one before. */
struct nettrace_stream {
	uint32_t thread, measure;
	bool labelled;
	struct nettrace_row last;
	uint64_t n;
	uint8_t *at;
	size_t len, cap;
};

struct nettrace_rows {
	VEC(struct nettrace_stream) stream;
	VEC(name_id) measure;      /* names of the metrics from NETTRACE_MEASURES on */
	struct idmap measure_of;   /* name -> index in `measure` */
	struct idmap stream_of;    /* thread << 32 | measure, for those */
};

/* ---- frames ---- */

/* Addresses [start, end) of a process: a method, a symbol or a mapping. */
struct nettrace_range {
	uint64_t start, end;
	int64_t ticks;    /* when the file names it */
	uint64_t module;  /* of a method: its id; of a symbol or a mapping: the mapping's id */
	uint32_t process;
	name_id name;     /* of a mapping: its path */
};

/* Ranges, sorted once all are known. */
struct nettrace_ranges {
	VEC(struct nettrace_range) range;
	uint64_t *reach; /* [i] the largest end of the ranges of this process up to i */
};

struct nettrace_mapping {
	uint64_t start, offset; /* offset: in the file, of start */
	name_id path, module;
	uint64_t metadata;      /* id of what identifies the file; 0: none */
	uint32_t process;
	uint32_t symbols;       /* its number in nettrace_frames.symbols */
	bool asked, there;      /* symbols: whether it was looked for, and is there */
};

/* A stack of addresses, leaf first, and what it became last. */
struct nettrace_stack {
	size_t at; /* in nettrace_frames.address */
	uint32_t n;
	uint32_t process;
	stack_id stack;    /* valid for `process` at ticks [from, to) */
	uint32_t nameless; /* frames without a method */
	int64_t from, to;
};
#define NETTRACE_NO_STACK 0u      /* indexes of the two first stacks */
#define NETTRACE_UNKNOWN_STACK 1u

struct nettrace_frame;
#define NETTRACE_FRAMES_KEPT 8192u

struct nettrace_frames {
	struct nettrace_ranges methods, mapped;
	struct idmap module_of;   /* id of a module of .NET -> name_id */
	struct idmap mapping_of;  /* id -> index */
	VEC(struct nettrace_mapping) mapping;
	struct idmap build_of;    /* id of what identifies a file -> name_id of its build id */
	struct symbols *symbols;  /* NULL: not needed yet */
	VEC(uint64_t) address;
	VEC(struct nettrace_stack) stack;
	struct text_cache stack_of; /* addresses -> index */
	struct nettrace_frame *kept; /* frames by address; NULL before the first one */
	uint64_t n_methods;
	uint64_t frames, nameless; /* of all samples */
};

/* ---- the garbage collector ---- */

enum nettrace_mark_kind { NETTRACE_GC_BEGINS, NETTRACE_GC_ENDS, NETTRACE_SUSPENDS,
			  NETTRACE_RESUMES };

struct nettrace_mark {
	int64_t ticks;
	uint32_t process;
	uint32_t count; /* of the collection */
	uint32_t generation, reason;
	uint8_t kind; /* enum nettrace_mark_kind */
	bool background;
};

/* ---- the decoder ---- */

struct nettrace;
typedef bool nettrace_handler(struct nettrace *d, const struct nettrace_event *ev);

/* A kind of events. */
struct nettrace_type {
	name_id provider, name;
	uint64_t event;
	uint64_t n; /* events so far */
	nettrace_handler *take; /* NULL: counted only */
	bool no_process;
	uint32_t measure; /* of Universal.Events */
};

struct nettrace_thread {
	uint32_t cast, process; /* in nettrace.cast */
	uint32_t stream[NETTRACE_MEASURES]; /* NETTRACE_NONE: none yet */
	uint32_t sequence;
	bool waits; /* for a lock, since lock.ticks */
	struct nettrace_row lock;
};

/* Ids of stacks and of lists of labels hold until the next sequence point. */
struct nettrace_ids {
	uint64_t base; /* subtracted from the ids, which go on growing */
	struct idmap of;
};

struct nettrace_facts {
	name_id command, system, machine;
	uint64_t lost, unknown_types, unknown_stacks, unknown_labels;
	uint64_t other_suspensions, unfinished_locks;
	bool ended; /* the end tag was read */
};

struct nettrace {
	struct nettrace_file file;
	struct builder *b;
	struct nettrace_trace trace;
	int64_t tick_ns; /* ns of a tick; 0: not a whole number */
	struct cast cast;
	uint32_t process; /* that of the recording, in cast */
	struct {
		VEC(struct nettrace_type) at;
		struct idmap of;   /* metadata id -> index */
		struct idmap same; /* hash of what identifies it -> index */
		uint32_t current;
	} types;
	struct {
		VEC(struct nettrace_thread) at;
		struct idmap of;      /* the file's number -> index */
		struct idmap of_cast; /* track of the cast -> index */
		uint64_t last;        /* the file's number of the thread `last_at` */
		uint32_t last_at;
		uint32_t capture;     /* which wrote the latest event */
	} threads;
	struct nettrace_ids stack_ids, label_ids;
	struct nettrace_rows rows;
	struct nettrace_frames frames;
	VEC(struct nettrace_mark) mark;
	VEC(label_id) list; /* of the list of labels that is read */
	labels_id kind_labels[3]; /* type: Error, External, Managed; LABELS_NONE: not used yet */
	int64_t first_ticks, last_ticks; /* of events; first > last: none yet */
	struct nettrace_facts facts;
	struct buf text;    /* scratch */
	uint64_t offset;    /* of the event that is handled */
};

/* Returns a number of the file as an id of the cast, whose least ids mean texts. */
static inline int64_t
nettrace_id(uint64_t number)
{
	return (int64_t)(number & INT64_MAX);
}

/* ---- nettrace_ids.c ---- */
/* Returns the index of the thread with the file's number, a new one if necessary. */
uint32_t nettrace_thread_at(struct nettrace *d, uint64_t number);
/* Returns the thread of an event; valid until the next one is added. */
struct nettrace_thread *nettrace_thread_of(struct nettrace *d, const struct nettrace_event *ev);
/* Returns the index of an event's stack. */
uint32_t nettrace_stack_of(struct nettrace *d, const struct nettrace_event *ev);
/* Returns the labels of an event of version 6; LABELS_NONE without. */
labels_id nettrace_labels_of(struct nettrace *d, const struct nettrace_event *ev);

/* Take a thread, a stack and a label of the file; ctx is the decoder. */
bool nettrace_thread_take(void *ctx, const struct nettrace_thread_row *row);
bool nettrace_stack_take(void *ctx, uint64_t offset, uint32_t id, const uint8_t *at, uint32_t n);
bool nettrace_label_take(void *ctx, const struct nettrace_label *l);

/* ---- nettrace_events.c, nettrace_system.c ---- */
/* Sets what this kind of events means. */
void nettrace_type_bind(struct nettrace *d, struct nettrace_type *type);
/* The same for the providers Universal.System and Universal.Events. */
void nettrace_type_bind_universal(struct nettrace *d, struct nettrace_type *type);

/* ---- nettrace_rows.c ---- */
void nettrace_rows_release(struct nettrace_rows *r);
/* Returns the number of the measure with this name. */
uint32_t nettrace_measure_named(struct nettrace_rows *r, name_id name);
/* Appends a row of a thread. */
void nettrace_row_put(struct nettrace *d, uint32_t thread, uint32_t measure,
		      struct nettrace_row row);
/* Converts a time to ns since the first event. */
int64_t nettrace_ns(const struct nettrace *d, int64_t ticks);
/* Writes all rows as samples. Returns false with damage. */
bool nettrace_rows_write(struct nettrace *d, struct err *e);

/* ---- nettrace_frames.c ---- */
void nettrace_frames_init(struct nettrace_frames *f);
void nettrace_frames_release(struct nettrace_frames *f);
/* Returns the index of a stack of n addresses of `pointer` bytes. */
uint32_t nettrace_stack_add(struct nettrace_frames *f, const uint8_t *at, uint32_t n,
			    unsigned pointer);
/* Sorts the ranges: after the last one, before the first stack. */
void nettrace_frames_ready(struct nettrace_frames *f);
/* Returns the builder's stack of a row. */
stack_id nettrace_stack_at(struct nettrace *d, uint32_t stack, uint32_t process, int64_t ticks);

/* ---- nettrace_dump.c ---- */
struct dump;
bool nettrace_dump(struct input *in, struct dump *out, struct err *e);

/* ---- nettrace_gc.c ---- */
/* Writes the collections and suspensions as slices. */
bool nettrace_gc_write(struct nettrace *d, struct err *e);

#endif
