/* app_greet.c - what the message line reports about loading: see app_greet.h.  It shows one message
 * at a time, the most important one; the view info shows the rest. */
#include "ui/app/app_greet.h"

#include <string.h>

#include "model/fold/nameless.h"
#include "model/fold/outweigh.h"
#include "ui/app/app_answers.h"
#include "ui/screen/text.h"

/* True if no stack has two frames, so a flame graph would show nothing. */
static bool
is_flat(const struct profile *p)
{
	for (stack_id i = 1; i < p->stacks.n; i++)
		if (p->stacks.parent[i] != STACK_EMPTY)
			return false;
	return p->stacks.n > 1;
}

/* True if all tracks are counters, states or marks, so only the timeline has rows. */
static bool
is_stackless(const struct profile *p)
{
	return p->stacks.n <= 1 && p->events > 0 && p->n_tracks > 0;
}

/* Warns that many frames have no names. */
static void
say_nameless(struct app *a)
{
	struct nameless n = {.bad = 0};
	struct buf text = BUF_INIT;
	nameless_find(&n, a->scene.p, app_plain_fold(a));
	if (nameless_matters(&n)) {
		nameless_say(&n, a->scene.p, &text);
		app_say(a, "%s", buf_str(&text));
	}
	nameless_release(&n);
	buf_release(&text);
}

/* Files that could not be read go to standard error at the end, unless a screen covers it; they are
 * reported as soon as they are known. */
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
		app_fault(a, "%u files (8 lists them): %s", n - a->load.missed, first->text);
	else if (first)
		app_fault(a, "%s", first->text);
	a->load.missed = n;
}

/* Reports the reader's warnings after loading; info lists all of them. */
static void
say_warnings(struct app *a)
{
	const struct profile *p = a->look.loaded;
	uint32_t n = 0;
	const struct warning *first = NULL;
	for (uint32_t i = 0; i < p->n_warnings; i++)
		if (!p->warning[i].file)
			first = n++ ? first : &p->warning[i];
	/* the line may be truncated, so it begins with the pointer to the details */
	struct buf text = BUF_INIT;
	if (n && first->count > 1)
		buf_addf(&text, "%llu times: ", (unsigned long long)first->count);
	if (n)
		buf_adds(&text, first->text);
	if (n > 1)
		app_say(a, "%u warnings (8 lists them): %s", n, buf_str(&text));
	else if (n && text_cols(buf_str(&text)) + 9 > a->canvas.w)
		app_say(a, "warning (8 has all of it): %s", buf_str(&text));
	else if (n)
		app_say(a, "warning: %s", buf_str(&text));
	buf_release(&text);
}

static void
say_outweighed(struct app *a)
{
	struct buf text = BUF_INIT;

	if (!a->look.now.lens.metric && outweigh_say(a->scene.p, &text))
		app_say(a, "%s: m shows it", buf_str(&text));
	buf_release(&text);
}

/* Greets a user who has not acted yet, after loading. */
void
app_greet(struct app *a)
{
	a->load.greet_due = false;
	if (a->open.fits_profile && is_flat(a->scene.p))
		a->open.view = view_named("functions");
	else if (a->open.fits_profile && is_stackless(a->scene.p))
		a->open.view = view_named("timeline");
	a->open.fits_profile = false;
	if (!a->message.text.len && a->screen->note)
		app_say(a, "%s", a->screen->note);
	if (!a->message.text.len && !fold_weight(a->look.fold, NODE_ROOT) &&
	    !outline_is_empty(a->scene.outline))
		app_say(a, "all values of this metric are 0 here: m shows the other metrics");
	if (!a->message.text.len)
		say_nameless(a);
	if (!a->message.text.len)
		say_warnings(a);
	if (!a->message.text.len)
		say_outweighed(a);
	if (!a->message.text.len)
		app_answers_greet(a);
}

/* Returns the text of a fault, `FOLDER/FILE:LINE: REASON`, from the name of its file on: the line
 * for messages is short, and info shows the whole path. */
static const char *
without_folder(const char *fault)
{
	const char *end = strstr(fault, ": "), *at = fault;

	for (const char *c = fault; end && c < end; c++)
		if (*c == '/')
			at = c + 1;
	return at;
}

/* Reports ignored lines of a settings file. */
void
app_say_faults(struct app *a, const struct faults *f, struct ignored_lines *all)
{
	*all = (struct ignored_lines){(const char *const *)f->lines.at, f->lines.n, f->more};
	if (!f->lines.n || a->message.text.len)
		return;
	if (f->lines.n > 1)
		app_fault(a, "%zu wrong lines (8 lists them): %s", f->lines.n + f->more,
			  without_folder(f->lines.at[0]));
	else
		app_fault(a, "%s", without_folder(f->lines.at[0]));
}
