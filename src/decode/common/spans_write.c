/* Writes collected spans as a profile: steps, values, edges between tracks, and marks. */
#include "src/decode/common/spans_inside.h"

#include <stdlib.h>

#include "model/base/mem.h"
#include "src/decode/common/idmap.h"

#define MARK_TRACKS_MAX 1000u

/* ---- steps ---- */

/* An open span lasts to the last time of its track. */
static void
extend_open(struct spans *s)
{
	int64_t *last = mem_zalloc(s->track.n + 1, sizeof *last);

	for (size_t i = 0; i < s->span.n; i++) {
		const struct spans_one *x = &s->span.at[i];
		last[x->track] = x->end > last[x->track] ? x->end : last[x->track];
	}
	for (size_t i = 0; i < s->span.n; i++) {
		struct spans_one *x = &s->span.at[i];
		if (x->bits & SPAN_OPEN)
			x->end = last[x->track];
	}
	free(last);
}

/* Writes the tracks one after the other, in the order of their first spans. */
static bool
steps_write(struct spans_writer *w)
{
	struct spans *s = w->s;
	uint32_t n = (uint32_t)s->span.n, *index = mem_alloc((size_t)n + 1, sizeof *index);
	uint32_t *first = mem_zalloc(s->track.n + 2, sizeof *first);
	bool good = true;

	for (uint32_t i = 0; i < n; i++)
		first[s->span.at[i].track + 2]++;
	for (size_t t = 2; t < s->track.n + 2; t++)
		first[t] += first[t - 1];
	for (uint32_t i = 0; i < n; i++)
		index[first[s->span.at[i].track + 1]++] = i;
	for (uint32_t t = 0; t < s->track.n && good; t++)
		if (first[t + 1] > first[t])
			good = spans_lanes_write(w, t, index + first[t], first[t + 1] - first[t]);
	free_all(first, index);
	return good;
}

/* ---- values ---- */

/* Writes the values of spans as samples at their starts, on the lanes with their calls. */
static bool
values_write(struct spans_writer *w)
{
	struct spans *s = w->s;
	metric_id metric = METRIC_NONE;

	if (s->value.of.n)
		metric = builder_metric(s->b, s->value.name, s->value.unit, ROLE_VALUE);
	for (size_t i = 0; i < s->value.of.n; i++) {
		uint32_t span = s->value.of.at[i].span;
		struct spans_lane *l = &w->lanes.at[w->lane[span]];
		if (!l->values) {
			l->values = builder_samples(s->b, l->track, &metric, 1);
			builder_derived(l->values);
			builder_labelled(s->b, l->values);
		}
		builder_next_labels(s->b, l->values, s->span.at[span].labels);
		if (!builder_sample(s->b, l->values, s->span.at[span].start, w->stack[span],
				    &s->value.of.at[i].value, 0, w->e))
			return false;
	}
	return true;
}

/* ---- edges ---- */

static actor_id
lane_actor(struct spans_writer *w, uint32_t span)
{
	struct spans_lane *l = &w->lanes.at[w->lane[span]];

	if (l->actor == ACTOR_NONE) {
		struct name name = builder_name_get(w->s->b, l->name);
		l->actor = builder_actor_on(w->s->b, l->track, name.at, name.len);
	}
	return l->actor;
}

/* Adds an edge from a span to the start of another; it leaves within the first. */
static void
edge_add(struct spans_writer *w, enum edge_kind kind, uint32_t from, uint32_t to)
{
	const struct spans_one *a = &w->s->span.at[from], *b = &w->s->span.at[to];
	int64_t time = b->start < a->start ? a->start : b->start > a->end ? a->end : b->start;

	builder_edge(w->s->b, kind, lane_actor(w, from), time, lane_actor(w, to), b->start);
}

static void
edges_write(struct spans_writer *w)
{
	struct spans *s = w->s;

	for (uint32_t i = 0; i < s->span.n; i++) {
		const struct spans_one *x = &s->span.at[i];
		if (x->up != SPAN_NONE && s->span.at[x->up].track != x->track)
			edge_add(w, EDGE_LINK, x->up, i);
		for (uint32_t k = 0; k < x->n_refs; k++) {
			struct span_id ref = s->ref.at[x->first_ref + k];
			uint32_t from = ref.span ? spans_find(s, ref) : SPAN_NONE;
			if (from != SPAN_NONE && from != i)
				edge_add(w, EDGE_FLOW, from, i);
		}
	}
}

/* ---- marks ---- */

/* Returns the points of marks with this name; those beyond the thousandth share a track. */
static struct series *
marks_of(struct spans *s, struct idmap *of, struct series **each, uint32_t *n,
	 const struct spans_mark *m)
{
	uint64_t key = (uint64_t)m->track << 32 | m->name;
	uint32_t i = idmap_get(of, key);

	if (i != IDMAP_NONE)
		return each[i];
	if (*n == MARK_TRACKS_MAX) {
		builder_warn(s->b, "more than %u kinds of marks: the others are `other marks`",
			     MARK_TRACKS_MAX);
		key = UINT64_MAX;
		i = idmap_get(of, key);
		if (i != IDMAP_NONE)
			return each[i];
	}
	struct name name = builder_name_get(s->b, m->name);
	buf_reset(&s->text);
	if (s->track.n > 1 && key != UINT64_MAX) {
		struct name track = builder_name_get(s->b, s->track.at[m->track].name);
		buf_add(&s->text, track.at, track.len);
		buf_adds(&s->text, " / ");
	}
	if (key == UINT64_MAX)
		buf_adds(&s->text, "other marks");
	else
		buf_add(&s->text, name.at, name.len);
	track_id t = builder_track(s->b, buf_str(&s->text), s->text.len, TRACK_MARKS);
	each[*n] = builder_points(s->b, t, false);
	builder_labelled(s->b, each[*n]);
	idmap_put(of, key, *n);
	return each[(*n)++];
}

static bool
marks_write(struct spans *s, struct err *e)
{
	struct series *each[MARK_TRACKS_MAX + 1];
	struct idmap of = {0};
	uint32_t n = 0;
	bool good = true;

	for (size_t i = 0; i < s->mark.n && good; i++) {
		const struct spans_mark *m = &s->mark.at[i];
		if (m->track == SPAN_NONE || m->time < 0 || m->time > SPANS_TIME_MAX)
			continue;
		struct series *points = marks_of(s, &of, each, &n, m);
		builder_next_labels(s->b, points, m->labels);
		good = builder_point(s->b, points, m->time, 0, 0, e);
	}
	idmap_release(&of);
	return good;
}

/* ---- all ---- */

bool
spans_write(struct spans *s, struct err *e)
{
	size_t n = s->span.n + 1;
	struct spans_writer w = {
		.s = s,
		.e = e,
		.time = builder_timeline(s->b),
		.stack = mem_alloc(n, sizeof *w.stack),
		.depth = mem_zalloc(n, sizeof *w.depth),
		.lane = mem_zalloc(n, sizeof *w.lane),
		.of = mem_zalloc(n, sizeof *w.of),
	};

	for (size_t i = 0; i < n; i++)
		w.stack[i] = STACK_NONE;
	builder_clock(s->b, 0);
	extend_open(s);
	spans_name_tracks(s);
	spans_parents(s);
	bool good = steps_write(&w) && values_write(&w);
	if (good)
		edges_write(&w);
	good = good && marks_write(s, e);
	spans_report(s);
	free_all(w.stack, w.depth, w.lane, w.of);
	vec_release(&w.lanes);
	return good;
}
