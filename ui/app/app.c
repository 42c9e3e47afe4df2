/* app.c - the browser's loop, and the one place where folds are made.
 *
 * The loop: take over what was loaded meanwhile, arrange, draw into the canvas, give the
 * profile's lock back, show the canvas, wait.  Keys that arrive together are all played
 * before the next picture, so a held key never lags behind.  The lock is held from the
 * event to the end of the drawing and never while the terminal is written to or the user
 * thinks: a slow line does not slow the decoder.
 *
 * While a file loads, the profile is folded again a few times a second, and less often
 * when a fold takes long: at most a sixth of the time goes into looking.
 *
 * Every change of the lens goes through app_change(): it either fits and becomes a step of
 * the undo history, or is told and forgotten.  A preview is a fold of another lens that
 * never enters the history.
 *
 * Invariant: fold, outline, nav and search belong together; only app_look() makes them. */
#include "ui/app/app.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "model/human.h"
#include "model/mem.h"
#include "ui/app/app_inside.h"
#include "ui/screen/clock.h"
#include "ui/app/config.h"
#include "ui/part/show.h"
#include "ui/screen/text.h"

#define UNDO_MAX 500
#define FOLD_EVERY_NS 250000000
#define PROGRESS_MS 100

/* ---- messages ---- */

static void
say(struct app *a, bool fault, const char *fmt, va_list ap)
{
	struct buf text = BUF_INIT;
	buf_reset(&a->message);
	buf_addv(&text, fmt, ap);
	human_shown(&a->message, buf_str(&text), text.len, false);
	buf_release(&text);
	a->message_fault = fault;
}

void
app_say(struct app *a, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	say(a, false, fmt, ap);
	va_end(ap);
}

void
app_fault(struct app *a, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	say(a, true, fmt, ap);
	va_end(ap);
}

/* ---- looking ---- */

bool
app_look(struct app *a, const struct lens *l, struct err *e)
{
	int64_t begin = clock_ns();
	struct lens copy, base;
	if (a->comparing)
		lens_base(&a->base, l, &base);
	bool fits = fold_update(a->fold, a->scene.p, l, a->comparing ? &base : NULL, e);
	if (a->comparing)
		lens_release(&base);
	if (!fits)
		return false;
	lens_copy(&copy, l);
	lens_release(&a->shown);
	a->shown = copy;
	a->scene.folds++;
	a->scene.base = a->comparing ? &a->base : NULL;
	outline_reset(&a->outline, a->fold, a->scene.p);
	nav_settle(&a->nav, a->fold, a->scene.p);
	search_update(&a->search, a->fold, a->scene.p);
	a->folded_generation = a->state.generation;
	a->folded_done = a->state.done;
	int64_t took = clock_ns() - begin;
	a->next_fold_ns =
		begin + took + (took * 5 > FOLD_EVERY_NS ? took * 5 : FOLD_EVERY_NS);
	return true;
}

static void
remember(struct app *a)
{
	struct lens old;
	lens_copy(&old, &a->lens);
	if (a->undo.n == UNDO_MAX) {
		lens_release(&a->undo.at[0]);
		memmove(a->undo.at, a->undo.at + 1, (UNDO_MAX - 1) * sizeof *a->undo.at);
		a->undo.n--;
	}
	*vec_push(&a->undo) = old;
	for (size_t i = 0; i < a->redo.n; i++)
		lens_release(&a->redo.at[i]);
	a->redo.n = 0;
}

static bool
change(struct app *a, struct lens *l, bool joins)
{
	struct err e;
	err_init(&e);
	if (lens_equal(l, &a->lens) && lens_equal(l, &a->shown)) {
		lens_release(l);
		return true;
	}
	if (!app_look(a, l, &e)) {
		app_fault(a, "%s", e.text);
		lens_release(l);
		return false;
	}
	if (!joins)
		remember(a);
	lens_release(&a->lens);
	a->lens = *l;
	return true;
}

bool
app_change(struct app *a, struct lens *l)
{
	a->scrubbing = false;
	return change(a, l, false);
}

bool
app_change_range(struct app *a, struct lens *l)
{
	bool done = change(a, l, a->scrubbing);
	a->scrubbing = a->scrubbing || done;
	return done;
}

void
app_undo(struct app *a, bool redo)
{
	struct err e;
	err_init(&e);
	a->scrubbing = false;
	if (redo ? !a->redo.n : !a->undo.n) {
		app_say(a, redo ? "nothing to make again" : "nothing to take back");
		return;
	}
	struct lens old, to;
	lens_copy(&old, &a->lens);
	to = redo ? a->redo.at[--a->redo.n] : a->undo.at[--a->undo.n];
	if (redo)
		*vec_push(&a->undo) = old;
	else
		*vec_push(&a->redo) = old;
	lens_release(&a->lens);
	a->lens = to;
	if (!app_look(a, &a->lens, &e))
		app_fault(a, "%s", e.text);
}

void
app_compare(struct app *a)
{
	struct err e;
	err_init(&e);
	if (a->scene.p->comparison) {
		app_say(a, "two %s are compared already",
			a->scene.p->comparison == COMPARE_FILES ? "files" : "tracks");
		return;
	}
	a->comparing = !a->comparing;
	if (a->comparing) {
		lens_release(&a->base);
		lens_copy(&a->base, &a->lens);
	}
	if (!app_look(a, &a->lens, &e))
		app_fault(a, "%s", e.text);
	else if (a->comparing)
		app_say(a, "kept to compare with: now change the range ([ ] { }) or the tracks (t)");
	else
		app_say(a, "no comparison any more");
}

/* ---- loading ---- */

/* A lens may name a metric that the file has not shown yet; until then, look at it all. */
static bool
look_first(struct app *a, struct err *e)
{
	struct err waiting;
	struct lens all;
	err_init(&waiting);
	if (a->comparing && a->scene.p->comparison)
		return err_usage(e, "two tracks are compared already: no base range "
				    "beside them");
	if (app_look(a, &a->lens, &waiting)) {
		a->fits = true;
		return true;
	}
	if (a->state.done && !a->fits) {
		*e = waiting;
		return false;
	}
	bool comparing = a->comparing;
	a->comparing = false; /* nor may the base fit yet */
	lens_init(&all);
	bool done = app_look(a, &all, e);
	lens_release(&all);
	a->comparing = comparing;
	return done;
}

static bool
take_over(struct app *a, struct err *e)
{
	bool was_done = a->state.done;
	a->state = a->feed->state(a->feed->ctx);
	if (a->state.done && !was_done && a->state.news)
		app_say(a, "%s", a->state.news);
	a->facts.done = a->state.done;
	a->facts.stopped = a->state.stopped;
	a->facts.bytes = a->state.bytes;
	a->facts.elapsed_ns = a->state.elapsed_ns;
	a->facts.format = a->state.format;
	a->facts.title = a->state.title;
	bool grown = a->folded_generation != a->state.generation;
	bool over = a->state.done && !a->folded_done;
	if (a->paused && a->fits)
		return true;
	if (a->fits && !grown && !over)
		return true;
	if (!over && a->scene.folds && clock_ns() < a->next_fold_ns)
		return true;
	if (a->prompt.open &&
	    a->fits) /* a preview is shown: it is folded as it changes */
		return app_look(a, &a->shown, e);
	return look_first(a, e);
}

/* ---- views ---- */

void *
app_view_state(struct app *a, const struct view_ops *v)
{
	for (size_t i = 0; views[i] && i < VIEWS_MAX; i++)
		if (views[i] == v) {
			if (!a->states[i])
				a->states[i] = v->create();
			return a->states[i];
		}
	return NULL;
}

void
app_open_view(struct app *a, const struct view_ops *v)
{
	size_t n = 0;
	if (v == a->view)
		return;
	a->before[a->n_before++] = a->view;
	for (size_t i = 0; i < a->n_before; i++)
		if (a->before[i] != v)
			a->before[n++] = a->before[i];
	a->n_before = n;
	a->view = v;
}

bool
app_has_view(const char *name)
{
	return view_named(name) != NULL;
}

/* ---- the screen ---- */

static struct area
take_rows(int *y, int rows, int w)
{
	struct area a = {*y, 0, rows, w};
	*y += rows;
	return a;
}

void
app_arrange(struct app *a)
{
	int w = a->canvas.w, h = a->canvas.h, y = 0;
	bool loading = !a->state.done;
	a->at.header = take_rows(&y, 1, w);
	a->at.scrubber = take_rows(&y, scrubber_rows(&a->scene, h), w);
	a->at.range = take_rows(&y, 1, w);
	a->at.tabs = take_rows(&y, 1, w);
	int below = 2 + loading;
	a->at.view = take_rows(&y, h - y - below > 1 ? h - y - below : 1, w);
	a->at.progress = take_rows(&y, loading, w);
	a->at.details = take_rows(&y, 1, w);
	a->at.bottom = take_rows(&y, 1, w);
	scrubber_arrange(&a->scrubber, &a->scene, a->at.scrubber, h);
	a->view->arrange(app_view_state(a, a->view), &a->scene, a->at.view);
}

/* What to say instead of a view that has nothing to show; NULL when it has. */
static const char *
why_empty(struct app *a)
{
	if (outline_first(&a->outline, NODE_ROOT) != NODE_NONE)
		return NULL;
	if (!a->state.done)
		return "Nothing has been read yet: the file is loading.";
	for (size_t i = 0; i < a->shown.entries.n; i++)
		if (!a->shown.entries.at[i].off)
			return "The filters leave nothing.  u takes the last one back, F lists "
			       "them.";
	if (!a->fold->whole)
		return "Nothing was recorded in this range.  u takes it back.";
	return "The file holds no stacks.  8 shows what it says of itself.";
}

static void
draw_view(struct app *a)
{
	struct area v = a->at.view;
	const char *why = a->view->says_why ? NULL : why_empty(a);
	if (!why) {
		a->view->draw(app_view_state(a, a->view), &a->scene, &a->canvas, v);
		return;
	}
	int cols = text_cols(why);
	if (cols > v.w)
		cols = v.w;
	canvas_fit(&a->canvas, v.y + v.h / 2, v.x + (v.w - cols) / 2, cols, INK_STRONG,
		   why);
}

static void
draw_too_small(struct app *a)
{
	struct canvas *c = &a->canvas;
	struct buf text = BUF_INIT;
	buf_addf(&text, "%dx%d is too small: %dx%d please (Q quits)", c->w, c->h,
		 MIN_COLS, MIN_ROWS);
	const char *at = buf_str(&text);
	for (int y = 0; y < c->h && *at; y++) {
		size_t fits = text_fit(at, c->w), words = fits;
		while (at[fits] && words && at[words] != ' ')
			words--;
		fits = words ? words : fits; /* a word wider than the screen is cut */
		if (!fits)
			break;
		char *part = mem_dup(at, fits);
		canvas_text(c, y, 0, c->w, INK_TEXT, part);
		free(part);
		at += fits;
		at += *at == ' ';
	}
	buf_release(&text);
}

void
app_draw(struct app *a)
{
	struct canvas *c = &a->canvas;
	canvas_clear(c);
	if (c->w < MIN_COLS || c->h < MIN_ROWS) {
		draw_too_small(a);
		return;
	}
	app_arrange(a);
	if (a->pager.open) {
		pager_arrange(&a->pager, c);
		pager_draw(&a->pager, c);
	} else {
		app_draw_header(a, c);
		scrubber_draw(&a->scrubber, &a->scene, c, a->at.scrubber);
		app_draw_range(a, c);
		app_draw_tabs(a, c);
		draw_view(a);
		app_draw_progress(a, c);
		app_draw_details(a, c);
		app_draw_bottom(a, c);
		if (a->menu.open)
			menu_draw(&a->menu, c);
	}
	if (a->prompt.open)
		prompt_draw(&a->prompt, c, c->h - 1);
}

/* ---- events ---- */

static void
type_text(struct app *a, const char *text)
{
	const char *end = text + strlen(text);
	if (a->prompt.open) {
		prompt_type(&a->prompt, text);
		return;
	}
	while (text < end)
		app_key(a, text_next(&text, end));
}

static void
handle(struct app *a, const struct event_in *e)
{
	switch (e->kind) {
	case EVENT_NONE:
		break;
	case EVENT_KEY:
		app_key(a, e->key);
		break;
	case EVENT_TEXT:
		type_text(a, e->text);
		break;
	case EVENT_RESIZE:
		canvas_resize(&a->canvas, e->w, e->h);
		break;
	case EVENT_CLICK:
	case EVENT_DRAG:
	case EVENT_WHEEL:
		app_mouse(a, e);
		break;
	case EVENT_END:
		a->quit = true;
		break;
	}
}

static bool
loop(struct app *a, struct err *e)
{
	const struct screen_ops *ops = a->screen->ops;
	a->feed->lock(a->feed->ctx);
	while (!a->quit) {
		if (!take_over(a, e) || a->state.refused)
			break;
		if (a->restore_due && (a->state.done || (a->state.live && a->fits)))
			app_restore(a);
		if (a->preview_due)
			app_preview(a);
		a->scene.again = false;
		app_draw(a);
		if (a->scene.again && a->screen->scripted)
			continue; /* a script sees finished screens */
		a->feed->unlock(a->feed->ctx);
		ops->show(a->screen, &a->canvas);
		struct event_in in =
			ops->read(a->screen, a->scene.again ? 0
							: a->state.done ? -1
									: PROGRESS_MS);
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
		.fold = fold_new(),
		.mouse_on = config->mouse,
		.folded_generation = UINT64_MAX,
		.view = views[0],
	};
	if (config->view && view_named(config->view))
		a->view = view_named(config->view);
	lens_copy(&a->lens, config->lens);
	lens_init(&a->shown);
	if (config->base)
		lens_copy(&a->base, config->base);
	else
		lens_init(&a->base);
	a->comparing = config->base != NULL;
	outline_init(&a->outline);
	nav_init(&a->nav);
	search_init(&a->search);
	scrubber_init(&a->scrubber);
	keymap_init(&a->keys);
	take_config(a, config->user);
	a->restore_due = config->session != NULL;
	prompt_init(&a->prompt);
	menu_init(&a->menu);
	pager_init(&a->pager);
	a->scene = (struct scene){
		.p = p,
		.fold = a->fold,
		.lens = &a->shown,
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
		if (a->states[i])
			views[i]->destroy(a->states[i]);
	for (size_t i = 0; i < a->undo.n; i++)
		lens_release(&a->undo.at[i]);
	for (size_t i = 0; i < a->redo.n; i++)
		lens_release(&a->redo.at[i]);
	for (size_t i = 0; i < ASKED_KINDS; i++)
		prompt_history_release(&a->history[i]);
	vec_release(&a->undo);
	vec_release(&a->redo);
	lens_release(&a->lens);
	lens_release(&a->shown);
	lens_release(&a->base);
	free(a->search_before);
	marks_release(&a->marks);
	outline_release(&a->outline);
	nav_release(&a->nav);
	search_release(&a->search);
	scrubber_release(&a->scrubber);
	keymap_release(&a->keys);
	prompt_release(&a->prompt);
	menu_release(&a->menu);
	pager_release(&a->pager);
	buf_release(&a->message);
	canvas_release(&a->canvas);
	source_places_release(&a->sources);
	fold_free(a->fold);
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
