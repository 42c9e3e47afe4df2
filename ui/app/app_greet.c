/* app_greet.c - what the message line says of the reading: see app_greet.h.  One thing at a time:
 * what the user has to know first, the rest is in the view info. */
#include "ui/app/app_greet.h"

#include "model/fold/nameless.h"

/* No stack has two frames: there is nothing for a flame to show. */
static bool
is_flat(const struct profile *p)
{
	for (stack_id i = 1; i < p->stacks.n; i++)
		if (p->stacks.parent[i] != STACK_EMPTY)
			return false;
	return p->stacks.n > 1;
}

/* Much of it has no names: the user should know before wondering. */
static void
say_nameless(struct app *a)
{
	struct nameless n = {.bad = 0};
	struct buf text = BUF_INIT;
	nameless_find_in(&n, a->scene.p, app_plain_fold(a));
	if (nameless_matters(&n)) {
		nameless_say(&n, a->scene.p, &text);
		app_say(a, "%s", buf_str(&text));
	}
	nameless_release(&n);
	buf_release(&text);
}

/* What standard error gets at the end, where there is no screen over it: files that could not be
 * read, as soon as that is known. */
void
app_say_missed(struct app *a)
{
	const struct profile *p = a->look.loaded;
	const struct warning *first = NULL;
	uint32_t n = 0;
	for (uint32_t i = 0; i < p->n_warnings; i++) {
		if (!p->warning[i].file)
			continue;
		first = n++ == a->load.missed ? &p->warning[i] : first;
	}
	if (first && n - a->load.missed > 1)
		app_fault(a, "%s (and %u more: 8 lists them)", first->text, n - a->load.missed - 1);
	else if (first)
		app_fault(a, "%s", first->text);
	a->load.missed = n;
}

/* The reader's warnings, when all is read; info has them all. */
static void
say_warnings(struct app *a)
{
	const struct profile *p = a->look.loaded;
	uint32_t n = 0;
	const struct warning *first = NULL;
	for (uint32_t i = 0; i < p->n_warnings; i++)
		if (!p->warning[i].file)
			first = n++ ? first : &p->warning[i];
	if (n > 1)
		app_say(a, "warning: %s (and %u more: 8 lists them)", first->text, n - 1);
	else if (n)
		app_say(a, "warning: %s", first->text);
}

/* All is read: what a user who has said nothing yet sees of it. */
void
app_greet(struct app *a)
{
	a->load.greet_due = false;
	if (a->open.fits_profile && is_flat(a->scene.p))
		a->open.view = view_named("functions");
	a->open.fits_profile = false;
	if (!a->message.text.len && !fold_weight(a->look.fold, NODE_ROOT) &&
	    !outline_is_empty(a->scene.outline))
		app_say(a, "all values of this metric are 0 here: m shows the other metrics");
	if (!a->message.text.len)
		say_nameless(a);
	if (!a->message.text.len)
		say_warnings(a);
}

/* Lines of a file of settings that were left out. */
void
app_say_faults(struct app *a, const struct faults *f)
{
	if (f->lines.n && !a->message.text.len)
		app_fault(a, "%s%s", f->lines.at[0], f->lines.n > 1 ? " (and more)" : "");
}
