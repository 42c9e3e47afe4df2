/* nsys_inside.h - shared by the files of the decoder; no other file includes it.
 *
 * nsys.c          detection, order of reading, info
 * nsys_rows.c     queries by names of columns, strings, threads
 * nsys_threads.c  slices, ranges, marks, samples and turns of threads
 * nsys_gpu.c      kernels, copies, memory of GPUs */
#ifndef PNAV_SRC_DECODE_NSYS_NSYS_INSIDE_H
#define PNAV_SRC_DECODE_NSYS_NSYS_INSIDE_H

#include "src/decode/pnavdb/pnavdb.h"

#include "model/base/buf.h"

#ifdef HAVE_SQLITE

#include "src/decode/common/cast.h"
#include "src/decode/common/idmap.h"
#include "src/decode/common/slices.h"

/* A stream of a GPU, and what ran on it. */
struct nsys_stream {
	int64_t device, stream;
	track_id track;
	struct slices slices;
	struct series *copied; /* NULL until something is copied */
};

/* A call of the API that kernels may refer to: the one of its id that starts last. */
struct nsys_call {
	int64_t start;
	uint32_t thread; /* index in the cast */
};

struct nsys_metrics {
	metric_id time, async, gpu, copied, samples, cycles, cpu;
};

/* Maps of the ids of the file. */
struct nsys_ids {
	struct idmap string;           /* to names */
	struct idmap domain, category; /* of NVTX: domain; domain << 32 | category; to names */
	struct idmap copy;             /* kinds of copies to their labels */
	struct idmap stream, call;     /* to indexes; a call: process << 32 | id */
	struct idmap stack;            /* chains to stacks */
};

struct nsys {
	struct pnavdb db;
	struct builder *b;
	struct err *e;
	struct cast cast;
	struct nsys_metrics metric;
	struct nsys_ids ids;
	VEC(struct nsys_stream) stream;
	VEC(struct nsys_call) call;
	int64_t chain;         /* the id of the chain that is being read */
	struct series *turns;  /* of the CPU that is being read */
	int64_t turns_cpu, device, memory;
	struct series *points; /* of the device that is being read */
	uint64_t kernels, calls, odd;
};

static inline struct nsys *
nsys_of(struct pnavdb *x)
{
	return x->context;
}

/* ---- rows ---- */

/* Passes the rows of a table to take(): the values of the columns, first `needs`, then `may`, whose
 * missing ones are NULL; both are names with blanks between them. A table that does not exist has
 * no rows; a table without a column of `needs` is left out with a warning. `order`: names after
 * ORDER BY, or NULL. Returns false at damage. */
bool nsys_each(struct nsys *n, const char *table, const char *needs, const char *may,
	       const char *order, pnavdb_take *take);
/* Appends the names of all tables, each with a NUL. */
void nsys_tables(struct nsys *n, struct buf *names);
/* Returns true if the table has all of these columns. */
bool nsys_has(struct nsys *n, const char *table, const char *columns);
/* Returns the name of a column that holds the id of a string; NAME_EMPTY for NULL. */
name_id nsys_string(struct nsys *n, sqlite3_stmt *row, int column);
/* Reads whole numbers from the first columns; false, and the row counts as skipped, if one is of
 * another type. */
bool nsys_numbers(struct nsys *n, sqlite3_stmt *row, int count, int64_t *out);
/* Returns the thread of a globalTid. */
uint32_t nsys_thread(struct nsys *n, int64_t global);
/* Names the processes and threads. */
bool nsys_read_names(struct nsys *n);

static inline int64_t
nsys_pid(int64_t global)
{
	return (int64_t)((uint64_t)global >> 24 & 0xFFFFFF);
}

static inline frame_id
nsys_frame(struct nsys *n, name_id name)
{
	return builder_frame_named(n->b, name);
}

/* ---- threads ---- */

bool nsys_read_threads(struct nsys *n);

/* ---- GPUs ---- */

bool nsys_read_gpus(struct nsys *n);
/* Writes the slices of all streams. */
bool nsys_write_gpus(struct nsys *n);

#endif
#endif
