/* app.c - what is looked at, and what is told: the one place where folds are made.
 *
 * Every change of the lens goes through app_change(): it either fits and becomes a step of
 * the undo history, or is told and forgotten.  A preview is a fold of another lens that
 * never enters the history.
 *
 * While a file loads, the profile is folded again a few times a second, and less often
 * when a fold takes long: at most a sixth of the time goes into looking.
 *
 * Invariant: fold, outline, nav and search belong together; only app_look() makes them. */
#include "ui/app/app_inside.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "model/human.h"
#include "ui/screen/clock.h"

#define UNDO_MAX 500
#define FOLD_EVERY_NS 250000000

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

void
app_hush(struct app *a)
{
	buf_reset(&a->message);
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

bool
app_look_first(struct app *a, struct err *e)
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

void *
app_shown_state(const struct app *a)
{
	for (size_t i = 0; views[i] && i < VIEWS_MAX; i++)
		if (views[i] == a->view)
			return a->states[i];
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

/* ---- begin and end ---- */

void
app_look_init(struct app *a, const struct app_config *config)
{
	a->fold = fold_new();
	a->folded_generation = UINT64_MAX;
	a->comparing = config->base != NULL;
	lens_copy(&a->lens, config->lens);
	lens_init(&a->shown);
	if (config->base)
		lens_copy(&a->base, config->base);
	else
		lens_init(&a->base);
}

void
app_look_release(struct app *a)
{
	for (size_t i = 0; i < a->undo.n; i++)
		lens_release(&a->undo.at[i]);
	for (size_t i = 0; i < a->redo.n; i++)
		lens_release(&a->redo.at[i]);
	vec_release(&a->undo);
	vec_release(&a->redo);
	lens_release(&a->lens);
	lens_release(&a->shown);
	lens_release(&a->base);
	fold_free(a->fold);
}
