#include "tests/lib/same_tracks.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/buf.h"
#include "model/base/vec.h"
#include "model/calls/callstats.h"
#include "model/fold/tally.h"
#include "tests/lib/unit.h"

/* Both sides become lines of text, whose order does not matter.  Times count from the first
 * compared event: a reader of the file cannot know earlier ones. */

struct lines {
	VEC(char *) v;
};

struct side {
	const struct profile *p;
	const struct fold *f; /* NULL: everything is shown */
	unsigned same;
	int64_t first;
	struct lines out;
};

static void
line_add(struct side *s, struct buf *text)
{
	*vec_push(&s->out.v) = strdup(buf_str(text));
	buf_release(text);
}

static int
compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool
is_shown(const struct side *s, track_id t)
{
	return !s->f || s->f->tracks[t];
}

/* Counts from its file's first event. */
static int64_t
relative(const struct side *s, track_id t, int64_t time)
{
	return time - s->p->group[s->p->track[t].group].start;
}

static void
find_first(struct side *s)
{
	s->first = INT64_MAX;
	for (track_id t = 0; t < s->p->n_tracks; t++) {
		const struct track *x = &s->p->track[t];
		if (is_shown(s, t) && x->has_time && relative(s, t, x->start) < s->first)
			s->first = relative(s, t, x->start);
	}
}

static bool
has_something(const struct side *s, track_id t)
{
	struct slice slice = {0, true, 0, 0, NULL};
	metric_id only = s->f ? s->f->metric : profile_default_metric(s->p);
	bool something = false;

	for (metric_id m = 0; m < s->p->n_metrics && !something; m++) {
		slice.metric = m;
		something = profile_metric_shown(s->p, m) && tally_track(s->p, t, &slice) &&
			    (s->same & SAME_METRICS || m == only);
	}
	return something;
}

static void
tell_track(struct side *s, track_id t)
{
	const struct track *x = &s->p->track[t];
	struct buf text = BUF_INIT;

	if (!(s->same & (SAME_NAMES | SAME_TRACKS)))
		return;
	if (s->same & SAME_NAMES && (x->kind >= TRACK_COUNTER || !has_something(s, t)))
		return;
	buf_adds(&text, "track ");
	profile_write_name(s->p, x->name, &text);
	if (s->same & SAME_TRACKS) {
		buf_addf(&text, "|%s|", track_kind_name((enum track_kind)x->kind));
		profile_write_name(s->p, x->value_unit, &text);
	}
	if (s->same & SAME_EXTENT && x->has_time)
		buf_addf(&text, "|%" PRId64 "|%" PRId64, relative(s, t, x->start) - s->first,
			 relative(s, t, x->end) - s->first);
	line_add(s, &text);
}

static void
tell_points(struct side *s, track_id t, const struct series *points)
{
	struct event e;

	for (uint64_t i = 0; series_event(points, i, &e); i++) {
		int64_t time = relative(s, t, e.time);
		struct buf text = BUF_INIT;
		double v = (double)e.value;
		if (s->f && !s->f->whole && (time < s->f->from || time >= s->f->to))
			continue;
		if (points->floating)
			memcpy(&v, &e.value, sizeof v);
		profile_write_name(s->p, s->p->track[t].name, &text);
		buf_addf(&text, "|%.6g", s->p->track[t].kind == TRACK_MARKS ? 0 : v);
		if (s->same & SAME_EXTENT)
			buf_addf(&text, "|%" PRId64, time - s->first);
		line_add(s, &text);
	}
}

/* Steps of other metrics are not calls in a format with one metric. */
static bool
has_calls(const struct side *s, track_id t)
{
	const struct track *x = &s->p->track[t];

	for (uint32_t i = 0; i < x->n_series; i++)
		for (unsigned m = 0; m < x->series[i]->n_metrics; m++)
			if (x->series[i]->kind == SERIES_STEPS &&
			    (!s->f || s->same & SAME_METRICS ||
			     x->series[i]->metric[m] == s->f->metric))
				return true;
	return false;
}

static void
tell_calls(struct side *s)
{
	struct slice slice = {0, true, 0, 0, s->f ? s->f->tracks : NULL};
	struct callstats c = {0};

	callstats_compute(s->p, &slice, &c, NULL);
	for (uint32_t i = 0; i < c.n; i++) {
		const struct callstats_row *r = &c.at[i];
		struct buf text = BUF_INIT;
		if (!has_calls(s, r->track))
			continue;
		buf_adds(&text, "calls ");
		profile_write_name(s->p, s->p->frames.function.name[r->function], &text);
		buf_addc(&text, '|');
		profile_write_name(s->p, s->p->track[r->track].name, &text);
		buf_addf(&text, "|%" PRId64 "|%x", r->calls, r->has);
		for (unsigned k = 0; k < CALL_TIMES * CALL_NUMBERS; k++)
			if (r->has & 1u << k)
				buf_addf(&text, "|%" PRId64,
					 r->value[k / CALL_NUMBERS][k % CALL_NUMBERS]);
		line_add(s, &text);
	}
	callstats_release(&c);
}

static void
tell(struct side *s)
{
	find_first(s);
	for (track_id t = 0; t < s->p->n_tracks; t++) {
		const struct track *x = &s->p->track[t];
		if (!is_shown(s, t))
			continue;
		tell_track(s, t);
		for (uint32_t i = 0; s->same & SAME_POINTS && i < x->n_series; i++)
			if (x->series[i]->kind == SERIES_POINTS)
				tell_points(s, t, x->series[i]);
	}
	if (s->same & SAME_CALLS)
		tell_calls(s);
	if (!s->out.v.n)
		return;
	qsort(s->out.v.at, s->out.v.n, sizeof *s->out.v.at, compare);
	/* if names identify tracks, two tracks of one name are one */
	size_t n = 1;
	for (size_t i = 1; i < s->out.v.n; i++)
		if (s->same & SAME_NAMES && !strcmp(s->out.v.at[i], s->out.v.at[n - 1]))
			free(s->out.v.at[i]);
		else
			s->out.v.at[n++] = s->out.v.at[i];
	s->out.v.n = n;
}

void
check_same_tracks(const char *what, const struct profile *p, const struct fold *f,
		  const struct profile *again, unsigned same)
{
	struct side side[2] = {{.p = p, .f = f, .same = same}, {.p = again, .same = same}};
	size_t i = 0;

	tell(&side[0]);
	tell(&side[1]);
	while (i < side[0].out.v.n && i < side[1].out.v.n &&
	       !strcmp(side[0].out.v.at[i], side[1].out.v.at[i]))
		i++;
	ck_assert_msg(i == side[0].out.v.n && i == side[1].out.v.n, "%s: written: %s, read: %s",
		      what, i < side[0].out.v.n ? side[0].out.v.at[i] : "nothing",
		      i < side[1].out.v.n ? side[1].out.v.at[i] : "nothing");
	for (unsigned k = 0; k < 2; k++) {
		for (i = 0; i < side[k].out.v.n; i++)
			free(side[k].out.v.at[i]);
		vec_release(&side[k].out.v);
	}
}
