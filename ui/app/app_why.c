/* app_why.c - the key that shows the critical path of the selected thread, and hides it again.
 *
 * The thread is that of the timeline's cursor, or of the call or moment that was shown last. In a
 * profile with one such thread no selection is needed. */
#include "ui/app/app_inside.h"

#include <string.h>

#include "ui/app/app_actions.h"
#include "ui/app/app_front.h"

/* Returns the actor with states on that track; ACTOR_NONE if there is none. */
static actor_id
actor_on(const struct profile *p, track_id track)
{
	for (actor_id i = 0; i < p->n_actors; i++)
		if (p->actor[i].n && p->actor[i].track == track)
			return i;
	return ACTOR_NONE;
}

/* Returns the selected thread, or the only one. */
static actor_id
chosen_actor(const struct app *a)
{
	const struct profile *p = a->look.loaded;
	track_id track = a->nav.window_to ? a->nav.window_track
			 : a->nav.to	  ? a->nav.track
					  : TRACK_NONE;
	actor_id only = ACTOR_NONE;
	unsigned n = 0;
	if (track < p->n_tracks)
		only = actor_on(p, track);
	for (actor_id i = 0; only == ACTOR_NONE && i < p->n_actors; i++)
		n += p->actor[i].n > 0;
	for (actor_id i = 0; n == 1 && i < p->n_actors; i++)
		if (p->actor[i].n)
			only = i;
	return only;
}

/* Shows the path of an actor, or with ACTOR_NONE what was recorded. A path has tracks and a metric
 * of its own, so those of the lens do not apply to it. */
static void
show_path(struct app *a, actor_id actor)
{
	const struct profile *p = a->look.loaded;
	struct buf pattern = BUF_INIT;
	struct lens l;
	struct err e;
	bool had = actor == ACTOR_NONE;
	err_init(&e);
	lens_copy(&l, &a->look.lens);
	for (size_t i = l.entries.n; i-- > 0;)
		if (l.entries.at[i].verb == VERB_TRACK)
			lens_remove(&l, i);
	lens_set_metric(&l, NULL);
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
	show_path(ctx, (actor_id)id);
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
			if (!p->actor[i].n || (p->actor[i].track == TRACK_NONE) != apart)
				continue;
			buf_reset(&name);
			profile_show_name(p, p->actor[i].name, &name);
			menu_add(&a->front.menu, (int)i, 0, buf_str(&name), NULL);
		}
	buf_release(&name);
}

static void
why(struct app *a)
{
	actor_id actor = chosen_actor(a);
	bool any = false;
	for (actor_id i = 0; i < a->look.loaded->n_actors; i++)
		any |= a->look.loaded->actor[i].n > 0;
	if (a->look.lens.why || actor != ACTOR_NONE)
		show_path(a, a->look.lens.why ? ACTOR_NONE : actor);
	else if (any)
		menu_threads(a);
	else
		app_fault(a, "why: the file has no states of threads; record them with pnav record "
			     "--why, perf sched record or trace-cmd record -e sched");
}

const struct app_action app_why_actions[] = {
	{ACTION_WHY, why},
	{ACTION_NONE, NULL},
};
