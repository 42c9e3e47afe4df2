/* path.c - see path.h.
 *
 * The walk follows the states of one thread. A wait that thread U ended is the same walk over the
 * states of U, below one more frame. Its depth is limited, so it recurses. Pieces with the same
 * stack become one step.
 *
 * Rejected: cutting the states at the ends of the lens's range. The path would have to be made
 * again at each step of the scrubber, and for the base of a comparison. */
#include "model/derive/path.h"

#include <stdlib.h>
#include <string.h>

#include "model/base/map.h"
#include "model/base/mem.h"
#include "model/base/sum.h"
#include "model/derive/path_actors.h"
#include "model/picture/layout.h"
#include "model/profile/series.h"

#define CAUSES_LISTED 8u

/* The slices of an actor, or its samples. */
struct runs {
	bool known;
	const struct series *slices, *samples; /* or NULL */
	struct layout_lane lane;               /* of the samples */
	frame_id waited;                       /* the frame `[waits for NAME]`, UINT32_MAX */
};

/* The stack `stack` below `above`. */
struct joined {
	stack_id above, stack, to;
};

struct pathway {
	const struct profile *p;
	struct profile *out;
	struct pace *pace;
	struct layout layout;
	struct path_actors actors;
	struct runs *runs; /* [actor] */
	metric_id samples; /* of samples that say what runs */
	frame_id running, wants, waits, device, unknown;
	struct map joined_map;
	VEC(struct joined) joined;
	struct series *to;
	struct series_scratch scratch;
	stack_id last;
};

/* A part of a walk: [from, to), below a stack with `waits` frames of waits. */
struct path_part {
	const struct actor *actor;
	int64_t from, to;
	stack_id above;
	unsigned waits;
};

/* ---- stacks ---- */

static frame_id
frame_named(struct profile *out, const char *name, size_t len, enum kind kind)
{
	struct function f = {.name = names_put(&out->names, name, len), .kind = (uint8_t)kind};

	return frames_put(&out->frames, frames_function(&out->frames, f), line_unknown());
}

static frame_id
bracket_frame(struct profile *out, const char *name)
{
	return frame_named(out, name, strlen(name), KIND_SYSTEM);
}

/* Returns the stack of a frame called from `parent`; without room for stacks, the parent. */
static stack_id
path_child(struct pathway *w, stack_id parent, frame_id frame)
{
	stack_id s = stacks_child(&w->out->stacks, parent, frame);

	return s == STACK_NONE ? parent : s;
}

static stack_id
join(struct pathway *w, stack_id above, stack_id stack)
{
	const struct stacks *t = &w->out->stacks;
	VEC(frame_id) frame = VEC_INIT;
	stack_id to = above;

	for (stack_id s = stack; s != STACK_EMPTY; s = t->parent[s])
		*vec_push(&frame) = t->frame[s];
	while (frame.n)
		to = path_child(w, to, frame.at[--frame.n]);
	vec_release(&frame);
	return to;
}

/* Returns the stack with the frames of `stack` below those of `above`. */
static stack_id
joined_below(struct pathway *w, stack_id above, stack_id stack)
{
	uint64_t hash = map_hash_pair(above, stack);
	uint32_t slot, i;

	if (stack == STACK_EMPTY)
		return above;
	slot = map_first(&w->joined_map, hash);
	while (map_probe(&w->joined_map, &slot, hash, &i))
		if (w->joined.at[i].above == above && w->joined.at[i].stack == stack)
			return w->joined.at[i].to;
	stack_id to = join(w, above, stack);
	map_insert(&w->joined_map, hash, (uint32_t)w->joined.n);
	*vec_push(&w->joined) = (struct joined){above, stack, to};
	return to;
}

static frame_id
waits_for(struct pathway *w, actor_id by)
{
	struct buf name = BUF_INIT;
	struct name of = names_get(&w->p->names, w->p->actor[by].name);

	if (w->runs[by].waited == UINT32_MAX) {
		buf_adds(&name, "[waits for ");
		buf_add(&name, of.at, of.len);
		buf_addc(&name, ']');
		w->runs[by].waited = frame_named(w->out, buf_str(&name), name.len, KIND_SYSTEM);
		buf_release(&name);
	}
	return w->runs[by].waited;
}

/* ---- slices and samples ---- */

static struct runs *
runs_of(struct pathway *w, const struct actor *a)
{
	struct runs *r = &w->runs[a - w->actors.at];
	const struct track *t = a->track == TRACK_NONE ? NULL : &w->p->track[a->track];

	if (r->known)
		return r;
	r->known = true;
	for (uint32_t i = 0; t && i < t->n_series; i++) {
		const struct series *s = t->series[i];
		if (s->kind == SERIES_STEPS && s->sorted && s->n && !r->slices)
			r->slices = s;
		if (s->kind == SERIES_SAMPLES && s->sorted && s->n && !s->derived && !r->samples &&
		    series_metric(s, w->samples) >= 0)
			r->samples = s;
	}
	if (r->samples) {
		r->lane.series = r->samples;
		layout_lane_look(&w->layout, w->p, &r->lane, w->samples);
	}
	return r;
}

/* Returns the stack of the series at a time, and sets *until to its end, at most `to`. */
static stack_id
stack_at(const struct series *s, const struct layout_lane *lane, int64_t time, int64_t to,
	 int64_t *until)
{
	uint64_t i = series_find(s, time);
	struct event e;

	*until = to;
	if (!series_event(s, i, &e) || e.time > time) {
		if (i < s->n && e.time < to)
			*until = e.time;
		if (!i--)
			return STACK_EMPTY;
		series_event(s, i, &e);
	} else { /* the last of those at this time */
		struct event next;
		while (series_event(s, i + 1, &next) && next.time == time) {
			e = next;
			i++;
		}
		if (series_event(s, i + 1, &next) && next.time < to)
			*until = next.time;
	}
	int64_t end = lane ? layout_event_end(lane, i, &e) : e.end;
	if (end <= time)
		return STACK_EMPTY;
	*until = end < *until ? end : *until;
	return e.stack & STEP_STACK;
}

/* ---- the walk ---- */

static void
path_add_step(struct pathway *w, int64_t time, stack_id stack)
{
	if (stack == w->last && w->to->n)
		return;
	series_add_step(w->to, &w->scratch, time, stack, 0);
	w->last = stack;
}

static void path_walk(struct pathway *w, struct path_part part);

static bool
is_in_scheduler(const struct profile *p, stack_id stack)
{
	struct function fn =
		frames_get_function(&p->frames, p->frames.frame.function[p->stacks.frame[stack]]);
	struct name name = names_get(&p->names, fn.name);
	size_t skip = name.len > 2 && !memcmp(name.at, "__", 2) ? 2 : 0;

	return fn.kind == KIND_SYSTEM && name.len - skip == strlen("schedule") &&
	       !memcmp(name.at + skip, "schedule", name.len - skip);
}

/* Every wait ends in the scheduler; its caller shows where the thread waits. */
static stack_id
without_scheduler(const struct profile *p, stack_id stack)
{
	while (stack != STACK_EMPTY && p->stacks.parent[stack] != STACK_EMPTY &&
	       is_in_scheduler(p, stack))
		stack = p->stacks.parent[stack];
	return stack;
}

/* Returns the stack that the thread had when it began to wait: that of a sample of another event at
 * this moment, as the scheduler's switches are, or STACK_EMPTY. */
static stack_id
waiting_stack(const struct pathway *w, const struct actor *a, int64_t time)
{
	const struct track *t = a->track == TRACK_NONE ? NULL : &w->p->track[a->track];
	struct event e;

	for (uint32_t i = 0; t && i < t->n_series; i++) {
		const struct series *s = t->series[i];
		if (s->kind == SERIES_SAMPLES && s->sorted && s->n &&
		    series_metric(s, w->samples) < 0 &&
		    series_event(s, series_find(s, time), &e) && e.time == time)
			return without_scheduler(w->p, e.stack & STEP_STACK);
	}
	return STACK_EMPTY;
}

/* Puts a part in which the state does not change, and neither do the slices. `next` is the index of
 * the state that ends it. */
static void
put_part(struct pathway *w, struct path_part part, uint32_t next)
{
	const struct actor *a = part.actor;
	actor_id by = ACTOR_NONE, self = (actor_id)(a - w->actors.at);
	bool known;

	switch (next ? actor_state(a, next - 1) : ACTOR_UNKNOWN) {
	case ACTOR_UNKNOWN:
		path_add_step(w, part.from, path_child(w, part.above, w->unknown));
		return;
	case ACTOR_RUNNABLE:
		path_add_step(w, part.from, path_child(w, part.above, w->wants));
		return;
	case ACTOR_RUNNING:
		path_add_step(w, part.from, part.above);
		return;
	case ACTOR_WAITING:
	case ACTOR_IO:
		break;
	}
	if (next < a->n && !actor_woken(a, next, &by))
		by = ACTOR_NONE;
	known = by != ACTOR_NONE;
	if (known && by != self && part.waits < PATH_WAITS_MAX) {
		part.above = path_child(w, part.above, waits_for(w, by));
		part.actor = &w->actors.at[by];
		part.waits++;
		path_walk(w, part);
		return;
	}
	bool io = !known && actor_state(a, next - 1) == ACTOR_IO;
	stack_id wait = path_child(w, part.above, io ? w->device : w->waits);
	path_add_step(w, part.from,
		      joined_below(w, wait, waiting_stack(w, a, actor_time(a, next - 1))));
}

/* Cuts a part at the slices or samples. */
static void
cut_part(struct pathway *w, struct path_part part, uint32_t next)
{
	const struct actor *a = part.actor;
	const struct runs *r = runs_of(w, a);
	bool running = next && actor_state(a, next - 1) == ACTOR_RUNNING;
	const struct series *s = r->slices ? r->slices : running ? r->samples : NULL;
	stack_id above = part.above;
	int64_t to = part.to;

	while (part.from < to && pace_on(w->pace, 1)) {
		stack_id stack = STACK_EMPTY;
		part.to = to;
		if (s)
			stack = stack_at(s, r->slices ? NULL : &r->lane, part.from, to, &part.to);
		part.above = joined_below(w, above, stack);
		if (running && stack == STACK_EMPTY)
			part.above = path_child(w, above, w->running);
		put_part(w, part, next);
		part.from = part.to;
	}
}

static void
path_walk(struct pathway *w, struct path_part part)
{
	const struct actor *a = part.actor;
	uint32_t next = actor_find(a, part.from);
	int64_t to = part.to;

	while (part.from < to && pace_on(w->pace, 1)) {
		part.to = next < a->n && actor_time(a, next) < to ? actor_time(a, next) : to;
		if (part.from < part.to)
			cut_part(w, part, next);
		part.from = part.to;
		next++;
	}
}

/* ---- the profile ---- */

static bool
is_meant(const struct profile *p, const struct actor *a, struct pattern *why, bool flows)
{
	return path_actors_can(a, flows) &&
	       pattern_matches_name(why, &p->names, a->name) != pattern_negated(why);
}

/* Makes `time` the only metric. */
static metric_id
only_time(struct profile *out)
{
	name_id name = names_put(&out->names, "time", strlen("time"));
	metric_id time = METRIC_NONE;

	for (metric_id m = 0; m < out->n_metrics; m++) {
		struct metric *x = &out->metric[m];
		if (x->name == name && x->role == ROLE_TIME && x->unit == UNIT_NS)
			time = m;
		else
			x->unused = m != out->events_metric;
	}
	if (time == METRIC_NONE) {
		vec_room(out->metric, out->metrics_cap, out->n_metrics + 1);
		time = out->n_metrics++;
		out->metric[time] =
			(struct metric){.name = name, .unit = UNIT_NS, .role = ROLE_TIME};
	}
	out->metric[time].unused = false;
	out->events_shown = false;
	out->default_metric = time;
	out->calls_metric = out->lines_metric = METRIC_NONE;
	return time;
}

/* Returns a profile with all tables of p but without events. */
static struct profile *
branch_empty(const struct profile *p)
{
	struct profile *out = profile_branch(p);

	for (track_id i = 0; i < out->n_tracks; i++) {
		free(out->track[i].series);
		free(out->track[i].value_name);
	}
	out->n_tracks = out->n_actors = out->n_edges = 0;
	callrows_release(&out->recorded);
	stated_release(&out->stated);
	out->has_call_edges = out->normalize = false;
	out->events = 0;
	out->points = 0;
	if (out->comparison == COMPARE_TRACKS)
		out->comparison = COMPARE_NOTHING;
	return out;
}

static void
add_path(struct pathway *w, struct path *path, const struct actor *a, metric_id time)
{
	struct profile *out = w->out;
	const struct group *g = &w->p->group[a->group];
	struct name of = names_get(&w->p->names, a->name);
	struct buf name = BUF_INIT;
	struct series *s = series_new(SERIES_STEPS);

	s->track = out->n_tracks;
	s->turns = true;
	series_add_metric(s, out->events_metric, ROLE_EVENTS);
	series_add_metric(s, time, ROLE_TIME);
	*vec_push(&path->own) = s;
	w->to = s;
	w->last = STACK_NONE;
	stack_id root = path_child(w, STACK_EMPTY, frame_named(out, of.at, of.len, KIND_USER));
	path_walk(w, (struct path_part){a, g->start, g->end, root, 0});
	if (s->n)
		s->end_time = g->end;
	buf_adds(&name, "path of ");
	buf_add(&name, of.at, of.len);
	vec_room(out->track, out->tracks_cap, out->n_tracks + 1);
	struct track *t = &out->track[out->n_tracks++];
	*t = (struct track){
		.name = names_put(&out->names, buf_str(&name), name.len),
		.kind = TRACK_THREAD,
		.unit = UNIT_NS,
		.group = a->group,
		.under = PROCESS_NONE,
		.has_time = s->n > 0,
		.start = g->start,
		.end = g->end,
		.events = s->n,
		.series = mem_alloc(1, sizeof *t->series),
		.n_series = 1,
	};
	t->series[0] = s;
	out->events += s->n;
	buf_release(&name);
}

void
path_make(const struct profile *p, struct pattern *why, struct pace *pace, struct path *out)
{
	struct pathway w = {.p = p, .pace = pace};

	*out = (struct path){.p = branch_empty(p)};
	w.out = out->p;
	w.samples = profile_default_metric(p);
	w.running = bracket_frame(w.out, "[running]");
	path_actors_init(&w.actors, p, pace);
	w.wants = bracket_frame(w.out, w.actors.flows ? "[queued]" : "[wants a CPU]");
	w.waits = bracket_frame(w.out, "[waits]");
	w.device = bracket_frame(w.out, "[waits for a device]");
	w.unknown = bracket_frame(w.out, "[unknown]");
	w.runs = mem_zalloc((size_t)p->n_actors + 1, sizeof *w.runs);
	for (actor_id i = 0; i < p->n_actors; i++)
		w.runs[i].waited = UINT32_MAX;
	layout_init(&w.layout);
	map_init(&w.joined_map);
	metric_id time = only_time(w.out);
	for (actor_id i = 0; i < p->n_actors; i++)
		if (is_meant(p, &w.actors.at[i], why, w.actors.flows))
			add_path(&w, out, &w.actors.at[i], time);
	map_release(&w.joined_map);
	vec_release(&w.joined);
	layout_release(&w.layout);
	series_scratch_release(&w.scratch);
	path_actors_release(&w.actors);
	free(w.runs);
}

void
path_release(struct path *path)
{
	for (size_t i = 0; i < path->own.n; i++)
		series_free(path->own.at[i]);
	vec_release(&path->own);
	profile_free(path->p);
	*path = (struct path){.p = NULL};
}

/* ---- which thread ---- */

static bool
no_states(struct err *e)
{
	return err_usage(e, "why: the file has no states of threads; record them with pnav record "
			    "--why, perf sched record or trace-cmd record -e sched");
}

bool
path_fits(const struct profile *p, struct pattern *why, struct err *e)
{
	uint8_t *seen = mem_zalloc((size_t)p->n_groups + 1, 1);
	struct buf found = BUF_INIT;
	unsigned n = 0, states = 0;
	bool several = false, flows = path_actors_are_flows(p);

	for (actor_id i = 0; i < p->n_actors; i++) {
		const struct actor *a = &p->actor[i];
		states += path_actors_can(a, flows);
		if (!is_meant(p, a, why, flows))
			continue;
		several |= seen[a->group]++ > 0;
		if (n++ < CAUSES_LISTED) {
			buf_adds(&found, n > 1 ? ", " : "");
			profile_show_name(p, a->name, &found);
		}
	}
	if (!states)
		no_states(e);
	else if (!n)
		err_usage(e, "why: no thread with states matches '%s'", pattern_text(why));
	else if (several)
		err_usage(e, "why: '%s' matches %u threads: %s%s", pattern_text(why), n,
			  buf_str(&found), n > CAUSES_LISTED ? ", ..." : "");
	buf_release(&found);
	free(seen);
	return states && n && !several;
}
