/* app_change.c - changes of the lens, and their history.
 *
 * Every change goes through app_change().  A valid change becomes a step of the undo history; an
 * invalid one is reported and dropped.  A preview never enters the history. */
#include "ui/app/app_inside.h"

#include <string.h>

#include "ui/app/config.h"

#define UNDO_MAX 500

void
app_history_add(struct app_history *h, const struct lens *l)
{
	struct lens old;
	lens_copy(&old, l);
	if (h->undo.n == UNDO_MAX) {
		lens_release(&h->undo.at[0]);
		memmove(h->undo.at, h->undo.at + 1, (UNDO_MAX - 1) * sizeof *h->undo.at);
		h->undo.n--;
	}
	*vec_push(&h->undo) = old;
	for (size_t i = 0; i < h->redo.n; i++)
		lens_release(&h->redo.at[i]);
	h->redo.n = 0;
}

static void
app_remember(struct app_look *k)
{
	app_history_add(&k->history, &k->lens);
}

void
app_history_take(struct app *a, struct app_history *to)
{
	*to = a->look.history;
	a->look.history = (struct app_history){.undo = VEC_INIT};
}

void
app_history_give(struct app *a, struct app_history *from)
{
	app_history_release(&a->look.history);
	a->look.history = *from;
	*from = (struct app_history){.undo = VEC_INIT};
}

static bool
change(struct app *a, struct lens *l, bool joins)
{
	struct err e;
	err_init(&e);
	if (lens_equal(l, &a->look.lens) && lens_equal(l, &a->look.seen.lens)) {
		lens_release(l);
		return true;
	}
	if (!app_look(a, l, &e)) {
		app_fault(a, "%s", e.text);
		lens_release(l);
		return false;
	}
	if (!joins)
		app_remember(&a->look);
	a->look.changes = work_busy(a->look.work);
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
app_change_beside(struct app *a, struct lens *l, const struct lens *base)
{
	lens_release(&a->look.base);
	lens_copy(&a->look.base, base);
	a->look.comparing = true;
	return app_change(a, l);
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
	if (!redo && !a->look.history.undo.n && a->config->back) {
		*a->config->back = a->quit = true;
		return;
	}
	if (redo ? !a->look.history.redo.n : !a->look.history.undo.n) {
		app_say(a, redo ? "nothing to redo" : "nothing to undo");
		return;
	}
	struct lens old, to;
	lens_copy(&old, &a->look.lens);
	struct app_history *h = &a->look.history;
	to = redo ? h->redo.at[--h->redo.n] : h->undo.at[--h->undo.n];
	if (redo)
		*vec_push(&h->undo) = old;
	else
		*vec_push(&h->redo) = old;
	lens_release(&a->look.lens);
	a->look.lens = to;
	if (!app_look(a, &a->look.lens, &e))
		app_fault(a, "%s", e.text);
	a->look.changes = work_busy(a->look.work);
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
		app_remember(&a->look);
	lens_release(&a->look.lens);
	a->look.lens = lens;
	if (app_look(a, &a->look.lens, &e))
		a->look.fits = true;
	else
		app_fault(a, "%s", e.text);
	app_look_finish(a);
}

void
app_compare(struct app *a)
{
	struct err e;
	err_init(&e);
	if (a->scene.p->comparison) {
		app_say(a, "two %s are already compared",
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
		app_say(a, "kept to compare with: change the range ([ ] { }) or the tracks (t)");
	else
		app_say(a, "no comparison any more");
}
