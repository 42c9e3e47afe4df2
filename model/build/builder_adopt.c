/* builder_adopt.c - writes a packed profile into the profile.
 *
 * Adopted whole, tables are copied and chunks are taken over (series_adopt.c). Numbers that are too
 * large for the common bound (builder_weigh.c) are rare: such a series is appended event by event,
 * as every series is beside other files. */
#include "model/build/builder_adopt.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/mem.h"
#include "model/base/vec.h"
#include "model/build/builder_inside.h"
#include "model/profile/series_column.h"
#include "model/profile/series_prefix.h"

bool
builder_adopt_begin(struct builder *b)
{
	struct profile *p = b->p;

	if (!b->adopts_whole)
		return false;
	assert(p->stacks.n == 1);
	names_release(&p->names);
	names_init(&p->names);
	p->group[0].name = p->group[0].format = NAME_EMPTY;
	for (metric_id m = 0; m < p->n_metrics; m++)
		p->metric[m].name = NAME_EMPTY;
	p->generation++;
	return true;
}

/* ---- files ---- */

bool
builder_adopt_file(struct builder *b, const struct adopt_file *f, uint64_t offset, struct err *e)
{
	struct profile *p = b->p;
	int64_t span;

	if (f->has_time && (f->end < f->start || f->end == INT64_MAX ||
			    __builtin_sub_overflow(f->end, f->start, &span)))
		return err_damage(e, offset, "a file that ends before it begins");
	struct group g = {
		.name = f->name, .format = f->format, .why = f->why, .axis = f->axis,
		.has_time = f->has_time, .start = f->start, .end = f->end,
		.step_first = f->step_first, .step = f->step,
		.has_clock = f->has_clock, .clock = f->clock,
	};
	if (b->adopts_whole && b->adopted_files) {
		vec_room(p->group, p->groups_cap, p->n_groups + 1);
		p->group[p->n_groups++] = g;
	} else if (b->adopts_whole) {
		p->group[0] = g;
	} else if (!b->adopted_files) {
		builder_axis(b, (enum unit)f->axis);
		builder_time_steps(b, f->step_first, f->step);
		if (f->has_clock)
			builder_clock(b, f->clock);
	}
	b->adopted_files++;
	p->generation++;
	return true;
}

void
builder_adopt_in(struct builder *b, uint32_t file)
{
	assert(file < b->adopted_files);
	if (b->adopted_files > 1 && b->p->n_groups == b->adopted_files)
		b->group = file;
}

/* ---- metrics ---- */

/* Declares a metric of the file beside those of other files. */
static metric_id
declare(struct builder *b, metric_id m, enum metric_role role)
{
	const struct metric *x = &b->adopted[m];
	struct name name = names_get(&b->p->names, x->name);
	char *text = mem_dup(name.at, strlen(name.at)); /* names may move */
	metric_id id = builder_metric(b, text, (enum unit)x->unit, role);

	free(text);
	return id;
}

metric_id
builder_adopt_metric(struct builder *b, metric_id m)
{
	return b->adopts_whole ? m
				       : declare(b, m, (enum metric_role)b->adopted[m].role);
}

static metric_id
known_or_none(metric_id m, uint32_t n)
{
	return m < n ? m : METRIC_NONE;
}

static void
metrics_beside(struct builder *b, const struct adopt_facts *facts, uint32_t n)
{
	metric_id m = facts->default_metric;

	if (m < n && (m != facts->events_metric || facts->events_shown))
		builder_default_metric(b, declare(b, m, (enum metric_role)b->adopted[m].role));
}

void
builder_adopt_metrics(struct builder *b, const struct metric *metrics, uint32_t n,
		      const struct adopt_facts *facts)
{
	struct profile *p = b->p;

	assert(facts->events_metric < n);
	free(b->adopted);
	b->adopted = mem_copy(metrics, n, sizeof *metrics);
	builder_default_kept(b);
	b->adopted_events = facts->events_shown ? METRIC_NONE : facts->events_metric;
	p->has_call_edges |= facts->has_call_edges;
	if (facts->cp437)
		builder_charset_cp437(b);
	if (!b->adopts_whole) {
		metrics_beside(b, facts, n);
		return;
	}
	free(p->metric);
	p->metric = mem_copy(metrics, n, sizeof *metrics);
	p->n_metrics = p->metrics_cap = n;
	p->events_metric = facts->events_metric;
	p->events_shown = facts->events_shown;
	p->default_metric = known_or_none(facts->default_metric, n);
	p->calls_metric = known_or_none(facts->calls_metric, n);
	p->lines_metric = known_or_none(facts->lines_metric, n);
	p->points = facts->points;
	if (facts->compares_tracks)
		p->comparison = COMPARE_TRACKS;
	if (facts->n_base && facts->n_base < b->adopted_files)
		profile_compare_files(p, facts->n_base);
	map_release(&b->metric_map);
	b->n_own = 0;
	builder_metrics_init(b);
	p->generation++;
}

/* ---- frames and stacks ---- */

frame_id
builder_adopt_frame(struct builder *b, struct frame frame, uint64_t address, bool begins)
{
	frame_id f = frames_put_at(&b->p->frames, frame, address);

	if (frame.line.form != LINE_UNKNOWN)
		b->p->has_lines = true;
	if (begins && address != ADDRESS_NONE)
		frames_begin_at(&b->p->frames, f);
	return f;
}

bool
builder_adopt_stacks(struct builder *b, const stack_id *parent, const frame_id *frame, size_t n)
{
	assert(b->adopts_whole);
	return stacks_append(&b->p->stacks, parent, frame, n);
}

/* ---- series ---- */

static bool
metric_fits(const struct adopt_series *form, unsigned i, uint32_t n_metrics, unsigned *columns)
{
	bool values = form->kind == SERIES_SAMPLES || form->kind == SERIES_TOTALS;

	if (form->metric[i] >= n_metrics &&
	    !(form->metric[i] == METRIC_NONE && form->role[i] == ROLE_EVENTS))
		return false;
	if (form->role[i] != ROLE_VALUE)
		return form->role[i] == ROLE_EVENTS ||
		       (form->kind == SERIES_STEPS && form->role[i] <= ROLE_LINES);
	if (!values || form->column[i] > *columns || form->part[i] > PART_SIGN_0 ||
	    (form->kind == SERIES_TOTALS &&
	     (form->column[i] != *columns || form->part[i] != PART_ALL)))
		return false;
	*columns += form->column[i] == *columns;
	return true;
}

bool
adopt_series_fits(const struct adopt_series *form, uint32_t n_metrics)
{
	unsigned columns = form->kind == SERIES_POINTS ? 2 : form->valued;
	bool counts = form->kind == SERIES_POINTS; /* all others count their events */

	if (form->kind > SERIES_POINTS || form->n_metrics >= SERIES_METRICS_MAX ||
	    (form->kind == SERIES_POINTS && form->n_metrics) || form->interval < 0)
		return false;
	if ((form->floating && form->kind != SERIES_POINTS) ||
	    ((form->valued || form->turns) && form->kind != SERIES_STEPS) ||
	    ((form->derived || form->interval) && form->kind != SERIES_SAMPLES))
		return false;
	for (unsigned i = 0; i < form->n_metrics; i++)
		if (!metric_fits(form, i, n_metrics, &columns))
			return false;
	for (unsigned i = 0; i < form->n_metrics; i++)
		counts |= form->role[i] == ROLE_EVENTS;
	return counts && columns == form->n_columns;
}

/* Returns the metric of the profile for metric i of a form; false if its numbers are fractions of
 * what files before have in whole numbers. */
static bool
builder_metric_of(struct builder *b, const struct adopt_series *form, unsigned i, metric_id *out,
		  uint64_t offset, struct err *e)
{
	metric_id m = form->metric[i];
	enum metric_role role = (enum metric_role)form->role[i];

	*out = m;
	if (b->adopts_whole || m == METRIC_NONE)
		return true;
	if (role == ROLE_EVENTS && m == b->adopted_events) {
		*out = METRIC_NONE; /* hidden in its file */
		return true;
	}
	*out = declare(b, m, role);
	return !b->adopted[m].decimals || builder_metric_decimals(b, *out, offset, e);
}

struct series *
builder_adopt_series(struct builder *b, track_id t, const struct adopt_series *form,
		     uint64_t offset, struct err *e)
{
	struct track *track = &b->p->track[t];
	struct series *s = series_new((enum series_kind)form->kind);

	s->track = t;
	s->floating = form->floating;
	s->valued = form->valued;
	s->n_columns = form->valued ? 1 : s->n_columns;
	s->turns = form->turns;
	s->labelled = form->labelled;
	s->derived = form->derived;
	s->interval = form->interval;
	for (unsigned i = 0; i < form->n_metrics; i++) {
		metric_id m;
		if (!builder_metric_of(b, form, i, &m, offset, e)) {
			series_free(s);
			return NULL;
		}
		if (form->role[i] == ROLE_VALUE && form->kind == SERIES_SAMPLES)
			series_add_part(s, m, form->column[i], (enum value_part)form->part[i]);
		else
			series_add_metric(s, m, (enum metric_role)form->role[i]);
	}
	track->series = mem_realloc(track->series, track->n_series + 1u, sizeof *track->series);
	track->series[track->n_series++] = s;
	b->p->generation++;
	return s;
}

/* ---- stated sums ---- */

static void
release_columns(struct column *c, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		column_release(&c[i]);
}

static bool
stated_sums_fit(const struct series *s, const struct column *sum, uint32_t n)
{
	for (unsigned m = 0; m < s->n_metrics; m++)
		if (!prefix_column_fits(&sum[m], n))
			return false;
	return s->kind == SERIES_STEPS || s->kind == SERIES_SAMPLES;
}

bool
builder_adopt_blocks(struct builder *b, struct series *s, uint32_t n, struct column *dominant,
		     struct column *sum)
{
	bool good = n && !s->n && stated_sums_fit(s, sum, n - 1);

	if (good && b->adopts_whole && series_prefix_blocks(s, n, dominant, sum))
		return true;
	release_columns(dominant, 1);
	release_columns(sum, s->n_metrics);
	return good && !b->adopts_whole;
}

bool
builder_adopt_checkpoint(struct builder *b, struct series *s, uint64_t events,
			 const stack_id *stack, uint32_t n, struct column *sum)
{
	bool good = !s->n && stated_sums_fit(s, sum, series_prefix_seen(s) + n);

	if (good && b->adopts_whole && series_prefix_checkpoint(s, events, stack, n, sum))
		return true;
	release_columns(sum, s->n_metrics);
	return good && !b->adopts_whole;
}

bool
builder_adopt_alone(struct builder *b, struct series *s)
{
	if (s->n || s->kind > SERIES_SAMPLES)
		return false;
	if (b->adopts_whole)
		series_prefix_alone(s);
	return true;
}

/* ---- events, one by one ---- */

static bool
put_event(struct builder *b, struct series *s, const struct chunk *c, uint32_t i, stack_id stack,
	  uint64_t offset, struct err *e)
{
	int64_t time = column_get(&c->time, i), value[SERIES_METRICS_MAX] = {0};

	for (unsigned v = 0; v < s->n_columns && s->kind != SERIES_STEPS; v++)
		value[v] = column_get(&c->value[v], i);
	switch ((enum series_kind)s->kind) {
	case SERIES_STEPS:
		return builder_step_valued(b, s, time, stack, chunk_stack(c, i) & ~STEP_STACK,
					   s->valued ? chunk_value(c, i) : 0, offset, e);
	case SERIES_SAMPLES:
		return builder_sample(b, s, time, stack, value, offset, e);
	case SERIES_TOTALS:
		return builder_total(b, s, stack, value, offset, e);
	case SERIES_POINTS:
		if (!s->floating)
			return builder_point(b, s, time, value[0], offset, e);
		double v;
		memcpy(&v, &value[0], sizeof v);
		return builder_point_double(b, s, time, v, offset, e);
	}
	return true;
}

static bool
put_events(struct builder *b, struct series *s, const struct chunk *c, const struct adopt_ids *ids,
	   uint64_t offset, struct err *e)
{
	for (uint32_t i = 0; i < c->n; i++) {
		uint32_t stack = chunk_stack(c, i);
		uint64_t set = s->labelled ? (uint64_t)column_get(&c->labels, i) : LABELS_NONE;
		stack &= s->kind == SERIES_STEPS ? STEP_STACK : UINT32_MAX;
		if (s->kind == SERIES_POINTS)
			stack = STACK_EMPTY;
		if (s->labelled)
			builder_next_labels(b, s, ids->labels ? ids->labels[set]
							      : (labels_id)set);
		if (!put_event(b, s, c, i, ids->stack ? ids->stack[stack] : stack, offset, e))
			return false;
	}
	return true;
}

bool
builder_adopt_wait(struct builder *b, struct err *e)
{
	uint64_t offset;
	const char *wrong = pending_adopted(&b->pending, &offset);

	return !wrong || err_damage(e, offset, "%s", wrong);
}

/* Returns true if the sums of the profile stay below the bound with a chunk; *most: at least what
 * it adds. */
static bool
bound_has_room(struct builder *b, const struct series *s, const struct chunk *c,
	       const struct adopt_limits *limits, int64_t *most)
{
	struct pending *w = &b->pending;
	uint64_t lasts = s->kind == SERIES_STEPS && s->given != w->round
				 ? (uint64_t)limits->latest - (uint64_t)limits->earliest
				 : 0;

	*most = (int64_t)(adopt_chunk_most(s, c) + lasts);
	if (w->p->bound + w->adopting >= PENDING_BOUND / 2 - *most)
		pending_drain(w);
	return w->p->bound < PENDING_BOUND / 2;
}

struct adopt_limits
builder_adopt_limits(const struct builder *b, const struct series *s, const struct adopt_ids *ids)
{
	const struct group *g = &b->p->group[b->p->track[s->track].group];

	/* beside other files, events are appended as from any format */
	return (struct adopt_limits){
		.n_stacks = ids->n_stacks,
		.n_sets = ids->n_labels,
		.timed = b->adopts_whole,
		.earliest = g->has_time ? g->start : INT64_MAX,
		.latest = g->has_time ? g->end : INT64_MIN,
	};
}

bool
builder_adopt_chunk(struct builder *b, struct series *s, struct chunk *c,
		    const struct adopt_ids *ids, uint64_t offset, struct err *e)
{
	const struct profile *p = b->p;
	struct adopt_limits limits = builder_adopt_limits(b, s, ids);
	bool takes = b->adopts_whole && s != b->put_alone &&
		     adopt_chunk_is_small(s, c, &limits) && !ids->stack && !ids->labels;
	int64_t most = 0;
	if (takes && s->kind != SERIES_POINTS)
		takes = !p->weight && !b->counts_parts &&
			bound_has_room(b, s, c, &limits, &most);
	if (!takes) {
		b->put_alone = s;
		bool good = builder_adopt_wait(b, e);
		series_prefix_drop(s);
		good = good && put_events(b, s, c, ids, offset, e);
		series_chunk_release(s, c);
		return good;
	}
	pending_adopt(&b->pending, s, c, &limits, most, offset);
	b->p->generation++;
	return true;
}

bool
builder_adopt_sums(struct builder *b, struct series *s, stack_id stack, const int64_t *sums,
		   uint64_t offset, struct err *e)
{
	int64_t value[SERIES_METRICS_MAX] = {0}, own[SERIES_METRICS_MAX], all[SERIES_METRICS_MAX];
	const int64_t *values = value;
	uint64_t most = 1;

	assert(s->kind == SERIES_TOTALS && !s->labelled && stack < b->p->stacks.n);
	for (unsigned m = 0; m < s->n_metrics; m++) {
		if (s->column[m] != UINT8_MAX)
			value[s->column[m]] = sums[m];
		else if (sums[m] < 0 || s->n + (uint64_t)sums[m] > UINT64_C(1) << 42)
			return err_damage(e, offset, "a count that is too large");
		most |= pending_size(sums[m]);
	}
	if (!builder_multiply(b, s, &values, own) ||
	    (!builder_weighs(b, most) &&
	     !builder_weigh_exactly(b, s, &(struct builder_adds){.values = values})))
		return err_damage(e, offset, "the sum of the values exceeds 2^63");
	for (unsigned m = 0; m < s->n_metrics; m++)
		all[m] = s->column[m] != UINT8_MAX ? values[s->column[m]] : sums[m];
	series_add_sums(s, stack, all);
	b->p->generation++;
	return true;
}

bool
builder_adopt_series_end(struct builder *b, struct series *s, int64_t end, uint64_t offset,
			 struct err *e)
{
	const struct group *g = &b->p->group[b->p->track[s->track].group];

	if (!builder_adopt_wait(b, e))
		return false;
	builder_settle(b);
	bool rests = s->n && s->kind == SERIES_STEPS && end > s->last_time && end <= g->end;
	const char *wrong = series_prefix_end(s, rests ? end - s->last_time : 0);
	if (wrong)
		return err_damage(e, offset, "%s", wrong);
	if (!s->n || s->kind != SERIES_STEPS || end == s->end_time)
		return true;
	if (!b->adopts_whole) {
		builder_track_end(b, s->track, end);
		return true;
	}
	if (end < s->end_time || end > g->end || !builder_weigh_end(b, s, end))
		return err_damage(e, offset, "a series that ends at the wrong time");
	s->end_time = end;
	return true;
}

/* ---- tracks and facts ---- */

bool
builder_adopt_track(struct builder *b, track_id t, const struct adopt_track *x, uint64_t offset,
		    struct err *e)
{
	struct track *track = &b->p->track[t];
	const struct group *g = &b->p->group[track->group];

	builder_settle(b);
	track->unit = x->unit;
	b->p->events += x->events - track->events;
	track->events = x->events;
	if (!b->adopts_whole) {
		int64_t start = x->start, end = x->end;
		if (x->has_time && builder_time_fits(b, t, &start))
			builder_reaches(b, t, start);
		if (x->has_time && builder_time_fits(b, t, &end))
			builder_reaches(b, t, end);
		return true;
	}
	if (x->has_time &&
	    (!g->has_time || x->start < g->start || x->end < x->start || x->end > g->end))
		return err_damage(e, offset, "a track that lies outside its file");
	track->has_time = x->has_time;
	track->start = x->start;
	track->end = x->end;
	return true;
}

/* Returns the attributes of a track that has less than its file states. */
static struct adopt_track
track_as_read(const struct track *t, struct adopt_track x)
{
	int64_t end = x.start;
	uint64_t events = 0;
	bool timed = false;

	for (uint32_t i = 0; i < t->n_series; i++) {
		const struct series *s = t->series[i];
		events += s->derived ? 0 : s->n;
		if (s->kind == SERIES_TOTALS || !s->n)
			continue;
		timed = true;
		end = s->end_time > end ? s->end_time : end;
	}
	x.has_time &= timed;
	x.end = end < x.end ? end : x.end;
	x.events = events < x.events ? events : x.events;
	return x;
}

void
builder_adopt_cut(struct builder *b, track_id t, struct series *s, const struct adopt_track *x)
{
	struct adopt_track read;
	struct err ignored = {0};

	builder_settle(b);
	if (s)
		series_prefix_drop(s);
	read = track_as_read(&b->p->track[t], *x);
	read.has_time &= b->adopts_whole; /* beside other files, the events have set its times */
	builder_adopt_track(b, t, &read, 0, &ignored);
}

void
builder_adopt_edge(struct builder *b, const struct edge *edge)
{
	struct profile *p = b->p;
	const struct group *g = &p->group[b->group];
	struct edge x = *edge;

	if (!builder_moment_fits(b, g, &x.from_time) || !builder_moment_fits(b, g, &x.to_time))
		return;
	vec_room(p->edge, p->edges_cap, p->n_edges + 1);
	p->edge[p->n_edges++] = x;
}

void
builder_adopt_warning(struct builder *b, const char *text, uint64_t count, const char *file)
{
	struct profile *p = b->p;
	char *copy = mem_dup(text, strlen(text));

	vec_room(p->warning, p->warnings_cap, p->n_warnings + 1);
	p->warning[p->n_warnings++] = (struct warning){
		.id = copy,
		.text = copy,
		.count = count,
		.group = file ? GROUP_NONE : b->group,
		.file = file ? mem_dup(file, strlen(file)) : NULL,
	};
	p->generation++;
}

void
builder_adopt_why(struct builder *b, const char *why, const struct err *damage, uint32_t file)
{
	struct profile *p = b->p;

	if (!b->adopts_whole) {
		builder_incomplete(b, why);
		return;
	}
	free(p->why);
	p->why = mem_dup(why, strlen(why));
	if (!damage || file >= p->n_groups)
		return;
	p->damage = *damage;
	p->damage_group = file;
}
