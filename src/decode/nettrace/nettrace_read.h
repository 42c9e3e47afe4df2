/* nettrace_read.h - the bytes of a nettrace: blocks, events, tables. The decoder and the dump use
 * it; nettrace_read.c has the framing and events, nettrace_tables.c the tables. */
#ifndef PNAV_SRC_DECODE_NETTRACE_NETTRACE_READ_H
#define PNAV_SRC_DECODE_NETTRACE_NETTRACE_READ_H

#include <stdbool.h>
#include <stdint.h>

#include "model/base/buf.h"
#include "model/base/err.h"
#include "model/profile/names.h"
#include "src/input/cursor.h"
#include "src/input/input.h"

/* The numbers that version 6 gives to its blocks. */
enum nettrace_kind {
	NETTRACE_END,
	NETTRACE_TRACE,
	NETTRACE_EVENTS,
	NETTRACE_METADATA,
	NETTRACE_SEQUENCE, /* a sequence point */
	NETTRACE_STACKS,
	NETTRACE_THREADS,
	NETTRACE_REMOVED,  /* threads */
	NETTRACE_LABELS,
	NETTRACE_KINDS     /* a block that is not known */
};
extern const char *const nettrace_kinds[NETTRACE_KINDS + 1];

/* A file that is read. The decoder sets in and e, nettrace_blocks() the rest. */
struct nettrace_file {
	struct input *in;
	struct err *e;
	unsigned version; /* 4, 5 or 6 */
	unsigned pointer; /* bytes of an address */
};

struct nettrace_block {
	enum nettrace_kind kind;
	uint64_t offset;   /* of its content */
	const uint8_t *at; /* the content, in the window */
	size_t len;        /* bytes that the file has of it */
	size_t size;       /* bytes that it should have */
};

struct nettrace_event {
	uint64_t offset;
	uint64_t thread, capture; /* capture: the thread that wrote it */
	uint64_t ticks;
	uint32_t metadata, sequence, cpu, stack, labels;
	uint32_t size; /* of the payload */
	const uint8_t *payload;
	bool fresh;  /* capture and sequence may not continue those of the event before */
	bool sorted;
};

/* The block that describes the recording. */
struct nettrace_trace {
	uint16_t utc[8]; /* year, month, weekday, day, hour, minute, second, ms */
	uint64_t ticks;  /* then */
	uint64_t frequency; /* ticks a second */
	uint64_t pid, cpus;
};

/* The description of a kind of events. Texts are valid until the next one is read. */
struct nettrace_metadata {
	uint64_t offset;
	uint64_t id; /* by which events refer to it */
	uint64_t event;
	struct name provider, name;
	bool no_process; /* its fields have addresses and no process */
};

struct nettrace_thread_row {
	uint64_t offset;
	uint64_t index, pid, tid;
	bool has_pid, has_tid;
	struct name name;
};

/* A label of a list. Kinds: enum nettrace_label. */
struct nettrace_label {
	uint64_t offset;
	uint64_t list; /* its id */
	unsigned kind;
	bool last;     /* of the list */
	const uint8_t *bytes; /* of an id */
	struct name key, text;
	int64_t number;
};
enum nettrace_label_kind {
	NETTRACE_ACTIVITY = 1,
	NETTRACE_RELATED,
	NETTRACE_TRACE_ID,
	NETTRACE_SPAN_ID,
	NETTRACE_TEXT,
	NETTRACE_NUMBER,
	NETTRACE_LABEL_KINDS = 11
};
/* Returns the bytes of the id that a label of this kind has; 0: it has none. */
unsigned nettrace_id_bytes(unsigned kind);

/* ---- nettrace_read.c ---- */
/* Reads the magic; false with a refusal for other versions and .netperf. */
bool nettrace_magic(struct nettrace_file *f);
/* Calls take() for each block, and for the end (NETTRACE_END). A block that the file's end cuts is
 * passed with what there is of it. Returns false at damage, and if take() does. */
bool nettrace_blocks(struct nettrace_file *f,
		     bool (*take)(void *ctx, const struct nettrace_block *block), void *ctx);
/* Calls take() for each whole event of a block of events, or of metadata before version 6. */
bool nettrace_events(struct nettrace_file *f, const struct nettrace_block *block,
		     bool (*take)(void *ctx, const struct nettrace_event *event), void *ctx);
/* Calls take() for each whole stack, whose addresses are n numbers of f->pointer bytes. */
bool nettrace_stacks(struct nettrace_file *f, const struct nettrace_block *block,
		     bool (*take)(void *ctx, uint64_t offset, uint32_t id, const uint8_t *at,
				  uint32_t n),
		     void *ctx);
/* Calls take() for each thread of a sequence point, or of a block of removed threads, with the
 * number of its last event. *flags, of version 6: 1 threads, 2 metadata are no longer valid. */
bool nettrace_sequence(struct nettrace_file *f, const struct nettrace_block *block,
		       uint32_t *flags,
		       bool (*take)(void *ctx, uint64_t offset, uint64_t thread, uint32_t number),
		       void *ctx);
/* Sets damage in a block at the byte of its cursor, or at `offset`; false. */
bool nettrace_bad(struct nettrace_file *f, const struct nettrace_block *block, uint64_t offset,
		  const char *what);

/* ---- nettrace_tables.c ---- */
/* Reads the description of the recording, and sets f->pointer. */
bool nettrace_trace_read(struct nettrace_file *f, const struct nettrace_block *block,
			 struct nettrace_trace *out);
/* Calls take() for each row of a block of metadata. */
bool nettrace_metadata_read(struct nettrace_file *f, const struct nettrace_block *block,
			    bool (*take)(void *ctx, const struct nettrace_metadata *row),
			    void *ctx);
bool nettrace_threads_read(struct nettrace_file *f, const struct nettrace_block *block,
			   bool (*take)(void *ctx, const struct nettrace_thread_row *row),
			   void *ctx);
bool nettrace_labels_read(struct nettrace_file *f, const struct nettrace_block *block,
			  bool (*take)(void *ctx, const struct nettrace_label *label), void *ctx);
/* Reads a text of UTF-16 that ends with 0 and appends it as UTF-8; the end of the bytes ends it,
 * too. Sets c->bad if there is no end. */
void nettrace_utf16(struct cursor *c, struct buf *out);

#endif
