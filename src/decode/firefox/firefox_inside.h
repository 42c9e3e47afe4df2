/* firefox_inside.h - shared by the files of the decoder, and private to them.
 *
 * firefox.c         the probe, the document, the end
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
#include "src/decode/common/flows.h"
#include "src/decode/common/idmap.h"
#include "src/input/rows_json.h"
#include "src/input/slabs.h"
#include "src/symbol/symbols.h"

#define FF_COLUMNS 12u
#define FF_NULL JSON_NO_NUMBER
/* A string that a column of whole numbers contains itself is stored as FF_TEXT plus its
 * name_id.  ff_table_read() reads numbers of the file that are as low as these as null. */
#define FF_TEXT (FF_NULL + 1)
#define FF_TEXT_END (FF_TEXT + UINT32_MAX)
#define FF_FIELDS_MAX 16u

/* ---- a table ---- */

/* An amount (a weight, a count) is stored in millionths.  One that is too large for them, but
 * fits without decimals, is stored as FF_LARGE plus its index in firefox.large. */
#define FF_LARGE (FF_TEXT_END + 1)
#define FF_LARGE_END (FF_LARGE + UINT32_MAX)
#define FF_MILLION 1000000

/* The unit of a column: whole numbers (indexes, lines), milliseconds with six decimals (ns) or
 * nine (ps), or amounts. */
enum ff_scale { FF_WHOLE = 0, FF_NS = 6, FF_PS = 9, FF_AMOUNT = 98, FF_DATA = 99 };

/* The kind of a table, which decides the names of its columns. */
enum ff_shape {
	FF_STACKS,
	FF_FRAMES,
	FF_FUNCS,
	FF_RESOURCES,
	FF_SOURCES,
	FF_PLACES,
	FF_MARKS,
	FF_COUNTS,
	FF_SAMPLES,
	FF_SHAPES,
};

enum ff_weight { FF_WEIGHT_SAMPLES, FF_WEIGHT_TIME, FF_WEIGHT_BYTES };

struct ff_table {
	VEC(int64_t) column[FF_COLUMNS];
};

/* Returns a value of a row; FF_NULL if the file has none. */
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
	FRAME_ORIGINAL, /* the place before compilation, a row of the table of places */
	FRAME_FLAGS,
};
enum {
	FUNC_NAME,
	FUNC_JS,
	FUNC_FILE,
	FUNC_SOURCE,
	FUNC_LINE,
	FUNC_COLUMN,
	FUNC_RESOURCE,
	FUNC_ORIGINAL,
	FUNC_FLAGS,
};
/* From version 71 on of frames, and 75 of functions, a bit says that a column counts in a row. */
#define FRAME_IS_INLINED 1
#define FUNC_IS_JS 1
enum { PLACE_SOURCE, PLACE_LINE };
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

/* A table with a row for each sample.  There may be millions of rows, so columns are packed;
 * they are read in order. */
struct ff_samples {
	struct packed column[SAMPLE_COLUMNS]; /* values of ff_packed() */
	uint8_t weight; /* enum ff_weight: the meaning of the weights */
};

/* Encodes a value for these columns: null, which is far from all numbers, becomes 0, and other
 * numbers close to 0 stay close to it. */
static inline int64_t
ff_packed(int64_t v)
{
	return v >= 0 ? (int64_t)((uint64_t)v + 1) : v == FF_NULL ? 0 : v;
}

/* The inverse of ff_packed(). */
static inline int64_t
ff_unpacked(int64_t v)
{
	return v > 0 || v == INT64_MIN ? (int64_t)((uint64_t)v - 1) : v ? v : FF_NULL;
}

#define FF_BLOCK 128 /* rows; divides PACKED_RUN */

/* A reader of such a table, one block of rows at a time. */
struct ff_block {
	struct packed_reader reader[SAMPLE_COLUMNS];
	int64_t v[SAMPLE_COLUMNS][FF_BLOCK]; /* FF_NULL where the file has none */
	size_t n, left; /* rows in v; rows after them */
};

static inline size_t
ff_samples_n(const struct ff_samples *s)
{
	return s->column[SAMPLE_STACK].n;
}

/* A stack whose leaf has an address, as samples have it. */
struct ff_leaf {
	stack_id stack;   /* FF_LOST: missing */
	int32_t category; /* -1: none */
};
#define FF_LOST (STACK_NONE - 1) /* a truncated document lacks a part of this stack */

/* A range of the file's libraries. */
struct ff_libs {
	uint32_t first, n;
};

/* The tables that stacks are built from: one set for the file, or one for each thread. */
struct ff_tables {
	struct ff_table stack, frame, func, resource, source, place;
	VEC(name_id) string;
	/* ---- derived data ---- */
	VEC(uint8_t) used;     /* [stack] USED_ bits: samples use it */
	uint32_t profile;
	struct ff_libs libs; /* the thread's own; n 0: those of the profile */
	VEC(stack_id) made;    /* [stack] as a caller */
	VEC(struct ff_leaf) leaf; /* [stack] */
};

/* ---- data of markers ---- */

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

/* Members that pnav adds to a track when it writes this format (encode/track_ids.h). */
struct ff_own {
	name_id track;   /* its name; NAME_EMPTY: another program wrote the file */
	name_id process; /* the track's process; NAME_EMPTY: none */
	name_id unit;    /* of its values */
	uint8_t kind;
	bool sums;       /* its samples have no time */
	int64_t start, end, run_start, run_end; /* FF_NULL */
};

#define FF_OWN_NONE                                                                        \
	{.start = FF_NULL, .end = FF_NULL, .run_start = FF_NULL, .run_end = FF_NULL}

struct ff_thread {
	struct ff_tables tables;
	struct ff_samples samples, js, native;
	struct ff_table marks;
	name_id name, process, tid, pid;
	struct ff_own own;
	uint32_t profile; /* index of its profile */
	uint32_t cast;    /* its number in f->cast */
	uint32_t samples_on; /* the number of the track with its samples, CAST_NONE */
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
	name_id build_id; /* hexadecimal digits, if it is an ELF file */
	bool tried, there;
	uint32_t symbols; /* its number there */
};

/* The file's profile, or in raw files the profile of another process. */
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

/* A field of markers whose numbers are indexes of the string table. */
struct ff_string_field {
	name_id type, key;
	uint8_t format; /* enum ff_format */
};
enum ff_format { FF_FORMAT_OTHER, FF_FORMAT_STRING, FF_FORMAT_FLOW, FF_FORMAT_LAST_FLOW };

/* The data of markers, of all threads. */
struct ff_marks {
	VEC(struct ff_field) field;
	VEC(struct ff_data) data;
	VEC(struct ff_string_field) string_field;
	struct idmap string_field_of; /* type, key -> enum ff_format */
	struct flows flows;
};

struct firefox {
	struct builder *b;
	struct err *e;
	struct rows_json r;
	struct {
		bool used; /* the file is a JSLB container */
		struct slabs slabs;
	} container;
	struct buf text;
	VEC(struct ff_profile) profile;
	VEC(struct ff_thread) thread;
	VEC(struct ff_counter) counter;
	VEC(struct ff_lib) lib;
	struct ff_marks marks;
	VEC(int64_t) large;      /* amounts, see FF_LARGE */
	struct symbols *symbols; /* for frames without a function */
	struct ff_tables shared;
	bool has_shared, cut;
	struct {
		unsigned depth; /* profiles within profiles */
		uint64_t deeper, unknown, lost, refused;
		uint64_t frames, mapped; /* frames that were made, and those with a source map */
		uint64_t unmatched; /* frees of what was not allocated */
		uint64_t limited;   /* amounts beyond 2^63 */
	} counts;
	/* ---- when all is read ---- */
	struct input *in;
	struct cast cast;
	struct ff_named {
		struct idmap process; /* of a pid and a name: its number in the cast */
		struct idmap number;  /* of a pid: its last number in brackets */
	} named;
	struct ff_metrics {
		metric_id samples, time, bytes, cpu, alloc, allocs, live, lives, async;
		/* values of the column, which have six decimals, in a ns of the metric `cpu` */
		int64_t cpu_per_ns;
	} is;
};

/* ---- firefox_table.c ---- */
/* Reads an object of columns, or of a schema and rows.  The first fills a struct ff_table of
 * the shape r->row->scale, the second a struct ff_samples. */
bool ff_table_read(struct rows_json *r, void *table, const struct json_token *t);
bool ff_samples_read(struct rows_json *r, void *samples, const struct json_token *t);
void ff_table_release(struct ff_table *t);
void ff_samples_release(struct ff_samples *s);
/* Begins at the first row.  With `drops` it frees the memory of rows after reading them. */
void ff_block_begin(struct ff_block *x, struct ff_samples *s);
/* Reads the next block of rows into x->v.  Returns false at the end. */
bool ff_block_next(struct ff_block *x);

/* ---- firefox_read.c ---- */
/* Reads the whole document.  Returns false after an error, with f->e set; everything read
 * before it is kept. */
bool ff_read(struct firefox *f, struct input *in);

/* ---- firefox_stacks.c ---- */
/* Returns a string of the tables; NAME_EMPTY for null. */
name_id ff_string(struct firefox *f, const struct ff_tables *t, int64_t index);
/* Returns the string that a value of a column of whole numbers means: one of the tables, or the
 * value itself (FF_TEXT). */
name_id ff_column_string(struct firefox *f, const struct ff_tables *t, int64_t value);
/* Returns the tables that a thread uses. */
struct ff_tables *ff_tables_of(struct firefox *f, struct ff_thread *t);
/* Makes the stacks that samples and allocations of all threads use. */
void ff_stacks_bind(struct firefox *f);
/* Sets the stack of a row and its category; the stack is `[unknown]` if the row does not exist.
 * Returns false if the document is truncated and lacks the row. */
bool ff_stack(struct firefox *f, const struct ff_tables *t, int64_t row, stack_id *stack,
	      int32_t *category);
/* Returns the name of a category of a profile; NAME_EMPTY if there is none. */
name_id ff_category(const struct firefox *f, uint32_t profile, int64_t category);

/* ---- firefox_samples.c ---- */
/* Returns true if a sample of the thread says how long its processor was busy. */
bool ff_has_cpu(struct ff_thread *t);
/* Each writes the samples or allocations of a thread, and frees the memory of their rows. */
bool ff_samples_write(struct firefox *f, struct ff_thread *t);
bool ff_allocations_write(struct firefox *f, struct ff_thread *t);

/* A clock that converts the rows of a table to times.  A row has a time, or the difference to
 * the row before.  Zero-initialise all but `shift`. */
struct ff_clock {
	int64_t at, shift; /* the first in units of 10^-12 s, the second in ns */
};

/* Divides and rounds to the nearest, half away from zero. */
static inline int64_t
ff_rounded(int64_t n, int64_t by)
{
	int64_t rest = n % by;

	return n / by + (rest >= by - by / 2 ? 1 : rest <= -(by - by / 2) ? -1 : 0);
}

/* Returns true if an amount is stored in firefox.large. */
static inline bool
ff_is_large(const struct firefox *f, int64_t v)
{
	return v >= FF_LARGE && (uint64_t)v - (uint64_t)FF_LARGE < f->large.n;
}

/* Returns an amount whose metric has `per` millionths of it in its unit, rounded; at most 2^63 - 1.
 * `per` divides FF_MILLION. */
static inline int64_t
ff_amount(const struct firefox *f, int64_t v, int64_t per)
{
	if (__builtin_expect(!ff_is_large(f, v), 1))
		return ff_rounded(v, per);
	int64_t large = f->large.at[v - FF_LARGE], limit = large < 0 ? -INT64_MAX : INT64_MAX;
	return __builtin_mul_overflow(large, FF_MILLION / per, &large) ? limit : large;
}

/* Sets *ns to the time of a row.  Returns false if the row has neither a time nor a difference,
 * or if the time overflows. */
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
/* Adds all threads to f->cast, with the processes of threads and counters. */
void ff_cast(struct firefox *f);
/* Returns the track that pnav has written, with its full name. */
struct cast_track ff_own_track(struct firefox *f, const struct ff_own *own);
/* Returns a track of a process; with pid NAME_EMPTY, a track without a process. */
struct cast_track ff_track(struct firefox *f, name_id pid, name_id name, enum track_kind kind);
/* Returns the number in f->cast of a thread's track, or of another one beside it, named `NAME
 * TID WHAT`. */
uint32_t ff_thread_track(struct firefox *f, const struct ff_thread *t, const char *what,
			 enum track_kind kind);
/* Returns how much later a profile's clock began than the file's, in ns. */
int64_t ff_shift(const struct firefox *f, uint32_t profile);

/* ---- firefox_write.c ---- */
/* Writes the tracks, after all of the file was read. */
bool ff_write(struct firefox *f);

/* ---- firefox_marks.c ---- */
/* Returns true if a marker has a duration. */
bool ff_marks_last(const struct firefox *f);
/* Writes the markers of a thread. */
bool ff_marks_write(struct firefox *f, struct ff_thread *t);

#endif
