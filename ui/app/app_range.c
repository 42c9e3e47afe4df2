/* app_range.c - the range and the scrubber: what keys and the mouse do to them.
 *
 * The scrubber says which range an action makes; the lens takes it, so that consecutive
 * steps are undone together (app_change_range()). */
#include "ui/app/app_range.h"

#include "ui/app/app_actions.h"
#include "ui/part/show.h"

bool
app_range_takes(enum action action)
{
	return action_scope(action) == SCOPE_SCRUBBER ||
	       (action >= ACTION_RANGE_START && action <= ACTION_NARROW);
}

void
app_range_act(struct app *a, enum action action)
{
	struct lens l;
	if (show_duration(a->scene.p) <= 0) {
		app_say(a, "no times in this file: there is no range to choose");
		return;
	}
	if ((action == ACTION_RANGE_START || action == ACTION_RANGE_END) &&
	    !a->scrubber.placed) {
		a->scrubber.focus = a->scrubber.placed = true;
		app_say(a,
			"move the cursor on top with the arrows, then [ and ] set the range");
		return;
	}
	lens_copy(&l, &a->look.lens);
	if (!scrubber_act(&a->scrubber, &a->scene, action, &l))
		lens_release(&l);
	else if (action == ACTION_RANGE_CLEAR)
		app_change(a, &l); /* a step of its own: it is the way back to a range */
	else
		app_change_range(a, &l);
}

void
app_range_take(struct app *a)
{
	struct lens l;
	lens_copy(&l, &a->look.lens);
	scrubber_set_range(&a->scrubber, &a->scene, a->nav.from, a->nav.to, &l);
	app_change(a, &l);
}

void
app_range_point(struct app *a, int x, bool drag)
{
	struct lens l;
	lens_copy(&l, &a->look.lens);
	if (scrubber_point(&a->scrubber, &a->scene, x, drag, &l))
		app_change_range(a, &l);
	else
		lens_release(&l);
}

static void
focus(struct app *a)
{
	if (show_duration(a->scene.p) <= 0) {
		app_say(a, "no times in this file: there is no scrubber");
		return;
	}
	a->scrubber.focus = !a->scrubber.focus;
	a->scrubber.placed = true;
}

const struct app_action app_range_actions[] = {
	{ACTION_FOCUS, focus},
	{ACTION_NONE, NULL},
};
