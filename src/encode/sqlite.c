#include "src/encode/encoder.h"

#ifdef HAVE_SQLITE

#include <errno.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "model/facts.h"
#include "model/mem.h"
#include "src/encode/shown_times.h"
#include "src/encode/temporary.h"

/* A database with what the lens shows, as tables for everybody's SQL: the profile's own
 * (functions, frames, stacks, samples, slices, points, labels) and the fold as `nodes`.  Times
 * count from the first event.  SQLite writes files, not streams: a temporary one is filled in
 * one transaction without a journal, and copied. */

static const char schema[] =
	"PRAGMA page_size = 16384; PRAGMA cache_size = -65536; PRAGMA locking_mode = EXCLUSIVE;"
	"PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA user_version = 1;"
	"BEGIN;"
	"CREATE TABLE info(key TEXT, value TEXT) STRICT;"
	"CREATE TABLE metrics(id INTEGER PRIMARY KEY, name TEXT, unit TEXT, role TEXT,"
	" is_default INTEGER) STRICT;"
	"CREATE TABLE tracks(id INTEGER PRIMARY KEY, parent TEXT, name TEXT, kind TEXT, unit TEXT,"
	" file TEXT, process TEXT, start INTEGER, \"end\" INTEGER, events INTEGER) STRICT;"
	"CREATE TABLE functions(id INTEGER PRIMARY KEY, name TEXT, file TEXT, module TEXT,"
	" line INTEGER, kind TEXT) STRICT;"
	"CREATE TABLE frames(id INTEGER PRIMARY KEY, function INTEGER, line INTEGER) STRICT;"
	"CREATE TABLE stacks(id INTEGER PRIMARY KEY, parent INTEGER, frame INTEGER,"
	" function INTEGER, depth INTEGER) STRICT;"
	"CREATE TABLE samples(track INTEGER, time INTEGER, stack INTEGER, metric TEXT,"
	" value INTEGER, labels INTEGER) STRICT;"
	"CREATE TABLE slices(track INTEGER, start INTEGER, \"end\" INTEGER, duration INTEGER,"
	" stack INTEGER, function INTEGER, depth INTEGER, value INTEGER, labels INTEGER,"
	" node INTEGER) STRICT;"
	"CREATE TABLE points(track INTEGER, time INTEGER, value ANY, labels INTEGER) STRICT;"
	"CREATE TABLE labels(\"set\" INTEGER, key TEXT, value TEXT, number INTEGER, unit TEXT)"
	" STRICT;"
	"CREATE TABLE nodes(id INTEGER, parent INTEGER, function TEXT, file TEXT, module TEXT,"
	" line INTEGER, defined INTEGER, kind TEXT, depth INTEGER, track INTEGER, metric TEXT,"
	" self INTEGER, total INTEGER, calls INTEGER, outermost INTEGER) STRICT;"
	"CREATE VIEW report_functions AS SELECT function, file, defined AS line, module, kind,"
	" sum(calls) AS calls, sum(self) AS self,"
	" sum(CASE WHEN outermost THEN total ELSE 0 END) AS total FROM nodes"
	" WHERE track IS NULL AND metric = (SELECT name FROM metrics WHERE is_default)"
	" GROUP BY function, file, defined, module, kind;";

static const char indices[] =
	"CREATE INDEX samples_time ON samples(time); CREATE INDEX samples_stack ON samples(stack);"
	"CREATE INDEX slices_start ON slices(start);"
	"CREATE INDEX slices_function ON slices(function);"
	"CREATE INDEX stacks_function ON stacks(function);"
	"CREATE INDEX nodes_function ON nodes(function); CREATE INDEX points_time ON points(time);"
	"COMMIT;";

struct sqlite {
	struct shown shown;
	sqlite3 *db;
	sqlite3_stmt *row; /* of the table that is filled */
	bool failed;
	int column;        /* the next to be bound */
	struct names names; /* as they are written */
	name_id *name_of;   /* [name of the profile] which of these, + 1; 0: none yet */
	track_id track;
	const struct series *series;
	VEC(struct shown_entry) open;
};

/* ---- rows ---- */

static void
run(struct sqlite *x, const char *sql)
{
	x->failed |= sqlite3_exec(x->db, sql, NULL, NULL, NULL) != SQLITE_OK;
}

static void
rows_begin(struct sqlite *x, const char *insert)
{
	x->failed |= sqlite3_prepare_v2(x->db, insert, -1, &x->row, NULL) != SQLITE_OK;
	x->column = 1;
}

static void
rows_end(struct sqlite *x)
{
	sqlite3_finalize(x->row);
	x->row = NULL;
}

static void
whole(struct sqlite *x, int64_t v)
{
	sqlite3_bind_int64(x->row, x->column++, v);
}

/* NULL where it is not known. */
static void
whole_if(struct sqlite *x, bool known, int64_t v)
{
	if (known)
		whole(x, v);
	else
		sqlite3_bind_null(x->row, x->column++);
}

static void
text(struct sqlite *x, const char *at)
{
	sqlite3_bind_text(x->row, x->column++, at, -1, SQLITE_TRANSIENT);
}

/* Names stay where they were put: many rows have the same. */
static void
name(struct sqlite *x, name_id id)
{
	struct buf b = BUF_INIT;

	if (!x->name_of[id]) {
		shown_name(&x->shown, id, &b);
		x->name_of[id] = 1 + names_put(&x->names, buf_str(&b), b.len);
		buf_release(&b);
	}
	struct name text = names_get(&x->names, x->name_of[id] - 1);
	sqlite3_bind_text64(x->row, x->column++, text.at, text.len, SQLITE_STATIC, SQLITE_UTF8);
}

static void
row_end(struct sqlite *x)
{
	x->failed |= sqlite3_step(x->row) != SQLITE_DONE;
	sqlite3_reset(x->row);
	x->column = 1;
}

/* ---- the profile's tables ---- */

static void
write_info(struct sqlite *x)
{
	const struct profile *p = x->shown.p;

	rows_begin(x, "INSERT INTO info VALUES(?,?)");
	for (uint32_t g = 0; g < p->n_groups; g++) {
		text(x, "format");
		name(x, p->group[g].format);
		row_end(x);
	}
	for (uint32_t i = 0; i < p->n_info; i++) {
		name(x, p->info[i].key);
		name(x, p->info[i].value);
		row_end(x);
	}
	text(x, "complete");
	text(x, p->complete ? "yes" : p->why ? p->why : "no");
	row_end(x);
	rows_end(x);
}

static void
write_metrics(struct sqlite *x)
{
	static const char *const roles[] = {
#define ROLE_TEXT(role) [ROLE_##role] = #role,
		METRIC_ROLES(ROLE_TEXT)
#undef ROLE_TEXT
	};
	const struct shown *s = &x->shown;

	rows_begin(x, "INSERT INTO metrics VALUES(?,?,?,lower(?),?)");
	for (size_t i = 0; i < s->metric.n; i++) {
		const struct metric *m = &s->p->metric[s->metric.at[i]];
		whole(x, s->metric.at[i]);
		name(x, m->name);
		text(x, unit_name((enum unit)m->unit));
		text(x, roles[m->role]);
		whole(x, i == s->main);
		row_end(x);
	}
	rows_end(x);
}

static void
write_tracks(struct sqlite *x)
{
	const struct profile *p = x->shown.p;

	rows_begin(x, "INSERT INTO tracks VALUES(?,?,?,?,?,?,?,?,?,?)");
	for (track_id t = 0; t < p->n_tracks; t++) {
		const struct track *track = &p->track[t];
		int64_t base = x->shown.base[track->group];
		if (!x->shown.fold->tracks[t])
			continue;
		whole(x, t);
		sqlite3_bind_null(x->row, x->column++);
		name(x, track->name);
		text(x, track_kind_name((enum track_kind)track->kind));
		text(x, unit_name((enum unit)track->unit));
		name(x, p->group[track->group].name);
		name(x, track->under == PROCESS_NONE ? NAME_EMPTY : p->process[track->under]);
		whole_if(x, track->has_time, track->start - base);
		whole_if(x, track->has_time, track->end - base);
		whole(x, (int64_t)track->events);
		row_end(x);
	}
	rows_end(x);
}

static void
write_functions(struct sqlite *x)
{
	const struct frames *f = &x->shown.p->frames;

	rows_begin(x, "INSERT INTO functions VALUES(?,?,?,?,?,?)");
	for (function_id i = 0; i < f->n_functions; i++) {
		whole(x, i);
		name(x, f->function[i].name);
		name(x, f->function[i].file);
		name(x, f->function[i].module);
		whole_if(x, f->function[i].line, f->function[i].line);
		text(x, kind_name((enum kind)f->function[i].kind));
		row_end(x);
	}
	rows_end(x);
	rows_begin(x, "INSERT INTO frames VALUES(?,?,?)");
	for (frame_id i = 0; i < f->n; i++) {
		whole(x, i);
		whole(x, f->frame[i].function);
		whole_if(x, f->frame[i].line.form != LINE_UNKNOWN, f->frame[i].line.number);
		row_end(x);
	}
	rows_end(x);
}

static void
write_stacks(struct sqlite *x)
{
	const struct profile *p = x->shown.p;
	uint32_t n = x->shown.tree->n_stacks;
	uint32_t *depth = mem_zalloc((size_t)n + 1, sizeof *depth);

	rows_begin(x, "INSERT INTO stacks VALUES(?,?,?,?,?)");
	for (stack_id i = 1; i < n; i++) {
		stack_id up = p->stacks.parent[i];
		depth[i] = up == STACK_EMPTY ? 0 : depth[up] + 1;
		whole(x, i);
		whole_if(x, up != STACK_EMPTY, up);
		whole(x, p->stacks.frame[i]);
		whole(x, p->frames.frame[p->stacks.frame[i]].function);
		whole(x, depth[i]);
		row_end(x);
	}
	rows_end(x);
	free(depth);
}

static void
write_labels(struct sqlite *x)
{
	const struct labels *l = &x->shown.p->labels;

	rows_begin(x, "INSERT INTO labels VALUES(?,?,?,?,?)");
	for (labels_id set = 1; set < l->n_sets; set++) {
		uint32_t n;
		const label_id *of = labels_get(l, set, &n);
		for (uint32_t i = 0; i < n; i++) {
			const struct label *one = &l->label[of[i]];
			struct buf value = BUF_INIT;
			label_write_value(&value, &x->shown.p->names, one);
			whole(x, set);
			name(x, one->key);
			if (one->is_number)
				text(x, buf_str(&value));
			else
				name(x, one->text);
			whole_if(x, one->is_number, one->number);
			name(x, one->is_number ? one->unit : NAME_EMPTY);
			row_end(x);
			buf_release(&value);
		}
	}
	rows_end(x);
}

/* ---- events ---- */

static void
sample_row(struct sqlite *x, bool timed, int64_t time, stack_id stack, unsigned m, int64_t value,
	   labels_id labels)
{
	metric_id metric = x->series->metric[m];

	if (metric >= x->shown.p->n_metrics || !profile_metric_shown(x->shown.p, metric) ||
	    (!value && x->series->role[m] != ROLE_VALUE))
		return;
	whole(x, x->track);
	whole_if(x, timed, time);
	whole(x, stack);
	name(x, x->shown.p->metric[metric].name);
	whole(x, value);
	whole_if(x, labels != LABELS_NONE, labels);
	row_end(x);
}

static void
sample(void *ctx, const struct shown_sample *e)
{
	struct sqlite *x = ctx;

	for (unsigned m = 0; m < x->series->n_metrics && e->node != NODE_ROOT; m++)
		sample_row(x, true, e->time, e->stack, m,
			   x->series->role[m] == ROLE_TIME ? e->lasts : e->value[m], e->labels);
}

static void
sum(void *ctx, stack_id stack, node_id node, const int64_t *value)
{
	struct sqlite *x = ctx;

	(void)node;
	for (unsigned m = 0; m < x->series->n_metrics; m++)
		sample_row(x, false, 0, stack, m, value[m], LABELS_NONE);
}

static void
entered(void *ctx, const struct shown_entry *entry)
{
	struct sqlite *x = ctx;

	*vec_push(&x->open) = *entry;
}

static void
left(void *ctx, node_id node, int64_t time)
{
	struct sqlite *x = ctx;
	const struct profile *p = x->shown.p;
	struct shown_entry o = x->open.at[--x->open.n];

	whole(x, x->track);
	whole(x, o.time);
	whole(x, time);
	whole(x, time - o.time);
	whole_if(x, o.stack != STACK_EMPTY, o.stack);
	if (o.stack != STACK_EMPTY)
		whole(x, p->frames.frame[p->stacks.frame[o.stack]].function);
	else
		sqlite3_bind_null(x->row, x->column++);
	whole(x, (int64_t)x->open.n);
	whole_if(x, o.valued, o.value);
	whole_if(x, o.labels != LABELS_NONE, o.labels);
	whole(x, node);
	row_end(x);
}

static void
point(void *ctx, const struct shown_point *e)
{
	struct sqlite *x = ctx;
	double real;

	memcpy(&real, &e->value, sizeof real);
	whole(x, x->track);
	whole(x, e->time);
	if (x->series->floating)
		sqlite3_bind_double(x->row, x->column++, real);
	else
		whole(x, e->value);
	whole_if(x, e->labels != LABELS_NONE, e->labels);
	row_end(x);
}

static void
series_samples(struct sqlite *x)
{
	if (x->series->kind == SERIES_TOTALS)
		shown_sums(&x->shown, x->series, sum, x);
	else
		shown_samples(&x->shown, x->series, sample, x);
}

static void
series_slices(struct sqlite *x)
{
	struct shown_slices tell = {entered, left, x};

	if (x->series->kind == SERIES_STEPS)
		shown_replay(&x->shown, x->series, &tell);
}

static void
series_points(struct sqlite *x)
{
	if (x->series->kind == SERIES_POINTS)
		shown_points(&x->shown, x->series, point, x);
}

static void
each_series(struct sqlite *x, const char *insert, void (*write)(struct sqlite *x))
{
	const struct profile *p = x->shown.p;

	rows_begin(x, insert);
	for (x->track = 0; x->track < p->n_tracks; x->track++)
		for (uint32_t i = 0; i < p->track[x->track].n_series; i++) {
			x->series = p->track[x->track].series[i];
			if (x->shown.fold->tracks[x->track])
				write(x);
		}
	rows_end(x);
}

/* ---- the fold ---- */

/* Of one track, or of all that is shown: TRACK_NONE, and NULL in the table. */
static bool
write_nodes(struct sqlite *x, track_id track, struct err *e)
{
	struct shown *s = &x->shown;

	if (!shown_load(s, track, e))
		return false;
	int64_t *total = shown_totals(s);
	uint32_t *depth = mem_zalloc((size_t)s->tree->n + 1, sizeof *depth);
	for (node_id v = 1; v < s->tree->n; v++) {
		node_id up = s->tree->parent[v];
		depth[v] = up == NODE_ROOT ? 0 : depth[up] + 1;
		struct shown_frame f = shown_frame(s, s->tree->key[v]);
		for (size_t m = 0; m < s->metric.n && s->fold->now.present[v]; m++) {
			whole(x, v);
			whole_if(x, up != NODE_ROOT, up);
			name(x, f.name);
			name(x, f.file);
			name(x, f.module);
			whole_if(x, f.line, f.line);
			whole_if(x, f.defined, f.defined);
			text(x, kind_name(f.kind));
			whole(x, depth[v]);
			whole_if(x, track != TRACK_NONE, track);
			name(x, s->p->metric[s->metric.at[m]].name);
			whole(x, shown_self(s, v)[m]);
			whole(x, total[(size_t)v * s->metric.n + m]);
			whole_if(x, s->calls, s->calls ? s->calls[v] : 0);
			whole(x, s->tree->outermost[v]);
			row_end(x);
		}
	}
	free(depth);
	free(total);
	return true;
}

static bool
write_fold(struct sqlite *x, struct err *e)
{
	bool good;

	rows_begin(x, "INSERT INTO nodes VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)");
	good = write_nodes(x, TRACK_NONE, e);
	for (size_t i = 0; good && x->shown.track.n > 1 && i < x->shown.track.n; i++)
		good = write_nodes(x, x->shown.track.at[i], e);
	rows_end(x);
	return good;
}

static bool
write_tables(struct sqlite *x, struct err *e)
{
	run(x, schema);
	write_info(x);
	write_metrics(x);
	write_tracks(x);
	write_functions(x);
	write_stacks(x);
	write_labels(x);
	each_series(x, "INSERT INTO samples VALUES(?,?,?,?,?,?)", series_samples);
	each_series(x, "INSERT INTO slices VALUES(?,?,?,?,?,?,?,?,?,?)", series_slices);
	each_series(x, "INSERT INTO points VALUES(?,?,?,?)", series_points);
	if (!write_fold(x, e))
		return false;
	run(x, indices);
	if (x->failed)
		return err_refuse(e, "SQLite: %s", sqlite3_errmsg(x->db));
	return true;
}

/* ---- the file ---- */

static bool
copy(const char *path, FILE *out, struct err *e)
{
	char block[1 << 16];
	FILE *in = fopen(path, "rb");
	size_t n;

	if (!in)
		return err_refuse(e, "%s: %s", path, strerror(errno));
	while ((n = fread(block, 1, sizeof block, in)) > 0)
		fwrite(block, 1, n, out);
	bool good = !ferror(in);
	fclose(in);
	return good || err_refuse(e, "%s: cannot be read again", path);
}

static bool
write_database(struct sqlite *x, const char *path, struct err *e)
{
	bool good = sqlite3_open_v2(path, &x->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX,
				    NULL) == SQLITE_OK ||
		    err_refuse(e, "SQLite: %s", sqlite3_errmsg(x->db));

	good = good && write_tables(x, e);
	sqlite3_close(x->db);
	return good && copy(path, x->shown.job->out, e);
}

static bool
sqlite_write(const struct encode_job *job, struct err *e)
{
	struct sqlite x = {0};
	struct buf path = BUF_INIT;

	if (!shown_open(&x.shown, job, 0, e))
		return false;
	names_init(&x.names);
	x.name_of = mem_zalloc((size_t)x.shown.p->names.n + 1, sizeof *x.name_of);
	int fd = temporary_open(&path, e);
	bool good = fd >= 0;
	if (good) {
		close(fd);
		good = write_database(&x, path.at, e);
		unlink(path.at);
	}
	vec_release(&x.open);
	names_release(&x.names);
	free(x.name_of);
	shown_close(&x.shown);
	buf_release(&path);
	return good;
}

#else

static bool
sqlite_write(const struct encode_job *job, struct err *e)
{
	(void)job;
	return err_refuse(e, "built without SQLite");
}

#endif

const struct encoder encoder_sqlite = {
	.name = "sqlite",
	.title = "database of SQLite: everything that is shown, for SQL",
	.write = sqlite_write,
};
