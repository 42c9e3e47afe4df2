/* builder_joinable.c - decides whether a part of a file can be joined (builder_join.h).
 *
 * A part can be joined if its decoder did nothing but look up names, frames and stacks, and append
 * to totals and samples of metrics that the whole has. Everything else belongs to the decoder of
 * the whole: what it writes into the profile may depend on all that precedes. Limits are compared
 * with bounds, so parts near a limit are left to it, too. */
#include "model/build/builder_joint.h"

#include "model/build/builder_join.h"

/* ---- metrics ---- */

/* Returns the metric of the whole for a part's metric of a series; false if there is none with the
 * same meaning. */
static bool
metric_in_whole(const struct joint *j, metric_id m, metric_id *out)
{
	const struct builder *b = j->whole;
	const struct profile *p = j->part->p;
	const struct metric *x = &p->metric[m];

	if (m == p->events_metric && !p->events_shown) {
		*out = builder_events_counted(b);
		return true;
	}
	struct name text = names_get(&p->names, x->name);
	name_id name = names_find(&b->p->names, text.at, text.len);
	for (metric_id i = 0; i < b->n_own && i < b->p->n_metrics; i++) {
		const struct metric *y = &b->p->metric[i];
		if (b->own[i].role != j->part->own[m].role || y->name != name ||
		    y->unit != x->unit)
			continue;
		*out = i;
		return b->own[i].role != BUILDER_NO_ROLE && y->decimals == x->decimals &&
		       !b->own[i].whole;
	}
	return false;
}

static bool
metrics_fit(struct joint *j)
{
	const struct profile *p = j->part->p;

	for (metric_id m = 0; m < p->n_metrics; m++) {
		metric_id known;
		if (!metric_in_whole(j, m, &known))
			return false;
		if (m < j->metric.n) {
			if (j->metric.at[m] != known)
				return false;
			continue;
		}
		*vec_push(&j->metric) = known;
		*vec_push(&j->weight) = 0;
	}
	return true;
}

/* ---- sums and times ---- */

/* A part has exact weights only if it began with them: see weigh_all(). */
static bool
joined_sums_fit(const struct joint *j)
{
	const struct profile *to = j->whole->p, *from = j->part->p;
	int64_t sum;

	if (!to->weight != !from->weight)
		return false;
	if (!to->weight)
		return !j->whole->pending.full &&
		       to->bound + (from->bound - j->bound) < PENDING_BOUND / 2;
	for (metric_id m = 0; m < j->metric.n; m++)
		if (j->metric.at[m] != METRIC_NONE &&
		    __builtin_add_overflow(to->weight[j->metric.at[m]],
					   from->weight[m] - j->weight.at[m], &sum))
			return false;
	return true;
}

static bool
times_fit(const struct joint *j)
{
	const struct group *to = &j->whole->p->group[j->whole->group];
	const struct group *from = &j->part->p->group[0];
	int64_t start = from->start, end = from->end, span;

	if (to->axis != from->axis)
		return false;
	if (!from->has_time)
		return true;
	start = to->has_time && to->start < start ? to->start : start;
	end = to->has_time && to->end > end ? to->end : end;
	return end < INT64_MAX - 1 && !__builtin_sub_overflow(end, start, &span) &&
	       span < TIME_SPAN_MAX - 1;
}

/* ---- tracks ---- */

static bool
series_fits(const struct joint *j, const struct series *s)
{
	bool exact = j->part->p->weight != NULL, counts = false;

	if (s->labelled || s->derived || s->pending)
		return false;
	if (s->kind != SERIES_TOTALS && (s->kind != SERIES_SAMPLES || exact))
		return false; /* an appended sample is weighed then */
	for (unsigned m = 0; m < s->n_metrics; m++) {
		counts |= s->role[m] == ROLE_EVENTS;
		if (s->part[m] != PART_ALL)
			return false;
	}
	return counts;
}

/* Returns true if a track is new, or lies in the whole as it does in the part. */
static bool
track_fits(const struct joint *j, const struct track *t)
{
	struct builder *b = j->whole;
	const struct profile *p = j->part->p;
	struct name text = names_get(&p->names, t->name);
	name_id name = names_find(&b->p->names, text.at, text.len);
	track_id known = name == UINT32_MAX ? TRACK_NONE : builder_track_of(b, name);

	if (t->n_value_names || t->value_unit != NAME_EMPTY || t->recorded_ns)
		return false;
	if (known == TRACK_NONE)
		return true;
	const struct track *to = &b->p->track[known];
	if (to->kind != t->kind || (to->under == PROCESS_NONE) != (t->under == PROCESS_NONE))
		return false;
	if (t->under == PROCESS_NONE)
		return true;
	struct name under = names_get(&p->names, p->process[t->under].name);
	return b->p->process[to->under].name == names_find(&b->p->names, under.at, under.len);
}

static bool
tracks_fit(const struct joint *j)
{
	const struct profile *p = j->part->p;

	for (track_id t = 0; t < p->n_tracks; t++) {
		const struct track *track = &p->track[t];
		size_t known = t < j->track.n ? j->track.at[t].series.n : 0;
		if (t >= j->track.n &&
		    (builder_track_of(j->part, track->name) != t || !track_fits(j, track)))
			return false; /* names are the keys of tracks */
		for (size_t i = known; i < track->n_series; i++)
			if (!series_fits(j, track->series[i]))
				return false;
	}
	return true;
}

/* ---- everything else ---- */

static bool
processes_fit(const struct profile *p)
{
	for (process_id i = 0; i < p->n_processes; i++)
		if (p->process[i].outside)
			return false;
	return true;
}

/* Returns true if the part has nothing but names, frames, stacks and events. */
static bool
only_records(const struct joint *j)
{
	const struct builder *b = j->part;
	const struct profile *p = b->p;

	return !p->n_warnings && !p->n_info && !p->n_actors && !p->n_edges && !p->why &&
	       !p->n_module_files && !p->n_module_ranges && !p->n_attachments &&
	       !p->frames.address && !p->has_call_edges && !p->points && !p->names.n_cut &&
	       p->labels.n_sets <= 1 && !p->labels.n_labels && p->charset == CHARSET_LATIN1 &&
	       !b->n_missing && !b->n_odd && !b->deep && !b->n_pairs && !p->stated.n_blocks &&
	       !p->recorded.n && !p->group[0].step && !p->group[0].has_clock && processes_fit(p);
}

static bool
carried_fit(const struct joint *j)
{
	const struct carried *to = &j->whole->carried, *from = &j->part->carried;

	for (unsigned i = 0; i < CARRIED_COUNTS; i++)
		if (to->begins >> i & 1 && from->count[i] && !to->count[i])
			return false;
	return !from->odd && !to->whole;
}

bool
builder_takes_parts(const struct builder *b)
{
	return !b->alike.n || !b->p->frames.function.module;
}

/* Returns true if the functions of several files are unified without further names. */
static bool
functions_fit(const struct joint *j)
{
	return !j->whole->alike.n || !j->part->p->frames.function.module;
}

bool
builder_joinable(struct joint *j)
{
	return carried_fit(j) && only_records(j) && functions_fit(j) && metrics_fit(j) &&
	       joined_sums_fit(j) && times_fit(j) && tracks_fit(j) &&
	       j->whole->p->stacks.n + (uint64_t)j->part->p->stacks.n < STACK_MAX;
}
