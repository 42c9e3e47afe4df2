/* sqlite_kept.c - the parts of a profile that queries do not need, and that src/decode/pnavdb/
 * reads: names of values, clauses of lines, inclusive costs that the file states, and
 * steps.  The rows of `samples` and `slices` are made of steps, and lack what has no duration, and
 * how calls end.  The rows of `samples` that are samples say nothing of their series. */
#include "src/encode/sqlite_rows.h"

#ifdef HAVE_SQLITE

#include "model/base/sum.h"
#include "src/encode/shown_stacks.h"
#include "src/encode/shown_times.h"

static void
write_value_names(struct sqlite_rows *r, const struct shown *s)
{
	rows_begin(r, "value_names", 3);
	for (track_id t = 0; t < s->p->n_tracks; t++) {
		const struct track *track = &s->p->track[t];
		for (uint32_t i = 0; s->shows[t] && i < track->n_value_names; i++) {
			rows_whole(r, t);
			rows_whole(r, track->value_name[i].value);
			rows_shown_name(r, s, track->value_name[i].name);
			rows_next(r);
		}
	}
	rows_end(r);
}

static void
write_clauses(struct sqlite_rows *r, const struct shown *s,
	      const struct shown_stacks *stacks)
{
	const struct frames *f = &s->p->frames;

	rows_begin(r, "clauses", 2);
	for (frame_id i = 0; i < f->n; i++) {
		struct line line = frames_get(f, i).line;
		if (line.form != LINE_CLAUSE || !shown_stacks_has_frame(stacks, i))
			continue;
		rows_whole(r, i);
		rows_whole(r, line.clause);
		rows_next(r);
	}
	rows_end(r);
}

/* A lens that changes stacks or chooses a range has other costs. */
static void
kept_stated(struct sqlite_rows *r, const struct shown *s,
	    const struct shown_stacks *stacks)
{
	const struct stated *g = &s->p->stated;
	bool kept = s->fold->whole && shown_stacks_kept(&s->lens);

	rows_begin(r, "stated", 6);
	for (uint32_t k = 0; kept && k < g->n_blocks; k++) {
		const struct stated_block *b = &g->block[k];
		bool first = true;
		for (uint32_t i = 0; s->shows[b->track] && i < b->n; i++) {
			const struct stated_row *row = &g->row[b->first + i];
			if (!shown_stacks_has_function(stacks, row->function))
				continue;
			rows_whole(r, b->track);
			rows_shown_name(r, s, s->p->metric[b->metric].name);
			rows_whole(r, row->function);
			rows_whole(r, row->total);
			rows_whole(r, b->estimated);
			rows_whole(r, first);
			first = false;
			rows_next(r);
		}
	}
	rows_end(r);
}

/* ---- steps ---- */

struct kept_steps {
	struct sqlite_rows *r;
	const struct shown_stacks *stacks;
	const struct series *series;
	int64_t id, end; /* `end` of the last step */
	bool lasts;      /* it has a stack or a duration */
};

static void
write_step(struct kept_steps *k, int64_t time, stack_id stack, uint32_t flags)
{
	rows_whole(k->r, k->id);
	rows_whole(k->r, time);
	if (stack != STACK_EMPTY)
		rows_whole(k->r, stack);
	else
		rows_null(k->r);
	rows_whole(k->r, flags >> (32 - STEP_FLAG_BITS));
	k->lasts = stack != STACK_EMPTY;
}

static void
kept_step(void *ctx, const struct shown_sample *e)
{
	struct kept_steps *k = ctx;
	bool shown = e->node != NODE_ROOT;
	uint32_t flags = e->flags & (shown ? STEP_RETURN | STEP_LINE : STEP_RETURN);

	write_step(k, e->time,
		   shown ? shown_stacks_at(k->stacks, e->node, e->stack) : STACK_EMPTY,
		   flags | (e->calls ? STEP_CALL : 0));
	if (k->series->valued)
		rows_whole(k->r, e->beside);
	else
		rows_null(k->r);
	if (e->labels != LABELS_NONE)
		rows_whole(k->r, e->labels);
	else
		rows_null(k->r);
	rows_next(k->r);
	k->end = sum_clipped(e->time, e->lasts);
	k->lasts |= e->lasts != 0;
}

static bool
series_has_role(const struct series *s, enum metric_role role)
{
	for (unsigned m = 0; m < s->n_metrics; m++)
		if (s->role[m] == role)
			return true;
	return false;
}

/* Returns the only metric of time that the steps count for; METRIC_NONE: there are several. */
static metric_id
only_time(const struct series *s)
{
	metric_id found = METRIC_NONE;

	for (unsigned m = 0; m < s->n_metrics; m++) {
		if (s->role[m] != ROLE_TIME)
			continue;
		if (found != METRIC_NONE)
			return METRIC_NONE;
		found = s->metric[m];
	}
	return found;
}

static void
write_step_series(struct kept_steps *k, const struct shown *s)
{
	struct sqlite_rows *r = k->r;
	metric_id metric = only_time(k->series);

	rows_whole(r, k->id);
	rows_whole(r, k->series->track);
	if (metric == METRIC_NONE)
		rows_null(r);
	else
		rows_shown_name(r, s, s->p->metric[metric].name);
	rows_whole(r, !k->series->turns);
	rows_whole(r, series_has_role(k->series, ROLE_LINES));
	rows_whole(r, k->series->valued);
	rows_next(r);
}

/* Calls write() for each series of steps that the lens shows, in the order of their ids. */
static void
each_steps(struct kept_steps *k, const struct shown *s,
	   void (*write)(struct kept_steps *k, const struct shown *s))
{
	k->id = 0;
	for (track_id t = 0; t < s->p->n_tracks; t++)
		for (uint32_t i = 0; s->shows[t] && i < s->p->track[t].n_series; i++) {
			k->series = s->p->track[t].series[i];
			if (k->series->kind != SERIES_STEPS)
				continue;
			write(k, s);
			k->id++;
		}
}

static void
write_steps(struct kept_steps *k, const struct shown *s)
{
	k->lasts = false;
	shown_samples(s, k->series, kept_step, k);
	if (!k->lasts)
		return;
	write_step(k, k->end, STACK_EMPTY, 0);
	rows_null(k->r);
	rows_null(k->r);
	rows_next(k->r);
}

/* The columns are id, track, first, last, interval, derived. */
void
sqlite_sample_series(struct sqlite_rows *r, const struct sqlite_samples *at, size_t n)
{
	rows_begin(r, "sample_series", 6);
	for (size_t i = 0; i < n; i++) {
		rows_whole(r, (int64_t)i);
		rows_whole(r, at[i].series->track);
		rows_whole(r, at[i].first);
		rows_whole(r, at[i].last);
		if (at[i].series->interval)
			rows_whole(r, at[i].series->interval);
		else
			rows_null(r);
		rows_whole(r, at[i].series->derived);
		rows_next(r);
	}
	rows_end(r);
}

void
sqlite_kept(struct sqlite_rows *r, const struct shown *s,
	    const struct shown_stacks *stacks)
{
	write_value_names(r, s);
	write_clauses(r, s, stacks);
	kept_stated(r, s, stacks);

	struct kept_steps k = {.r = r, .stacks = stacks};
	rows_begin(r, "step_series", 6);
	each_steps(&k, s, write_step_series);
	rows_end(r);
	rows_begin(r, "steps", 6);
	each_steps(&k, s, write_steps);
	rows_end(r);
}

#endif
