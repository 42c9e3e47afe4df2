/* app_odd.c - see app_odd.h.
 *
 * The part becomes the range, and the longer one of the times before and after it the base of a
 * comparison, so every view shows at once what is different there.  The parts are those of the
 * whole run through the current lens; they stay known while only the range changes, and each
 * further key shows the next one. */
#include "ui/app/app_odd.h"

#include "ui/app/app_actions.h"
#include "ui/part/show.h"

static void
find_parts(void *ctx, struct pace *pace)
{
	struct app *a = ctx;

	oddparts_find(&a->odd.found, a->scene.p, a->look.fold, pace);
}

/* Copies the lens without its range. */
static void
copy_whole(const struct app *a, struct lens *to)
{
	lens_copy(to, &a->look.now.lens);
	to->from = to->to = (struct moment){.kind = MOMENT_OPEN};
}

static void
say_part(struct app *a, const struct oddpart *part, unsigned at)
{
	struct buf text = BUF_INIT;

	buf_addf(&text, "odd part %u of %u: ", at + 1, a->odd.found.n);
	if (part->idle)
		buf_adds(&text, "nothing runs");
	else if (part->key == KEY_NONE)
		buf_adds(&text, "other functions");
	else
		show_key(&a->scene, part->key, &text);
	buf_addf(&text, " %.3g %%", 100 * part->now);
	if (!a->scene.p->comparison)
		buf_addf(&text, ", %s it %.2g %%", part->before ? "before" : "after",
			 100 * part->beside);
	app_say(a, "%s", buf_str(&text));
	buf_release(&text);
}

static void
go_to_part(struct app *a)
{
	struct app_odd *x = &a->odd;
	unsigned at = x->next % x->found.n;
	const struct oddpart *part = &x->found.at[at];
	int64_t run = a->look.fold->run;
	struct lens l, base;

	x->next = at + 1;
	lens_copy(&l, &a->look.now.lens);
	lens_copy(&base, &a->look.now.lens);
	scrubber_set_range(&a->scrubber, &a->scene, part->from, part->to, &l);
	scrubber_set_range(&a->scrubber, &a->scene, part->before ? 0 : part->to,
			   part->before ? part->from : run, &base);
	bool good = a->scene.p->comparison ? app_change(a, &l) : app_change_beside(a, &l, &base);
	lens_release(&base);
	if (good)
		say_part(a, part, at);
}

void
app_odd_made(struct app *a)
{
	struct app_odd *x = &a->odd;

	if (!x->due || work_busy(x->work))
		return;
	x->due = false;
	if (!x->found.complete)
		return; /* another fold is shown now */
	if (x->known)
		lens_release(&x->of);
	copy_whole(a, &x->of);
	x->generation = a->scene.p->generation;
	x->known = true;
	x->next = 0;
	if (x->found.n)
		go_to_part(a);
	else
		app_say(a, "no part of the run stands out");
}

void
app_odd_release(struct app *a)
{
	work_free(a->odd.work);
	if (a->odd.known)
		lens_release(&a->odd.of);
}

static void
odd_part(struct app *a)
{
	struct app_odd *x = &a->odd;
	bool usual = a->scene.portion_ns && a->scene.portion_ns != WORK_ALL, same;
	struct lens whole;

	if (lens_run(a->scene.p) <= 0) {
		app_say(a, "%s: there is no range to choose", show_no_times(a->scene.p));
		return;
	}
	copy_whole(a, &whole);
	same = x->known && x->generation == a->scene.p->generation && x->found.n &&
	       lens_equal(&whole, &x->of);
	lens_release(&whole);
	if (same) {
		go_to_part(a);
		return;
	}
	if (!x->work)
		x->work = work_new(&a->works);
	work_drop(x->work);
	x->due = true;
	work_begin(x->work, find_parts, a);
	work_on(x->work, usual ? work_first(a->scene.portion_ns) : a->scene.portion_ns);
	app_odd_made(a);
}

const struct app_action app_odd_actions[] = {
	{ACTION_ODD_PART, odd_part},
	{ACTION_NONE, NULL},
};
