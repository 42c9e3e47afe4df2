/* memray_inside.h - shared by the files of the decoder; no other file includes it.
 *
 * memray.c         the header, both kinds of files
 * memray_read.c    records from bytes
 * memray_frames.c  functions, lines, stacks
 * memray_heap.c    allocations, frees, the peak */
#ifndef PNAV_SRC_DECODE_MEMRAY_MEMRAY_INSIDE_H
#define PNAV_SRC_DECODE_MEMRAY_MEMRAY_INSIDE_H

#include <stdbool.h>
#include <stdint.h>

#include "model/base/buf.h"
#include "model/base/vec.h"
#include "model/build/builder.h"
#include "src/decode/common/idmap.h"
#include "src/decode/common/live_blocks.h"
#include "src/input/cursor.h"
#include "src/input/input.h"

/* The first version whose records begin with one token each, and which has tables of lines. */
#define MEMRAY_TOKENS 12
#define MEMRAY_ALLOCATORS 16
enum memray_allocator {
	MEMRAY_PYMALLOC_FREE = 1,
	MEMRAY_FREE = 5,
	MEMRAY_MMAP = 14,
	MEMRAY_MUNMAP = 15,
};
extern const char *const memray_allocators[MEMRAY_ALLOCATORS];

static inline bool
memray_is_free(unsigned allocator)
{
	return allocator == MEMRAY_FREE || allocator == MEMRAY_PYMALLOC_FREE;
}

struct memray_header {
	int32_t version;
	uint32_t python; /* PY_VERSION_HEX; 0 before version 12 */
	bool native, aggregated;
	int64_t start_ms;
	uint64_t main_thread, skip; /* frames of the main thread that are not the program's */
};

/* ---- records ---- */

enum memray_kind {
	MEMRAY_FILLER,
	MEMRAY_TRAILER,
	MEMRAY_ALLOC,    /* also a free */
	MEMRAY_OBJECT,   /* a Python object is made or destroyed */
	MEMRAY_FRAME,    /* of versions 10 and 11 */
	MEMRAY_CODE,     /* a code object */
	MEMRAY_PUSH,
	MEMRAY_POP,
	MEMRAY_NATIVE,   /* a native frame */
	MEMRAY_MAPS,     /* begins a list of modules */
	MEMRAY_MODULE,
	MEMRAY_SEGMENT,
	MEMRAY_THREAD,   /* the name of the thread */
	MEMRAY_RSS,
	MEMRAY_SWITCH,   /* to another thread */
	MEMRAY_SNAPSHOT, /* here and below: of aggregated files */
	MEMRAY_SUM,
	MEMRAY_NODE,
	MEMRAY_INDEXED,  /* a frame of versions 12 and 13 */
	MEMRAY_SURVIVOR,
	MEMRAY_KINDS
};

/* A record as it was read: differences are not yet added up, so that a record that is cut changes
 * nothing. */
struct memray_record {
	enum memray_kind kind;
	/* flag: there is a native stack; an object is made; frames of a pop - 1 */
	unsigned allocator, flag;
	unsigned recent;          /* the index of a recent address, 15: none */
	int64_t delta, native;    /* differences: of the address, line or id; of native frames */
	uint64_t number, size;
	struct name text, file, table;
	uint64_t sum[4];          /* of an aggregated allocation */
};
#define MEMRAY_NOT_RECENT 15u

/* Reads one record. Sets c->bad where the bytes end within it; returns false if it is none. */
bool memray_read(const struct memray_header *h, struct cursor *c, struct memray_record *r);
/* The same for an aggregated file. */
bool memray_read_aggregated(const struct memray_header *h, struct cursor *c,
			    struct memray_record *r);

/* ---- frames ---- */

struct memray_code {
	name_id function, file;
	uint32_t first_line;
	size_t table, table_len; /* in the buffer of all tables of lines */
};

struct memray_native {
	uint64_t ip;
	uint32_t parent; /* its number, from 1; 0: root */
	frame_id frame;  /* MEMRAY_NO_FRAME until it is used */
};
#define MEMRAY_NO_FRAME UINT32_MAX

struct memray_segment {
	uint64_t start, end, base;
	name_id module;
};

struct memray_frames {
	VEC(struct memray_code) code;
	struct buf tables;
	struct idmap code_of, frame_of; /* frame_of: ids of versions 10, 11, aggregated files */
	struct idmap line_of;           /* code << 32 | offset: a frame */
	VEC(struct memray_native) native;
	struct idmap stack_of;          /* stack << 32 | native: a stack */
	VEC(struct memray_segment) segment;
	struct memray_segment module;   /* to which segments belong */
	VEC(frame_id) path;             /* scratch */
	uint64_t unknown;
};

void memray_frames_release(struct memray_frames *f);
/* Adds the code object of a record, whose first line is `line`. */
void memray_code_add(struct builder *b, struct memray_frames *f, const struct memray_record *r,
		     int64_t line);
/* Returns the frame of a code object at an offset; "[unknown]" for an unknown one. */
frame_id memray_code_frame(struct builder *b, struct memray_frames *f, uint32_t python,
			   uint64_t code, int64_t offset);
/* Adds a frame of versions 10 and 11 that executes `line`. */
void memray_frame_add(struct builder *b, struct memray_frames *f, const struct memray_record *r,
		      uint64_t id, int64_t line);
/* Returns a frame by the file's id. */
frame_id memray_frame_named(struct builder *b, struct memray_frames *f, uint64_t id);
void memray_module_add(struct builder *b, struct memray_frames *f, const struct memray_record *r);
/* Returns the stack below which are the native frames up to number `native`; 0: none. */
stack_id memray_stack(struct builder *b, struct memray_frames *f, stack_id python, uint64_t native);

/* ---- the heap ---- */

/* Everything that one stack allocates by one allocator on one thread. */
struct memray_site {
	stack_id stack;
	uint32_t thread;
	uint8_t allocator;
	bool changed; /* since the last maximum */
	int64_t bytes, blocks, peak_bytes, peak_blocks; /* blocks, bytes: now */
};

struct memray_thread {
	uint64_t tid;
	track_id track;
	struct series *events;    /* a change of live bytes, and flags */
	struct series *cuts;      /* of mappings that shrink; NULL until there is one */
	struct series *totals;
	VEC(stack_id) stack;      /* of Python, root first */
	int64_t freed;            /* events not counted yet, */
	int64_t freed_ns;         /* and the time of the latest */
};

struct memray_range {
	uint64_t start, end;
	uint32_t site;
};

struct memray_heap {
	metric_id metric[6]; /* alloc, allocs, live, lives, peak, peaks */
	bool apart;          /* each metric has a column */
	labels_id label[MEMRAY_ALLOCATORS];
	VEC(struct memray_site) site;
	struct idmap site_of; /* stack << 32 | thread << 4 | allocator */
	struct live_blocks blocks;
	VEC(struct memray_range) range; /* by start */
	uint64_t longest;               /* of the ranges */
	VEC(uint32_t) changed;
	int64_t total, most, now_ns;
	int64_t reached_ns, most_ns; /* when the total was last at its maximum; at the peak */
	struct series *rss, *heap;
	uint64_t made, destroyed, surviving, unmatched;
};

/* A node of the tree of stacks of an aggregated file. */
struct memray_node {
	stack_id stack, main_stack; /* main_stack: on the main thread, without frames to skip */
	uint32_t depth;
};

struct memray {
	struct input *in;
	struct builder *b;
	struct err *e;
	uint64_t offset;
	struct memray_header header;
	struct memray_frames frames;
	struct memray_heap heap;
	VEC(struct memray_thread) thread;
	VEC(struct memray_node) node;
	struct idmap thread_of;
	uint32_t current; /* thread; MEMRAY_NO_THREAD before the first switch */
	uint64_t recent[MEMRAY_NOT_RECENT];
	int64_t address, id, line, ip, native; /* the last values of differences */
	bool ended;       /* the trailer was read */
	uint64_t zeros;   /* where the zeros before here begin; MEMRAY_NO_ZEROS */
};
#define MEMRAY_NO_THREAD UINT32_MAX
#define MEMRAY_NO_ZEROS UINT64_MAX

static inline bool
memray_bad(struct memray *d, const char *what)
{
	return err_damage(d->e, d->offset, "%s", what);
}

void memray_heap_begin(struct builder *b, struct memray_heap *h, bool aggregated);
void memray_heap_release(struct memray_heap *h);
/* Returns the index of a thread, which is new or not. */
uint32_t memray_thread_at(struct memray *d, uint64_t tid);
/* Handles an allocation or a free of the current thread. */
bool memray_allocated(struct memray *d, unsigned allocator, uint64_t address, uint64_t size,
		      stack_id stack);
/* Adds a sum of an aggregated file: blocks and bytes at the peak, then those that are left. */
bool memray_sum(struct memray *d, uint32_t thread, unsigned allocator, stack_id stack,
		const int64_t value[4]);
/* Appends a point of resident memory and one of the heap. */
bool memray_sizes(struct memray *d, int64_t time_ns, uint64_t rss, int64_t heap);
/* Writes the peak as totals. */
bool memray_heap_finish(struct memray *d);

#endif
