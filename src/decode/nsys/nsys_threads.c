/* nsys: what threads did: calls of traced interfaces, ranges and marks of NVTX, samples, turns on
 * processors. */
#include "src/decode/nsys/nsys_inside.h"

#ifdef HAVE_SQLITE

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Types of rows of NVTX_EVENTS. */
enum {
	NVTX_CATEGORY = 33,
	NVTX_MARK = 34,
	NVTX_PUSH_POP = 59,
	NVTX_START_END = 60,
	NVTX_PUSH_POP_TEXT = 70,
	NVTX_DOMAIN = 75,
};

/* ---- calls ---- */

/* Remembers a call for the kernels that it launches. */
static void
call_remember(struct nsys *n, int64_t global, int64_t id, int64_t start, uint32_t thread)
{
	uint64_t key = (uint64_t)nsys_pid(global) << 32 | (uint32_t)id;
	uint32_t at = idmap_get(&n->ids.call, key);

	if (at == IDMAP_NONE) {
		at = (uint32_t)n->call.n;
		(void)vec_push(&n->call);
		n->call.at[at].start = INT64_MIN;
		idmap_put(&n->ids.call, key, at);
	}
	if (start >= n->call.at[at].start)
		n->call.at[at] = (struct nsys_call){start, thread};
}

/* start, end, globalTid, nameId, correlationId */
static bool
take_call(struct pnavdb *x, sqlite3_stmt *row)
{
	struct nsys *n = nsys_of(x);
	int64_t number[3];

	if (!nsys_numbers(n, row, 3, number))
		return true;
	uint32_t thread = nsys_thread(n, number[2]);
	cast_slice(&n->cast, thread, number[0], number[1] - number[0],
		   nsys_frame(n, nsys_string(n, row, 3)), LABELS_NONE);
	n->calls++;
	if (sqlite3_column_type(row, 4) == SQLITE_INTEGER)
		call_remember(n, number[2], sqlite3_column_int64(row, 4), number[0], thread);
	return true;
}

static bool
read_calls(struct nsys *n)
{
	struct buf names = BUF_INIT;
	bool good = true;

	nsys_tables(n, &names);
	for (size_t at = 0; good && at < names.len; at += strlen(names.at + at) + 1) {
		const char *table = names.at + at;
		if (strcmp(table, "PROFILER_OVERHEAD") != 0 &&
		    nsys_has(n, table, "start end globalTid nameId"))
			good = nsys_each(n, table, "start end globalTid nameId", "correlationId",
					 NULL, take_call);
	}
	buf_release(&names);
	return good;
}

/* ---- NVTX ---- */

enum { NVTX_START, NVTX_TYPE, NVTX_THREAD, NVTX_END, NVTX_TEXT, NVTX_TEXT_ID, NVTX_DOMAIN_ID,
       NVTX_CATEGORY_ID };
#define NVTX_NEEDS "start eventType globalTid"
#define NVTX_MAY "end text textId domainId category"

static name_id
nvtx_name(struct nsys *n, sqlite3_stmt *row)
{
	name_id name = pnavdb_name(&n->db, row, NVTX_TEXT);

	return name == NAME_EMPTY ? nsys_string(n, row, NVTX_TEXT_ID) : name;
}

static uint64_t
nvtx_key(sqlite3_stmt *row)
{
	return (uint64_t)(uint32_t)sqlite3_column_int64(row, NVTX_DOMAIN_ID) << 32 |
	       (uint32_t)sqlite3_column_int64(row, NVTX_CATEGORY_ID);
}

/* The names of domains and categories come first, wherever their rows are. */
static bool
take_nvtx_name(struct pnavdb *x, sqlite3_stmt *row)
{
	struct nsys *n = nsys_of(x);
	int64_t type = sqlite3_column_int64(row, NVTX_TYPE);

	if (type == NVTX_DOMAIN)
		idmap_put(&n->ids.domain, nvtx_key(row) >> 32, nvtx_name(n, row));
	else if (type == NVTX_CATEGORY)
		idmap_put(&n->ids.category, nvtx_key(row), nvtx_name(n, row));
	return true;
}

static labels_id
nvtx_labels(struct nsys *n, sqlite3_stmt *row)
{
	uint32_t domain = idmap_get(&n->ids.domain, nvtx_key(row) >> 32);
	uint32_t category = idmap_get(&n->ids.category, nvtx_key(row));
	label_id one[2];
	size_t labels = 0;

	if (domain != IDMAP_NONE)
		one[labels++] = builder_label_text(n->b, builder_name(n->b, "domain", 6), domain);
	if (category != IDMAP_NONE && (uint32_t)nvtx_key(row))
		one[labels++] =
			builder_label_text(n->b, builder_name(n->b, "category", 8), category);
	return labels ? builder_labels(n->b, one, labels) : LABELS_NONE;
}

static void
nvtx_slice(struct nsys *n, sqlite3_stmt *row, uint32_t track, int64_t start)
{
	name_id name = nvtx_name(n, row);
	labels_id labels = nvtx_labels(n, row);

	if (sqlite3_column_type(row, NVTX_END) != SQLITE_INTEGER)
		cast_begin(&n->cast, track, start, name, nsys_frame(n, name), labels);
	else
		cast_slice(&n->cast, track, start,
			   sqlite3_column_int64(row, NVTX_END) - start, nsys_frame(n, name),
			   labels);
}

static bool
take_nvtx(struct pnavdb *x, sqlite3_stmt *row)
{
	struct nsys *n = nsys_of(x);
	int64_t number[3];

	if (!nsys_numbers(n, row, 2, number))
		return true;
	if (number[1] == NVTX_DOMAIN || number[1] == NVTX_CATEGORY)
		return true;
	if (!nsys_numbers(n, row, 3, number))
		return true;
	uint32_t thread = nsys_thread(n, number[2]);
	if (number[1] == NVTX_PUSH_POP || number[1] == NVTX_PUSH_POP_TEXT) {
		nvtx_slice(n, row, thread, number[0]);
	} else if (number[1] == NVTX_START_END || number[1] == NVTX_MARK) {
		bool mark = number[1] == NVTX_MARK;
		struct cast_track like = {
			.process = n->cast.track.at[thread].process,
			.thread = CAST_NONE,
			.kind = mark ? TRACK_MARKS : TRACK_TASK,
			.name = mark ? nvtx_name(n, row) : builder_name(n->b, "NVTX", 4),
			.aside = true,
			.nesting = CAST_BESIDE,
		};
		if (!mark)
			nvtx_slice(n, row, cast_track(&n->cast, like), number[0]);
		else
			return builder_point(n->b,
					     cast_points(&n->cast, cast_marks(&n->cast, like),
							 false, false),
					     number[0], 0, 0, n->e);
	} else {
		n->odd++;
	}
	return true;
}

/* ---- samples ---- */

/* id, symbol, module, kernelMode, specialEntry; ordered by id, then from the leaf on */
static bool
take_chain(struct pnavdb *x, sqlite3_stmt *row)
{
	struct nsys *n = nsys_of(x);
	int64_t id;

	if (!nsys_numbers(n, row, 1, &id))
		return true;
	if (id != n->chain && n->chain != INT64_MIN)
		idmap_put(&n->ids.stack, (uint64_t)n->chain, builder_next_leaf_first(n->b));
	n->chain = id;
	name_id name = nsys_string(n, row, 1);
	struct name text = builder_name_get(n->b, name);
	bool system = sqlite3_column_int64(row, 3) || sqlite3_column_int64(row, 4);
	struct function fn = {
		.name = name,
		.module = nsys_string(n, row, 2),
		.kind = (uint8_t)(system ? KIND_SYSTEM : kind_of_name(text.at, text.len)),
	};
	builder_next_frame(n->b, builder_frame(n->b, builder_function(n->b, fn), line_unknown()));
	return true;
}

/* id, start, globalTid, cpuCycles */
static bool
take_composite(struct pnavdb *x, sqlite3_stmt *row)
{
	struct nsys *n = nsys_of(x);
	int64_t number[3], value[] = {1, sqlite3_column_int64(row, 3)};

	if (!nsys_numbers(n, row, 3, number))
		return true;
	uint32_t thread = nsys_thread(n, number[2]);
	struct cast_track like = {.process = n->cast.track.at[thread].process,
				  .thread = thread,
				  .kind = TRACK_THREAD,
				  .name = builder_name(n->b, "(samples)", 9)};
	uint32_t track = cast_track(&n->cast, like);
	struct cast_track *t = &n->cast.track.at[track];
	if (!t->points) {
		metric_id both[] = {n->metric.samples, n->metric.cycles};
		track_id made = cast_made(&n->cast, track);
		t = &n->cast.track.at[track];
		t->points = builder_samples(n->b, made, both,
					    n->metric.cycles == METRIC_NONE ? 1 : 2);
	}
	uint32_t stack = idmap_get(&n->ids.stack, (uint64_t)number[0]);
	return builder_sample(n->b, t->points, number[1],
			      stack == IDMAP_NONE ? builder_stack_missing(n->b, 1) : stack,
			      value, 0, n->e);
}

static bool
take_cycles(struct pnavdb *x, sqlite3_stmt *row)
{
	struct nsys *n = nsys_of(x);

	if (n->metric.samples == METRIC_NONE)
		n->metric.samples = builder_metric(n->b, "samples", UNIT_SAMPLES, ROLE_VALUE);
	if (n->metric.cycles == METRIC_NONE && sqlite3_column_int64(row, 0) != 1)
		n->metric.cycles = builder_metric(n->b, "cycles", UNIT_COUNT, ROLE_VALUE);
	return true;
}

static bool
read_samples(struct nsys *n)
{
	n->chain = INT64_MIN;
	if (!nsys_each(n, "SAMPLING_CALLCHAINS", "id symbol module", "kernelMode specialEntry",
		       "id, stackDepth", take_chain))
		return false;
	if (n->chain != INT64_MIN)
		idmap_put(&n->ids.stack, (uint64_t)n->chain, builder_next_leaf_first(n->b));
	return nsys_each(n, "COMPOSITE_EVENTS", "cpuCycles", "", NULL, take_cycles) &&
	       nsys_each(n, "COMPOSITE_EVENTS", "id start globalTid", "cpuCycles", NULL,
			 take_composite);
}

/* ---- turns on processors ---- */

/* cpu, start, isSchedIn, globalTid; ordered by cpu, then by time */
static bool
take_turn(struct pnavdb *x, sqlite3_stmt *row)
{
	struct nsys *n = nsys_of(x);
	int64_t number[4];
	char text[32];

	if (!nsys_numbers(n, row, 4, number))
		return true;
	if (!n->turns || number[0] != n->turns_cpu) {
		int len = snprintf(text, sizeof text, "cpu %" PRId64, number[0]);
		track_id t = builder_track(n->b, text, (size_t)len, TRACK_CORE);
		n->turns = builder_turns(n->b, t, n->metric.cpu);
		n->turns_cpu = number[0];
	}
	if (!number[2])
		return builder_step(n->b, n->turns, number[1], STACK_EMPTY, 0, 0, n->e);
	uint32_t thread = nsys_thread(n, number[3]);
	const struct cast_track *t = &n->cast.track.at[thread];
	struct buf name = BUF_INIT;
	cast_owner_text(&name, n->b, t->name, t->id, "thread");
	frame_id frame = nsys_frame(n, builder_name(n->b, name.at, name.len));
	buf_release(&name);
	return builder_step(n->b, n->turns, number[1], builder_child(n->b, STACK_EMPTY, frame), 0,
			    0, n->e);
}

bool
nsys_read_threads(struct nsys *n)
{
	return read_calls(n) &&
	       nsys_each(n, "NVTX_EVENTS", NVTX_NEEDS, NVTX_MAY, NULL, take_nvtx_name) &&
	       nsys_each(n, "NVTX_EVENTS", NVTX_NEEDS, NVTX_MAY, NULL, take_nvtx) &&
	       read_samples(n) &&
	       nsys_each(n, "SCHED_EVENTS", "cpu start isSchedIn globalTid", "",
			 "cpu, start, isSchedIn", take_turn);
}

#endif
