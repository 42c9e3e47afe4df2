/* answers_running.c - what runs when: one pass over the events of the running tracks.
 *
 * Each file is by itself: nothing is known of when it ran beside the others.
 *
 * Each lane gives its idle spans. Those of all lanes are intersected one lane after the other, so
 * memory depends on the gaps and not on the events. */
#include <stdlib.h>

#include "model/answer/answers_inside.h"
#include "model/base/sum.h"
#include "model/picture/layout.h"
#include "model/profile/running.h"

#define MEASURED 4096u /* steps read for the usual duration of a step */

typedef answers_spans spans;

/* ---- which tracks run ---- */

bool
answers_is_lane(const struct answers_work *w, const struct series *s, enum track_kind kind,
		metric_id base)
{
	const struct track *t = &w->p->track[s->track];

	return w->tracks[s->track] && t->kind == kind && running_fits(w->p, s, base);
}

/* The tracks of each file, and what lanes they are of. */
struct file_tracks {
	uint32_t *first; /* [file] index of its first track in `track`; [files] their number */
	track_id *track;
	track_id *owner; /* [track], see running_owners() */
};

static struct file_tracks
file_tracks_of(const struct profile *p)
{
	struct file_tracks x = {
		.first = mem_zalloc((size_t)p->n_groups + 2, sizeof *x.first),
		.track = mem_alloc((size_t)p->n_tracks + 1, sizeof *x.track),
		.owner = running_owners(p),
	};

	for (track_id t = 0; t < p->n_tracks; t++)
		x.first[p->track[t].group + 2]++;
	for (uint32_t g = 2; g <= p->n_groups; g++)
		x.first[g] += x.first[g - 1];
	for (track_id t = 0; t < p->n_tracks; t++)
		x.track[x.first[p->track[t].group + 1]++] = t;
	return x;
}

static void
file_tracks_release(struct file_tracks *x)
{
	free(x->first);
	free(x->track);
	free(x->owner);
}

/* Finds the kind of the running tracks of a file; false if nothing runs. */
static bool
lanes_of_file(const struct answers_work *w, const struct file_tracks *x, uint32_t group,
	      enum track_kind *kind, metric_id base)
{
	static const enum track_kind kinds[] = {TRACK_THREAD, TRACK_TASK, TRACK_CORE};

	for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
		for (uint32_t i = x->first[group]; i < x->first[group + 1]; i++) {
			const struct track *t = &w->p->track[x->track[i]];
			for (uint32_t s = 0; s < t->n_series; s++)
				if (answers_is_lane(w, t->series[s], kinds[k], base)) {
					*kind = kinds[k];
					return true;
				}
		}
	return false;
}

bool
answers_lanes(const struct answers_work *w, enum track_kind *kind, metric_id *base)
{
	struct file_tracks x = file_tracks_of(w->p);
	bool found = false;

	*base = running_base(w->p);
	for (uint32_t g = 0; g < w->p->n_groups && !found; g++)
		found = lanes_of_file(w, &x, g, kind, *base);
	file_tracks_release(&x);
	return found && w->to > w->from;
}

bool
answers_runs_tasks(const struct answers_work *w)
{
	enum track_kind kind;
	metric_id base;

	return answers_lanes(w, &kind, &base) && kind == TRACK_TASK;
}

/* ---- one lane ---- */

struct lane_walk {
	struct answers_running *r;
	const uint8_t *idle_stack; /* [stack] running_idle(); NULL: none is */
	struct layout_lane lane;
	int64_t origin, covered;
	spans idle;
};

/* A stretch in which the lane runs, on the clock of the file. */
static void
answers_runs(struct lane_walk *x, int64_t from, int64_t to)
{
	from = difference_clipped(from, x->origin);
	to = difference_clipped(to, x->origin);
	to = to < x->r->to ? to : x->r->to;
	if (to <= x->covered)
		return;
	if (from > x->covered)
		*vec_push(&x->idle) = (struct answers_span){x->covered, from};
	x->covered = to;
}

/* Reads event i of the chunk; `next` is the time of the one after it. */
static void
read_event(struct lane_walk *x, const struct chunk *c, uint32_t i, int64_t next)
{
	const struct series *s = x->lane.series;
	int64_t time = column_get(&c->time, i), end = next;

	if (s->kind == SERIES_STEPS) {
		if ((chunk_stack(c, i) & STEP_STACK) != STACK_EMPTY)
			answers_runs(x, time, end);
		return;
	}
	if (x->idle_stack && x->idle_stack[chunk_stack(c, i) & STEP_STACK])
		return;
	int64_t hold = x->lane.weight ? series_number(s, c, i, x->lane.weight - 1u) : x->lane.hold;
	int64_t until = sum_clipped(time, hold > 1 ? hold : 1);
	bool last = c->first + i + 1 == s->n;
	answers_runs(x, time, !last && next < until ? next : until);
}

static void
read_lane(struct lane_walk *x, struct pace *pace)
{
	const struct series *s = x->lane.series;
	int64_t end = sum_clipped(x->origin, x->r->to);

	x->covered = x->r->from;
	for (uint32_t k = 0; k < s->n_chunks; k++) {
		const struct chunk *c = &s->chunk[k];
		int64_t behind = chunk_end(s, c);
		if (!c->n || difference_clipped(behind, x->origin) < x->r->from)
			continue;
		if (column_get(&c->time, 0) >= end || !pace_on(pace, c->n))
			break;
		for (uint32_t i = 0; i < c->n; i++)
			read_event(x, c, i,
				   i + 1 < c->n ? column_get(&c->time, i + 1) : behind);
	}
	if (x->covered < x->r->to)
		*vec_push(&x->idle) = (struct answers_span){x->covered, x->r->to};
}

/* ---- all lanes ---- */

/* Appends a span; one that touches the last one extends it. */
static void
append(spans *to, struct answers_span x)
{
	struct answers_span *last = to->n ? &to->at[to->n - 1] : NULL;

	if (last && x.from <= last->to)
		last->to = x.to > last->to ? x.to : last->to;
	else
		*vec_push(to) = x;
}

/* Returns what is in both lists. */
static spans
intersection(const struct answers_span *a, size_t n_a, const struct answers_span *b, size_t n_b)
{
	spans both = VEC_INIT;
	size_t i = 0, k = 0;

	while (i < n_a && k < n_b) {
		int64_t from = a[i].from > b[k].from ? a[i].from : b[k].from;
		int64_t to = a[i].to < b[k].to ? a[i].to : b[k].to;
		bool ends = a[i].to <= b[k].to, other_ends = b[k].to <= a[i].to;
		if (from < to)
			append(&both, (struct answers_span){from, to});
		i += ends;
		k += other_ends;
	}
	return both;
}

/* Returns what is in one of the lists. */
static spans
merged(const struct answers_span *a, size_t n_a, const struct answers_span *b, size_t n_b)
{
	spans all = VEC_INIT;
	size_t i = 0, k = 0;

	while (i < n_a || k < n_b) {
		bool first = k == n_b || (i < n_a && a[i].from <= b[k].from);
		append(&all, first ? a[i++] : b[k++]);
	}
	return all;
}

#define REPLACE(old, new)                                                                  \
	(vec_release(&(old)), (old).at = (new).at, (old).n = (new).n, (old).cap = (new).cap)

/* Makes the spans what intersection() with the range returns, in place. */
static void
cut_to_range(const struct answers_running *r, spans *own)
{
	size_t n = own->n;

	own->n = 0;
	for (size_t i = 0; i < n; i++) {
		struct answers_span one = own->at[i];
		one.to = one.to < r->to ? one.to : r->to;
		if (one.from < one.to)
			append(own, one);
	}
}

/* Counts a lane that is idle in these spans, and releases them: at most one lane runs where that
 * was so and this one is idle, and where none did. A list may have as many spans as there are
 * samples, so no list outlives its last use. */
static void
count_lane(struct answers_running *r, spans *own)
{
	if (!r->lanes) {
		*vec_push(&r->alone) = (struct answers_span){r->from, r->to};
		cut_to_range(r, own);
		REPLACE(r->idle, *own);
		return;
	}
	spans kept = intersection(r->alone.at, r->alone.n, own->at, own->n);
	vec_release(&r->alone);
	spans alone = merged(kept.at, kept.n, r->idle.at, r->idle.n);
	vec_release(&kept);
	REPLACE(r->alone, alone);
	spans idle = intersection(r->idle.at, r->idle.n, own->at, own->n);
	vec_release(own);
	REPLACE(r->idle, idle);
}

/* Takes the idle spans of a lane off the parts of the range in which it would run otherwise. */
static void
add_busy(struct answers_running *r, const struct answers_span *idle, size_t n)
{
	double length = (double)(r->to - r->from) / ANSWERS_BINS;

	for (unsigned b = 0; b < ANSWERS_BINS; b++)
		r->busy[b] += length;
	for (size_t i = 0; i < n; i++) {
		double from = (double)(idle[i].from - r->from) / length;
		double to = (double)(idle[i].to - r->from) / length;
		for (unsigned b = (unsigned)from; b < ANSWERS_BINS && b < to; b++) {
			double begin = from > b ? from : b, end = to < b + 1 ? to : b + 1;
			r->busy[b] -= (end - begin) * length;
		}
	}
}

static double
median_step(const struct series *s)
{
	double v[MEASURED];
	size_t n = 0;

	for (uint64_t i = 0; i < s->n && n < MEASURED; i += s->n / MEASURED + 1) {
		struct event e;
		if (series_event(s, i, &e) && e.end > e.time &&
		    (e.stack & STEP_STACK) != STACK_EMPTY)
			v[n++] = (double)difference_clipped(e.end, e.time);
	}
	return answers_median(v, n);
}

static void
add_lane(struct answers_work *w, struct answers_running *r, struct layout *l,
	 const struct series *s)
{
	struct lane_walk x = {.r = r, .idle_stack = w->idle, .lane = {.series = s}};
	const struct track *t = &w->p->track[s->track];

	x.origin = w->p->group[t->group].start;
	vec_reserve(&x.idle, s->n + 1); /* only pages that are written cost memory */
	layout_lane_look(l, w->p, &x.lane, r->base);
	read_lane(&x, w->pace);
	add_busy(r, x.idle.at, x.idle.n);
	count_lane(r, &x.idle);
	if (s->kind == SERIES_SAMPLES)
		r->sampled = true;
	double usual = s->kind == SERIES_STEPS ? median_step(s)
					       : (double)layout_hold(l, w->p, s);
	if (usual > (double)r->usual)
		r->usual = usual < 0x1p63 ? (int64_t)usual : INT64_MAX;
	r->lanes++;
	layout_lane_release(&x.lane);
}

static void
run_file(struct answers_work *w, const struct file_tracks *x, struct answers_running *r,
	 struct layout *l)
{
	r->busy = mem_zalloc(ANSWERS_BINS, sizeof *r->busy);
	for (uint32_t k = x->first[r->group]; k < x->first[r->group + 1]; k++) {
		unsigned before = r->lanes;
		track_id t = x->track[k];
		for (uint32_t i = 0; i < w->p->track[t].n_series; i++)
			if (!pace_gives_up(w->pace) &&
			    answers_is_lane(w, w->p->track[t].series[i], r->kind, r->base))
				add_lane(w, r, l, w->p->track[t].series[i]);
		r->tracks += r->lanes > before &&
			     (r->kind == TRACK_TASK || x->owner[t] == t);
	}
}

size_t
answers_run(struct answers_work *w)
{
	metric_id base = running_base(w->p);
	struct layout l;

	if (w->has_running)
		return w->running.n;
	w->has_running = true;
	struct file_tracks x = file_tracks_of(w->p);
	layout_init(&l);
	w->idle = running_idle(w->p);
	for (uint32_t g = 0; g < w->p->n_groups && !pace_gives_up(w->pace); g++) {
		const struct group *file = &w->p->group[g];
		struct answers_running r = {.group = g, .from = w->from, .base = base};
		r.to = difference_clipped(file->end, file->start);
		r.to = r.to < w->to ? r.to : w->to;
		if (r.to <= r.from || !lanes_of_file(w, &x, g, &r.kind, base))
			continue;
		run_file(w, &x, &r, &l);
		*vec_push(&w->running) = r;
	}
	layout_release(&l);
	file_tracks_release(&x);
	return w->running.n;
}

void
answers_say_file(const struct answers_work *w, struct answers_item *out, uint32_t group)
{
	if (w->p->n_groups < 2)
		return;
	answers_say(out, " in ");
	answers_name(w, w->p->group[group].name, &out->text);
}

void
answers_running_release(struct answers_running *r)
{
	vec_release(&r->idle);
	vec_release(&r->alone);
	free(r->busy);
}
