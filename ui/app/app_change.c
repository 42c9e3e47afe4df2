/* app_change.c - changes of the lens, and their history.
 *
 * Every change goes through app_change().  A valid change becomes a step of the undo history; an
 * invalid one is reported and dropped.  A preview never enters the history. */
#include "ui/app/app_inside.h"

#include <string.h>

#include "ui/app/config.h"

#define UNDO_MAX 500

void
app_history_add(struct app_history *h, struct app_step *s)
{
	if (h->undo.n == UNDO_MAX) {
		app_step_release(&h->undo.at[0]);
		memmove(h->undo.at, h->undo.at + 1, (UNDO_MAX - 1) * sizeof *h->undo.at);
		h->undo.n--;
	}
	*vec_push(&h->undo) = *s;
	for (size_t i = 0; i < h->redo.n; i++)
		app_step_release(&h->redo.at[i]);
	h->redo.n = 0;
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
same_step(const struct app_step *a, const struct app_step *b)
{
	return lens_equal(&a->lens, &b->lens) && a->comparing == b->comparing &&
	       (!a->comparing || lens_equal(&a->base, &b->base));
}

/* Makes *to (taken over) the current step. */
static bool
change(struct app *a, struct app_step *to, bool joins)
{
	struct app_step was = a->look.now;
	struct err e;
	err_init(&e);
	if (same_step(to, &was) && lens_equal(&to->lens, &a->look.seen.lens)) {
		app_step_release(to);
		return true;
	}
	a->look.now = *to;
	if (!app_look(a, &a->look.now.lens, &e)) {
		app_fault(a, "%s", e.text);
		a->look.now = was;
		app_step_release(to);
		return false;
	}
	if (joins)
		app_step_release(&was);
	else
		app_history_add(&a->look.history, &was);
	a->look.changes = work_busy(a->look.work);
	return true;
}

/* Returns a step to lens *l (taken over) with this base; NULL: without a comparison. */
static struct app_step
step_to(struct lens *l, const struct lens *base)
{
	struct app_step to = {.lens = *l, .comparing = base};
	if (base)
		lens_copy(&to.base, base);
	else
		lens_init(&to.base);
	return to;
}

static const struct lens *
compared_with(const struct app *a)
{
	return a->look.now.comparing ? &a->look.now.base : NULL;
}

bool
app_change(struct app *a, struct lens *l)
{
	return app_change_beside(a, l, compared_with(a));
}

bool
app_change_beside(struct app *a, struct lens *l, const struct lens *base)
{
	struct app_step to = step_to(l, base);
	a->look.step = RANGE_STEP_OWN;
	return change(a, &to, false);
}

bool
app_change_range(struct app *a, struct lens *l, enum range_step step)
{
	struct app_step to = step_to(l, compared_with(a));
	bool same = lens_equal(l, &a->look.now.lens);
	bool done = change(a, &to, step != RANGE_STEP_OWN && step == a->look.step);
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
	struct app_history *h = &a->look.history;
	struct app_step old = a->look.now;
	a->look.now = redo ? h->redo.at[--h->redo.n] : h->undo.at[--h->undo.n];
	if (redo)
		*vec_push(&h->undo) = old;
	else
		*vec_push(&h->redo) = old;
	if (!app_look(a, &a->look.now.lens, &e))
		app_fault(a, "%s", e.text);
	a->look.changes = work_busy(a->look.work);
}

void
app_return(struct app *a, const struct lens *l, const struct lens *base)
{
	struct app_step was = a->look.now;
	struct lens lens;
	struct err e;
	err_init(&e);
	app_end_steps(a);
	lens_copy(&lens, l);
	a->look.now = step_to(&lens, base);
	if (same_step(&was, &a->look.now))
		app_step_release(&was);
	else
		app_history_add(&a->look.history, &was);
	if (app_look(a, &a->look.now.lens, &e))
		a->look.fits = true;
	else
		app_fault(a, "%s", e.text);
	app_look_finish(a);
}

void
app_compare(struct app *a)
{
	const struct lens *now = &a->look.now.lens;
	bool on = !a->look.now.comparing;
	struct lens l;
	if (a->scene.p->comparison) {
		app_say(a, "two %s are already compared",
			a->scene.p->comparison == COMPARE_FILES ? "files" : "tracks");
		return;
	}
	lens_copy(&l, now);
	if (app_change_beside(a, &l, on ? now : NULL))
		app_say(a, on ? "kept to compare with: change the range ([ ] { }) or the tracks (t)"
			      : "no comparison any more");
}
