/* excerpt.c - writes an excerpt through a builder a file, as a decoder would.
 *
 * Ids of the other profile are mapped lazily, so only what the excerpt uses is copied. */
#include "model/derive/excerpt.h"

#include <stdlib.h>
#include <string.h>

#include "model/base/mem.h"
#include "model/base/vec.h"
#include "model/build/builder_adopt.h"

#define NO_ROLE UINT8_MAX

/* [id of the other profile] its id in the excerpt + 1; 0: not there yet */
struct map_ids {
	uint32_t *at;
	uint32_t n;
};

struct excerpt {
	const struct profile *from;
	struct profile *p;
	const struct excerpt_rename *rename;
	struct builder *b; /* of the current file */
	struct err e;
	bool lost; /* an event was left out */
	struct map_ids name, set, process, tracks, actor;
	struct buf text;
	track_id track;
	struct series *series;
	const struct series *of; /* the series that it copies */
	metric_id *metric;       /* [metric] of the current file; METRIC_NONE: not declared yet */
	uint8_t *role;           /* [metric] its role in the current file, or NO_ROLE */
	uint32_t n_metrics;
};

struct excerpt *
excerpt_new(const struct profile *p, const struct excerpt_rename *rename)
{
	struct excerpt *x = mem_zalloc(1, sizeof *x);

	x->from = p;
	x->p = profile_new();
	x->rename = rename;
	err_init(&x->e);
	x->name = (struct map_ids){mem_zalloc(p->names.n, 4), p->names.n};
	x->set = (struct map_ids){mem_zalloc(p->labels.n_sets, 4), p->labels.n_sets};
	x->process = (struct map_ids){mem_zalloc((size_t)p->n_processes + 1, 4), p->n_processes};
	x->tracks = (struct map_ids){mem_zalloc((size_t)p->n_tracks + 1, 4), p->n_tracks};
	x->actor = (struct map_ids){mem_zalloc((size_t)p->n_actors + 1, 4), p->n_actors};
	x->n_metrics = p->n_metrics;
	x->metric = mem_alloc((size_t)p->n_metrics + 1, sizeof *x->metric);
	x->role = mem_alloc((size_t)p->n_metrics + 1, sizeof *x->role);
	/* functions that the other profile keeps apart stay apart, also in a comparison */
	x->p->match_paths = true;
	return x;
}

bool
excerpt_lost(const struct excerpt *x)
{
	return x->lost;
}

static void
end_file(struct excerpt *x)
{
	struct err none;

	if (!x->b)
		return;
	err_init(&none);
	builder_finish(x->b, &none);
	builder_free(x->b);
	x->b = NULL;
}

struct profile *
excerpt_finish(struct excerpt *x)
{
	struct profile *p = x->p;

	end_file(x);
	p->match_paths = x->from->match_paths;
	if (x->from->comparison == COMPARE_FILES)
		profile_compare_files(p, x->from->n_base);
	free(x->name.at);
	free(x->set.at);
	free(x->process.at);
	free(x->tracks.at);
	free(x->actor.at);
	free(x->metric);
	free(x->role);
	buf_release(&x->text);
	free(x);
	return p;
}

/* ---- names and labels ---- */

/* Returns a name as it is. */
static name_id
plain_name(struct excerpt *x, name_id id)
{
	struct name name = names_get(&x->from->names, id);

	return builder_name(x->b, name.at, name.len);
}

/* Returns a name, or what replaces it. */
static name_id
excerpt_name(struct excerpt *x, name_id id)
{
	if (id == NAME_EMPTY)
		return NAME_EMPTY;
	if (!x->name.at[id] && !x->rename) {
		x->name.at[id] = plain_name(x, id) + 1;
	} else if (!x->name.at[id]) {
		buf_reset(&x->text);
		x->rename->rename(x->rename->ctx, names_get(&x->from->names, id), &x->text);
		x->name.at[id] = builder_name(x->b, buf_str(&x->text), x->text.len) + 1;
	}
	return x->name.at[id] - 1;
}

static labels_id
excerpt_labels(struct excerpt *x, labels_id set)
{
	label_id one[64];
	uint32_t n;
	const label_id *of = labels_get(&x->from->labels, set, &n);

	if (set == LABELS_NONE || x->set.at[set])
		return set == LABELS_NONE ? set : x->set.at[set] - 1;
	n = n < 64 ? n : 64;
	for (uint32_t i = 0; i < n; i++) {
		const struct label *l = &x->from->labels.label[of[i]];
		name_id key = excerpt_name(x, l->key);
		one[i] = l->is_number ? builder_label_number(x->b, key, l->number,
							     plain_name(x, l->unit))
				      : builder_label_text(x->b, key, excerpt_name(x, l->text));
	}
	x->set.at[set] = builder_labels(x->b, one, n) + 1;
	return x->set.at[set] - 1;
}

/* ---- files, metrics, facts ---- */

static metric_id
excerpt_metric(struct excerpt *x, metric_id m, enum metric_role role)
{
	const struct metric *of = &x->from->metric[m];
	struct name name = names_get(&x->from->names, of->name);

	if (x->metric[m] != METRIC_NONE)
		return x->metric[m];
	buf_reset(&x->text);
	if (x->rename)
		x->rename->metric(x->rename->ctx, name, &x->text);
	else
		buf_add(&x->text, name.at, name.len);
	x->metric[m] = builder_metric(x->b, buf_str(&x->text), (enum unit)of->unit, role);
	if (of->decimals && role == ROLE_VALUE)
		builder_metric_decimals(x->b, x->metric[m], 0, &x->e);
	return x->metric[m];
}

/* Finds the roles of metrics in the series of that file, or of all others, which clear them. */
static void
find_roles(struct excerpt *x, uint32_t file, bool others)
{
	const struct profile *p = x->from;

	for (track_id t = 0; t < p->n_tracks; t++) {
		const struct track *of = &p->track[t];
		for (uint32_t i = 0; i < of->n_series && (of->group != file) == others; i++) {
			const struct series *s = of->series[i];
			for (unsigned k = 0; k < s->n_metrics; k++)
				if (s->metric[k] != METRIC_NONE)
					x->role[s->metric[k]] = others ? NO_ROLE : s->role[k];
		}
	}
}

static bool
is_hidden(const struct profile *p, metric_id m)
{
	return m == METRIC_NONE || p->metric[m].computed ||
	       (m == p->events_metric && !p->events_shown);
}

/* Declares the metrics of the file in the order of the profile. Their roles are the file's: it may
 * count samples where another has a number for each. The first file has those without events. */
static void
declare_metrics(struct excerpt *x, uint32_t file)
{
	const struct profile *p = x->from;

	for (metric_id m = 0; m < x->n_metrics; m++) {
		x->metric[m] = METRIC_NONE;
		x->role[m] = file ? NO_ROLE : p->metric[m].role;
	}
	find_roles(x, file, true);
	find_roles(x, file, false);
	for (metric_id m = 0; m < x->n_metrics; m++)
		if (!is_hidden(p, m) && x->role[m] != NO_ROLE && x->role[m] != ROLE_LINES)
			excerpt_metric(x, m, (enum metric_role)x->role[m]);
}

static void
copy_facts(struct excerpt *x, uint32_t file)
{
	const struct profile *p = x->from;

	for (uint32_t i = 0; i < p->n_info && !x->rename; i++) {
		struct name key = names_get(&p->names, p->info[i].key);
		struct name value = names_get(&p->names, p->info[i].value);
		if (p->info[i].group == file)
			builder_info_bytes(x->b, key.at, value.at, value.len);
	}
}

void
excerpt_file(struct excerpt *x, uint32_t file)
{
	const struct group *g = &x->from->group[file];

	end_file(x);
	buf_reset(&x->text);
	if (x->rename)
		x->rename->rename(x->rename->ctx, names_get(&x->from->names, g->name), &x->text);
	x->b = builder_new(x->p,
			   x->rename ? buf_str(&x->text) : names_get(&x->from->names, g->name).at,
			   names_get(&x->from->names, g->format).at);
	builder_default_kept(x->b);
	builder_axis(x->b, (enum unit)g->axis);
	if (g->step)
		builder_time_steps(x->b, g->step_first, g->step);
	if (x->from->charset == CHARSET_CP437)
		builder_charset_cp437(x->b);
	declare_metrics(x, file);
	if (x->from->calls_metric < x->n_metrics && x->metric[x->from->calls_metric] != METRIC_NONE)
		builder_calls_metric(x->b, x->metric[x->from->calls_metric]);
	if (x->from->comparison == COMPARE_TRACKS)
		builder_comparison(x->b);
	copy_facts(x, file);
}

void
excerpt_info(struct excerpt *x, const char *key, const char *value)
{
	builder_info(x->b, key, "%s", value);
}

void
excerpt_default(struct excerpt *x, metric_id m)
{
	if (m < x->n_metrics && x->metric[m] != METRIC_NONE)
		builder_default_metric(x->b, x->metric[m]);
}

/* ---- tracks and series ---- */

static process_id
excerpt_process(struct excerpt *x, process_id of)
{
	struct name name =
		names_get(&x->p->names, excerpt_name(x, x->from->process[of].name));

	if (!x->process.at[of])
		x->process.at[of] = builder_process(x->b, name.at, name.len) + 1;
	return x->process.at[of] - 1;
}

void
excerpt_track(struct excerpt *x, track_id t)
{
	const struct track *of = &x->from->track[t];
	struct name name = names_get(&x->p->names, excerpt_name(x, of->name));
	struct name unit = names_get(&x->from->names, of->value_unit);

	x->track = builder_track(x->b, name.at, name.len, (enum track_kind)of->kind);
	x->tracks.at[t] = x->track + 1;
	builder_track_unit(x->b, x->track, unit.at, unit.len);
	if (of->under != PROCESS_NONE)
		builder_track_under(x->b, x->track, excerpt_process(x, of->under));
	for (uint32_t i = 0; i < of->n_value_names; i++)
		builder_track_value(x->b, x->track, of->value_name[i].value,
				    excerpt_name(x, of->value_name[i].name));
}

/* Declares the metrics of a series of steps, for builder_steps(). */
static metric_id
metrics_of_steps(struct excerpt *x, const struct series *s)
{
	metric_id time = METRIC_NONE;

	for (unsigned m = 0; m < s->n_metrics; m++) {
		if (s->role[m] == ROLE_EVENTS || s->metric[m] == METRIC_NONE)
			continue;
		metric_id id = excerpt_metric(x, s->metric[m], (enum metric_role)s->role[m]);
		time = s->role[m] == ROLE_TIME ? id : time;
	}
	return time;
}

void
excerpt_series(struct excerpt *x, const struct series *s)
{
	metric_id metric[SERIES_METRICS_MAX];
	unsigned n = 0;

	x->of = s;
	for (unsigned m = 0; m < s->n_metrics && s->kind != SERIES_STEPS; m++)
		if (s->role[m] == ROLE_VALUE || !is_hidden(x->from, s->metric[m]))
			metric[n++] = excerpt_metric(x, s->metric[m],
						     (enum metric_role)s->role[m]);
	switch ((enum series_kind)s->kind) {
	case SERIES_STEPS:
		metric[0] = metrics_of_steps(x, s);
		x->series = s->turns    ? builder_turns(x->b, x->track, metric[0])
			    : s->valued ? builder_steps_valued(x->b, x->track)
					: builder_steps_of(x->b, x->track, metric[0]);
		break;
	case SERIES_SAMPLES:
		x->series = builder_samples(x->b, x->track, metric, n);
		builder_sample_interval(x->series, s->interval);
		if (s->derived)
			builder_derived(x->series);
		break;
	case SERIES_TOTALS:
		x->series = builder_totals(x->b, x->track, metric, n);
		break;
	case SERIES_POINTS:
		x->series = builder_points(x->b, x->track, s->floating);
		break;
	}
	if (s->labelled)
		builder_labelled(x->b, x->series);
}

static function_id
excerpt_function(struct excerpt *x, struct function f)
{
	f.name = excerpt_name(x, f.name);
	f.file = excerpt_name(x, f.file);
	f.module = excerpt_name(x, f.module);
	return builder_function(x->b, f);
}

void
excerpt_stated(struct excerpt *x, track_id t)
{
	const struct stated *g = &x->from->stated;

	for (uint32_t i = 0; i < g->n_blocks; i++) {
		const struct stated_block *block = &g->block[i];
		if (block->track != t || x->metric[block->metric] == METRIC_NONE)
			continue;
		builder_stated(x->b, x->track, x->metric[block->metric], block->estimated);
		for (uint32_t k = block->first; k < block->first + block->n; k++) {
			struct function f = profile_function(x->from, g->row[k].function);
			builder_stated_total(x->b, excerpt_function(x, f), g->row[k].total);
		}
	}
}

stack_id
excerpt_stack(struct excerpt *x, stack_id parent, const struct excerpt_frame *f)
{
	frame_id frame = builder_frame(x->b, excerpt_function(x, f->function), f->line);
	frame = builder_frame_at(x->b, frame, f->address);
	if (f->inlined)
		frame = builder_frame_inlined(x->b, frame);
	return builder_child(x->b, parent, frame);
}

/* ---- events ---- */

static void
count_lost(struct excerpt *x, bool good)
{
	x->lost |= !good;
	if (!good)
		err_init(&x->e);
}

static void
next_labels(struct excerpt *x, labels_id labels)
{
	if (x->of->labelled)
		builder_next_labels(x->b, x->series, excerpt_labels(x, labels));
}

void
excerpt_step(struct excerpt *x, int64_t time, stack_id stack, uint32_t flags, int64_t beside,
	     labels_id labels)
{
	next_labels(x, labels);
	builder_track_event(x->b, x->track);
	count_lost(x, builder_step_valued(x->b, x->series, time, stack, flags,
					  x->of->valued ? beside : 0, 0, &x->e));
}

/* Gathers the values of metrics that the series carries, in their order. */
static void
carried(const struct excerpt *x, const int64_t *values, int64_t *out)
{
	unsigned n = 0;

	for (unsigned m = 0; m < x->of->n_metrics; m++)
		if (x->of->role[m] == ROLE_VALUE)
			out[n++] = values[m];
}

void
excerpt_sample(struct excerpt *x, int64_t time, stack_id stack, const int64_t *values,
	       labels_id labels)
{
	int64_t own[SERIES_METRICS_MAX] = {0};

	carried(x, values, own);
	next_labels(x, labels);
	count_lost(x, builder_sample(x->b, x->series, time, stack, own, 0, &x->e));
}

void
excerpt_total(struct excerpt *x, stack_id stack, const int64_t *values, labels_id labels)
{
	int64_t own[SERIES_METRICS_MAX] = {0};

	carried(x, values, own);
	next_labels(x, labels);
	builder_track_event(x->b, x->track);
	count_lost(x, builder_total(x->b, x->series, stack, own, 0, &x->e));
}

void
excerpt_sums(struct excerpt *x, stack_id stack, const int64_t *values)
{
	int64_t own[SERIES_METRICS_MAX] = {0}, all[SERIES_METRICS_MAX] = {0}, events = 1;
	unsigned n = 0;

	carried(x, values, own);
	for (unsigned m = 0; m < x->of->n_metrics; m++)
		events = x->of->role[m] == ROLE_EVENTS ? values[m] : events;
	for (unsigned m = 0; m < x->series->n_metrics; m++)
		all[m] = x->series->role[m] == ROLE_VALUE ? own[n++] : events;
	builder_track_events(x->b, x->track, events);
	count_lost(x, builder_adopt_sums(x->b, x->series, stack, all, 0, &x->e));
}

void
excerpt_point(struct excerpt *x, int64_t time, int64_t value, labels_id labels)
{
	double real;

	memcpy(&real, &value, sizeof real);
	next_labels(x, labels);
	count_lost(x, x->of->floating
			      ? builder_point_double(x->b, x->series, time, real, 0, &x->e)
			      : builder_point(x->b, x->series, time, value, 0, &x->e));
}

/* ---- states and edges ---- */

static actor_id
excerpt_actor(struct excerpt *x, actor_id a)
{
	const struct actor *of = &x->from->actor[a];

	if (a == ACTOR_NONE || of->group + 1u != x->p->n_groups)
		return ACTOR_NONE;
	if (!x->actor.at[a]) {
		bool tracked = of->track != TRACK_NONE && x->tracks.at[of->track];
		struct name name = names_get(&x->p->names, excerpt_name(x, of->name));
		actor_id made = builder_actor(x->b, name.at, name.len,
					      tracked ? x->tracks.at[of->track] - 1 : TRACK_NONE);
		if (made != ACTOR_NONE && !tracked && of->under != PROCESS_NONE)
			builder_actor_under(x->b, made, excerpt_process(x, of->under));
		x->actor.at[a] = made + 1; /* ACTOR_NONE: try again */
	}
	return x->actor.at[a] - 1;
}

void
excerpt_states(struct excerpt *x, actor_id a, int64_t from, int64_t to)
{
	const struct actor *of = &x->from->actor[a];
	const struct group *g = &x->from->group[of->group];
	uint32_t i = actor_find(of, from);
	actor_id id = excerpt_actor(x, a), by;

	if (id == ACTOR_NONE)
		return;
	if (i && actor_time(of, i - 1) < from) /* the state that holds when the range begins */
		builder_state(x->b, id, from, actor_state(of, i - 1));
	else if (i && actor_time(of, i - 1) == from)
		i--;
	for (; i < of->n && actor_time(of, i) < to; i++) {
		if (actor_woken(of, i, &by))
			builder_woken(x->b, id, actor_time(of, i), excerpt_actor(x, by));
		else
			builder_state(x->b, id, actor_time(of, i), actor_state(of, i));
	}
	if (of->n)
		builder_run_end(x->b, to < g->end ? to : g->end);
}

void
excerpt_edge(struct excerpt *x, const struct edge *edge, int64_t from)
{
	actor_id a = excerpt_actor(x, edge_from(edge)), b = excerpt_actor(x, edge->to);

	if (a != ACTOR_NONE && b != ACTOR_NONE)
		builder_edge(x->b, edge_kind(edge), a,
			     edge->from_time < from ? from : edge->from_time, b, edge->to_time);
}

void
excerpt_end(struct excerpt *x, int64_t time)
{
	builder_track_end(x->b, x->track, time);
}
