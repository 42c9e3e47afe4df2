/* app_views.c - opens views and keeps their states.
 *
 * A view creates its state when it is first opened and keeps it, so the user finds it unchanged.
 * The way back is a list of views, each of them once. */
#include "ui/app/app_inside.h"

#include "ui/app/config.h"

bool
app_colour_by_said(const struct app *a)
{
	return a->hues.by != HUE_AUTO ||
	       (a->config->user && a->config->user->colour_by != HUE_AUTO);
}

void *
app_view_state(struct app *a, const struct view_ops *v)
{
	for (size_t i = 0; views[i] && i < VIEWS_MAX; i++)
		if (views[i] == v) {
			if (!a->open.states[i])
				a->open.states[i] = v->create();
			return a->open.states[i];
		}
	return NULL;
}

void *
app_shown_state(const struct app *a)
{
	for (size_t i = 0; views[i] && i < VIEWS_MAX; i++)
		if (views[i] == a->open.view)
			return a->open.states[i];
	return NULL;
}

void
app_open_view(struct app *a, const struct view_ops *v)
{
	size_t n = 0;
	if (v == a->open.view)
		return;
	a->open.before[a->open.n_before++] = a->open.view;
	for (size_t i = 0; i < a->open.n_before; i++)
		if (a->open.before[i] != v)
			a->open.before[n++] = a->open.before[i];
	a->open.n_before = n;
	a->open.view = v;
}
