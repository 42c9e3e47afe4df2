/* app.c - what is looked at, and what is told: the one place where folds are made.
 *
 * Every change of the lens goes through app_change(): it either fits and becomes a step of
 * the undo history, or is told and forgotten.  A preview is a fold of another lens that
 * never enters the history.
 *
 * While a file loads, the profile is folded again a few times a second, and less often
 * when a fold takes long: at most a sixth of the time goes into looking.
 *
 * An inversion of very many stacks begins with its first levels; the loop has the others
 * made in portions, between keys.
 *
 * Invariant: fold, outline, nav and search belong together; only app_look() makes them. */
#include "ui/app/app_inside.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "model/human.h"
#include "ui/app/config.h"
#include "ui/screen/clock.h"

#define UNDO_MAX 500
#define FOLD_EVERY_NS 250000000
#define AT_ONCE_NODES (1u << 19) /* of an inversion, on the key */
#define DEEPEN_STEPS 40000u      /* of its rest, a portion */

/* ---- messages ---- */

static void
say(struct app *a, bool fault, const char *fmt, va_list ap)
{
	struct buf text = BUF_INIT;
	buf_reset(&a->message.text);
	buf_addv(&text, fmt, ap);
	human_shown(&a->message.text, buf_str(&text), text.len, false);
	buf_release(&text);
	a->message.fault = fault;
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
	buf_reset(&a->message.text);
}

/* ---- looking ---- */

/* Other nodes, or other numbers. */
static void
take_fold(struct app *a)
{
	a->scene.folds++;
	outline_reset(&a->outline, a->look.fold, a->scene.p);
	nav_settle(&a->nav, a->look.fold, a->scene.p);
	search_update(&a->search, a->look.fold, a->scene.p);
}

bool
app_look(struct app *a, const struct lens *l, struct err *e)
{
	int64_t begin = clock_ns();
	struct lens copy, base;
	const struct profile *p = regroup_look(a->look.regroup, a->look.loaded, l,
					       !a->load.state.done);
	if (a->look.comparing)
		lens_base(&a->look.base, l, &base);
	bool fits = fold_update(a->look.fold, p, l, a->look.comparing ? &base : NULL, e);
	if (a->look.comparing)
		lens_release(&base);
	if (!fits)
		return false;
	a->scene.p = p;
	lens_copy(&copy, l);
	lens_release(&a->look.shown);
	a->look.shown = copy;
	a->look.recorded = fold_recorded(a->look.fold, a->scene.p);
	a->scene.base = a->look.comparing ? &a->look.base : NULL;
	take_fold(a);
	a->look.generation = a->load.state.generation;
	a->look.done = a->load.state.done;
	int64_t took = clock_ns() - begin;
	a->look.next_ns =
		begin + took + (took * 5 > FOLD_EVERY_NS ? took * 5 : FOLD_EVERY_NS);
	return true;
}

bool
app_fold(const struct app *a, struct regroup **g, struct fold *f, const struct lens *l,
	 struct err *e)
{
	if (!*g)
		*g = regroup_new();
	return fold_update(f, regroup_look(*g, a->look.loaded, l, !a->load.state.done), l, NULL,
			   e);
}

bool
app_look_on(struct app *a)
{
	struct fold *f = a->look.fold;
	if (!f->partial || f->generation != a->scene.p->generation)
		return false;
	if (fold_deepen(f, a->scene.p, DEEPEN_STEPS))
		take_fold(a);
	return f->partial;
}

bool
app_look_settle(struct app *a)
{
	struct fold *f = a->look.fold;
	if (!f->partial)
		return false;
	fold_settle(f);
	app_say(a, "broken off: %u levels of callers are shown", f->tree->depth_cut);
	return true;
}

bool
app_look_first(struct app *a, struct err *e)
{
	struct err waiting;
	struct lens all;
	err_init(&waiting);
	if (a->look.comparing && a->scene.p->comparison)
		return err_usage(e, "two tracks are compared already: no base range "
				    "beside them");
	if (app_look(a, &a->look.lens, &waiting)) {
		a->look.fits = true;
		return true;
	}
	if (a->load.state.done && !a->look.fits) {
		*e = waiting;
		return false;
	}
	bool comparing = a->look.comparing;
	a->look.comparing = false; /* nor may the base fit yet */
	lens_init(&all);
	bool done = app_look(a, &all, e);
	lens_release(&all);
	a->look.comparing = comparing;
	return done;
}

static void
remember(struct app_look *k)
{
	struct lens old;
	lens_copy(&old, &k->lens);
	if (k->undo.n == UNDO_MAX) {
		lens_release(&k->undo.at[0]);
		memmove(k->undo.at, k->undo.at + 1, (UNDO_MAX - 1) * sizeof *k->undo.at);
		k->undo.n--;
	}
	*vec_push(&k->undo) = old;
	for (size_t i = 0; i < k->redo.n; i++)
		lens_release(&k->redo.at[i]);
	k->redo.n = 0;
}

static bool
change(struct app *a, struct lens *l, bool joins)
{
	struct err e;
	err_init(&e);
	if (lens_equal(l, &a->look.lens) && lens_equal(l, &a->look.shown)) {
		lens_release(l);
		return true;
	}
	if (!app_look(a, l, &e)) {
		app_fault(a, "%s", e.text);
		lens_release(l);
		return false;
	}
	if (!joins)
		remember(&a->look);
	lens_release(&a->look.lens);
	a->look.lens = *l;
	return true;
}

bool
app_change(struct app *a, struct lens *l)
{
	a->look.step = RANGE_STEP_OWN;
	return change(a, l, false);
}

bool
app_change_range(struct app *a, struct lens *l, enum range_step step)
{
	bool same = lens_equal(l, &a->look.lens);
	bool done = change(a, l, step != RANGE_STEP_OWN && step == a->look.step);
	if (!same)
		a->look.step = done ? step : RANGE_STEP_OWN;
	return done;
}

void
app_end_steps(struct app *a)
{
	a->look.step = RANGE_STEP_OWN;
}

void
app_undo(struct app *a, bool redo)
{
	struct err e;
	err_init(&e);
	a->look.step = RANGE_STEP_OWN;
	if (redo ? !a->look.redo.n : !a->look.undo.n) {
		app_say(a, redo ? "nothing to make again" : "nothing to take back");
		return;
	}
	struct lens old, to;
	lens_copy(&old, &a->look.lens);
	to = redo ? a->look.redo.at[--a->look.redo.n] : a->look.undo.at[--a->look.undo.n];
	if (redo)
		*vec_push(&a->look.undo) = old;
	else
		*vec_push(&a->look.redo) = old;
	lens_release(&a->look.lens);
	a->look.lens = to;
	if (!app_look(a, &a->look.lens, &e))
		app_fault(a, "%s", e.text);
}

void
app_return(struct app *a, const struct lens *l, const struct lens *base)
{
	struct lens lens;
	struct err e;
	err_init(&e);
	app_end_steps(a);
	a->look.comparing = base != NULL;
	if (base) {
		lens_release(&a->look.base);
		lens_copy(&a->look.base, base);
	}
	lens_copy(&lens, l);
	if (!lens_equal(l, &a->look.lens))
		remember(&a->look);
	lens_release(&a->look.lens);
	a->look.lens = lens;
	if (!app_look(a, &a->look.lens, &e))
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
	a->look.comparing = !a->look.comparing;
	if (a->look.comparing) {
		lens_release(&a->look.base);
		lens_copy(&a->look.base, &a->look.lens);
	}
	if (!app_look(a, &a->look.lens, &e))
		app_fault(a, "%s", e.text);
	else if (a->look.comparing)
		app_say(a, "kept to compare with: now change the range ([ ] { }) or the tracks (t)");
	else
		app_say(a, "no comparison any more");
}

/* ---- views ---- */

bool
app_colour_by_said(const struct app *a)
{
	return a->hues.by != HUE_KIND ||
	       (a->config->user && a->config->user->colour_by != HUE_KIND);
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

/* ---- begin and end ---- */

void
app_look_init(struct app *a, const struct app_config *config, const struct profile *loaded)
{
	a->look.loaded = loaded;
	a->look.fold = fold_new();
	a->look.regroup = regroup_new();
	/* a script sees finished screens */
	a->look.fold->at_once = a->screen->scripted ? 0 : AT_ONCE_NODES;
	a->look.generation = UINT64_MAX;
	a->look.comparing = config->base != NULL;
	lens_copy(&a->look.lens, config->lens);
	lens_init(&a->look.shown);
	if (config->base)
		lens_copy(&a->look.base, config->base);
	else
		lens_init(&a->look.base);
}

void
app_look_release(struct app *a)
{
	for (size_t i = 0; i < a->look.undo.n; i++)
		lens_release(&a->look.undo.at[i]);
	for (size_t i = 0; i < a->look.redo.n; i++)
		lens_release(&a->look.redo.at[i]);
	vec_release(&a->look.undo);
	vec_release(&a->look.redo);
	lens_release(&a->look.lens);
	lens_release(&a->look.shown);
	lens_release(&a->look.base);
	fold_free(a->look.fold);
	regroup_free(a->look.regroup);
}
