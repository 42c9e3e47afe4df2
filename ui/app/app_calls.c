/* app_calls.c - the limit of the list of calls.  The limit is not part of the lens, because it
 * chooses rows of one table, as a sort order does. */
#include "ui/app/app_calls.h"

#include "ui/app/app_actions.h"
#include "ui/app/app_draw.h"
#include "ui/app/app_front.h"

bool
app_calls_over(struct app *a, const char *length, struct err *e)
{
	struct moment m = {.kind = MOMENT_OPEN};
	int64_t over;

	if ((*length && !moment_parse(length, &m, e)) || !lens_length(m, a->scene.p, &over, e))
		return false;
	slowest_over(&a->slowest, over);
	if (*length) { /* show the list, so that the user sees the calls over the limit */
		app_open_view(a, view_named("calls"));
		app_arrange(a);
		a->open.view->act(app_view_ready(a), &a->scene,
				  ACTION_CALLS_OVER);
	}
	app_say(a, *length ? "the calls over %s; :over alone shows all"
			   : "the list of calls: of any duration%s",
		length);
	return true;
}

static bool
over_done(void *ctx, struct prompt *p, const char *text)
{
	struct err e;

	err_init(&e);
	if (app_calls_over(ctx, text, &e))
		return true;
	prompt_note(p, true, "%s", e.text);
	return false;
}

static const struct prompt_hooks over_hooks = {.done = over_done};

static void
ask_over(struct app *a)
{
	app_prompt(a, "calls over: ", "", &over_hooks, ASKED_LENGTH);
	prompt_note(&a->front.prompt, false, "a time, as 3ms; empty: calls of any duration");
}

const struct app_action app_calls_actions[] = {
	{ACTION_CALLS_OVER, ask_over},
	{ACTION_NONE, NULL},
};
