/* pnavdb_tables.c - the tables that events refer to. */
#include "src/decode/pnavdb/pnavdb.h"

#ifdef HAVE_SQLITE

#include <string.h>

#include "model/base/sum.h"

/* ---- facts ---- */

static const char *
unit_word(unsigned i)
{
	return unit_name((enum unit)i);
}

static bool
take_info(struct pnavdb *x, sqlite3_stmt *row)
{
	const char *key = (const char *)sqlite3_column_text(row, 0);

	if (!key)
		return true;
	if (!strcmp(key, "start"))
		x->start = sqlite3_column_int64(row, 1);
	else if (!strcmp(key, "axis"))
		builder_axis(x->b, (enum unit)pnavdb_word(row, 1, unit_word, UNIT_COUNT,
							  UNIT_COUNT));
	else if (!strcmp(key, "title") && sqlite3_column_text(row, 1))
		builder_info_bytes(x->b, key, sqlite3_column_text(row, 1),
				   (size_t)sqlite3_column_bytes(row, 1));
	return true;
}

/* ---- metrics ---- */

static bool
take_of_samples(struct pnavdb *x, sqlite3_stmt *row)
{
	idmap_put(&x->ids.of_samples, pnavdb_name(x, row, 0), 1);
	return true;
}

/* Finds the metrics that not only steps have. Damage is reported when the samples are read. */
static void
find_of_samples(struct pnavdb *x)
{
	struct err later = {0}, *e = x->e;

	x->e = &later;
	x->no_steps = !pnavdb_offset(x, "step_series") || !pnavdb_offset(x, "steps");
	if (!x->no_steps)
		pnavdb_each(
			x, "samples",
			"SELECT DISTINCT metric FROM samples NOT INDEXED WHERE track NOT IN"
			" (SELECT track FROM step_series NOT INDEXED WHERE track IS NOT NULL)",
			take_of_samples);
	x->e = e;
}

/* The columns of a row are name, unit, role, is_default. Only the metrics of steps keep their role:
 * the numbers of the others are those of samples, whatever made them once. If samples have a metric
 * of steps, too, as in a load of several files, the steps are read as samples. */
static bool
take_metric(struct pnavdb *x, sqlite3_stmt *row)
{
	struct pnavdb_metric *m = vec_push(&x->metric);
	name_id name = pnavdb_name(x, row, 0);
	enum unit unit =
		(enum unit)pnavdb_word(row, 1, unit_word, UNIT_COUNT, UNIT_COUNT);
	const char *role = (const char *)sqlite3_column_text(row, 2);
	bool of_steps = !x->no_steps && idmap_get(&x->ids.of_samples, name) == IDMAP_NONE;

	*m = (struct pnavdb_metric){
		.time = of_steps && role && !strcmp(role, metric_role_name(ROLE_TIME)),
		.calls = of_steps && role && !strcmp(role, metric_role_name(ROLE_CALLS)),
	};
	if (role && !m->time && !strcmp(role, metric_role_name(ROLE_TIME)))
		x->no_steps = true;
	m->id = builder_metric(x->b, builder_name_get(x->b, name).at, unit,
			       m->time    ? ROLE_TIME
			       : m->calls ? ROLE_CALLS
					  : ROLE_VALUE);
	if (!m->time && !m->calls && unit == UNIT_CALLS &&
	    !strcmp(builder_name_get(x->b, name).at, "calls"))
		builder_calls_metric(x->b, m->id);
	if (sqlite3_column_int(row, 3))
		builder_default_metric(x->b, m->id);
	idmap_put(&x->ids.metrics, name, (uint32_t)(x->metric.n - 1));
	return true;
}

/* ---- tracks ---- */

static const char *
kind_word(unsigned i)
{
	return track_kind_name((enum track_kind)i);
}

/* The columns are id, name, kind, unit, process, events, end, start. The ids of processes are in
 * x->ids.sets until the labels are read. */
static bool
take_track(struct pnavdb *x, sqlite3_stmt *row)
{
	int64_t id, events = sqlite3_column_int64(row, 5);
	enum track_kind kind = (enum track_kind)pnavdb_word(
		row, 2, kind_word, TRACK_MARKS + 1, TRACK_THREAD);

	if (!pnavdb_whole(x, row, 0, &id))
		return true;
	struct name name = builder_name_get(x->b, pnavdb_name(x, row, 1));
	name_id process = pnavdb_name(x, row, 4);
	struct pnavdb_track *t = vec_push(&x->track);
	*t = (struct pnavdb_track){
		.row = id,
		.id = builder_track(x->b, name.at, name.len, kind),
		.timed = sqlite3_column_type(row, 6) == SQLITE_INTEGER,
		.end = sum_clipped(x->start, sqlite3_column_int64(row, 6)),
	};
	idmap_put(&x->ids.tracks, (uint64_t)id, (uint32_t)(x->track.n - 1));
	if (kind >= TRACK_COUNTER) {
		struct name unit = builder_name_get(x->b, pnavdb_name(x, row, 3));
		builder_track_unit(x->b, t->id, unit.at, unit.len);
	}
	if (process != NAME_EMPTY) {
		uint32_t p = idmap_get(&x->ids.sets, process);
		if (p == IDMAP_NONE) {
			struct name of = builder_name_get(x->b, process);
			p = builder_process(x->b, of.at, of.len);
			idmap_put(&x->ids.sets, process, p);
		}
		builder_track_under(x->b, t->id, p);
	}
	if (t->timed) /* a track, and a file, may begin before the first event that is shown */
		builder_track_end(x->b, t->id,
				  sum_clipped(x->start, sqlite3_column_int64(row, 7)));
	if (events > 0)
		builder_track_events(x->b, t->id, events);
	return true;
}

static bool
take_value_name(struct pnavdb *x, sqlite3_stmt *row)
{
	int64_t track, value;

	if (!pnavdb_whole(x, row, 0, &track) || !pnavdb_whole(x, row, 1, &value))
		return true;
	uint32_t t = idmap_get(&x->ids.tracks, (uint64_t)track);
	if (t != IDMAP_NONE)
		builder_track_value(x->b, x->track.at[t].id, value,
				    pnavdb_name(x, row, 2));
	return true;
}

/* ---- functions, frames, stacks ---- */

static const char *
kind_of_function_word(unsigned i)
{
	return kind_name((enum kind)i);
}

static bool
take_function(struct pnavdb *x, sqlite3_stmt *row)
{
	int64_t id, line = sqlite3_column_int64(row, 4);
	struct function f = {
		.name = pnavdb_name(x, row, 1),
		.file = pnavdb_name(x, row, 2),
		.module = pnavdb_name(x, row, 3),
		.line = line > 0 && line <= UINT32_MAX ? (uint32_t)line : 0,
		.kind = (uint8_t)pnavdb_word(row, 5, kind_of_function_word, KINDS,
					     KIND_USER),
	};

	/* the function for all that a linker map does not name is sorted last */
	f.last = f.kind == KIND_SYSTEM &&
		 !strcmp(builder_name_get(x->b, f.name).at, "[not listed]");
	if (pnavdb_whole(x, row, 0, &id))
		idmap_put(&x->ids.functions, (uint64_t)id, builder_function(x->b, f));
	return true;
}

/* The columns are id, function, line, address, inlined, clause. */
static bool
take_frame(struct pnavdb *x, sqlite3_stmt *row)
{
	struct line line = line_unknown();
	int64_t id, function, number = sqlite3_column_int64(row, 2);

	if (!pnavdb_whole(x, row, 0, &id) || !pnavdb_whole(x, row, 1, &function))
		return true;
	uint32_t f = idmap_get(&x->ids.functions, (uint64_t)function);
	if (f == IDMAP_NONE)
		return err_damage(x->e, pnavdb_offset(x, "frames"),
				  "frame %lld has no function", (long long)id);
	if (sqlite3_column_type(row, 2) == SQLITE_INTEGER && number >= 0 &&
	    number <= UINT32_MAX)
		line = line_plain((uint32_t)number);
	if (sqlite3_column_type(row, 5) == SQLITE_INTEGER)
		line = (struct line){line.number, (uint8_t)sqlite3_column_int(row, 5),
				     LINE_CLAUSE};
	frame_id frame = builder_frame(x->b, f, line);
	if (sqlite3_column_int(row, 4))
		frame = builder_frame_inlined(x->b, frame);
	frame = builder_frame_at(x->b, frame, (uint64_t)sqlite3_column_int64(row, 3));
	idmap_put(&x->ids.frames, (uint64_t)id, frame);
	return true;
}

static bool
take_stack(struct pnavdb *x, sqlite3_stmt *row)
{
	struct pnavdb_stack s = {0};
	stack_id caller = STACK_EMPTY;
	int64_t id, frame, parent;

	if (!pnavdb_whole(x, row, 0, &id) || !pnavdb_whole(x, row, 2, &frame))
		return true;
	if (sqlite3_column_type(row, 1) != SQLITE_NULL &&
	    pnavdb_whole(x, row, 1, &parent)) {
		uint32_t up = idmap_get(&x->ids.stacks, (uint64_t)parent);
		if (up == IDMAP_NONE)
			return err_damage(x->e, pnavdb_offset(x, "stacks"),
					  "stack %lld has no caller", (long long)id);
		caller = x->stack.at[up].id;
		s.depth = x->stack.at[up].depth + 1;
	}
	uint32_t f = idmap_get(&x->ids.frames, (uint64_t)frame);
	if (f == IDMAP_NONE)
		return err_damage(x->e, pnavdb_offset(x, "stacks"),
				  "stack %lld has no frame", (long long)id);
	s.id = s.depth >= STACK_DEPTH_MAX || caller == STACK_NONE
		       ? builder_too_deep(x->b)
		       : builder_child(x->b, caller, f);
	idmap_put(&x->ids.stacks, (uint64_t)id, (uint32_t)x->stack.n);
	*vec_push(&x->stack) = s;
	return true;
}

/* ---- labels ---- */

static bool
take_label(struct pnavdb *x, sqlite3_stmt *row)
{
	int64_t set;
	name_id key = pnavdb_name(x, row, 1);
	bool number = sqlite3_column_type(row, 3) == SQLITE_INTEGER;

	if (!pnavdb_whole(x, row, 0, &set))
		return true;
	label_id one =
		number ? builder_label_number(x->b, key, sqlite3_column_int64(row, 3),
					      pnavdb_name(x, row, 4))
		       : builder_label_text(x->b, key, pnavdb_name(x, row, 2));
	uint32_t before = idmap_get(&x->ids.sets, (uint64_t)set);
	idmap_put(&x->ids.sets, (uint64_t)set,
		  before == IDMAP_NONE ? builder_labels(x->b, &one, 1)
				       : builder_labels_with(x->b, before, one));
	return true;
}

/* ---- inclusive costs ---- */

static bool
take_stated(struct pnavdb *x, sqlite3_stmt *row)
{
	int64_t track, function, total, first = sqlite3_column_int(row, 5);
	uint32_t m = idmap_get(&x->ids.metrics, pnavdb_name(x, row, 1));

	if (!pnavdb_whole(x, row, 0, &track) || !pnavdb_whole(x, row, 2, &function) ||
	    !pnavdb_whole(x, row, 3, &total))
		return true;
	uint32_t t = idmap_get(&x->ids.tracks, (uint64_t)track);
	uint32_t f = idmap_get(&x->ids.functions, (uint64_t)function);
	if (t == IDMAP_NONE || f == IDMAP_NONE || m == IDMAP_NONE) {
		x->skipped++;
		return true;
	}
	if (first)
		builder_stated(x->b, x->track.at[t].id, x->metric.at[m].id,
			       sqlite3_column_int(row, 4));
	builder_stated_total(x->b, f, total);
	return true;
}

bool
pnavdb_read_tables(struct pnavdb *x)
{
	static const char frames[] = "SELECT id, function, line, address, inlined, NULL"
				     " FROM frames NOT INDEXED";
	static const char clauses[] =
		"SELECT id, function, line, address, inlined, clause FROM frames NOT INDEXED"
		" LEFT JOIN clauses ON frame = id";

	if (!pnavdb_each(x, "info", "SELECT key, value FROM info NOT INDEXED", take_info))
		return false;
	find_of_samples(x);
	if (!pnavdb_each(x, "metrics",
			 "SELECT name, unit, role, is_default FROM metrics NOT INDEXED",
			 take_metric) ||
	    !pnavdb_each(
		    x, "tracks",
		    "SELECT id, name, kind, unit, process, events, \"end\", start"
		    " FROM tracks NOT INDEXED",
		    take_track) ||
	    !pnavdb_read_actors(x))
		return false;
	idmap_release(&x->ids.sets);
	return pnavdb_each(x, "value_names",
			   "SELECT track, value, name FROM value_names NOT INDEXED",
			   take_value_name) &&
	       pnavdb_each(
		       x, "functions",
		       "SELECT id, name, file, module, line, kind FROM functions NOT INDEXED",
		       take_function) &&
	       pnavdb_each(x, "frames", pnavdb_offset(x, "clauses") ? clauses : frames,
			   take_frame) &&
	       pnavdb_each(x, "stacks",
			   "SELECT id, parent, frame FROM stacks NOT INDEXED",
			   take_stack) &&
	       pnavdb_each(
		       x, "labels",
		       "SELECT \"set\", key, value, number, unit FROM labels NOT INDEXED",
		       take_label) &&
	       pnavdb_each(x, "stated",
			   "SELECT track, metric, function, total, estimated, first"
			   " FROM stated NOT INDEXED",
			   take_stated);
}

#endif
