#include "src/encode/encoder.h"

#ifdef HAVE_SQLITE

#include <errno.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "model/base/mem.h"
#include "model/base/sum.h"
#include "src/encode/shown_stacks.h"
#include "src/encode/shown_times.h"
#include "src/encode/sqlite_rows.h"
#include "src/encode/sqlite_schema.h"
#include "src/encode/temporary.h"

/* A database of the exported profile, with tables for any SQL tool: the profile's own (functions,
 * frames, stacks, samples, slices, points, labels), which have no direction, and the fold as
 * `nodes`.  Times count from the first event.  SQLite writes files, not streams.  So pnav fills a
 * temporary file, which is unlinked once SQLite has opened it, in one transaction without a
 * journal, and copies it. */

/* A slice that is open. */
struct sqlite_slice {
	struct shown_entry entry;
	int64_t id, children; /* the duration of its children so far */
};

struct sqlite {
	struct lens lens;   /* of the profile's tables: never inverted */
	struct encode_job job;
	struct shown shown; /* the profile through it */
	struct shown_stacks stacks;
	struct shown turned; /* the fold, if the job's lens inverts */
	struct shown *fold;  /* the one of these that nodes use */
	struct sqlite_rows rows;
	name_id *name_of; /* [name of the profile] its row, + 1; 0: none yet */
	track_id track;
	const struct series *series;
	VEC(struct sqlite_slice) open;
	VEC(struct sqlite_samples) samples;
	uint64_t steps; /* of the series before this one */
	uint32_t *depth; /* [node] */
};

/* ---- rows ---- */

static void
sqlite_run(struct sqlite *x, const char *sql)
{
	sqlite_rows_failed(&x->rows, sqlite3_exec(x->rows.db, sql, NULL, NULL, NULL));
}

static void
whole(struct sqlite *x, int64_t v)
{
	rows_whole(&x->rows, v);
}

/* Writes NULL if it is unknown. */
static void
whole_if(struct sqlite *x, bool known, int64_t v)
{
	if (known)
		rows_whole(&x->rows, v);
	else
		rows_null(&x->rows);
}

static void
sqlite_name(struct sqlite *x, name_id id)
{
	struct buf b = BUF_INIT;

	if (!x->name_of[id]) {
		shown_name(&x->shown, id, &b);
		x->name_of[id] = 1 + names_put(&x->rows.names, buf_str(&b), b.len);
		buf_release(&b);
	}
	rows_name(&x->rows, x->name_of[id] - 1);
}

/* ---- the profile's tables ---- */

static void
write_metrics(struct sqlite *x)
{
	const struct shown *s = &x->shown;

	rows_begin(&x->rows, "metrics", 5);
	for (size_t i = 0; i < s->metric.n; i++) {
		const struct metric *m = &s->p->metric[s->metric.at[i]];
		whole(x, s->metric.at[i]);
		sqlite_name(x, m->name);
		rows_text(&x->rows, unit_name((enum unit)m->unit));
		rows_text(&x->rows, metric_role_name((enum metric_role)m->role));
		whole(x, i == s->main);
		rows_next(&x->rows);
	}
	rows_end(&x->rows);
}

static void
sqlite_write_tracks(struct sqlite *x)
{
	const struct profile *p = x->shown.p;

	rows_begin(&x->rows, "tracks", 10);
	for (track_id t = 0; t < p->n_tracks; t++) {
		const struct track *track = &p->track[t];
		int64_t base = x->shown.base[track->group];
		if (!x->shown.shows[t])
			continue;
		whole(x, t);
		rows_null(&x->rows);
		sqlite_name(x, track->name);
		rows_text(&x->rows, track_kind_name((enum track_kind)track->kind));
		if (track->kind >= TRACK_COUNTER)
			sqlite_name(x, track->value_unit);
		else
			rows_text(&x->rows,
				  track->has_time ? unit_name((enum unit)track->unit) : "");
		sqlite_name(x, p->group[track->group].name);
		sqlite_name(x,
			    track->under == PROCESS_NONE
				    ? NAME_EMPTY
				    : p->process[track->under].name);
		whole_if(x, track->has_time, difference_clipped(track->start, base));
		whole_if(x, track->has_time, difference_clipped(track->end, base));
		whole(x, (int64_t)track->events);
		rows_next(&x->rows);
	}
	rows_end(&x->rows);
}

static void
write_functions(struct sqlite *x)
{
	const struct frames *f = &x->shown.p->frames;

	rows_begin(&x->rows, "functions", 6);
	for (function_id i = 0; i < f->n_functions; i++) {
		if (!shown_stacks_has_function(&x->stacks, i))
			continue;
		struct shown_stacks_function fn = shown_stacks_function_of(&x->stacks, i);
		whole(x, i);
		sqlite_name(x, fn.name);
		sqlite_name(x, fn.file);
		sqlite_name(x, fn.module);
		whole_if(x, fn.line, fn.line);
		rows_text(&x->rows, fn.kind ? fn.kind : "");
		rows_next(&x->rows);
	}
	rows_end(&x->rows);
	rows_begin(&x->rows, "frames", 5);
	for (frame_id i = 0; i < f->n; i++) {
		if (!shown_stacks_has_frame(&x->stacks, i))
			continue;
		struct shown_stacks_frame frame = shown_stacks_frame_of(&x->stacks, i);
		whole(x, i);
		whole(x, frame.function);
		whole_if(x, frame.line.form != LINE_UNKNOWN, frame.line.number);
		whole_if(x, frame.address != ADDRESS_NONE, (int64_t)frame.address);
		whole(x, frame.inlined);
		rows_next(&x->rows);
	}
	rows_end(&x->rows);
}

static void
sqlite_write_stacks(struct sqlite *x)
{
	uint32_t n = x->stacks.tree->n_stacks;
	uint32_t *depth = mem_zalloc((size_t)n + 1, sizeof *depth);

	rows_begin(&x->rows, "stacks", 5);
	for (stack_id i = 1; i < n; i++) {
		if (!shown_stacks_has(&x->stacks, i))
			continue;
		stack_id up = shown_stacks_parent(&x->stacks, i);
		depth[i] = up == STACK_EMPTY ? 0 : depth[up] + 1;
		whole(x, i);
		whole_if(x, up != STACK_EMPTY, up);
		whole(x, shown_stacks_frame(&x->stacks, i));
		whole(x, shown_stacks_function(&x->stacks, i));
		whole(x, depth[i]);
		rows_next(&x->rows);
	}
	rows_end(&x->rows);
	free(depth);
}

static void
write_labels(struct sqlite *x)
{
	const struct labels *l = &x->shown.p->labels;
	double decimal;

	rows_begin(&x->rows, "labels", 5);
	for (labels_id set = 1; set < l->n_sets; set++) {
		uint32_t n;
		const label_id *of = labels_get(l, set, &n);
		for (uint32_t i = 0; i < n; i++) {
			const struct label *one = &l->label[of[i]];
			struct buf value = BUF_INIT;
			profile_write_label(x->shown.p, one, true, &value);
			whole(x, set);
			sqlite_name(x, one->key);
			rows_name(&x->rows,
				  names_put(&x->rows.names, buf_str(&value), value.len));
			if (!one->is_number && label_number(&x->shown.p->names, one, &decimal))
				rows_real(&x->rows, decimal);
			else
				whole_if(x, one->is_number, one->number);
			sqlite_name(x, one->is_number ? one->unit : NAME_EMPTY);
			rows_next(&x->rows);
			buf_release(&value);
		}
	}
	rows_end(&x->rows);
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
	/* a call belongs to the frame that it entered */
	const struct projection *tree = x->stacks.tree;
	node_id node = (metric == x->shown.p->calls_metric ? tree->call_of
							   : tree->node_of)[stack];
	if (node == NODE_NONE)
		return;
	whole(x, x->track);
	whole_if(x, timed, time);
	whole(x, shown_stacks_at(&x->stacks, node, stack));
	sqlite_name(x, x->shown.p->metric[metric].name);
	if (x->shown.p->metric[metric].decimals)
		rows_real(&x->rows, (double)value / 1e6);
	else
		whole(x, value);
	whole_if(x, labels != LABELS_NONE, labels);
	rows_next(&x->rows);
}

static void
sqlite_sample(void *ctx, const struct shown_sample *e)
{
	struct sqlite *x = ctx;

	for (unsigned m = 0; m < x->series->n_metrics && e->node != NODE_ROOT; m++)
		if (role_lasts((enum metric_role)x->series->role[m]) || !e->before)
			sample_row(x, true, e->time, e->stack, m, shown_adds(x->series, m, e),
				   e->labels);
}

static void
labelled_sum(void *ctx, const struct shown_sample *e)
{
	struct sqlite *x = ctx;

	for (unsigned m = 0; m < x->series->n_metrics; m++)
		sample_row(x, false, 0, e->stack, m, e->value[m], e->labels);
}

static void
sqlite_sum(void *ctx, stack_id stack, node_id node, const int64_t *value)
{
	(void)node;
	labelled_sum(ctx, &(struct shown_sample){.stack = stack, .value = value,
						 .labels = LABELS_NONE});
}

static void
sqlite_entered(void *ctx, const struct shown_entry *entry)
{
	struct sqlite *x = ctx;

	int64_t id = shown_slice_id(x->steps + entry->event, x->open.n);

	*vec_push(&x->open) = (struct sqlite_slice){.entry = *entry, .id = id};
}

static void
sqlite_left(void *ctx, node_id node, int64_t time)
{
	struct sqlite *x = ctx;
	struct sqlite_slice slice = x->open.at[--x->open.n];
	struct sqlite_slice *up = x->open.n ? &x->open.at[x->open.n - 1] : NULL;
	struct shown_entry o = slice.entry;
	int64_t lasts = difference_clipped(time, o.time);
	stack_id stack = shown_stacks_leaf(&x->stacks, o.stack);

	if (up)
		up->children = sum_clipped(up->children, lasts);
	whole(x, slice.id);
	whole_if(x, up, up ? up->id : 0);
	whole(x, x->track);
	whole(x, o.time);
	whole(x, time);
	whole(x, lasts);
	whole(x, difference_clipped(lasts, slice.children));
	whole_if(x, stack != STACK_EMPTY, stack);
	whole_if(x, stack != STACK_EMPTY,
		 stack == STACK_EMPTY ? 0 : shown_stacks_function(&x->stacks, stack));
	whole(x, (int64_t)x->open.n);
	whole_if(x, o.valued, o.value);
	whole_if(x, o.labels != LABELS_NONE, o.labels);
	rows_next(&x->rows);
	(void)node;
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
		rows_real(&x->rows, real);
	else
		whole(x, e->value);
	whole_if(x, e->labels != LABELS_NONE, e->labels);
	rows_next(&x->rows);
}

static void
series_samples(struct sqlite *x)
{
	int64_t before = x->rows.n;

	if (x->series->kind == SERIES_TOTALS && x->series->n_chunks)
		shown_labelled_sums(&x->shown, x->series, labelled_sum, x);
	else if (x->series->kind == SERIES_TOTALS)
		shown_sums(&x->shown, x->series, sqlite_sum, x);
	else
		shown_samples(&x->shown, x->series, sqlite_sample, x);
	if (x->series->kind != SERIES_STEPS && x->series->n_chunks && x->rows.n > before)
		*vec_push(&x->samples) =
			(struct sqlite_samples){x->series, before + 1, x->rows.n};
}

static void
series_slices(struct sqlite *x)
{
	struct shown_slices emit = {sqlite_entered, sqlite_left, x};

	if (x->series->kind == SERIES_STEPS)
		shown_replay(&x->shown, x->series, &emit);
}

static void
series_points(struct sqlite *x)
{
	if (x->series->kind == SERIES_POINTS)
		shown_points(&x->shown, x->series, point, x);
}

static void
each_series(struct sqlite *x, const char *table, unsigned columns,
	    void (*write)(struct sqlite *x))
{
	const struct profile *p = x->shown.p;

	rows_begin(&x->rows, table, columns);
	x->steps = 0;
	for (x->track = 0; x->track < p->n_tracks; x->track++)
		for (uint32_t i = 0; i < p->track[x->track].n_series; i++) {
			x->series = p->track[x->track].series[i];
			if (x->shown.shows[x->track])
				write(x);
			x->steps += x->series->kind == SERIES_STEPS ? x->series->n : 0;
		}
	rows_end(&x->rows);
}

/* ---- the fold ---- */

/* Writes the nodes of one track, or of all: TRACK_NONE, and NULL in the table. */
static bool
sqlite_write_nodes(struct sqlite *x, track_id track, struct err *e)
{
	struct shown *s = x->fold;

	if (!shown_load(s, track, e))
		return false;
	const int64_t *total = shown_totals(s);
	for (uint32_t i = 0; i < shown_nodes(s); i++) {
		node_id v = shown_node(s, i), up = s->tree->parent[v];
		struct shown_frame f = shown_frame(s, s->tree->key[v]);
		for (size_t m = 0; m < s->metric.n && s->present[v]; m++) {
			whole(x, v);
			whole_if(x, up != NODE_ROOT, up);
			sqlite_name(x, f.name);
			sqlite_name(x, f.file);
			sqlite_name(x, f.module);
			whole_if(x, f.line, f.line);
			whole_if(x, f.defined, f.defined);
			rows_text(&x->rows, kind_name(f.kind));
			whole(x, x->depth[v]);
			whole_if(x, track != TRACK_NONE, track);
			sqlite_name(x, s->p->metric[s->metric.at[m]].name);
			whole(x, shown_self(s, v)[m]);
			whole(x, total[(size_t)v * s->metric.n + m]);
			whole_if(x, s->calls, s->calls ? s->calls[v] : 0);
			whole(x, s->tree->outermost[v]);
			rows_next(&x->rows);
		}
	}
	return true;
}

static void
find_depths(struct sqlite *x)
{
	const struct projection *t = x->fold->tree;

	x->depth = mem_zalloc((size_t)t->n + 1, sizeof *x->depth);
	for (node_id v = 1; v < t->n; v++)
		if (t->parent[v] != NODE_ROOT)
			x->depth[v] = x->depth[t->parent[v]] + 1;
}

static bool
write_fold(struct sqlite *x, struct err *e)
{
	bool good;

	find_depths(x);
	rows_begin(&x->rows, "nodes", 15);
	good = sqlite_write_nodes(x, TRACK_NONE, e);
	rows_end(&x->rows);
	if (good)
		sqlite_report(&x->rows, x->shown.p, x->fold->fold); /* now: it is of all tracks */
	rows_begin(&x->rows, "nodes", 15);
	for (size_t i = 0; good && x->fold->track.n > 1 && i < x->fold->track.n; i++)
		good = sqlite_write_nodes(x, x->fold->track.at[i], e);
	rows_end(&x->rows);
	return good;
}

static bool
write_tables(struct sqlite *x, struct err *e)
{
	sqlite_run(x, schema);
	sqlite_facts(&x->rows, &x->shown, &x->stacks, x->job.plain);
	write_metrics(x);
	sqlite_write_tracks(x);
	write_functions(x);
	sqlite_write_stacks(x);
	write_labels(x);
	sqlite_kept(&x->rows, &x->shown, &x->stacks);
	sqlite_actors(&x->rows, &x->shown);
	each_series(x, "samples", 6, series_samples);
	sqlite_sample_series(&x->rows, x->samples.at, x->samples.n);
	each_series(x, "slices", 12, series_slices);
	each_series(x, "points", 4, series_points);
	if (!write_fold(x, e))
		return false;
	sqlite_run(x, indices);
	return !x->rows.failed ||
	       err_refuse(e, "SQLite: %s", sqlite3_errstr(x->rows.failed));
}

/* ---- the file ---- */

/* Opens the database in a new file without a name. SQLite opens files only by name, so for a short
 * time the file has one; no signal ends the program meanwhile. Returns the file's descriptor, or -1
 * with *e. */
static int
open_database(struct sqlite *x, struct err *e)
{
	struct buf path = BUF_INIT;
	sigset_t all, before;

	/* has no effect, and does no harm, if SQLite was used before */
	sqlite3_config(SQLITE_CONFIG_PMASZ, SORTED_PAGES);
	sqlite3_initialize();
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	int fd = temporary_open(&path, e);
	int status = fd < 0 ? SQLITE_CANTOPEN
			    : sqlite3_open_v2(path.at, &x->rows.db,
					      SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL);
	if (fd >= 0)
		unlink(path.at);
	if (fd >= 0 && status != SQLITE_OK) {
		err_refuse(e, "SQLite: %s", sqlite3_errmsg(x->rows.db));
		close(fd);
		fd = -1;
	}
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	buf_release(&path);
	return fd;
}

static bool
write_database(struct sqlite *x, struct err *e)
{
	int fd = open_database(x, e);
	bool good = fd >= 0 && write_tables(x, e);

	sqlite3_close(x->rows.db);
	good = good && temporary_copy(fd, x->shown.job->out, e);
	if (fd >= 0)
		close(fd);
	return good;
}

/* Prepares the exported profile; fails like shown_open(). */
static bool
sqlite_look(struct sqlite *x, const struct encode_job *job, struct err *e)
{
	lens_copy(&x->lens, job->lens);
	x->lens.invert = false;
	x->job = *job;
	x->job.lens = &x->lens;
	if (!shown_open(&x->shown, &x->job, 0, e))
		return false;
	x->fold = job->lens->invert ? &x->turned : &x->shown;
	if (!shown_stacks_open(&x->stacks, &x->shown) ||
	    (job->lens->invert && !shown_open(&x->turned, job, 0, e))) {
		shown_stacks_release(&x->stacks);
		shown_close(&x->shown);
		return false;
	}
	return true;
}

static bool
sqlite_write(const struct encode_job *job, struct err *e)
{
	struct sqlite x = {0};
	bool good = sqlite_look(&x, job, e);

	if (good) {
		sqlite_rows_init(&x.rows);
		x.name_of = mem_zalloc((size_t)x.shown.p->names.n + 1, sizeof *x.name_of);
		good = write_database(&x, e);
		sqlite_rows_release(&x.rows);
		shown_stacks_release(&x.stacks);
		shown_close(&x.shown);
		if (x.turned.fold)
			shown_close(&x.turned);
	}
	vec_release_all(&x.open, &x.samples);
	free(x.name_of);
	free(x.depth);
	lens_release(&x.lens);
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
	.endings = ".sqlite .db",
	.title = "SQLite database of the selected part",
	.binary = true,
	.write = sqlite_write,
};
