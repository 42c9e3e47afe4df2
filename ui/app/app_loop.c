/* app_loop.c - the browser's loop: what is read meanwhile, pictures, events.
 *
 * The loop: take over what was loaded meanwhile, arrange, draw into the canvas, give the
 * profile's lock back, show the canvas, wait.  Keys that arrive together are all played
 * before the next picture, so a held key never lags behind.  The lock is held from the
 * event to the end of the drawing and never while the terminal is written to or the user
 * thinks: a slow line does not slow the decoder.
 *
 * An event goes to what stands in front of the view; only when nothing does, a key becomes
 * an action and the mouse finds a part of the screen.  What was chosen in front of the view
 * (a command) is done when the event is over and the prompt has closed. */
#include "ui/app/app.h"

#include <string.h>

#include "ui/app/app_act.h"
#include "ui/app/app_ask.h"
#include "ui/app/app_draw.h"
#include "ui/app/app_front.h"
#include "ui/app/app_inside.h"
#include "ui/app/app_lines.h"
#include "ui/app/app_range.h"
#include "ui/app/app_save.h"
#include "ui/app/config.h"
#include "ui/screen/clock.h"
#include "ui/screen/text.h"

#define PROGRESS_MS 100
#define WHEEL_ROWS 3

/* ---- loading ---- */

static bool
take_over(struct app *a, struct err *e)
{
	bool was_done = a->load.state.done;
	a->load.state = a->feed->state(a->feed->ctx);
	if (a->load.state.done && !was_done && a->load.state.news)
		app_say(a, "%s", a->load.state.news);
	a->facts.done = a->load.state.done;
	a->facts.stopped = a->load.state.stopped;
	a->facts.bytes = a->load.state.bytes;
	a->facts.elapsed_ns = a->load.state.elapsed_ns;
	a->facts.format = a->load.state.format;
	a->facts.title = a->load.state.title;
	bool grown = a->look.generation != a->load.state.generation;
	bool over = a->load.state.done && !a->look.done;
	if (a->load.paused && a->look.fits)
		return true;
	if (a->look.fits && !grown && !over)
		return true;
	if (!over && a->scene.folds && clock_ns() < a->look.next_ns)
		return true;
	/* what is shown may be a preview: it changes as it is typed */
	if (a->look.fits && a->front.prompt.open)
		return app_look(a, &a->look.shown, e);
	return app_look_first(a, e);
}

/* ---- keys ---- */

static void
say_unbound(struct app *a, uint32_t key)
{
	struct buf name = BUF_INIT;
	key_write(key, &name);
	app_say(a, "%s means nothing here; ? lists the keys", buf_str(&name));
	buf_release(&name);
}

/* No picture, nothing to do with it: but there is a way out. */
static void
key_too_small(struct app *a, uint32_t key)
{
	enum action action = keymap_action(&a->keys, key, SCOPE_ANY, false);
	if (action == ACTION_QUIT || action == ACTION_SUSPEND)
		app_act_row(a, action);
}

static void
take_key(struct app *a, uint32_t key)
{
	app_hush(a);
	if (app_too_small(a)) {
		key_too_small(a, key);
		return;
	}
	/* keys that arrive together are not drawn in between */
	modals_arrange(&a->front.stack, &a->canvas);
	if (modals_key(&a->front.stack, key))
		return;
	enum action action =
		keymap_action(&a->keys, key, a->open.view->scope, a->scrubber.focus);
	if (action == ACTION_NONE)
		say_unbound(a, key);
	else
		app_act(a, action);
}

static void
take_text(struct app *a, const char *text)
{
	const char *end = text + strlen(text);
	if (modals_text(&a->front.stack, text))
		return;
	while (text < end)
		take_key(a, text_next(&text, end));
}

/* ---- the mouse ---- */

static bool
inside(struct area a, int y)
{
	return y >= a.y && y < a.y + a.h;
}

static void
take_click(struct app *a, const struct event_in *e)
{
	a->scrubber.drag_from = -1;
	if (inside(a->at.scrubber, e->y)) {
		app_range_point(a, e->x, false);
	} else if (inside(a->at.tabs, e->y)) {
		const struct view_ops *v = app_tab_at(a, e->x);
		if (v)
			app_open_view(a, v);
	} else if (inside(a->at.view, e->y)) {
		int y = e->y - a->at.view.y, x = e->x - a->at.view.x;
		void *state = app_view_state(a, a->open.view);
		app_answer(a, a->open.view->click(state, &a->scene, y, x, e->twice));
	}
}

static void
take_mouse(struct app *a, const struct event_in *e)
{
	app_hush(a);
	if (app_too_small(a))
		return;
	modals_arrange(&a->front.stack, &a->canvas);
	if (modals_mouse(&a->front.stack, e, &a->canvas))
		return;
	if (e->kind == EVENT_WHEEL) {
		for (int i = 0; i < WHEEL_ROWS; i++)
			take_key(a, e->key);
		return;
	}
	app_arrange(a);
	if (e->kind == EVENT_CLICK)
		take_click(a, e);
	else if (a->scrubber.drag_from >= 0)
		app_range_point(a, e->x, true);
}

/* ---- the loop ---- */

static void
handle(struct app *a, const struct event_in *e)
{
	switch (e->kind) {
	case EVENT_NONE:
		break;
	case EVENT_KEY:
		take_key(a, e->key);
		break;
	case EVENT_TEXT:
		take_text(a, e->text);
		break;
	case EVENT_RESIZE:
		canvas_resize(&a->canvas, e->w, e->h);
		break;
	case EVENT_CLICK:
	case EVENT_DRAG:
	case EVENT_WHEEL:
		take_mouse(a, e);
		break;
	case EVENT_END:
		a->quit = true;
		break;
	}
	enum action due = a->due;
	a->due = ACTION_NONE;
	if (due)
		app_act(a, due);
}

/* Is there all that a session may speak of? */
static bool
may_restore(const struct app *a)
{
	const struct app_state *st = &a->load.state;
	return st->done || (st->live && a->look.fits);
}

static bool
loop(struct app *a, struct err *e)
{
	const struct screen_ops *ops = a->screen->ops;
	a->feed->lock(a->feed->ctx);
	while (!a->quit) {
		if (!take_over(a, e) || a->load.state.refused)
			break;
		if (a->load.restore_due && may_restore(a))
			app_restore(a);
		if (a->asked.preview_due)
			app_preview(a);
		a->scene.again = false;
		if (!app_too_small(a))
			app_arrange(a);
		app_draw(a, &a->canvas);
		if (a->scene.again && a->screen->scripted)
			continue; /* a script sees finished screens */
		a->feed->unlock(a->feed->ctx);
		ops->show(a->screen, &a->canvas);
		int wait_ms = a->load.state.done ? -1 : PROGRESS_MS;
		struct event_in in = ops->read(a->screen, a->scene.again ? 0 : wait_ms);
		a->feed->lock(a->feed->ctx);
		while (in.kind != EVENT_NONE && !a->quit) {
			handle(a, &in);
			if (!a->quit)
				in = ops->read(a->screen, 0);
		}
	}
	a->feed->unlock(a->feed->ctx);
	return !err_is_set(e);
}

/* ---- begin and end ---- */

/* The options of the command line come before those of pnavrc: the first that fits wins. */
static void
take_sources(struct app *a, const struct app_config *config)
{
	source_places_init(&a->sources);
	for (size_t i = 0; i < config->n_source_dirs; i++)
		source_places_map(&a->sources, config->source_dirs[i]);
	for (size_t i = 0; config->user && i < config->user->source_dirs.n; i++)
		source_places_map(&a->sources, config->user->source_dirs.at[i]);
	for (size_t i = 0; i < config->n_files; i++)
		source_places_beside(&a->sources, config->files[i]);
}

static void
take_config(struct app *a, const struct config *user)
{
	if (!user)
		return;
	for (size_t i = 0; i < user->binds.n; i++)
		keymap_bind(&a->keys, user->binds.at[i].key, user->binds.at[i].action);
	a->facts.columns = user->columns;
	if (user->faults.lines.n)
		app_fault(a, "%s%s", user->faults.lines.at[0],
			  user->faults.lines.n > 1 ? " (and more)" : "");
}

static void
init(struct app *a, const struct app_config *config, struct profile *p,
     const struct app_feed *feed, struct screen *screen)
{
	int w, h;
	*a = (struct app){
		.config = config,
		.feed = feed,
		.screen = screen,
		.mouse_on = config->mouse,
		.load.restore_due = config->session != NULL,
		.open.view = views[0],
	};
	if (config->view && view_named(config->view))
		a->open.view = view_named(config->view);
	app_look_init(a, config);
	outline_init(&a->outline);
	nav_init(&a->nav);
	search_init(&a->search);
	scrubber_init(&a->scrubber);
	keymap_init(&a->keys);
	take_config(a, config->user);
	app_front_init(a);
	a->scene = (struct scene){
		.p = p,
		.fold = a->look.fold,
		.lens = &a->look.shown,
		.outline = &a->outline,
		.nav = &a->nav,
		.search = &a->search,
		.facts = &a->facts,
		.sources = &a->sources,
	};
	take_sources(a, config);
	screen->ops->size(screen, &w, &h);
	canvas_init(&a->canvas, w, h, screen->ascii);
}

static void
release(struct app *a)
{
	for (size_t i = 0; views[i] && i < VIEWS_MAX; i++)
		if (a->open.states[i])
			views[i]->destroy(a->open.states[i]);
	app_look_release(a);
	app_ask_release(a);
	app_front_release(a);
	marks_release(&a->marks);
	outline_release(&a->outline);
	nav_release(&a->nav);
	search_release(&a->search);
	scrubber_release(&a->scrubber);
	keymap_release(&a->keys);
	buf_release(&a->message.text);
	canvas_release(&a->canvas);
	source_places_release(&a->sources);
}

bool
app_run(const struct app_config *config, struct profile *p, const struct app_feed *feed,
	struct screen *screen, struct err *e)
{
	struct app a;
	init(&a, config, p, feed, screen);
	bool done = loop(&a, e);
	release(&a);
	return done;
}

bool
app_has_view(const char *name)
{
	return view_named(name) != NULL;
}
