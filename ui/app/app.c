/* app.c - the lens, messages, and the one place where folds are made.
 *
 * Every change of the lens goes through app_change(): it either fits and becomes a step of
 * the undo history, or is reported and forgotten.  A preview never enters the history.
 *
 * While a file loads, the profile is folded again a few times a second: at most a sixth of the
 * time goes into looking, while it is recorded a fortieth of a processor.
 *
 * A fold of very many stacks takes longer than a key may.  So there are two: one is seen, and
 * beside it the other is made (ui/part/work.h), at first for a moment in which most are done,
 * then by the loop, between keys; when it is whole it takes the place of the first.  Another
 * change meanwhile drops it and begins anew.  The one that was seen before stays as the other:
 * who undoes has it at once.  An inversion begins with its first levels, which are seen while
 * the whole of it is made.  What is asked for stands in the lines on top from the key on, with
 * "…" behind it until it is what is seen.
 *
 * Invariant: fold, outline, nav and search belong together; only take_other() makes them. */
#include "ui/app/app_inside.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "model/profile/human.h"
#include "ui/app/config.h"
#include "ui/screen/clock.h"

#define UNDO_MAX 500
#define FOLD_EVERY_NS 250000000
#define LIVE_MOST_NS 2000000000 /* between two looks at what is recorded */
#define AT_ONCE_NODES (1u << 19) /* of an inversion, at first */
#define FIRST_NS 12000000        /* what a key does at once */
#define LATE_NS 80000000         /* after which the user is told: it is read before 100 ms */

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

static void
reset_outline(struct app *a)
{
	outline_reset(&a->outline, a->look.fold, a->scene.p);
	a->outline.sure_only = a->scene.sure_only;
}

/* Other nodes, or other numbers. */
static void
take_fold(struct app *a)
{
	struct app_look *k = &a->look;
	a->scene.folds++;
	a->scene.p = k->seen.p;
	a->scene.base = k->seen.comparing ? &k->seen.base : NULL;
	if (a->outline.sure_only != a->scene.sure_only)
		reset_outline(a);
	nav_settle(&a->nav, k->fold, a->scene.p);
	if (!search_take(&a->search, &k->found))
		finder_lose(&a->finder, &a->search);
	search_release(&k->found);
}

static void
seen_set(struct app_seen *x, const struct app_look *k, const struct lens *l)
{
	struct lens lens, base;
	lens_copy(&lens, l);
	lens_copy(&base, l);
	if (k->comparing) {
		lens_release(&base);
		lens_base(&k->base, l, &base);
	}
	lens_release(&x->lens);
	lens_release(&x->base);
	x->lens = lens;
	x->base = base;
	x->comparing = k->comparing;
}

/* Is this what is asked for now? */
static bool
seen_is(const struct app_seen *x, const struct app_look *k, const struct lens *l)
{
	struct lens base;
	if (!lens_equal(&x->lens, l) || x->comparing != k->comparing)
		return false;
	if (!k->comparing)
		return true;
	lens_base(&k->base, l, &base);
	bool same = lens_equal(&x->base, &base);
	lens_release(&base);
	return same;
}

/* The other one is made; of an inversion perhaps its first levels. */
static void
make_other(void *ctx, struct pace *pace)
{
	struct app *a = ctx;
	struct app_look *k = &a->look;
	struct app_seen *x = &k->of_other;
	struct err e;
	err_init(&e);
	k->has_other = false;
	x->p = regroup_look_paced(x->regroup, k->loaded, &x->lens, !a->load.state.done, pace);
	if (!x->p)
		return;
	x->generation = k->loaded->generation;
	k->other->pace = pace;
	k->has_other = fold_update(k->other, x->p, &x->lens, x->comparing ? &x->base : NULL, &e);
	if (k->has_other)
		x->recorded = fold_recorded(k->other, x->p);
	if (k->has_other && a->search.pattern) {
		search_set(&k->found, pattern_ref(a->search.pattern));
		search_paced(&k->found, k->other, x->p, pace);
	}
	if (k->has_other && !pace_gives_up(pace))
		outline_make(&k->outline, k->other, x->p, a->scene.sure_only,
			     a->load.state.done ? NULL : &a->outline, pace);
	k->has_other &= !pace_gives_up(pace);
	k->other->pace = NULL;
}

static void
begin_other(struct app *a, uint32_t at_once)
{
	struct app_look *k = &a->look;
	k->has_other = false;
	fold_begin_with(k->other, k->fold);
	k->other->at_once = at_once;
	work_begin(k->work, make_other, a);
}

/* Of an inversion of which the first levels are seen, the whole. */
static void
begin_rest(struct app *a)
{
	struct app_look *k = &a->look;
	if (!k->fold->partial)
		return;
	seen_set(&k->of_other, k, &k->seen.lens);
	begin_other(a, 0);
}

/* The other is seen from now on. */
static void
take_other(struct app *a)
{
	struct app_look *k = &a->look;
	struct app_seen keep = k->seen;
	struct outline outline = a->outline;
	works_drop(&a->works);
	fold_swap(k->fold, k->other);
	k->seen = k->of_other;
	k->of_other = keep;
	a->outline = k->outline;
	a->outline.fold = k->fold;
	k->outline = outline;
	k->outline.fold = k->other;
	k->has_other = k->other->tree != NULL;
	k->changes = false;
	take_fold(a);
	begin_rest(a);
}

/* Looks are as far apart as five times what one takes; while it is recorded, as forty times
 * what the processor had to do for the last one, its picture included. */
static void
plan_next_look(struct app *a, int64_t began_ns)
{
	int64_t now = clock_ns(), wait = (now - began_ns) * 5, used = clock_used_ns();
	if (a->load.state.live) {
		wait = (used - a->look.used_ns) * 40;
		wait = wait < LIVE_MOST_NS ? wait : LIVE_MOST_NS;
	}
	a->look.used_ns = used;
	a->look.next_ns = now + (wait > FOLD_EVERY_NS ? wait : FOLD_EVERY_NS);
}

/* A portion of the other one; true when there is nothing left to do. */
static bool
look_on(struct app *a, int64_t portion_ns)
{
	struct app_look *k = &a->look;
	int64_t began = clock_ns() - work_age_ns(k->work);
	if (!work_busy(k->work))
		return true;
	if (!work_on(k->work, portion_ns))
		return false;
	take_other(a);
	plan_next_look(a, began);
	return true;
}

/* Shows it through the lens; through none while the file may still name what the lens names. */
static bool
app_look_first(struct app *a, struct err *e)
{
	struct err waiting;
	struct lens all;
	err_init(&waiting);
	if (a->look.comparing && a->scene.p->comparison)
		return err_usage(e, "two tracks are compared already: no base range beside them");
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

bool
app_look_grown(struct app *a, struct err *e)
{
	a->look.stale = true;
	/* what is seen may be a preview: it changes as it is typed */
	if (a->look.fits && a->front.prompt.open)
		return app_look(a, &a->look.seen.lens, e);
	return app_look_first(a, e);
}

void
app_meanwhile(struct app *a, void (*call)(struct app *a, void *ctx), void *ctx)
{
	struct err e;
	err_init(&e);
	works_let_go(&a->works);
	call(a, ctx);
	works_hold(&a->works);
	if (!app_look_grown(a, &e))
		app_fault(a, "%s", e.text);
}

bool
app_look(struct app *a, const struct lens *l, struct err *e)
{
	struct app_look *k = &a->look;
	struct lens base;
	uint64_t now = k->loaded->generation;
	if (k->comparing)
		lens_base(&k->base, l, &base);
	bool fits = fold_fits(k->loaded, l, k->comparing ? &base : NULL, e);
	if (k->comparing)
		lens_release(&base);
	if (!fits)
		return false;
	k->generation = a->load.state.generation;
	k->done = a->load.state.done;
	bool anew = k->stale;
	k->stale = false;
	if (!anew && work_busy(k->work) && seen_is(&k->of_other, k, l))
		return true; /* it is being made */
	works_drop(&a->works);
	k->changes = false;
	if (!anew && k->seen.generation == now && seen_is(&k->seen, k, l)) {
		begin_rest(a);
		return true;
	}
	if (!anew && k->has_other && k->of_other.generation == now &&
	    seen_is(&k->of_other, k, l)) {
		take_other(a);
		return true;
	}
	seen_set(&k->of_other, k, l);
	begin_other(a, a->screen->scripted ? 0 : AT_ONCE_NODES);
	bool usual = a->scene.portion_ns && a->scene.portion_ns != WORK_ALL;
	look_on(a, !a->scene.folds ? WORK_ALL : usual ? FIRST_NS : a->scene.portion_ns);
	return true;
}

bool
app_fold(const struct app *a, struct regroup **g, struct fold *f, const struct lens *l,
	 struct err *e)
{
	if (!*g)
		*g = regroup_new();
	const struct profile *p =
		regroup_look_paced(*g, a->look.loaded, l, !a->load.state.done, f->pace);
	return p && fold_update(f, p, l, NULL, e);
}

const struct fold *
app_plain_fold(const struct app *a)
{
	const struct app_look *k = &a->look;
	struct lens none;
	lens_init(&none);
	bool plain = lens_equal(&k->seen.lens, &none) && !k->seen.comparing &&
		     k->seen.generation == k->loaded->generation && !k->fold->partial;
	lens_release(&none);
	return plain && k->fold->tree ? k->fold : NULL;
}

void
app_look_finish(struct app *a)
{
	if (!a->look.fold->partial)
		look_on(a, WORK_ALL);
}

bool
app_find(struct app *a, int64_t portion_ns)
{
	bool usual = portion_ns && portion_ns != WORK_ALL;
	if (usual && work_busy(a->finder.work))
		return false; /* it has its portions with the others */
	return finder_on(&a->finder, &a->search, &a->works, a->look.fold, a->scene.p, portion_ns);
}

bool
app_work(struct app *a)
{
	look_on(a, a->scene.portion_ns);
	app_find(a, a->scene.portion_ns);
	works_on(&a->works, a->scene.portion_ns, a->look.work); /* what that one is for is above */
	return works_busy(&a->works);
}

bool
app_look_is_late(const struct app *a)
{
	return works_age_ns(&a->works) > LATE_NS;
}

const struct lens *
app_look_awaited(const struct app *a)
{
	const struct app_look *k = &a->look;
	bool waits = work_busy(k->work) && !lens_equal(&k->of_other.lens, &k->seen.lens);
	return waits ? &k->of_other.lens : NULL;
}

bool
app_look_settle(struct app *a)
{
	struct app_look *k = &a->look;
	if (!work_busy(k->work) || (!k->changes && !k->fold->partial))
		return false;
	work_drop(k->work);
	if (k->fold->partial) {
		fold_settle(k->fold);
		app_say(a, "broken off: %u levels of callers are shown",
			k->fold->tree->depth_cut);
		return true;
	}
	/* what is seen is what was asked for some changes ago */
	struct lens lens;
	lens_copy(&lens, &k->seen.lens);
	lens_release(&k->lens);
	k->lens = lens;
	while (k->undo.n && lens_equal(&k->undo.at[k->undo.n - 1], &k->lens))
		lens_release(&k->undo.at[--k->undo.n]);
	k->changes = false;
	app_say(a, "broken off: what was seen before is");
	return true;
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
		remember(&a->look);
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
	if (!redo && !a->look.undo.n && a->config->back) {
		*a->config->back = a->quit = true;
		return;
	}
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
		remember(&a->look);
	lens_release(&a->look.lens);
	a->look.lens = lens;
	if (!app_look(a, &a->look.lens, &e))
		app_fault(a, "%s", e.text);
	app_look_finish(a);
}

void
app_sure_only(struct app *a, bool on)
{
	if (a->scene.sure_only == on)
		return;
	a->scene.sure_only = on;
	a->scene.folds++; /* views show others of its rows */
	reset_outline(a);
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
		app_say(a, "kept to compare with: change the range ([ ] { }) or the tracks (t)");
	else
		app_say(a, "no comparison any more");
}

/* ---- begin and end ---- */

static void
seen_init(struct app_seen *x)
{
	lens_init(&x->lens);
	lens_init(&x->base);
	x->regroup = regroup_new();
}

static void
seen_release(struct app_seen *x)
{
	lens_release(&x->lens);
	lens_release(&x->base);
	regroup_free(x->regroup);
}

void
app_look_init(struct app *a, const struct app_config *config, const struct profile *loaded)
{
	a->look.loaded = loaded;
	a->look.fold = fold_new();
	a->look.other = fold_new();
	a->look.work = work_new(&a->works);
	outline_init(&a->look.outline);
	a->look.generation = UINT64_MAX;
	a->look.comparing = config->base != NULL;
	lens_copy(&a->look.lens, config->lens);
	seen_init(&a->look.seen);
	seen_init(&a->look.of_other);
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
	lens_release(&a->look.base);
	seen_release(&a->look.seen);
	seen_release(&a->look.of_other);
	work_free(a->look.work);
	search_release(&a->look.found);
	outline_release(&a->look.outline);
	fold_free(a->look.fold);
	fold_free(a->look.other);
}
