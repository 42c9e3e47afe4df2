/* app_why.c - the key that shows the critical path of the selected thread, and hides it again.
 *
 * A view that has a slice, a wait or a call under its cursor asks for its path by REPLY_WHY. Else
 * the path is that of the range of the lens. The thread is that of the timeline's cursor, or of the
 * call or moment that was shown last. In a profile with one such thread no selection is needed. */
#include "ui/app/app_why.h"

#include <string.h>

#include "model/base/sum.h"
#include "model/derive/path_actors.h"
#include "model/picture/arrows.h"

#include "ui/app/app_actions.h"
#include "ui/app/app_front.h"

static bool
has_path(const struct profile *p, actor_id i)
{
	return i < p->n_actors && path_actors_can(&p->actor[i], path_actors_are_flows(p));
}

/* Returns the actor on that track whose path can be shown; ACTOR_NONE if there is none. */
static actor_id
actor_on(const struct profile *p, track_id track)
{
	for (actor_id i = 0; i < p->n_actors; i++)
		if (p->actor[i].track == track && has_path(p, i))
			return i;
	return ACTOR_NONE;
}

/* Returns the selected thread, or the only one. */
static actor_id
chosen_actor(const struct app *a)
{
	const struct profile *p = a->look.loaded;
	bool open = a->nav.window_to; /* the timeline is the view */
	track_id track = open ? a->nav.window_track : a->nav.to ? a->nav.track : TRACK_NONE;
	actor_id only = ACTOR_NONE;
	unsigned n = 0;
	if (open && has_path(p, a->nav.actor))
		return a->nav.actor;
	if (track < p->n_tracks)
		only = actor_on(p, track);
	if (only != ACTOR_NONE)
		return only;
	for (actor_id i = 0; i < p->n_actors; i++)
		if (has_path(p, i)) {
			n++;
			only = i;
		}
	return n == 1 ? only : ACTOR_NONE;
}

static bool
is_moment(struct moment x, struct moment y)
{
	return x.kind == y.kind && x.value == y.value && x.back == y.back;
}

/* Shows the path of an actor, or with ACTOR_NONE what was recorded, in the range before the path;
 * `range`: in nav's range. A path has tracks and a metric of its own, so those of the lens do not
 * apply to it. */
static void
show_path(struct app *a, actor_id actor, bool range)
{
	const struct profile *p = a->look.loaded;
	struct buf pattern = BUF_INIT;
	struct lens l;
	struct err e;
	bool had = actor == ACTOR_NONE;
	err_init(&e);
	lens_copy(&l, &a->look.now.lens);
	for (size_t i = l.entries.n; i-- > 0;)
		if (l.entries.at[i].verb == VERB_TRACK)
			lens_remove(&l, i);
	lens_set_metric(&l, NULL);
	if (had && is_moment(l.from, a->why.from) && is_moment(l.to, a->why.to)) {
		l.from = a->why.was_from;
		l.to = a->why.was_to;
	}
	struct app_why set = {l.from, l.to, l.from, l.to};
	if (range)
		scrubber_set_range(&a->scrubber, &a->scene, a->nav.from, a->nav.to, &l);
	set.from = l.from;
	set.to = l.to;
	a->why = set;
	buf_addc(&pattern, '=');
	if (!had)
		buf_adds(&pattern, names_get(&p->names, p->actor[actor].name).at);
	lens_set_why(&l, had ? NULL : buf_str(&pattern), &e);
	if (app_change(a, &l) && !had)
		app_say(a, "the path of %s: where its time went", buf_str(&pattern) + 1);
	buf_release(&pattern);
}

static void
thread_chosen(void *ctx, struct menu *m, int id)
{
	(void)m;
	show_path(ctx, (actor_id)id, false);
}

static const struct menu_hooks thread_hooks = {.chosen = thread_chosen};

/* Lists the threads that have states, those with events on a track first. */
static void
menu_threads(struct app *a)
{
	const struct profile *p = a->look.loaded;
	struct buf name = BUF_INIT;
	app_menu(a, "why: the thread whose critical path is shown", &thread_hooks)->searches = true;
	for (int apart = 0; apart < 2; apart++)
		for (actor_id i = 0; i < p->n_actors; i++) {
			if (!has_path(p, i) || (p->actor[i].track == TRACK_NONE) != apart)
				continue;
			buf_reset(&name);
			profile_show_name(p, p->actor[i].name, &name);
			menu_add(&a->front.menu, (int)i, 0, buf_str(&name), NULL);
		}
	buf_release(&name);
}

static void
no_path(struct app *a)
{
	app_fault(a, "why: the file has no states of threads; record them with pnav record --why, "
		     "perf sched record or trace-cmd record -e sched");
}

static void
why(struct app *a)
{
	actor_id actor = chosen_actor(a);
	bool any = false;
	for (actor_id i = 0; i < a->look.loaded->n_actors && !any; i++)
		any = has_path(a->look.loaded, i);
	if (a->look.now.lens.why || actor != ACTOR_NONE)
		show_path(a, a->look.now.lens.why ? ACTOR_NONE : actor, false);
	else if (any)
		menu_threads(a);
	else
		no_path(a);
}

void
app_why_target(struct app *a)
{
	const struct profile *p = a->look.loaded;
	actor_id actor = a->nav.actor;

	if (!has_path(p, actor))
		actor = a->nav.track < p->n_tracks ? actor_on(p, a->nav.track) : ACTOR_NONE;
	if (actor != ACTOR_NONE && path_actors_are_flows(p)) {
		int64_t start = p->group[p->actor[actor].group].start;
		int64_t from = arrows_chain_begin(p, actor, sum_clipped(start, a->nav.from),
						  sum_clipped(start, a->nav.to));
		a->nav.from = difference_clipped(from, start);
	}
	if (actor != ACTOR_NONE)
		show_path(a, actor, true);
	else
		why(a);
}

const struct app_action app_why_actions[] = {
	{ACTION_WHY, why},
	{ACTION_NONE, NULL},
};
