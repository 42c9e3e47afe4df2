/* app_rows.c - shows only the rows of a table that match.
 *
 * This narrows one view only: the lens, its numbers and all other views stay as they are.  The
 * table follows each character of the pattern; Esc restores the previous rows. */
#include <string.h>

#include "ui/app/app_actions.h"
#include "ui/app/app_draw.h"
#include "ui/app/app_front.h"

static void
app_narrow(struct app *a, struct pattern *p)
{
	a->open.view->set_row_filter(app_view_state(a, a->open.view), p);
}

static bool
narrow_to(struct app *a, struct prompt *prompt, const char *text)
{
	struct pattern *p = NULL;
	struct err e;
	err_init(&e);
	if (*text && !(p = pattern_new(text, strlen(text), &e))) {
		prompt_note(prompt, true, "%s", e.text);
		return false;
	}
	app_narrow(a, p);
	return true;
}

static void
app_changed(void *ctx, struct prompt *p, const char *text)
{
	struct app *a = ctx;
	nav_back(&a->nav, &a->asked.from, a->look.fold, a->scene.p);
	if (narrow_to(a, p, text))
		app_arrange(a);
}

static void
app_rows_forget(struct app *a)
{
	pattern_unref(a->asked.rows_before);
	a->asked.rows_before = NULL;
}

static bool
done(void *ctx, struct prompt *p, const char *text)
{
	struct app *a = ctx;
	if (!narrow_to(a, p, text))
		return false;
	app_rows_forget(a);
	return true;
}

static void
cancelled(void *ctx)
{
	struct app *a = ctx;
	app_narrow(a, a->asked.rows_before);
	a->asked.rows_before = NULL;
	nav_back(&a->nav, &a->asked.from, a->look.fold, a->scene.p);
}

static const struct prompt_hooks hooks = {
	.changed = app_changed,
	.done = done,
	.cancelled = cancelled,
};

static void
ask_rows(struct app *a)
{
	if (!a->open.view->set_row_filter) {
		app_say(a, "f keeps the rows that match in a table: 3, or the list of calls: 7 o");
		return;
	}
	struct pattern *now = a->open.view->row_filter(app_view_state(a, a->open.view));
	app_rows_forget(a);
	a->asked.rows_before = now ? pattern_ref(now) : NULL;
	nav_hold(&a->nav, &a->asked.from);
	app_prompt(a, "only rows with: ", now ? pattern_text(now) : "", &hooks, ASKED_ROWS);
}

const struct app_action app_rows_actions[] = {
	{ACTION_ROWS, ask_rows},
	{ACTION_FILES_ROWS, ask_rows},
	{ACTION_NONE, NULL},
};
