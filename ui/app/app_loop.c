/* app_loop.c - the browser's loop: loading, drawing, events.
 *
 * The loop takes over newly loaded data, arranges, draws into the canvas, releases the profile's
 * lock, shows the canvas, and waits.  Keys that arrive together are all handled before the next
 * picture, so a held key never lags behind.  The browser holds the lock from the event to the end
 * of drawing, and never while it writes to the terminal or waits.  So a slow line does not slow the
 * decoder.
 *
 * An event goes to the modal in front of the view.  If there is none, a key becomes an action, and
 * the mouse acts on the part of the screen below it.  A command chosen in a modal runs after the
 * event, when the prompt has closed. */
#include "ui/app/app.h"

#include <stdlib.h>
#include <string.h>

#include "ui/app/app_act.h"
#include "ui/app/app_answers.h"
#include "ui/app/app_ask.h"
#include "ui/app/app_carry.h"
#include "ui/app/app_draw.h"
#include "ui/app/app_filters.h"
#include "ui/app/app_front.h"
#include "ui/app/app_greet.h"
#include "ui/app/app_guide.h"
#include "ui/app/app_hover.h"
#include "ui/app/app_inside.h"
#include "ui/app/app_labels.h"
#include "ui/app/app_odd.h"
#include "ui/app/app_lines.h"
#include "ui/app/app_range.h"
#include "ui/app/app_rest.h"
#include "ui/app/app_save.h"
#include "ui/app/config.h"
#include "ui/app/session.h"
#include "ui/screen/clock.h"
#include "ui/screen/text.h"

#define PROGRESS_MS 100 /* between two pictures of the progress */
#define SOON_MS 4       /* the same when the loading has just begun */
#define PORTION_NS 8000000 /* of a work, at once */
#define FRAME_NS 8000000   /* from a key to its picture, without drawing */
#define AGAIN_NS 250000000
#define UNFINISHED_NS 2000000000
#define WHEEL_ROWS 3
#define RESTLESS_STEPS 7

/* ---- loading ---- */

static bool
take_over(struct app *a, struct err *e)
{
	bool had_news = a->load.state.news != NULL;
	a->load.state = a->loader.state(a->loader.ctx);
	if (a->load.state.news && !had_news)
		app_say(a, "%s", a->load.state.news);
	a->facts.done = a->load.state.done;
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
	if (works_busy(&a->works)) /* the profile has not grown meanwhile */
		return true;
	/* the view is still making its picture: each new fold would restart it, and it would never
	 * end */
	if (a->scene.again && !over && clock_ns() < a->look.next_ns + UNFINISHED_NS)
		return true;
	if (!app_look_grown(a, e))
		return false;
	a->load.greet_due |= over;
	return true;
}

/* ---- keys ---- */

static void
say_unbound(struct app *a, uint32_t key)
{
	struct buf name = BUF_INIT;
	key_write(key, &name);
	app_say(a, "%s has no meaning here; ? lists the keys", buf_str(&name));
	buf_release(&name);
}

/* The screen is too small for a picture and its keys, but the user can still quit. */
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
	a->open.fits_profile = false;
	a->touched = true;
	app_hush(a);
	app_labels_forget(a);
	if (app_too_small(a)) {
		key_too_small(a, key);
		return;
	}
	/* keys that arrive together are not drawn one by one */
	modals_arrange(&a->front.stack, &a->canvas);
	if (app_guide_menu_key(a, key) || modals_key(&a->front.stack, key) ||
	    app_guide_key(a, key))
		return;
	enum action action =
		keymap_action(&a->keys, key, a->open.view->scope, a->scrubber.focus);
	if (action == ACTION_NONE)
		say_unbound(a, key);
	else
		app_act(a, action);
}

static void
app_take_text(struct app *a, const char *text)
{
	const char *end = text + strlen(text);
	if (modals_text(&a->front.stack, text))
		return;
	while (text < end)
		take_key(a, text_next(&text, end));
}

static void
take_paste(struct app *a, const char *text)
{
	a->open.fits_profile = false;
	app_hush(a);
	if (app_too_small(a))
		return;
	modals_arrange(&a->front.stack, &a->canvas);
	if (!modals_text(&a->front.stack, text))
		app_say(a, "pasted text is ignored: only a prompt takes text (/ searches)");
}

/* ---- the mouse ---- */

static bool
app_loop_inside(struct area a, int y)
{
	return y >= a.y && y < a.y + a.h;
}

static void
take_click(struct app *a, const struct event_in *e)
{
	app_draw(a, &a->canvas); /* several events may precede the next picture */
	enum action action = (enum action)canvas_link_at(&a->canvas, e->y, e->x);
	if (action != ACTION_NONE) {
		app_act(a, action);
		return;
	}
	if (app_loop_inside(a->at.scrubber, e->y)) {
		app_range_point(a, e->x, false);
	} else if (app_loop_inside(a->at.tabs, e->y)) {
		const struct view_ops *v = app_tab_at(a, e->x);
		if (v)
			app_open_view(a, v);
	} else if (app_loop_inside(a->at.view, e->y) && e->x < a->at.view.x + a->at.view.w) {
		int y = e->y - a->at.view.y, x = e->x - a->at.view.x;
		void *state = app_view_ready(a);
		a->drag_in_view = true;
		app_answer(a, a->open.view->click(state, &a->scene, y, x, e->twice));
	}
}

/* Returns false if the view does not handle the wheel. */
static bool
wheel_in_view(struct app *a, const struct event_in *e)
{
	const struct view_ops *view = a->open.view;
	app_arrange(a);
	if (!view->wheel || !app_loop_inside(a->at.view, e->y))
		return false;
	return app_answer(a, view->wheel(app_view_ready(a), &a->scene,
					 e->x - a->at.view.x, e->key == KEYCODE_UP, e->ctrl));
}

static void
take_mouse(struct app *a, const struct event_in *e)
{
	a->open.fits_profile = false;
	app_hush(a);
	if (app_too_small(a))
		return;
	if (e->kind == EVENT_CLICK) { /* a drag belongs to the part that was clicked */
		a->scrubber.drag_from = -1;
		a->drag_in_view = false;
	}
	modals_arrange(&a->front.stack, &a->canvas);
	if (modals_mouse(&a->front.stack, e, &a->canvas))
		return;
	if (e->kind == EVENT_WHEEL && wheel_in_view(a, e))
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
	else if (a->drag_in_view && a->open.view->drag)
		app_answer(a, a->open.view->drag(app_view_ready(a), &a->scene,
						 e->y - a->at.view.y, e->x - a->at.view.x));
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
		app_take_text(a, e->text);
		break;
	case EVENT_PASTE:
		take_paste(a, e->text);
		break;
	case EVENT_RESIZE:
		canvas_resize(&a->canvas, e->w, e->h);
		break;
	case EVENT_CLICK:
	case EVENT_DRAG:
	case EVENT_WHEEL:
		take_mouse(a, e);
		break;
	case EVENT_HOVER:
		break;
	case EVENT_END:
		a->quit = true;
		break;
	}
	if (a->again_due) {
		a->again_due = false;
		app_range_again(a);
		return;
	}
	enum action due = a->due;
	a->due = ACTION_NONE;
	if (due)
		app_act(a, due);
	app_asked_look(a);
	app_guide_watch(a);
}

/* Plays the next keys of the guide, with `at_once` the whole step.  Returns false if there are
 * none. */
static bool
play(struct app *a, bool at_once)
{
	struct event_in in;
	bool played = false;
	while (!a->quit && app_guide_next(a, at_once, &in)) {
		app_guide_begin(a);
		handle(a, &in);
		app_guide_done(a);
		played = true;
	}
	return played;
}

/* Handles an event of the user.  If a step of the guide is being played, it is completed first. */
static void
handle_user(struct app *a, const struct event_in *e)
{
	int wait_ms = 0;
	if (e->kind != EVENT_RESIZE)
		app_rest_heard(a);
	bool hurry = app_guide_plays(a, &wait_ms) && e->kind != EVENT_RESIZE;
	if (hurry)
		play(a, true);
	app_guide_settle(a, e->kind != EVENT_RESIZE && e->kind != EVENT_NONE);
	enum action action = keymap_action(&a->keys, e->key, SCOPE_GUIDE, false);
	if (!hurry || e->kind != EVENT_KEY || action != ACTION_GUIDE_STEP)
		handle(a, e);
	if (a->screen->scripted)
		play(a, true);
}

/* True if everything that a session may refer to is loaded. */
static bool
may_restore(const struct app *a)
{
	const struct app_state *st = &a->load.state;
	bool whole = st->done && a->look.done && !work_busy(a->look.work);
	return whole || (st->live && a->look.fits);
}

/* Opens the guide that the command line asks for, once the contents of the profile are known. */
static void
begin_guide(struct app *a)
{
	struct err e;
	err_init(&e);
	a->load.guide_due = false;
	if (!app_guide_named(a, a->config->guide, &e))
		app_fault(a, "%s", e.text);
}

/* True if what waits for the whole profile can happen now, its fold having become visible. */
static bool
arrives(const struct app *a)
{
	const struct app_load *load = &a->load;
	return (load->greet_due && !work_busy(a->look.work)) ||
	       ((load->restore_due || load->guide_due) && may_restore(a));
}

/* Runs a portion of the current works, and updates all parts with the results. */
static void
go_on(struct app *a)
{
	app_preview(a);
	a->scene.again = a->scene.later = false;
	a->scene.hurried = app_rest_hurries(a);
	app_work(a);
	app_found(a);
	app_find_steps(a);
	app_labels_made(a);
	app_answers_made(a);
	app_odd_made(a);
	app_filters_made(a);
	app_asked_look(a);
	if (!app_too_small(a))
		app_arrange(a);
	a->scene.again |= works_busy(&a->works) || arrives(a);
	app_guide_settle(a, false);
}

/* Pictures of a growing profile could fill a slow line faster than it transmits them, and the
 * picture of a key would wait behind them.  So such pictures wait for the line. */
static bool
line_is_slow(const struct app *a)
{
	const struct screen_ops *ops = a->screen->ops;
	return !a->load.state.done && ops->keeps_up && !ops->keeps_up(a->screen);
}

/* Returns true if the picture may change. */
static bool
take_event(struct app *a, const struct event_in *e)
{
	if (e->kind == EVENT_HOVER) /* again after wait_event(): that changes nothing */
		return app_hover_move(a, e->y, e->x);
	app_hover_leave(a);
	handle_user(a, e);
	return true;
}

/* Returns the time until the next look at the loader: short at first, so that the complete picture
 * of a small file follows its partial one at once. */
static int
progress_ms(const struct app_state *st)
{
	int64_t share = st->elapsed_ns / 3000000;

	if (st->live || share > PROGRESS_MS)
		return PROGRESS_MS;
	return share < SOON_MS ? SOON_MS : (int)share;
}

/* Waits for an event.  A pointer that moves while nothing else goes on changes no picture, and so
 * need not draw one. */
static struct event_in
wait_event(struct app *a)
{
	struct event_in in;
	bool idle = a->load.state.done && !a->scene.again && !a->screen->scripted;
	do {
		int wait_ms = a->load.state.done ? -1 : progress_ms(&a->load.state);
		app_guide_plays(a, &wait_ms);
		app_rest_wait(a, &wait_ms);
		app_hover_wait(a, &wait_ms);
		in = a->screen->ops->read(a->screen, a->scene.again ? 0 : wait_ms);
	} while (idle && in.kind == EVENT_HOVER && !app_hover_move(a, in.y, in.x));
	return in;
}

static bool
loop(struct app *a, struct err *e)
{
	const struct screen_ops *ops = a->screen->ops;
	int64_t next_ns = 0;
	bool heard = true, late = false;
	works_hold(&a->works);
	while (!a->quit) {
		if (!take_over(a, e) || a->load.state.refused || app_carry_out(a))
			break;
		app_say_missed(a);
		if (a->load.greet_due && !work_busy(a->look.work))
			app_greet(a);
		if (a->load.restore_due && may_restore(a))
			app_restore(a);
		if (a->load.carry_due)
			app_carry_in(a);
		if (a->load.guide_due && may_restore(a))
			begin_guide(a);
		bool asked = heard || a->look.changes;
		go_on(a);
		heard |= app_hover_due(a);
		if (a->scene.again && a->screen->scripted)
			continue; /* a script sees finished screens */
		/* works show a picture now and then, a key shows one at once */
		bool due = heard || !a->scene.again || clock_ns() >= next_ns ||
			   a->drawn_folds != a->scene.folds || late != app_look_is_late(a);
		bool held = due && !asked && line_is_slow(a);
		due &= !held;
		/* the data of a running work must not change */
		bool keeps = works_busy(&a->works);
		if (due) {
			app_draw(a, &a->canvas);
			app_rest_drawn(a);
		}
		a->drawn_folds = held ? a->drawn_folds : a->scene.folds;
		late = app_look_is_late(a);
		if (!keeps)
			works_let_go(&a->works);
		if (due) {
			ops->show(a->screen, &a->canvas);
			next_ns = clock_ns() + AGAIN_NS;
		}
		heard = false;
		struct event_in in = wait_event(a);
		if (!keeps)
			works_hold(&a->works);
		works_due(&a->works, in.kind == EVENT_NONE ? PORTION_NS : FRAME_NS);
		while (in.kind != EVENT_NONE && !a->quit) {
			heard |= take_event(a, &in);
			if (!a->quit)
				in = ops->read(a->screen, 0);
		}
		heard |= play(a, false);
	}
	works_let_go(&a->works);
	return !err_is_set(e);
}

/* ---- begin and end ---- */

/* Options of the command line come before those of pnavrc: the first that fits wins. */
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
	hues_set(&a->hues, user->colour_by);
	app_say_faults(a, &user->faults, &a->facts.ignored[0]);
}

static void
init(struct app *a, const struct app_config *config, struct profile *p,
     const struct app_feed *feed, struct screen *screen)
{
	int w, h;
	bool carries = app_carry_begin(config);
	*a = (struct app){
		.config = config,
		.loader = feed->loader,
		.screen = screen,
		.mouse_on = config->mouse,
		.load.carry_due = carries,
		.load.restore_due = config->session && !carries,
		.load.guide_due = config->guide && !carries,
		.open.view = views[0],
		.open.fits_profile = !config->view,
	};
	if (config->view && view_named(config->view))
		a->open.view = view_named(config->view);
	works_init(&a->works, &feed->lock);
	a->works.every = config->restless ? RESTLESS_STEPS : 0;
	app_look_init(a, config, app_carry_lens(config), p);
	outline_init(&a->outline);
	nav_init(&a->nav);
	search_init(&a->search);
	scrubber_init(&a->scrubber);
	hues_init(&a->hues);
	slowest_init(&a->slowest);
	sparks_init(&a->sparks);
	a->question.source = config->questions;
	details_init(&a->details);
	keymap_init(&a->keys);
	take_config(a, config->user);
	if (config->session)
		app_say_faults(a, &config->session->faults, &a->facts.ignored[1]);
	app_front_init(a);
	a->scene = (struct scene){
		.p = p,
		.fold = a->look.fold,
		.lens = &a->look.seen.lens,
		.works = &a->works,
		.portion_ns = config->restless   ? 0
			      : screen->scripted ? WORK_ALL
						 : PORTION_NS,
		.outline = &a->outline,
		.nav = &a->nav,
		.search = &a->search,
		.hues = &a->hues,
		.calls = &a->slowest,
		.sparks = &a->sparks,
		.question = &a->question,
		.code = config->code,
		.facts = &a->facts,
		.sources = &a->sources,
	};
	take_sources(a, config);
	screen->ops->size(screen, &w, &h);
	canvas_init(&a->canvas, w, h, screen->ascii);
}

static void
app_release(struct app *a)
{
	for (size_t i = 0; views[i] && i < VIEWS_MAX; i++)
		if (a->open.states[i])
			views[i]->destroy(a->open.states[i]);
	app_look_release(a);
	app_ask_release(a);
	app_guide_release(a);
	app_front_release(a);
	marks_release(&a->marks);
	outline_release(&a->outline);
	nav_release(&a->nav);
	app_labels_release(a);
	app_odd_release(a);
	app_hover_release(a);
	app_answers_release(a);
	app_filters_release(a);
	free(a->busy.order);
	finder_release(&a->finder);
	search_release(&a->search);
	scrubber_release(&a->scrubber);
	slowest_release(&a->slowest);
	sparks_release(&a->sparks);
	hues_release(&a->hues);
	question_release(&a->question);
	details_release(&a->details);
	keymap_release(&a->keys);
	buf_release(&a->message.text);
	buf_release(&a->scene.say);
	canvas_release(&a->canvas);
	canvas_release(&a->rest.shown);
	source_places_release(&a->sources);
	works_release(&a->works);
}

bool
app_run(const struct app_config *config, struct profile *p, const struct app_feed *feed,
	struct screen *screen, struct err *e)
{
	struct app a;
	init(&a, config, p, feed, screen);
	bool done = loop(&a, e);
	if (config->frees)
		app_release(&a);
	return done;
}

bool
app_has_view(const char *name)
{
	return view_named(name) != NULL;
}
