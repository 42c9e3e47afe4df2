/* app_look.c - the one place that makes folds for the screen.
 *
 * While a file loads, pnav folds the profile again a few times a second.  Folding takes at most a
 * sixth of the time.  During a recording the whole browser takes half a per cent of one processor,
 * or more if a picture every LIVE_MOST_NS costs that.
 *
 * A fold of very many stacks takes longer than a key may.  So there are two folds: the visible one,
 * and a second one in the making (ui/part/work.h).  The second one first runs for a short moment,
 * in which most folds finish, then in the loop between keys.  When it is complete, the two swap.  A
 * further change drops it and starts again.  The previous fold is kept, so undo shows it at once.
 * An inversion starts with its first levels, which are visible while the rest is made.  The lines
 * on top show the requested lens at once, followed by "…" until its fold is visible.
 *
 * Invariant: fold, outline, nav and search belong together; only app_take_other() replaces them. */
#include "ui/app/app_inside.h"

#include "ui/app/config.h"
#include "ui/screen/clock.h"

#define FOLD_EVERY_NS 250000000
#define LIVE_MOST_NS 3000000000  /* between two folds of a recording */
#define LIVE_SHARE 200           /* the pause between them, in the processor time of one */
#define AT_ONCE_NODES (1u << 19) /* of an inversion's first levels */
#define FIRST_NS 12000000        /* what a key may do at once */
#define LATE_NS 80000000         /* then "working" appears: a user reads it after 100 ms */

static void
reset_outline(struct app *a)
{
	outline_reset(&a->outline, a->look.fold, a->scene.p);
	a->outline.sure_only = a->scene.sure_only;
}

/* Updates the parts after nodes or numbers have changed. */
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
seen_set(struct app_seen *x, const struct app_step *to, const struct lens *l)
{
	struct lens lens, base;
	lens_copy(&lens, l);
	lens_copy(&base, l);
	if (to->comparing) {
		lens_release(&base);
		lens_base(&to->base, l, &base);
	}
	lens_release(&x->lens);
	lens_release(&x->base);
	x->lens = lens;
	x->base = base;
	x->comparing = to->comparing;
}

/* True if this is the requested state. */
static bool
seen_is(const struct app_seen *x, const struct app_step *to, const struct lens *l)
{
	struct lens base;
	if (!lens_equal(&x->lens, l) || x->comparing != to->comparing)
		return false;
	if (!to->comparing)
		return true;
	lens_base(&to->base, l, &base);
	bool same = lens_equal(&x->base, &base);
	lens_release(&base);
	return same;
}

/* Makes the second fold; for an inversion perhaps only its first levels. */
static void
make_other(void *ctx, struct pace *pace)
{
	struct app *a = ctx;
	struct app_look *k = &a->look;
	struct app_seen *x = &k->of_other;
	struct err e;
	err_init(&e);
	k->has_other = false;
	x->p = derived_look(x->derived, k->loaded, &x->lens, !a->load.state.done, pace, &e);
	if (!x->p)
		return;
	x->generation = k->loaded->generation;
	k->other->pace = pace;
	k->has_other = fold_update(k->other, x->p, &x->lens, x->comparing ? &x->base : NULL, &e);
	if (k->has_other)
		x->recorded = fold_recorded(k->other, x->p);
	if (k->has_other && a->search.pattern) {
		search_set(&k->found, pattern_ref(a->search.pattern));
		search_update(&k->found, k->other, x->p, pace);
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

/* Starts the complete inversion after its first levels have become visible. */
static void
begin_rest(struct app *a)
{
	struct app_look *k = &a->look;
	if (!k->fold->partial)
		return;
	seen_set(&k->of_other, &k->now, &k->seen.lens);
	begin_other(a, 0);
}

/* Makes the second fold the visible one. */
static void
app_take_other(struct app *a)
{
	struct app_look *k = &a->look;
	struct app_seen keep = k->seen;
	struct outline outline = a->outline;
	works_drop(&a->works);
	if (keep.p && k->of_other.p != keep.p)
		nav_carry(&a->nav, keep.p, k->of_other.p);
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

/* The pause between two folds is five times as long as a fold takes.  During a recording it is
 * LIVE_SHARE times the processor time of all threads since the one before. */
static void
plan_next_look(struct app *a, int64_t began_ns)
{
	int64_t now = clock_ns(), wait = (now - began_ns) * 5, used = clock_used_ns();
	if (a->load.state.live) {
		wait = (used - a->look.used_ns) * LIVE_SHARE;
		wait = wait < LIVE_MOST_NS ? wait : LIVE_MOST_NS;
	}
	a->look.used_ns = used;
	a->look.next_ns = now + (wait > FOLD_EVERY_NS ? wait : FOLD_EVERY_NS);
}

/* Runs a portion of the second fold; returns true when nothing is left to do. */
static bool
look_on(struct app *a, int64_t portion_ns)
{
	struct app_look *k = &a->look;
	int64_t began = clock_ns() - work_age_ns(k->work);
	if (!work_busy(k->work))
		return true;
	if (!work_on(k->work, portion_ns))
		return false;
	app_take_other(a);
	plan_next_look(a, began);
	return true;
}

/* Shows the profile through the lens.  Until loading ends, names of the lens may be missing, so an
 * unsuitable lens is not applied yet. */
static bool
app_look_first(struct app *a, struct err *e)
{
	struct err waiting;
	struct lens all;
	err_init(&waiting);
	if (a->look.now.comparing && a->scene.p->comparison)
		return err_usage(
			e,
			"two tracks are already compared: a base range cannot be added");
	if (app_look(a, &a->look.now.lens, &waiting)) {
		a->look.fits = true;
		return true;
	}
	if (a->load.state.done && !a->look.fits && !a->load.carry_due) {
		*e = waiting;
		return false;
	}
	bool comparing = a->look.now.comparing;
	a->look.now.comparing = false; /* the base may not be loaded yet either */
	lens_init(&all);
	bool done = app_look(a, &all, e);
	lens_release(&all);
	a->look.now.comparing = comparing;
	return done;
}

bool
app_look_grown(struct app *a, struct err *e)
{
	a->look.stale = true;
	/* the visible fold may be a preview, which changes with each character */
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

/* Returns true if the profile has what the lens names. A path has a metric of its own. */
static bool
lens_fits(const struct app *a, const struct lens *l, const struct lens *base, struct err *e)
{
	struct lens plain;
	if (!l->why || !a->load.state.done)
		return fold_fits(a->look.loaded, l, base, e);
	lens_copy(&plain, l);
	lens_set_metric(&plain, NULL);
	bool fits = derived_fits(a->look.loaded, l, e) &&
		    fold_fits(a->look.loaded, &plain, NULL, e);
	lens_release(&plain);
	return fits;
}

bool
app_look(struct app *a, const struct lens *l, struct err *e)
{
	struct app_look *k = &a->look;
	struct lens base;
	uint64_t now = k->loaded->generation;
	if (k->now.comparing)
		lens_base(&k->now.base, l, &base);
	bool fits = lens_fits(a, l, k->now.comparing ? &base : NULL, e);
	if (k->now.comparing)
		lens_release(&base);
	if (!fits)
		return false;
	k->generation = a->load.state.generation;
	k->done = a->load.state.done;
	bool anew = k->stale;
	k->stale = false;
	if (!anew && work_busy(k->work) && seen_is(&k->of_other, &k->now, l))
		return true; /* already in the making */
	works_drop(&a->works);
	k->changes = false;
	if (!anew && k->seen.generation == now && seen_is(&k->seen, &k->now, l)) {
		begin_rest(a);
		return true;
	}
	if (!anew && k->has_other && k->of_other.generation == now &&
	    seen_is(&k->of_other, &k->now, l)) {
		app_take_other(a);
		return true;
	}
	seen_set(&k->of_other, &k->now, l);
	begin_other(a, a->screen->scripted ? 0 : AT_ONCE_NODES);
	bool usual = a->scene.portion_ns && a->scene.portion_ns != WORK_ALL;
	look_on(a, !a->scene.folds ? WORK_ALL : usual ? FIRST_NS : a->scene.portion_ns);
	return true;
}

bool
app_fold(const struct app *a, struct derived **g, struct fold *f, const struct lens *l,
	 struct err *e)
{
	if (!*g)
		*g = derived_new();
	const struct profile *p =
		derived_look(*g, a->look.loaded, l, !a->load.state.done, f->pace, e);
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

void
app_find(struct app *a, int64_t portion_ns)
{
	bool usual = portion_ns && portion_ns != WORK_ALL;
	if (usual && work_busy(a->finder.work))
		return; /* the loop runs it together with other works */
	finder_on(&a->finder, &a->search, &a->works, a->look.fold, a->scene.p, portion_ns);
}

void
app_work(struct app *a)
{
	look_on(a, a->scene.portion_ns);
	app_find(a, a->scene.portion_ns);
	works_on(&a->works, a->scene.portion_ns, a->look.work); /* its purpose is described above */
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
		app_say(a, "cancelled: %u levels of callers are shown",
			k->fold->tree->depth_cut);
		return true;
	}
	/* the visible fold is the one requested some changes ago */
	struct lens lens;
	lens_copy(&lens, &k->seen.lens);
	lens_release(&k->now.lens);
	k->now.lens = lens;
	struct app_history *h = &k->history;
	struct app_step *was = h->undo.at + h->undo.n;
	for (; h->undo.n && seen_is(&k->seen, was - 1, &was[-1].lens); h->undo.n--) {
		app_step_release(&k->now);
		k->now = *--was;
	}
	k->changes = false;
	app_say(a, "cancelled: the previous state is shown");
	return true;
}

void
app_sure_only(struct app *a, bool on)
{
	if (a->scene.sure_only == on)
		return;
	a->scene.sure_only = on;
	a->scene.folds++; /* views show other rows of it */
	reset_outline(a);
}

/* ---- begin and end ---- */

static void
seen_init(struct app_seen *x)
{
	lens_init(&x->lens);
	lens_init(&x->base);
	x->derived = derived_new();
}

static void
seen_release(struct app_seen *x)
{
	lens_release(&x->lens);
	lens_release(&x->base);
	derived_free(x->derived);
}

void
app_look_init(struct app *a, const struct app_config *config, const struct lens *lens,
	      const struct profile *loaded)
{
	a->look.loaded = loaded;
	a->look.fold = fold_new();
	a->look.other = fold_new();
	a->look.work = work_new(&a->works);
	outline_init(&a->look.outline);
	a->look.generation = UINT64_MAX;
	a->look.now.comparing = config->base != NULL;
	lens_copy(&a->look.now.lens, lens);
	seen_init(&a->look.seen);
	seen_init(&a->look.of_other);
	if (config->base)
		lens_copy(&a->look.now.base, config->base);
	else
		lens_init(&a->look.now.base);
}

void
app_step_release(struct app_step *s)
{
	lens_release(&s->lens);
	lens_release(&s->base);
}

void
app_history_release(struct app_history *h)
{
	for (size_t i = 0; i < h->undo.n; i++)
		app_step_release(&h->undo.at[i]);
	for (size_t i = 0; i < h->redo.n; i++)
		app_step_release(&h->redo.at[i]);
	vec_release(&h->undo);
	vec_release(&h->redo);
}

void
app_look_release(struct app *a)
{
	app_history_release(&a->look.history);
	app_step_release(&a->look.now);
	seen_release(&a->look.seen);
	seen_release(&a->look.of_other);
	work_free(a->look.work);
	search_release(&a->look.found);
	outline_release(&a->look.outline);
	fold_free(a->look.fold);
	fold_free(a->look.other);
}
