/* rows.c - the tables of numbered objects: tracks, functions, frames, stacks, metrics, labels; and
 * info.
 *
 * Their rows are those of the model's own tables, so a row is a number, and a constraint on the
 * first column gives its first and last row.  Names are in the form for programs. */
#include "src/sql/sql_inside.h"

#ifdef HAVE_SQLITE

#include <string.h>

#include "model/base/bisect.h"
#include "model/base/mem.h"
#include "model/base/sum.h"

/* Describes a table; its rows are numbers [first, count). */
struct row_table {
	int64_t first;
	int64_t (*count)(struct sql *s);
	int second; /* a column with the same value as the first; 0: none */
	/* Finds the rows whose first column lies in [low, high]; NULL: the column is not a key. */
	void (*span)(struct sql *s, int64_t low, int64_t high, int64_t *from, int64_t *to);
	bool (*has)(struct sql *s, int64_t row); /* NULL: all rows */
	void (*column)(struct sql *s, int64_t row, int column, sqlite3_context *out);
};

struct rows_cursor {
	struct sql_cursor base;
	int64_t row, end;
};

static const struct row_table *
rows_table_of(sqlite3_vtab *v)
{
	return ((struct sql_vtab *)v)->table->of;
}

/* ---- the module ---- */

/* Fills the keys of a table; returns their number. */
static unsigned
rows_keys(const struct row_table *t, struct sql_key *key)
{
	key[0] = (struct sql_key){"id", 0, true, false};
	key[1] = (struct sql_key){"second", t->second, true, false};
	return !t->span ? 0 : t->second ? 2 : 1;
}

static int
rows_plan(sqlite3_vtab *v, sqlite3_index_info *info)
{
	const struct row_table *t = rows_table_of(v);
	unsigned which[2] = {0};
	struct sql_key key[2];
	unsigned n_keys = rows_keys(t, key);
	double n = (double)t->count(((struct sql_vtab *)v)->sql);
	int status = n_keys ? plan_make(info, key, n_keys, which) : SQLITE_OK;

	if ((which[0] | which[1]) & PLAN_EQUAL)
		n = n < 4 ? n : 4;
	else if (which[0] | which[1])
		n /= 4;
	plan_cost(info, n, n);
	return status;
}

static int
rows_open(sqlite3_vtab *v, sqlite3_vtab_cursor **out)
{
	struct rows_cursor *c = mem_zalloc(1, sizeof *c);

	(void)v;
	*out = &c->base.base;
	return SQLITE_OK;
}

static int
rows_close(sqlite3_vtab_cursor *base)
{
	free(base);
	return SQLITE_OK;
}

static void
rows_settle(struct rows_cursor *c, const struct row_table *t, struct sql *s)
{
	while (c->row < c->end && t->has && !t->has(s, c->row))
		c->row++;
	c->base.eof = c->row >= c->end;
	c->base.rowid = c->row;
}

static int
rows_next(sqlite3_vtab_cursor *base)
{
	struct rows_cursor *c = (struct rows_cursor *)base;

	c->row++;
	rows_settle(c, rows_table_of(base->pVtab), vtab_of(base)->sql);
	return SQLITE_OK;
}

static int
rows_filter(sqlite3_vtab_cursor *base, int index, const char *plan, int argc,
	    sqlite3_value **argv)
{
	struct rows_cursor *c = (struct rows_cursor *)base;
	struct sql *s = vtab_of(base)->sql;
	const struct row_table *t = rows_table_of(base->pVtab);
	struct sql_key key[2];
	struct sql_bound bound[2];
	unsigned n_keys = rows_keys(t, key);

	(void)index;
	plan_read(plan, argc, argv, key, n_keys, bound);
	c->row = t->first;
	c->end = t->count(s);
	for (unsigned i = 0; i < n_keys; i++) {
		int64_t from = c->row, to = c->end;
		if (bound[i].asked && bound[i].low > bound[i].high)
			to = from;
		else if (bound[i].asked)
			t->span(s, bound[i].low, bound[i].high, &from, &to);
		c->row = from > c->row ? from : c->row;
		c->end = to < c->end ? to : c->end;
	}
	rows_settle(c, t, s);
	return SQLITE_OK;
}

static int
rows_column(sqlite3_vtab_cursor *base, sqlite3_context *out, int column)
{
	struct rows_cursor *c = (struct rows_cursor *)base;

	rows_table_of(base->pVtab)->column(vtab_of(base)->sql, c->row, column, out);
	return SQLITE_OK;
}

static const sqlite3_module module = SQL_MODULE(rows);

/* ---- columns ---- */

static void
result_words(sqlite3_context *out, const char *text)
{
	sqlite3_result_text(out, text, -1, SQLITE_STATIC);
}

/* Returns NULL for an unknown value. */
static void
result_if(sqlite3_context *out, bool known, int64_t v)
{
	if (known)
		sqlite3_result_int64(out, v);
}

/* Row numbers are ids, so the bounds are the span. */
static void
clip(int64_t low, int64_t high, int64_t *from, int64_t *to)
{
	*from = low > *from ? low : *from;
	*to = high < *to ? high + 1 : *to;
}

static void
ids_span(struct sql *s, int64_t low, int64_t high, int64_t *from, int64_t *to)
{
	(void)s;
	clip(low, high, from, to);
}

/* ---- info ---- */

static int64_t
info_count(struct sql *s)
{
	return (int64_t)s->facts.all.n;
}

static bool
info_has(struct sql *s, int64_t row)
{
	return !s->facts.all.at[row].aside;
}

static void
info_column(struct sql *s, int64_t row, int column, sqlite3_context *out)
{
	const struct fact *f = &s->facts.all.at[row];

	if (!column)
		result_words(out, f->key);
	else if (f->kind != FACT_WORDS)
		sqlite3_result_int64(out, f->number);
	else if (f->words)
		result_words(out, f->words);
}

static const struct row_table info_rows = {
	.count = info_count, .has = info_has, .column = info_column};

/* ---- metrics ---- */

static int64_t
metrics_count(struct sql *s)
{
	return s->shown.p->n_metrics;
}

static bool
metrics_has(struct sql *s, int64_t row)
{
	for (size_t i = 0; i < s->shown.metric.n; i++)
		if (s->shown.metric.at[i] == row)
			return true;
	return false;
}

static void
metrics_column(struct sql *s, int64_t row, int column, sqlite3_context *out)
{
	const struct metric *m = &s->shown.p->metric[row];

	switch (column) {
	case 0:
		sqlite3_result_int64(out, row);
		break;
	case 1:
		sql_result_name(s, out, m->name);
		break;
	case 2:
		result_words(out, unit_name((enum unit)m->unit));
		break;
	case 3:
		result_words(out, metric_role_name((enum metric_role)m->role));
		break;
	case 4:
		sqlite3_result_int64(out, row == s->shown.fold->metric);
		break;
	case 5:
		sql_result_sides(s, out, SIDED_METRIC, (metric_id)row);
		break;
	}
}

static const struct row_table metrics_rows = {.count = metrics_count,
					      .has = metrics_has,
					      .span = ids_span,
					      .column = metrics_column};

/* ---- tracks ---- */

static int64_t
tracks_count(struct sql *s)
{
	return s->shown.p->n_tracks;
}

static bool
tracks_has(struct sql *s, int64_t row)
{
	return s->shown.fold->chosen[row];
}

static void
tracks_column(struct sql *s, int64_t row, int column, sqlite3_context *out)
{
	const struct profile *p = s->shown.p;
	const struct track *t = &p->track[row];
	int64_t base = s->shown.base[t->group];

	switch (column) {
	case 0:
		sqlite3_result_int64(out, row);
		break;
	case 2:
		sql_result_name(s, out, t->name);
		break;
	case 3:
		result_words(out, track_kind_name((enum track_kind)t->kind));
		break;
	case 4:
		if (t->kind >= TRACK_COUNTER)
			sql_result_name(s, out, t->value_unit);
		else
			result_words(out, t->has_time ? unit_name((enum unit)t->unit) : "");
		break;
	case 5:
		sql_result_name(s, out, p->group[t->group].name);
		break;
	case 6:
		sql_result_name(s, out,
				t->under == PROCESS_NONE ? NAME_EMPTY : p->process[t->under].name);
		break;
	case 7:
		result_if(out, t->has_time, difference_clipped(t->start, base));
		break;
	case 8:
	case 10:
		result_if(out, t->has_time, difference_clipped(t->end, base));
		break;
	case 9:
		sqlite3_result_int64(out, (int64_t)t->events);
		break;
	case 11:
		sql_result_side(s, out, (track_id)row);
		break;
	}
}

static const struct row_table tracks_rows = {.count = tracks_count,
					     .has = tracks_has,
					     .span = ids_span,
					     .column = tracks_column};

/* ---- functions, frames, stacks ---- */

static int64_t
functions_count(struct sql *s)
{
	return s->shown.p->frames.n_functions;
}

static bool
functions_has(struct sql *s, int64_t row)
{
	return shown_stacks_has_function(&s->stacks, (function_id)row);
}

static void
functions_column(struct sql *s, int64_t row, int column, sqlite3_context *out)
{
	struct shown_stacks_function f = shown_stacks_function_of(&s->stacks, (function_id)row);

	switch (column) {
	case 0:
		sqlite3_result_int64(out, row);
		break;
	case 1:
		sql_result_name(s, out, f.name);
		break;
	case 2:
		sql_result_name(s, out, f.file);
		break;
	case 3:
		sql_result_name(s, out, f.module);
		break;
	case 4:
		result_if(out, f.line, f.line);
		break;
	case 5:
		result_words(out, f.kind ? f.kind : "");
		break;
	case 6:
		sql_result_sides(s, out, SIDED_FUNCTION, (function_id)row);
		break;
	}
}

static const struct row_table functions_rows = {.count = functions_count,
						.has = functions_has,
						.span = ids_span,
						.column = functions_column};

static int64_t
frames_count(struct sql *s)
{
	return s->shown.p->frames.n;
}

static bool
frames_has(struct sql *s, int64_t row)
{
	return shown_stacks_has_frame(&s->stacks, (frame_id)row);
}

static void
frames_column(struct sql *s, int64_t row, int column, sqlite3_context *out)
{
	struct shown_stacks_frame f = shown_stacks_frame_of(&s->stacks, (frame_id)row);

	switch (column) {
	case 0:
		sqlite3_result_int64(out, row);
		break;
	case 1:
		sqlite3_result_int64(out, f.function);
		break;
	case 2:
		result_if(out, f.line.form != LINE_UNKNOWN, f.line.number);
		break;
	case 3:
		result_if(out, f.address != ADDRESS_NONE, (int64_t)f.address);
		break;
	case 4:
		sqlite3_result_int(out, f.inlined);
		break;
	case 5:
		sql_result_sides(s, out, SIDED_FRAME, (frame_id)row);
		break;
	}
}

static const struct row_table frames_rows = {.count = frames_count,
					     .has = frames_has,
					     .span = ids_span,
					     .column = frames_column};

static int64_t
stacks_count(struct sql *s)
{
	return s->stacks.tree->n_stacks;
}

static bool
stacks_has(struct sql *s, int64_t row)
{
	return shown_stacks_has(&s->stacks, (stack_id)row);
}

/* A parent's id is smaller, so one pass suffices. */
static uint32_t
depth_of(struct sql *s, stack_id stack)
{
	uint32_t n = s->stacks.tree->n_stacks;

	if (!s->depth) {
		s->depth = mem_zalloc((size_t)n + 1, sizeof *s->depth);
		for (stack_id i = 1; i < n; i++) {
			stack_id up = shown_stacks_has(&s->stacks, i)
					      ? shown_stacks_parent(&s->stacks, i) : STACK_EMPTY;
			s->depth[i] = up == STACK_EMPTY ? 0 : s->depth[up] + 1;
		}
	}
	return s->depth[stack];
}

static void
stacks_column(struct sql *s, int64_t row, int column, sqlite3_context *out)
{
	stack_id stack = (stack_id)row, up;

	switch (column) {
	case 0:
		sqlite3_result_int64(out, row);
		break;
	case 1:
		up = shown_stacks_parent(&s->stacks, stack);
		result_if(out, up != STACK_EMPTY, up);
		break;
	case 2:
		sqlite3_result_int64(out, shown_stacks_frame(&s->stacks, stack));
		break;
	case 3:
		sqlite3_result_int64(out, shown_stacks_function(&s->stacks, stack));
		break;
	case 4:
		sqlite3_result_int64(out, depth_of(s, stack));
		break;
	case 5:
		sql_result_sides(s, out, SIDED_STACK, stack);
		break;
	}
}

static const struct row_table stacks_rows = {.first = 1,
					     .count = stacks_count,
					     .has = stacks_has,
					     .span = ids_span,
					     .column = stacks_column};

/* ---- labels ---- */

/* A row is a label of a set; the labels lie in the order of the sets. */
static int64_t
labels_count(struct sql *s)
{
	return s->shown.p->labels.n_of;
}

static void
labels_span(struct sql *s, int64_t low, int64_t high, int64_t *from, int64_t *to)
{
	const struct labels *l = &s->shown.p->labels;

	low = low < 0 ? 0 : low > l->n_sets ? l->n_sets : low;
	high = high < 0 ? -1 : high >= l->n_sets ? (int64_t)l->n_sets - 1 : high;
	*from = l->first[low];
	*to = l->first[high + 1];
}

static labels_id
set_of(const struct labels *l, int64_t row)
{
	/* the last set that begins at or before the row */
	return (labels_id)bisect(i, l->n_sets, l->first[i] <= row) - 1;
}

static void
labels_column(struct sql *s, int64_t row, int column, sqlite3_context *out)
{
	const struct labels *l = &s->shown.p->labels;
	const struct label *one = &l->label[l->of[row]];
	double decimal;

	switch (column) {
	case 0:
	case 5:
		sqlite3_result_int64(out, set_of(l, row));
		break;
	case 1:
		sql_result_name(s, out, one->key);
		break;
	case 2:
		buf_reset(&s->scratch);
		profile_write_label(s->shown.p, one, true, &s->scratch);
		sqlite3_result_text64(out, buf_str(&s->scratch), s->scratch.len,
				      SQLITE_TRANSIENT, SQLITE_UTF8);
		break;
	case 3:
		if (one->is_number)
			sqlite3_result_int64(out, one->number);
		else if (label_number(&s->shown.p->names, one, &decimal))
			sqlite3_result_double(out, decimal);
		break;
	case 4:
		sql_result_name(s, out, one->is_number ? one->unit : NAME_EMPTY);
		break;
	case 6:
		sql_result_sides(s, out, SIDED_LABELS, set_of(l, row));
		break;
	}
}

static const struct row_table labels_rows = {
	.second = 5, .count = labels_count, .span = labels_span, .column = labels_column};

/* ---- the tables ---- */

const struct sql_table sql_rows_tables[] = {
	{"info", "key TEXT, value", &module, &info_rows, false},
	{"metrics", "id INTEGER, name TEXT, unit TEXT, role TEXT, is_default INTEGER", &module,
	 &metrics_rows, true},
	{"tracks",
	 "id INTEGER, parent INTEGER, name TEXT, kind TEXT, unit TEXT, file TEXT,"
	 " process TEXT, start INTEGER, \"end\" INTEGER, events INTEGER, finish INTEGER HIDDEN",
	 &module, &tracks_rows, true},
	{"functions",
	 "id INTEGER, name TEXT, file TEXT, module TEXT, line INTEGER, kind TEXT", &module,
	 &functions_rows, true},
	{"frames",
	 "id INTEGER, function INTEGER, line INTEGER, address INTEGER, inlined INTEGER", &module,
	 &frames_rows, true},
	{"stacks",
	 "id INTEGER, parent INTEGER, frame INTEGER, function INTEGER, depth INTEGER", &module,
	 &stacks_rows, true},
	{"labels",
	 "\"set\" INTEGER, key TEXT, value TEXT, number, unit TEXT,"
	 " label_set INTEGER HIDDEN",
	 &module, &labels_rows, true},
};
const unsigned sql_n_rows_tables = sizeof sql_rows_tables / sizeof *sql_rows_tables;

#endif
