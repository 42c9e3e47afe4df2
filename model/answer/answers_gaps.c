/* answers_gaps.c - gaps between what was recorded, without the times at which a thread had work.
 *
 * On a busy machine a thread that computes waits for a CPU as long as it runs.  Nothing is recorded
 * of it meanwhile, but it does not stall.  States of threads say when a thread runs or wants a CPU;
 * so do the preemptions beside off-CPU samples.  A file without both says nothing of this. */
#include "model/answer/answers_inside.h"
#include "model/base/sum.h"
#include "model/profile/actors.h"
#include "model/profile/running.h"

/* Gaps, and one thread's times of work, both in order. */
struct gaps {
	answers_spans list, work;
	double least; /* a shorter gap does not count */
};

static void
keep_gap(struct gaps *x, answers_spans *kept, int64_t from, int64_t to)
{
	if (to > from && (double)(to - from) >= x->least)
		*vec_push(kept) = (struct answers_span){from, to};
}

/* Takes x->work off the gaps, and empties it. */
static void
take_work_off(struct gaps *x)
{
	answers_spans kept = VEC_INIT;
	size_t k = 0;

	for (size_t i = 0; x->work.n && i < x->list.n; i++) {
		int64_t from = x->list.at[i].from, to = x->list.at[i].to;
		while (k < x->work.n && x->work.at[k].to <= from)
			k++;
		for (size_t j = k; j < x->work.n && x->work.at[j].from < to; j++) {
			keep_gap(x, &kept, from, x->work.at[j].from);
			from = x->work.at[j].to > from ? x->work.at[j].to : from;
		}
		keep_gap(x, &kept, from, to);
	}
	if (x->work.n) {
		vec_release(&x->list);
		x->list = kept;
	}
	x->work.n = 0;
}

/* Adds a stretch of work; one that begins where the last one ends extends it. */
static void
add_work(struct gaps *x, int64_t from, int64_t to)
{
	struct answers_span *last = x->work.n ? &x->work.at[x->work.n - 1] : NULL;

	if (to <= x->list.at[0].from || from >= x->list.at[x->list.n - 1].to)
		return;
	if (last && last->to >= from)
		last->to = to > last->to ? to : last->to;
	else
		*vec_push(&x->work) = (struct answers_span){from, to};
}

static void
add_states(const struct answers_work *w, struct gaps *x, const struct actor *a)
{
	const struct group *g = &w->p->group[a->group];

	for (uint32_t i = 0; i < a->n && pace_on(w->pace, 1); i++) {
		enum actor_state state = actor_state(a, i);
		int64_t to = i + 1 < a->n ? actor_time(a, i + 1) : g->end;
		if (state == ACTOR_RUNNING || state == ACTOR_RUNNABLE)
			add_work(x, difference_clipped(actor_time(a, i), g->start),
				 difference_clipped(to, g->start));
	}
}

/* Adds the times from a preemption until the thread runs again. */
static void
add_preemptions(const struct answers_work *w, struct gaps *x, const struct series *s,
		unsigned place)
{
	const struct group *g = &w->p->group[w->p->track[s->track].group];

	for (uint32_t k = 0; k < s->n_chunks && pace_on(w->pace, s->chunk[k].n); k++)
		for (uint32_t i = 0; i < s->chunk[k].n; i++) {
			const struct chunk *c = &s->chunk[k];
			int64_t from = difference_clipped(column_get(&c->time, i), g->start);
			add_work(x, from, sum_clipped(from, series_number(s, c, i, place)));
		}
}

/* Returns the place of the metric `runnable` in the series; -1 if it has none. */
static int
runnable_place(const struct answers_work *w, const struct series *s)
{
	bool timed = s->kind == SERIES_SAMPLES && s->sorted;
	int place = timed ? (int)s->n_metrics - 1 : -1;

	while (place >= 0 && (s->metric[place] == METRIC_NONE ||
			      !running_is_runnable(w->p, s->metric[place])))
		place--;
	return place;
}

answers_spans
answers_gaps(const struct answers_work *w, const struct answers_running *r,
	     const struct answers_span *idle, size_t n, double least)
{
	struct gaps x = {.least = least};
	uint8_t *keep = lens_actors(&w->lens, w->p);

	for (size_t i = 0; i < n; i++)
		keep_gap(&x, &x.list, idle[i].from, idle[i].to);
	for (actor_id i = 0; i < w->p->n_actors && x.list.n; i++)
		if (keep[i] && w->p->actor[i].group == r->group) {
			add_states(w, &x, &w->p->actor[i]);
			take_work_off(&x);
		}
	for (track_id t = 0; t < w->p->n_tracks; t++)
		for (uint32_t i = 0; i < w->p->track[t].n_series && x.list.n; i++) {
			const struct series *s = w->p->track[t].series[i];
			int place = runnable_place(w, s);
			if (place < 0 || !w->tracks[t] || w->p->track[t].group != r->group)
				continue;
			add_preemptions(w, &x, s, (unsigned)place);
			take_work_off(&x);
		}
	free(keep);
	vec_release(&x.work);
	return x.list;
}
