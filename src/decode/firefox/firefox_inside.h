/* firefox_inside.h - what the parts of the decoder share; nobody else includes it.
 *
 * firefox.c         telling the format, the whole
 * firefox_table.c   a table of the file, in either form
 * firefox_read.c    the document
 * firefox_stacks.c  functions, frames, stacks
 * firefox_samples.c samples and allocations
 * firefox_tracks.c  tracks, counters, the whole
 * firefox_marks.c   markers */
#ifndef PNAV_SRC_DECODE_FIREFOX_FIREFOX_INSIDE_H
#define PNAV_SRC_DECODE_FIREFOX_FIREFOX_INSIDE_H

#include <stdbool.h>
#include <stdint.h>

#include "model/base/buf.h"
#include "model/base/vec.h"
#include "model/build/builder.h"
#include "model/profile/packed.h"
#include "src/decode/common/cast.h"
#include "src/decode/common/idmap.h"
#include "src/input/rows_json.h"
#include "src/symbol/symbols.h"

#define FF_COLUMNS 12u
#define FF_NULL JSON_NO_NUMBER
/* A string that stands in a column of whole numbers itself: its name_id behind this.  No number of
 * the file is kept there: ff_table_read() takes one that low for null. */
#define FF_TEXT (FF_NULL + 1)
#define FF_TEXT_END (FF_TEXT + UINT32_MAX)
#define FF_FIELDS_MAX 16u

/* ---- a table ---- */

/* What a column's values are: whole numbers (indexes, lines) or ms with six decimals, so
 * that they are ns, or nine. */
enum ff_scale { FF_WHOLE = 0, FF_NS = 6, FF_PS = 9, FF_DATA = 99 };

/* Which table it is, and so what its columns are called. */
enum ff_shape {
	FF_STACKS,
	FF_FRAMES,
	FF_FUNCS,
	FF_RESOURCES,
	FF_SOURCES,
	FF_MARKS,
	FF_COUNTS,
	FF_SAMPLES,
	FF_SHAPES,
};

enum ff_weight { FF_WEIGHT_SAMPLES, FF_WEIGHT_TIME, FF_WEIGHT_BYTES };

struct ff_table {
	VEC(int64_t) column[FF_COLUMNS];
};

/* A row's value; FF_NULL where the file has none. */
static inline int64_t
ff_at(const struct ff_table *t, unsigned column, int64_t row)
{
	if (row < 0 || (uint64_t)row >= t->column[column].n)
		return FF_NULL;
	return t->column[column].at[row];
}

enum { STACK_PREFIX, STACK_OFFSET, STACK_FRAME, STACK_CATEGORY };
enum {
	FRAME_FUNC,
	FRAME_LINE,
	FRAME_ADDRESS,
	FRAME_CATEGORY,
	FRAME_LIB,
	FRAME_LOCATION,
	FRAME_JS,
	FRAME_INLINE,
};
enum { FUNC_NAME, FUNC_JS, FUNC_FILE, FUNC_SOURCE, FUNC_LINE, FUNC_COLUMN, FUNC_RESOURCE };
#define USED_CALLER 1u
#define USED_LEAF 2u
enum { RESOURCE_LIB };
enum { SOURCE_FILE };
enum {
	SAMPLE_STACK,
	SAMPLE_TIME,
	SAMPLE_DELTA,
	SAMPLE_WEIGHT,
	SAMPLE_CPU,
	SAMPLE_ADDRESS,
	SAMPLE_COLUMNS,
};
enum { MARK_NAME, MARK_START, MARK_END, MARK_TIME, MARK_PHASE, MARK_CATEGORY, MARK_DATA };
enum { COUNT_TIME, COUNT_DELTA, COUNT_COUNT };

/* A table with a row a sample: there are millions of them, and they are read one after the
 * other. */
struct ff_samples {
	struct packed column[SAMPLE_COLUMNS]; /* of ff_packed() */
	uint8_t weight; /* enum ff_weight: what weights of samples are */
};

/* A value as it is kept there: null, which is far from all numbers, next to 0. */
static inline int64_t
ff_packed(int64_t v)
{
	return v >= 0 ? (int64_t)((uint64_t)v + 1) : v == FF_NULL ? 0 : v;
}

/* And back. */
static inline int64_t
ff_unpacked(int64_t v)
{
	return v > 0 || v == INT64_MIN ? (int64_t)((uint64_t)v - 1) : v ? v : FF_NULL;
}

#define FF_BLOCK 128 /* rows; divides PACKED_RUN */

/* Rows of such a table, some at a time. */
struct ff_block {
	struct packed_reader reader[SAMPLE_COLUMNS];
	int64_t v[SAMPLE_COLUMNS][FF_BLOCK]; /* FF_NULL where the file has none */
	size_t n, left; /* rows of v; those behind it */
};

static inline size_t
ff_samples_n(const struct ff_samples *s)
{
	return s->column[SAMPLE_STACK].n;
}

/* A stack as samples have it: its leaf has an address. */
struct ff_leaf {
	stack_id stack;   /* FF_LOST */
	int32_t category; /* -1: none */
};
#define FF_LOST (STACK_NONE - 1) /* a document that is cut lacks what it is made of */

/* Some of the libraries of the file. */
struct ff_libs {
	uint32_t first, n;
};

/* What stacks are made of: one for a file, or one a thread. */
struct ff_tables {
	struct ff_table stack, frame, func, resource, source;
	VEC(name_id) string;
	/* ---- what comes of it ---- */
	VEC(uint8_t) used;     /* [stack] USED_ bits: somebody's */
	uint32_t profile;
	struct ff_libs libs; /* of their own; n 0: the profile's */
	VEC(stack_id) made;    /* [stack] as callers have it */
	VEC(struct ff_leaf) leaf; /* [stack] */
};

/* ---- what markers say ---- */

enum ff_kind { FF_FIELD_TEXT, FF_FIELD_NUMBER };

struct ff_field {
	name_id key;
	uint8_t kind;
	int64_t value; /* the number, or a name_id */
};

struct ff_data {
	uint32_t first, n; /* fields */
	name_id type;
	int64_t start, end; /* FF_NULL */
	uint8_t phase;      /* 2 start, 3 end, 0 not said */
};

/* ---- threads ---- */

/* What we say of a track when we write this format (encode/track_ids.h). */
struct ff_own {
	name_id track;   /* its name; NAME_EMPTY: somebody else has written the file */
	name_id process; /* that it stands under; NAME_EMPTY: none */
	name_id unit;    /* of what it counts */
	uint8_t kind;
	bool sums;       /* its samples have no time */
	int64_t start, end; /* FF_NULL */
};

struct ff_thread {
	struct ff_tables tables;
	struct ff_samples samples, js, native;
	struct ff_table marks;
	name_id name, process, tid, pid;
	struct ff_own own;
	uint32_t profile; /* which it is in */
	uint32_t cast;    /* its number there */
};

struct ff_counter {
	name_id name, category, pid;
	struct ff_own own;
	uint32_t profile;
	struct ff_table table;
};

struct ff_lib {
	int64_t start, end;
	name_id name, path;
	name_id build_id; /* in hexadecimal digits, where it is an ELF file */
	bool tried, there;
	uint32_t symbols; /* there */
};

/* A profile: the file's, and in raw ones those of its other processes. */
struct ff_profile {
	int64_t start;    /* ns since 1970; FF_NULL */
	int64_t interval; /* ns */
	int64_t version, processed;
	bool is_processed;
	name_id product, cpu_unit;
	VEC(name_id) category;
	struct ff_libs libs;
	uint32_t index;
};

/* A field of markers whose numbers are strings of the table. */
struct ff_string_field {
	name_id type, key;
};

struct firefox {
	struct builder *b;
	struct err *e;
	struct rows_json r;
	struct buf text;
	VEC(struct ff_profile) profile;
	VEC(struct ff_thread) thread;
	VEC(struct ff_counter) counter;
	VEC(struct ff_lib) lib;
	VEC(struct ff_field) field;
	VEC(struct ff_data) data;
	VEC(struct ff_string_field) strings;
	struct symbols *symbols; /* of frames that nobody has named yet */
	struct ff_tables shared;
	bool has_shared, cut;
	unsigned depth; /* profiles within profiles */
	uint64_t deeper, unknown, lost, refused;
	uint64_t unmatched; /* frees of what was not allocated */
	/* ---- when all is read ---- */
	struct input *in;
	struct cast cast;
	struct ff_metrics {
		metric_id samples, time, bytes, cpu, alloc, allocs, live, lives, async;
	} is;
	int64_t cpu_per_ns; /* units of six decimals in one of the metric `cpu` */
	struct idmap string_field_of;
};

/* ---- firefox_table.c ---- */
/* Reads an object of columns, or of a schema and rows, into a struct ff_table of the shape
 * r->row->scale, or into a struct ff_samples. */
bool ff_table_read(struct rows_json *r, void *table, const struct json_token *t);
bool ff_samples_read(struct rows_json *r, void *samples, const struct json_token *t);
void ff_table_release(struct ff_table *t);
void ff_samples_release(struct ff_samples *s);
/* Begins at the first row; with `drops` the memory of what was read goes. */
void ff_block_begin(struct ff_block *x, struct ff_samples *s, bool drops);
/* The next rows.  False: there are none. */
bool ff_block_next(struct ff_block *x);

/* ---- firefox_read.c ---- */
/* Reads all.  False at a fault, with f->e set; what was read stands. */
bool ff_read(struct firefox *f, struct input *in);

/* ---- firefox_stacks.c ---- */
/* A string of the tables; NAME_EMPTY for null. */
name_id ff_string(struct firefox *f, const struct ff_tables *t, int64_t index);
/* The string that a value of a column of whole numbers means: one of the tables, or itself. */
name_id ff_column_string(struct firefox *f, const struct ff_tables *t, int64_t value);
/* The tables of a thread. */
struct ff_tables *ff_tables_of(struct firefox *f, struct ff_thread *t);
/* Makes the stacks that the samples and allocations of the threads have. */
void ff_stacks_bind(struct firefox *f);
/* The stack of a row, and its category; `[unknown]` where there is none such.  False where a
 * document that is cut lacks it. */
bool ff_stack(struct firefox *f, const struct ff_tables *t, int64_t row, stack_id *stack,
	      int32_t *category);
/* Of the profile, the name of a category; NAME_EMPTY. */
name_id ff_category(const struct firefox *f, uint32_t profile, int64_t category);

/* ---- firefox_samples.c ---- */
/* Has a sample of the thread said how long its processor was busy? */
bool ff_has_cpu(struct ff_thread *t);
/* Write those of a thread, and give their memory back. */
bool ff_samples_write(struct firefox *f, struct ff_thread *t);
bool ff_allocations_write(struct firefox *f, struct ff_thread *t);

/* A clock over the rows of a table: times, or what lies between them.  Zero-initialised but for
 * the shift. */
struct ff_clock {
	int64_t at, shift; /* the first in units of 10^-12 s */
};

/* Half away from zero. */
static inline int64_t
ff_rounded(int64_t n, int64_t by)
{
	int64_t rest = n % by;

	return n / by + (rest >= by - by / 2 ? 1 : rest <= -(by - by / 2) ? -1 : 0);
}

/* The moment of a row with this time, or this much behind the one before; false where it has
 * none. */
static inline bool
ff_clock_next(struct ff_clock *c, int64_t time, int64_t delta, int64_t *ns)
{
	if (time == FF_NULL && delta != FF_NULL) {
		if (__builtin_add_overflow(c->at, delta, &c->at))
			return false;
		time = ff_rounded(c->at, 1000);
	}
	return time != FF_NULL && !__builtin_add_overflow(time, c->shift, ns);
}

/* ---- firefox_tracks.c ---- */
/* Tells f->cast all threads, and the processes of these and of the counters. */
void ff_cast(struct firefox *f);
/* A track that we have written, whose name is whole. */
struct cast_track ff_own_track(struct firefox *f, const struct ff_own *own);
/* A track of a process; NAME_EMPTY: of none. */
struct cast_track ff_track(struct firefox *f, name_id pid, name_id name, enum track_kind kind);
/* The track of a thread, or a new one beside it, `NAME TID WHAT`: its number in f->cast. */
uint32_t ff_thread_track(struct firefox *f, const struct ff_thread *t, const char *what,
			 enum track_kind kind);
/* How much later a profile's clock began than the file's. */
int64_t ff_shift(const struct firefox *f, uint32_t profile);

/* ---- firefox_write.c ---- */
/* Writes what was read. */
bool ff_write(struct firefox *f);

/* ---- firefox_marks.c ---- */
/* Has any of them a duration? */
bool ff_marks_last(const struct firefox *f);
/* Writes those of a thread. */
bool ff_marks_write(struct firefox *f, struct ff_thread *t);

#endif
