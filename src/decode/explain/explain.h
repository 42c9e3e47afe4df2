/* explain.h - shared by the files of the decoder, and private to them.
 *
 * explain.c        the probe, the kinds of files
 * explain_json.c   plans in JSON
 * explain_rows.c   texts: what clients and logs put around the lines of a plan
 * explain_text.c   the lines of a plan in text
 * explain_names.c  the name of a node as the text form has it
 * explain_plan.c   what each node costs, and where sub-plans run */
#ifndef PNAV_SRC_DECODE_EXPLAIN_EXPLAIN_H
#define PNAV_SRC_DECODE_EXPLAIN_EXPLAIN_H

#include <stdbool.h>
#include <stdint.h>

#include "model/base/buf.h"
#include "model/base/vec.h"
#include "model/build/builder.h"
#include "src/input/input.h"

#define EXPLAIN_NONE UINT32_MAX
#define EXPLAIN_LABELS_MAX 16u

/* Numbers of a node: enum suffix, metric, unit, whether it includes the children. */
#define EXPLAIN_MEASURES(X)                                                                \
	X(ROWS, "rows", UNIT_COUNT, false)                                                 \
	X(ESTIMATED, "rows_estimated", UNIT_COUNT, false)                                  \
	X(REMOVED, "rows_removed", UNIT_COUNT, false)                                      \
	X(SHARED_HIT, "shared_hit", UNIT_COUNT, true)                                      \
	X(SHARED_READ, "shared_read", UNIT_COUNT, true)                                    \
	X(SHARED_DIRTIED, "shared_dirtied", UNIT_COUNT, true)                              \
	X(SHARED_WRITTEN, "shared_written", UNIT_COUNT, true)                              \
	X(LOCAL_HIT, "local_hit", UNIT_COUNT, true)                                        \
	X(LOCAL_READ, "local_read", UNIT_COUNT, true)                                      \
	X(LOCAL_DIRTIED, "local_dirtied", UNIT_COUNT, true)                                \
	X(LOCAL_WRITTEN, "local_written", UNIT_COUNT, true)                                \
	X(TEMP_READ, "temp_read", UNIT_COUNT, true)                                        \
	X(TEMP_WRITTEN, "temp_written", UNIT_COUNT, true)                                  \
	X(IO_READ, "io_read", UNIT_NS, true)                                               \
	X(IO_WRITE, "io_write", UNIT_NS, true)                                             \
	X(WAL_RECORDS, "wal_records", UNIT_COUNT, true)                                    \
	X(WAL_BYTES, "wal_bytes", UNIT_BYTES, true)
#define EXPLAIN_ENUM(name, ...) EXPLAIN_##name,
enum explain_measure { EXPLAIN_MEASURES(EXPLAIN_ENUM) EXPLAIN_MEASURE_COUNT };
#undef EXPLAIN_ENUM

/* How a node hangs in the plan. */
enum explain_relation { EXPLAIN_CHILD, EXPLAIN_INITPLAN, EXPLAIN_SUBPLAN, EXPLAIN_CTE };

/* The members from which JSON's names are made. */
struct explain_words {
	name_id type, strategy, partial, operation, join, direction, command, provider;
	name_id index, schema, relation, alias, function, table_function, cte, tuplestore;
	bool parallel, async;
};

struct explain_node {
	struct explain_words words; /* of JSON */
	name_id name, module, heading;
	name_id cte; /* of a CTE Scan: the CTE that it reads */
	uint32_t parent;  /* where it hangs; EXPLAIN_NONE: the root */
	uint32_t runs_in; /* the node whose time has its time */
	uint8_t relation; /* enum explain_relation */
	bool has_loops, has_time;
	struct {
		int64_t ns, rounding_ns; /* a loop: its time, and by how much that may differ */
	} loop;
	int64_t loops;
	struct {
		int64_t real, plan, removed; /* a loop, times 100 */
	} rows;
	struct {
		int64_t planned, launched; /* launched -1: it is no Gather */
	} workers;
	int64_t total_ns, inner_ns; /* in the node and below it; of its children */
	int64_t measure[EXPLAIN_MEASURE_COUNT], inner[EXPLAIN_MEASURE_COUNT];
	struct {
		label_id at[EXPLAIN_LABELS_MAX];
		uint32_t n;
	} labels;
	struct buf text; /* its properties, which may name parameters */
};

struct explain_trigger {
	name_id name, constraint;
	int64_t time_ns, calls;
};

struct explain_plan {
	VEC(struct explain_node *) node; /* parents first */
	VEC(struct explain_trigger) trigger;
	struct explain_node planning; /* its time and blocks */
	int64_t execution_ns, serialization_ns;
	bool has_planning, has_execution, has_serialization;
	name_id query;
};

struct explain {
	struct input *in;
	struct builder *b;
	struct err *e;
	struct explain_plan plan; /* the one that is read */
	VEC(struct explain_plan) done;
	uint32_t at;   /* in JSON: the node that is read, or EXPLAIN_NONE */
	struct buf text;
	bool not_executed; /* a plan without counts was met */
};

/* ---- explain_plan.c ---- */
struct explain_node *explain_node(struct explain *x, uint32_t parent);
/* Adds a property of a node: a label, and a text that may name parameters. */
void explain_property(struct explain *x, struct explain_node *n, const char *key, size_t key_len,
		      const char *text, size_t len);
/* Ends the plan that is read; a next one begins. */
void explain_plan_end(struct explain *x);
/* Builds the profile of all plans. */
bool explain_write(struct explain *x);
void explain_release(struct explain *x);

/* ---- explain_names.c ---- */
/* Names a node of JSON as the text form does. */
void explain_name(struct explain *x, struct explain_node *n);
/* Finds the module and the CTE in a name of the text form. */
void explain_name_parts(struct explain *x, struct explain_node *n);

/* ---- explain_json.c, explain_rows.c ---- */
/* Returns true if a plan in JSON begins here; `[5] postgres=#` is a prompt. */
bool explain_is_json(const char *at, const char *end);
bool explain_json(struct explain *x, struct input *in);
bool explain_text(struct explain *x, struct input *in);

/* ---- explain_text.c ---- */
struct explain_entry {
	uint32_t column, node; /* node: of a heading, the node above it */
	name_id heading;
};

enum explain_place { PLACE_NODES, PLACE_WORKER, PLACE_PLANNING, PLACE_JIT, PLACE_OTHER };

/* The state of the grammar between two lines. */
struct explain_text {
	struct explain *x;
	VEC(struct explain_entry) open;
	struct buf query; /* of a log */
	enum explain_place place;
	uint32_t worker; /* column of `Worker N:` */
	bool in_log, in_query;
	bool timed; /* some node says what it did */
	int64_t logged_ns;
};

/* Returns where the brackets of a node's line begin, after its name; NULL if it is no node. */
const char *explain_brackets(const char *at, const char *end);
/* Reads the number after a word. Returns false if the word is missing. */
bool explain_number(const char *at, const char *end, const char *word, int scale, int64_t *out);
void explain_text_line(struct explain_text *t, const char *at, const char *end);
/* Ends the plan. */
void explain_text_end(struct explain_text *t);

#endif
