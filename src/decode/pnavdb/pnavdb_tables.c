/* pnavdb_tables.c - the tables that events refer to. */
#include "src/decode/pnavdb/pnavdb.h"

#ifdef HAVE_SQLITE

#include <string.h>

#include "model/base/sum.h"

/* ---- metrics ---- */

static bool
take_of_samples(struct pnavdb *x, sqlite3_stmt *row)
{
	idmap_put(&x->ids.of_samples, pnavdb_name(x, row, 0), 1);
	return true;
}

static bool
take_counting(struct pnavdb *x, sqlite3_stmt *row UNUSED)
{
	x->known.counts = true;
	return true;
}

/* Finds whether rows count more than one event, as added ones may; and the metrics that
 * not only steps have, if nothing says which rows are of series of samples. Damage is reported when
 * the samples are read. */
static void
find_of_samples(struct pnavdb *x)
{
	struct err later = {0}, *e = x->e;

	x->e = &later;
	x->known.no_steps = !pnavdb_offset(x, "step_series") || !pnavdb_offset(x, "steps");
	if (!x->known.no_steps && !pnavdb_offset(x, "sample_series"))
		pnavdb_each(
			x, "samples",
			"SELECT DISTINCT metric FROM samples NOT INDEXED WHERE track NOT IN"
			" (SELECT track FROM step_series NOT INDEXED WHERE track IS NOT NULL)",
			take_of_samples);
	pnavdb_each(x, "samples",
		    "SELECT 1 FROM samples NOT INDEXED WHERE EXISTS"
		    " (SELECT 1 FROM metrics NOT INDEXED WHERE role = 'events')"
		    " AND value IS NOT 1 AND time IS NOT NULL AND metric IN"
		    " (SELECT name FROM metrics NOT INDEXED WHERE role = 'events') LIMIT 1",
		    take_counting);
	x->e = e;
}

static bool
is_role(const char *word, enum metric_role role)
{
	return word && !strcmp(word, metric_role_name(role));
}

/* The columns of a row are name, unit, role, is_default. Of a database without sample_series, only
 * the metrics of steps keep their role; and if samples have a metric of steps, too, as in a load of
 * several files, the steps are read as samples. */
static bool
take_metric(struct pnavdb *x, sqlite3_stmt *row)
{
	name_id name = pnavdb_name(x, row, 0);
	enum unit unit = pnavdb_unit(row, 1);
	const char *role = (const char *)sqlite3_column_text(row, 2);
	bool of_steps = !x->known.no_steps && idmap_get(&x->ids.of_samples, name) == IDMAP_NONE;

	if (x->known.no_metrics)
		return true;
	struct pnavdb_metric *m = vec_push(&x->metric);
	*m = (struct pnavdb_metric){
		.time = of_steps && is_role(role, ROLE_TIME),
		.calls = of_steps && is_role(role, ROLE_CALLS),
		.events = !x->known.counts && is_role(role, ROLE_EVENTS),
	};
	if (!m->time && is_role(role, ROLE_TIME))
		x->known.no_steps = true;
	m->id = builder_metric(x->b, builder_name_get(x->b, name).at, unit,
			       m->time     ? ROLE_TIME
			       : m->calls  ? ROLE_CALLS
			       : m->events ? ROLE_EVENTS
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
	if (sqlite3_column_type(row, 6) == SQLITE_INTEGER) {
		/* a track may reach beyond the events that are shown; its series do not */
		builder_track_end(x->b, t->id,
				  sum_clipped(x->start, sqlite3_column_int64(row, 7)));
		builder_track_end(x->b, t->id,
				  sum_clipped(x->start, sqlite3_column_int64(row, 6)));
	}
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

/* The labels of the set that is read, in x->context. */
struct pnavdb_set {
	int64_t set;
	VEC(label_id) label;
};

static void
set_end(struct pnavdb *x, struct pnavdb_set *s)
{
	uint32_t before = idmap_get(&x->ids.sets, (uint64_t)s->set);

	if (s->label.n && before == IDMAP_NONE) {
		idmap_put(&x->ids.sets, (uint64_t)s->set,
			  builder_labels(x->b, s->label.at, s->label.n));
		s->label.n = 0;
	}
	for (; s->label.n; s->label.n--) { /* rows of another set lie between */
		before = builder_labels_with(x->b, before, s->label.at[s->label.n - 1]);
		idmap_put(&x->ids.sets, (uint64_t)s->set, before);
	}
}

static bool
take_label(struct pnavdb *x, sqlite3_stmt *row)
{
	struct pnavdb_set *s = x->context;
	int64_t set;
	name_id key = pnavdb_name(x, row, 1);
	bool number = sqlite3_column_type(row, 3) == SQLITE_INTEGER;

	if (!pnavdb_whole(x, row, 0, &set))
		return true;
	if (set != s->set)
		set_end(x, s);
	s->set = set;
	*vec_push(&s->label) =
		number ? builder_label_number(x->b, key, sqlite3_column_int64(row, 3),
					      pnavdb_name(x, row, 4))
		       : builder_label_text(x->b, key, pnavdb_name(x, row, 2));
	return true;
}

static bool
read_labels(struct pnavdb *x)
{
	struct pnavdb_set set = {0};

	x->context = &set;
	bool good = pnavdb_each(
		x, "labels", "SELECT \"set\", key, value, number, unit FROM labels NOT INDEXED",
		take_label);
	set_end(x, &set);
	vec_release(&set.label);
	return good;
}

bool
pnavdb_read_tables(struct pnavdb *x)
{
	static const char frames[] = "SELECT id, function, line, address, inlined, NULL"
				     " FROM frames NOT INDEXED";
	static const char clauses[] =
		"SELECT id, function, line, address, inlined, clause FROM frames NOT INDEXED"
		" LEFT JOIN clauses ON frame = id";

	if (!pnavdb_read_facts(x))
		return false;
	find_of_samples(x);
	builder_default_kept(x->b);
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
	       read_labels(x) &&
	       pnavdb_read_stated(x);
}

#endif
