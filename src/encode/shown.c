#include "src/encode/shown.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/mem.h"
#include "model/base/sum.h"

/* A fold has the numbers of one metric.  Formats with several metrics get one fold for each, over
 * one tree, gathered node by node; single.h provides the numbers of single tracks.  If a format has
 * lines, the tree is by line even if the lens asks for functions: a reader sums them again. */

static bool
has_stacks(const struct track *t)
{
	for (uint32_t i = 0; i < t->n_series; i++)
		if (t->series[i]->kind != SERIES_POINTS && t->series[i]->n)
			return true;
	return false;
}

bool
shown_has_metric(const struct shown *s, metric_id m)
{
	for (size_t i = 0; i < s->track.n; i++) {
		const struct track *t = &s->p->track[s->track.at[i]];
		for (uint32_t k = 0; k < t->n_series; k++)
			for (unsigned j = 0; j < t->series[k]->n_metrics; j++)
				if (t->series[k]->metric[j] == m &&
				    t->series[k]->kind != SERIES_POINTS)
					return true;
	}
	return false;
}

bool
shown_has_calls(const struct shown *s, track_id track, unsigned kinds)
{
	const struct track *t = &s->p->track[track];

	for (uint32_t k = 0; s->fold->now.calls && k < t->n_series; k++)
		if (kinds & 1u << t->series[k]->kind && t->series[k]->n &&
		    series_metric(t->series[k], s->p->calls_metric) >= 0)
			return true;
	return false;
}

static void
shown_add_metric(struct shown *s, metric_id m)
{
	for (size_t i = 0; i < s->metric.n; i++)
		if (s->metric.at[i] == m)
			return;
	*vec_push(&s->metric) = m;
}

static void
choose_metrics(struct shown *s, metric_id main)
{
	const struct profile *p = s->p;

	if (s->flags & (SHOWN_ONE | SHOWN_FIRST))
		*vec_push(&s->metric) = main;
	if (s->flags & SHOWN_ONE)
		return;
	if (p->events_shown && profile_metric_shown(p, p->events_metric))
		shown_add_metric(s, p->events_metric);
	for (metric_id m = 0; m < p->n_metrics; m++)
		if (profile_metric_shown(p, m) && (m == main || shown_has_metric(s, m)))
			shown_add_metric(s, m);
	if (!s->metric.n)
		*vec_push(&s->metric) = main;
	for (unsigned i = 0; i < s->metric.n; i++)
		if (s->metric.at[i] == main)
			s->main = i;
}

static void
find_scales(struct shown *s)
{
	bool rounds = false;

	s->scale = mem_alloc(s->metric.n, sizeof *s->scale);
	for (size_t i = 0; i < s->metric.n; i++) {
		s->scale[i] = 1;
		for (unsigned d = s->p->metric[s->metric.at[i]].decimals;
		     d && s->flags & SHOWN_WHOLE; d--)
			s->scale[i] *= 10;
		rounds |= s->scale[i] > 1;
	}
	if (rounds)
		encode_warn(s->job, "the format has whole numbers: decimals were rounded");
}

/* True if this track has a stack with time, or one without. */
static bool
shown_is_timed(const struct shown *s, track_id track)
{
	const struct track *t = &s->p->track[track];

	for (uint32_t i = 0; i < t->n_series; i++)
		if (t->series[i]->n && (t->series[i]->kind == SERIES_STEPS ||
					t->series[i]->kind == SERIES_SAMPLES))
			return true;
	return false;
}

static void
find_times(struct shown *s)
{
	s->base = mem_zalloc((size_t)s->p->n_groups + 1, sizeof *s->base);
	for (uint32_t g = 0; g < s->p->n_groups; g++)
		s->base[g] = s->p->group[g].start;
	for (size_t i = 0; i < s->track.n; i++)
		s->has_time |= shown_is_timed(s, s->track.at[i]);
}

bool
shown_open(struct shown *s, const struct encode_job *job, unsigned flags, struct err *e)
{
	const struct profile *p = job->profile;

	*s = (struct shown){.job = job, .p = p, .flags = flags, .events = job->events};
	lens_copy(&s->lens, job->lens);
	bool addresses = flags & SHOWN_ADDRESSES && p->frames.address;
	if (flags & SHOWN_LINES && s->lens.by == BY_FUNCTION && (p->has_lines || addresses))
		s->lens.by = addresses ? BY_ADDRESS : BY_LINE;
	s->fold = fold_beside(job->fold, p, &s->lens);
	s->fold->pace = job->pace;
	bool good = fold_update(s->fold, p, &s->lens, NULL, e);
	if (good && s->fold->compares && !(flags & SHOWN_DIFF))
		good = err_usage(e, "a comparison is written as folded, html, csv, json, "
				 "ndjson, pnav, or pprof with --diff");
	if (!good) {
		shown_close(s);
		return false;
	}
	s->fold->pace = NULL;
	s->tree = s->fold->tree;
	s->shows = mem_zalloc((size_t)p->n_tracks + 1, 1);
	for (track_id t = 0; t < p->n_tracks; t++) {
		s->shows[t] = s->fold->tracks[t];
		if (s->shows[t] && has_stacks(&p->track[t]))
			*vec_push(&s->track) = t;
	}
	if (p->n_metrics)
		choose_metrics(s, s->fold->metric);
	find_scales(s);
	find_times(s);
	return true;
}

void
shown_close(struct shown *s)
{
	fold_free(s->fold);
	fold_free(s->others);
	lens_release(&s->lens);
	vec_release(&s->metric);
	vec_release(&s->track);
	free(s->shows);
	free(s->base);
	free(s->self);
	free(s->total);
	free(s->scale);
	if (s->has_single)
		single_release(&s->single);
	*s = (struct shown){0};
}

/* Divides to the nearest integer, halves away from zero. */
static int64_t
divided(int64_t v, int64_t by)
{
	if (by == 1)
		return v;
	int64_t rest = v % by;
	return v / by + (2 * rest >= by) - (-2 * rest >= by);
}

int64_t
shown_whole(const struct shown *s, size_t i, int64_t value)
{
	return divided(value, s->scale[i]);
}

/* Loads the fold of metric m.  The lens's own fold exists already, and its metric may have a name
 * that no option can give.  Returns NULL with usage in *e. */
static const struct fold *
load_metric(struct shown *s, size_t m, struct err *e)
{
	struct name name = names_get(&s->p->names, s->p->metric[s->metric.at[m]].name);
	struct buf text = BUF_INIT;

	if (m == s->main)
		return s->fold;
	if (!s->others) {
		s->others = fold_new();
		fold_begin_with(s->others, s->fold);
	}
	buf_add(&text, name.at, name.len);
	lens_set_metric(&s->lens, buf_str(&text));
	buf_release(&text);
	return fold_update(s->others, s->p, &s->lens, NULL, e) ? s->others : NULL;
}

/* Loads column m from a comparison: the changes. */
static void
load_changes(struct shown *s, const struct fold *f, size_t m)
{
	struct numbers_carry carry = {0};

	for (struct walk w = walk_begin(); walk_on(f->tree, &w);) {
		if (!w.enters)
			continue;
		int64_t now = numbers_carried(&carry.now, f->now.recorded.self[w.node], f->now.by);
		int64_t base =
			numbers_carried(&carry.base, f->base.recorded.self[w.node], f->base.by);
		s->self[(size_t)w.node * s->metric.n + m] =
			divided(difference_clipped(now, base), s->scale[m]);
	}
}

/* Loads one fold a metric, over all tracks. */
static bool
load_all(struct shown *s, struct err *e)
{
	size_t n = s->metric.n;

	s->is_single = false;
	for (size_t m = 0; m < n; m++) {
		const struct fold *f = load_metric(s, m, e);
		if (!f)
			return false;
		if (f->compares)
			load_changes(s, f, m);
		for (node_id v = 0; v < f->tree->n && !f->compares; v++)
			s->self[(size_t)v * n + m] = divided(f->now.self[v], s->scale[m]);
	}
	s->tree = s->fold->tree;
	s->calls = s->fold->now.calls;
	s->present = s->fold->now.present;
	return true;
}

static void
load_track(struct shown *s, track_id track)
{
	struct single *x = &s->single;
	size_t n = s->metric.n;

	if (!s->has_single)
		single_init(x, s->p, s->fold);
	s->has_single = s->is_single = true;
	single_track(x, track);
	for (size_t m = 0; m < n; m++) {
		single_count(x, s->metric.at[m]);
		for (size_t i = 0; i < x->node.n; i++)
			s->self[x->node.at[i] * n + m] =
				divided(x->self[x->node.at[i]], s->scale[m]);
	}
	s->tree = &x->tree;
	s->calls = x->calls;
	s->present = x->present;
}

bool
shown_load(struct shown *s, track_id track, struct err *e)
{
	if (!s->self)
		s->self = mem_zalloc((size_t)s->fold->tree->n * s->metric.n + 1, sizeof *s->self);
	if (track == TRACK_NONE)
		return load_all(s, e);
	load_track(s, track);
	return true;
}

void
shown_title(const struct shown *s, const char *otherwise, struct buf *out)
{
	buf_adds(out, s->job->title ? s->job->title : otherwise);
	if (s->fold->estimated)
		buf_adds(out, out->len ? ", " FOLD_ESTIMATED : FOLD_ESTIMATED);
}

struct shown_frame
shown_frame(const struct shown *s, key_id key)
{
	struct shown_frame out = {
		.name = projection_key_name(s->tree, s->p, key),
		.kind = KIND_USER,
	};
	function_id id = projection_key_function(s->tree, s->p, key);

	if (id == UINT32_MAX) {
		if (out.name == NAME_EMPTY)
			return out;
		if (s->tree->by == BY_FILE)
			out.file = out.name;
		else
			out.module = out.name;
		return out;
	}
	struct function f = profile_function(s->p, id);
	struct line line = projection_key_line(s->tree, s->p, key);
	out.is_function = true;
	out.file = f.file;
	out.module = f.module;
	out.defined = f.line;
	out.line = line.form == LINE_UNKNOWN ? 0 : line.number;
	out.kind = (enum kind)f.kind;
	return out;
}

void
shown_name(const struct shown *s, name_id id, struct buf *out)
{
	profile_write_name(s->p, id, out);
}

void
shown_name_people(const struct shown *s, name_id id, struct buf *out)
{
	profile_show_name(s->p, id, out);
}

bool
shown_has_points(const struct shown *s)
{
	for (track_id t = 0; t < s->p->n_tracks; t++)
		for (uint32_t i = 0; s->shows[t] && i < s->p->track[t].n_series; i++)
			if (s->p->track[t].series[i]->kind == SERIES_POINTS &&
			    s->p->track[t].series[i]->n)
				return true;
	return false;
}

bool
shown_has_self(const struct shown *s, node_id node)
{
	const int64_t *self = shown_self(s, node);
	const uint8_t *present = s->present;

	for (size_t i = 0; i < s->metric.n; i++)
		if (self[i])
			return true;
	/* an unchanged value is nothing */
	if (!present[node] || s->fold->compares)
		return false;
	for (node_id c = s->tree->first_child[node]; c != NODE_NONE; c = s->tree->next_sibling[c])
		if (present[c])
			return false;
	return true;
}

const int64_t *
shown_totals(struct shown *s)
{
	size_t n = s->metric.n;

	if (!s->total)
		s->total = mem_alloc((size_t)s->tree->n * n + 1, sizeof *s->total);
	for (uint32_t i = 0; i < shown_nodes(s); i++)
		memcpy(s->total + shown_node(s, i) * n, shown_self(s, shown_node(s, i)),
		       n * sizeof *s->total);
	memcpy(s->total, s->self, n * sizeof *s->total);
	for (uint32_t i = shown_nodes(s); i-- > 0;) {
		node_id v = shown_node(s, i);
		for (size_t m = 0; m < n; m++)
			s->total[s->tree->parent[v] * n + m] += s->total[v * n + m];
	}
	return s->total;
}

enum unit
shown_unit(const struct shown *s, size_t i)
{
	return (enum unit)s->p->metric[s->metric.at[i]].unit;
}

static int64_t
group_length(const struct group *g)
{
	return difference_clipped(g->end, g->start);
}

int64_t
shown_length(const struct shown *s)
{
	const struct fold *f = s->fold;
	int64_t length = 0;

	for (uint32_t g = 0; g < s->p->n_groups; g++)
		if (s->p->group[g].has_time && group_length(&s->p->group[g]) > length)
			length = group_length(&s->p->group[g]);
	if (f->whole)
		return length;
	length = f->to < length ? f->to : length; /* a range may have no end */
	return length > f->from ? length - f->from : 0;
}
