/* tracedat.h - trace-cmd's binary files. For ftrace*.c and tracedat*.c alone. */
#ifndef PNAV_SRC_DECODE_FTRACE_TRACEDAT_H
#define PNAV_SRC_DECODE_FTRACE_TRACEDAT_H

#include "model/base/buf.h"
#include "src/decode/common/tracefmt.h"
#include "src/decode/ftrace/ftrace.h"
#include "src/input/cursor.h"

/* A field of an event; size 0: the event does not have it. */
struct tracedat_field {
	uint32_t offset, size;
	bool is_there, is_signed;
	bool place, relative; /* the field says where its text is */
};

/* The fields that the meaning of some event needs. */
#define TRACEDAT_FIELDS(X)                                                                 \
	X(common_pid) X(common_flags) X(prev_comm) X(prev_pid) X(prev_state) X(next_comm)  \
	X(next_pid) X(comm) X(pid) X(state) X(cpu_id) X(min_freq) X(max_freq) X(buf) X(str) \
	X(ip) X(parent_ip) X(func) X(calltime) X(rettime) X(caller) X(newcomm) X(id)
#define TRACEDAT_ENUM(name) TRACEDAT_##name,
enum { TRACEDAT_FIELDS(TRACEDAT_ENUM) TRACEDAT_FIELD_COUNT };
#undef TRACEDAT_ENUM

struct tracedat_event {
	uint32_t ends; /* bits of prev_state that mean the end of the task */
	struct text_slice name; /* of the format, in `text` of the file's state */
	struct tracedat_field field[TRACEDAT_FIELD_COUNT];
};

struct tracedat_symbol {
	uint64_t address;
	struct text_slice name;
};

/* A processor: its records in pages, one page at a time in `page`. */
struct tracedat_cpu {
	int64_t number;
	uint64_t at, end;  /* what is left of its part of the file */
	uint64_t page_at;  /* offset of the page, or of the compressed piece with it */
	uint32_t chunks;   /* v7: compressed pieces that are left */
	struct buf plain;  /* v7: an unpacked piece */
	size_t plain_at;
	const uint8_t *page;
	struct buf copy;   /* of the page, where it comes from the file itself */
	struct cursor c;   /* of the records of the page */
	uint64_t page_ns;  /* time of the record before */
	bool any;          /* `record` is set */
	struct cursor record;
	uint64_t record_at, record_ns;
};

struct tracedat_clock {
	struct text_slice name;
	uint32_t mult, shift; /* of the processor's counter; mult 0: times are not converted */
	bool ticks;           /* times are not ns */
};

/* The layout of pages. */
struct tracedat_pages {
	uint32_t size, commit_at, commit_size, data_at;
};

struct tracedat {
	struct ftrace *f; /* NULL: a dump */
	struct dump *dump;
	struct input *in;
	struct err *e;
	bool big, compressed, zstd;
	struct tracedat_pages page;
	VEC(struct buf) part;  /* texts that are in use: of sections, of the head */
	VEC(struct tracedat_event) event;
	struct idmap event_of; /* id of the event -> index */
	VEC(struct tracedat_symbol) symbol, format;
	VEC(struct tracedat_cpu) cpu;
	VEC(name_id) comm;
	struct idmap comm_of; /* pid -> index of comm */
	struct tracedat_clock clock;
};

/* ---- tracedat_pages.c ---- */
#define TRACEDAT_PART_MAX (256u << 20) /* bytes of a section, unpacked */
/* Returns room for n more bytes behind those of the buffer. */
char *tracedat_space(struct buf *b, size_t n);
/* Unpacks len bytes, which become at most max bytes of `out`. */
bool tracedat_unpack(struct tracedat *t, const void *bytes, size_t len, size_t max,
		     struct buf *out);
/* Takes the records of all processors in the order of time. */
bool tracedat_records(struct tracedat *t);

/* ---- tracedat_events.c ---- */
/* Adds an event by its format; `text` must stay. */
void tracedat_format(struct tracedat *t, struct text_slice text);
/* Reads lines `PID COMM`, `ADDRESS TYPE NAME`, `ADDRESS : "TEXT"`. */
void tracedat_comms(struct tracedat *t, struct text_slice text);
void tracedat_symbols(struct tracedat *t, struct text_slice text);
void tracedat_formats(struct tracedat *t, struct text_slice text);
/* Handles a record of a processor. Returns false with an error in *t->e. */
bool tracedat_take(struct tracedat *t, const struct tracedat_cpu *cpu);

#endif
