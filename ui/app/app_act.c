/* app_act.c - what keys, the mouse and actions do.
 *
 * An action goes to the scrubber when it is the scrubber's, else to the view, else it is
 * done here.  Keys reach the keymap only when nothing is open in front of the view. */
#include <string.h>

#include "model/human.h"
#include "model/words.h"
#include "ui/app/app_inside.h"
#include "ui/part/show.h"

static void
find(struct app *a, int dir)
{
	if (!a->search.pattern) {
		app_say(a, "nothing was searched yet: / searches");
		return;
	}
	if (!a->view->find(app_view_state(a, a->view), &a->scene, dir))
		app_say(a, a->search.keys ? "no match in this view" : "no match");
}

static void
copy(struct app *a, const struct buf *text)
{
	if (!a->screen->ops->copy ||
	    !a->screen->ops->copy(a->screen, buf_str(text), text->len))
		app_say(a, "%s   (this terminal takes no copies)", buf_str(text));
	else if (a->screen->copy_note)
		app_say(a, "copied: %s   (%s)", buf_str(text), a->screen->copy_note);
	else
		app_say(a, "copied: %s", buf_str(text));
}

/* How the view is set up, where that is not as it begins. */
static void
write_state(const struct app *a, struct buf *out)
{
	struct buf words = BUF_INIT;
	for (size_t i = 0; views[i] && i < VIEWS_MAX; i++) {
		if (views[i] != a->view || !a->states[i] || !views[i]->keep)
			continue;
		buf_addf(&words, "%s ", views[i]->name);
		size_t had = words.len;
		views[i]->keep(a->states[i], &words);
		if (words.len > had) {
			buf_adds(out, " --state ");
			human_shell_word(out, buf_str(&words));
		}
	}
	if (a->scene.chains)
		buf_adds(out, " --chains");
	buf_release(&words);
}

/* The command line that gives this view. */
static void
write_command(const struct app *a, struct buf *out)
{
	buf_adds(out, "pnav");
	if (a->config->command)
		buf_addf(out, " %s", a->config->command);
	for (size_t i = 0; i < a->config->n_options; i++) {
		const struct app_option *o = &a->config->options[i];
		buf_addf(out, " --%s", o->name);
		if (o->value) {
			buf_addc(out, ' ');
			human_shell_word(out, o->value);
		}
	}
	lens_write_options(&a->lens, out);
	if (a->comparing)
		lens_write_base(&a->base, &a->lens, out);
	buf_addf(out, " --view %s", a->view->name);
	write_state(a, out);
	for (size_t i = 0; i < a->config->n_source_dirs; i++) {
		buf_adds(out, " --source-dir ");
		human_shell_word(out, a->config->source_dirs[i]);
	}
	for (size_t i = 0; i < a->config->n_files; i++) {
		buf_adds(out, a->config->files[i][0] == '-' && a->config->files[i][1]
				      ? " -- "
				      : " ");
		human_shell_word(out, a->config->files[i]);
	}
}

static void
invert(struct app *a)
{
	struct lens l;
	lens_copy(&l, &a->lens);
	l.invert = !l.invert;
	app_change(a, &l);
}

static void
cancel(struct app *a)
{
	if (a->comparing) {
		app_compare(a);
	} else if (!a->state.done) {
		a->feed->stop(a->feed->ctx);
		a->paused = false;
		app_say(a, "loading stops; what was read stays");
	} else if (a->search.pattern) {
		search_set(&a->search, NULL);
		search_update(&a->search, a->fold, a->scene.p);
	} else {
		a->scrubber.focus = false;
	}
}

/* Reading goes on meanwhile: a pipe whose reader stops would stop its writer, too. */
static void
pause_or_go_on(struct app *a)
{
	if (!a->paused && a->state.done) {
		app_say(a, "all is read: there is nothing to hold");
		return;
	}
	a->paused = !a->paused;
	app_say(a, a->paused ? "held: reading goes on unseen, p shows it" : "going on");
}

static void
back(struct app *a)
{
	if (a->scrubber.focus)
		a->scrubber.focus = false;
	else if (a->n_before)
		a->view = a->before[--a->n_before];
	else
		a->quit = true;
}

static void
range(struct app *a, enum action action)
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
	lens_copy(&l, &a->lens);
	if (!scrubber_act(&a->scrubber, &a->scene, action, &l))
		lens_release(&l);
	else if (action == ACTION_RANGE_CLEAR)
		app_change(a, &l); /* a step of its own: it is the way back to a range */
	else
		app_change_range(a, &l);
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

static void
suspend(struct app *a)
{
	if (!a->screen->ops->suspend)
		return;
	a->feed->unlock(a->feed->ctx);
	a->screen->ops->suspend(a->screen);
	a->feed->lock(a->feed->ctx);
}

static void
mouse(struct app *a)
{
	a->mouse_on = !a->mouse_on;
	if (a->screen->ops->mouse)
		a->screen->ops->mouse(a->screen, a->mouse_on);
	app_say(a,
		a->mouse_on ? "mouse on" : "mouse off: the terminal selects text again");
}

/* What is not the view's. */
static void
act_here(struct app *a, enum action action)
{
	struct buf text = BUF_INIT;
	switch (action) {
	case ACTION_SEARCH:
		app_ask_search(a);
		break;
	case ACTION_NEXT:
	case ACTION_PREVIOUS:
		find(a, action == ACTION_NEXT ? 1 : -1);
		break;
	case ACTION_FILTER:
		app_ask_filter(a);
		break;
	case ACTION_TRANSFORM:
		app_menu_transform(a);
		break;
	case ACTION_FILTERS:
		app_menu_filters(a);
		break;
	case ACTION_METRIC:
		app_menu_metric(a);
		break;
	case ACTION_TRACKS:
		app_menu_tracks(a);
		break;
	case ACTION_BY:
		app_menu_by(a);
		break;
	case ACTION_SAVE:
		app_menu_save(a);
		break;
	case ACTION_MARKS:
		app_menu_marks(a);
		break;
	case ACTION_PALETTE:
		app_ask_command(a);
		break;
	case ACTION_INVERT:
		invert(a);
		break;
	case ACTION_UNDO:
	case ACTION_REDO:
		app_undo(a, action == ACTION_REDO);
		break;
	case ACTION_FOCUS:
		focus(a);
		break;
	case ACTION_COMPARE:
		app_compare(a);
		break;
	case ACTION_PAUSE:
		pause_or_go_on(a);
		break;
	case ACTION_COPY:
		show_key(&a->scene, a->nav.key, &text);
		copy(a, &text);
		break;
	case ACTION_COPY_COMMAND:
		write_command(a, &text);
		copy(a, &text);
		break;
	case ACTION_EDIT:
		app_edit(a);
		break;
	case ACTION_CHAINS:
		a->scene.chains = !a->scene.chains;
		app_say(a, a->scene.chains ? "flame and tree: frames that only call one other "
					     "share its line"
					   : "flame and tree: each frame for itself");
		break;
	case ACTION_HELP:
		app_help(a);
		break;
	case ACTION_MANUAL:
		app_manual(a);
		break;
	case ACTION_MOUSE:
		mouse(a);
		break;
	case ACTION_CANCEL:
		cancel(a);
		break;
	case ACTION_REDRAW:
		if (a->screen->ops->redraw)
			a->screen->ops->redraw(a->screen);
		break;
	case ACTION_SUSPEND:
		suspend(a);
		break;
	case ACTION_BACK:
		back(a);
		break;
	case ACTION_QUIT:
		a->quit = true;
		break;
	default:
		break;
	}
	buf_release(&text);
}

static bool
is_range(enum action action)
{
	return action_scope(action) == SCOPE_SCRUBBER ||
	       (action >= ACTION_RANGE_START && action <= ACTION_NARROW);
}

/* Makes nav's range the range of the lens: a step of its own in the history. */
static void
take_range(struct app *a)
{
	struct lens l;
	lens_copy(&l, &a->lens);
	scrubber_set_range(&a->scrubber, &a->scene, a->nav.from, a->nav.to, &l);
	app_change(a, &l);
}

/* Does what a view asks for; false when it leaves all to the application. */
static bool
answer(struct app *a, enum reply reply)
{
	switch (reply) {
	case REPLY_PASS:
		return false;
	case REPLY_DONE:
		break;
	case REPLY_STACKS:
		app_open_view(a, views[0]);
		break;
	case REPLY_RANGE:
		take_range(a);
		break;
	case REPLY_MOMENT:
		a->nav.jumps++;
		for (size_t i = 0; views[i]; i++)
			if (views[i]->open == ACTION_VIEW_TIMELINE)
				app_open_view(a, views[i]);
		break;
	}
	return true;
}

void
app_act(struct app *a, enum action action)
{
	for (size_t i = 0; views[i]; i++)
		if (views[i]->open == action) {
			app_open_view(a, views[i]);
			a->scrubber.focus = false;
			return;
		}
	app_arrange(a);
	if (is_range(action) && a->scrubber.focus) {
		range(a, action);
		return;
	}
	if (answer(a, a->view->act(app_view_state(a, a->view), &a->scene, action)))
		return;
	if (is_range(action))
		range(a, action);
	else
		act_here(a, action);
}

void
app_key(struct app *a, uint32_t key)
{
	buf_reset(&a->message);
	if (a->canvas.w < MIN_COLS || a->canvas.h < MIN_ROWS) {
		enum action action = keymap_action(&a->keys, key, SCOPE_ANY, false);
		if (action == ACTION_QUIT || action == ACTION_SUSPEND)
			act_here(a, action);
		return;
	}
	if (a->prompt.open) {
		prompt_key(&a->prompt, key);
		return;
	}
	if (a->menu.open) {
		menu_key(&a->menu, key);
		return;
	}
	if (a->pager.open) {
		/* keys that arrive together are not drawn in between */
		pager_arrange(&a->pager, &a->canvas);
		if (key == '/')
			app_ask_in_pager(a);
		else if (key == 'n' || key == 'N')
			pager_find(&a->pager, buf_str(&a->pager.sought),
				   key == 'n' ? 1 : -1);
		else if (!pager_key(&a->pager, key) && key == 'Q')
			a->quit = true;
		return;
	}
	enum action action =
		keymap_action(&a->keys, key, a->view->scope, a->scrubber.focus);
	if (action == ACTION_NONE) {
		struct buf name = BUF_INIT;
		key_write(key, &name);
		app_say(a, "%s means nothing here; ? lists the keys", buf_str(&name));
		buf_release(&name);
		return;
	}
	app_act(a, action);
}

/* ---- the mouse ---- */

static bool
inside(struct area a, int y)
{
	return y >= a.y && y < a.y + a.h;
}

static void
scrub_with_mouse(struct app *a, int x, bool drag)
{
	struct lens l;
	lens_copy(&l, &a->lens);
	if (scrubber_point(&a->scrubber, &a->scene, x, drag, &l))
		app_change_range(a, &l);
	else
		lens_release(&l);
}

static void
wheel(struct app *a, uint32_t key)
{
	pager_arrange(&a->pager, &a->canvas);
	for (int i = 0; i < 3; i++)
		if (a->pager.open)
			pager_scroll(&a->pager, key == KEYCODE_UP ? -1 : 1);
		else
			app_key(a, key);
}

void
app_mouse(struct app *a, const struct event_in *e)
{
	buf_reset(&a->message);
	if (a->prompt.open || a->canvas.w < MIN_COLS || a->canvas.h < MIN_ROWS)
		return;
	if (e->kind == EVENT_WHEEL) {
		wheel(a, e->key);
		return;
	}
	if (a->menu.open) {
		if (e->kind == EVENT_CLICK)
			menu_click(&a->menu, &a->canvas, e->y, e->x, e->twice);
		return;
	}
	if (a->pager.open)
		return;
	app_arrange(a);
	if (e->kind == EVENT_DRAG) {
		if (a->scrubber.drag_from >= 0)
			scrub_with_mouse(a, e->x, true);
		return;
	}
	a->scrubber.drag_from = -1;
	if (inside(a->at.scrubber, e->y)) {
		scrub_with_mouse(a, e->x, false);
	} else if (inside(a->at.tabs, e->y)) {
		const struct view_ops *v = app_tab_at(a, e->x);
		if (v)
			app_open_view(a, v);
	} else if (inside(a->at.view, e->y)) {
		int y = e->y - a->at.view.y, x = e->x - a->at.view.x;
		void *state = app_view_state(a, a->view);
		answer(a, a->view->click(state, &a->scene, y, x, e->twice));
	}
}
