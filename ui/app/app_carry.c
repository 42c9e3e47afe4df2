/* app_carry.c - see app_carry.h.
 *
 * Ids of a newer part of a recording are others, and it begins later.  So everything that depends
 * on a profile is made anew, and the state comes in the words of a session, with other times.
 *
 * A range that does not slide may lie where the newer part has nothing any more, and so may what is
 * compared.  Then, and while the user has paused the picture or has something open, the older part
 * stays, and grows no more.
 *
 * A part has the metrics of the events that occur in it: the chosen one may be missing.  Then the
 * default one is shown.  A part without any event leaves the state to the next one. */
#include "ui/app/app_carry.h"

#include <stdlib.h>
#include <string.h>

#include "model/base/mem.h"
#include "model/base/sum.h"
#include "model/fold/fold.h"
#include "ui/app/app_stand.h"

struct app_carried {
	struct app_stand *stand; /* NULL: nothing is carried */
	struct app_history steps;
	struct prompt_history history[ASKED_KINDS];
	struct marks marks;
	struct buf message;
	char *question; /* NULL: none */
	enum details_wish details;
	int64_t start; /* of the profile */
	bool fault, touched, mouse_on;
	bool ended; /* a browser has ended for it, and the next one has not begun */
};

struct app_carried *
app_carried_new(void)
{
	return mem_zalloc(1, sizeof(struct app_carried));
}

void
app_carried_free(struct app_carried *c)
{
	if (!c)
		return;
	app_stand_free(c->stand);
	app_history_release(&c->steps);
	for (unsigned i = 0; i < ASKED_KINDS; i++)
		prompt_history_release(&c->history[i]);
	marks_release(&c->marks);
	buf_release(&c->message);
	free(c->question);
	free(c);
}

bool
app_carried_is_due(const struct app_carried *c)
{
	return c->ended;
}

bool
app_carry_begin(const struct app_config *config)
{
	struct app_carried *c = config->carried;

	if (c)
		c->ended = false;
	return c && c->stand;
}

const struct lens *
app_carry_lens(const struct app_config *config)
{
	const struct app_carried *c = config->carried;

	return c && c->stand ? &c->stand->look.lens : config->lens;
}

/* True if all is loaded that this part has of the one before: it is visible by now. */
static bool
may_carry_in(const struct app *a)
{
	const struct profile *p = a->look.loaded;

	return a->look.fits || a->load.state.done || (p->n_groups && p->group[0].has_time);
}

/* ---- out ---- */

static bool
is_fixed(struct moment m)
{
	return m.kind != MOMENT_OPEN && !m.back;
}

/* True if the picture could not be shown any more. */
static bool
needs_older(const struct app *a)
{
	const struct lens *l = &a->look.now.lens;

	return a->look.now.comparing || is_fixed(l->from) || is_fixed(l->to) || l->why;
}

static bool
is_engaged(const struct app *a)
{
	return a->load.paused || modals_top(&a->front.stack) || a->guide.now ||
	       a->look.changes || (a->load.carry_due && may_carry_in(a)) ||
	       a->load.restore_due || a->load.guide_due;
}

static int64_t
start_of(const struct app *a)
{
	return a->look.loaded->n_groups ? a->look.loaded->group[0].start : 0;
}

static void
carry_out(struct app *a, struct app_carried *c)
{
	c->stand = app_stand_of(a, true);
	c->start = start_of(a);
	app_history_take(a, &c->steps);
	c->marks = a->marks;
	a->marks = (struct marks){0};
	memcpy(c->history, a->front.history, sizeof c->history);
	memset(a->front.history, 0, sizeof a->front.history);
	c->question = a->question.text ? mem_dup(a->question.text, strlen(a->question.text)) : NULL;
	c->details = a->details.wish;
	c->touched = a->touched;
	c->mouse_on = a->mouse_on;
	c->fault = a->message.fault;
	buf_adds(&c->message, buf_str(&a->message.text));
}

bool
app_carry_out(struct app *a)
{
	struct app_carried *c = a->config->carried;
	bool was_held = a->load.held;

	a->load.held = a->load.state.over && needs_older(a);
	if (a->load.held && !was_held)
		app_say(a, "held: data from here on is not shown; W shows the last seconds again");
	if (!c || !a->load.state.rolls || a->load.held || is_engaged(a))
		return false;
	if (!a->load.carry_due)
		carry_out(a, c);
	c->ended = true;
	return true;
}

/* ---- in ---- */

static int64_t
earlier(int64_t time, int64_t by)
{
	return time < by ? 0 : time - by;
}

/* Moves a range to the newer part; returns false if all of it was let go. */
static bool
shift_range(struct moment *from, struct moment *to, int64_t by)
{
	if (to->kind == MOMENT_NS && !to->back && to->value <= by)
		return false;
	if (from->kind == MOMENT_NS && !from->back)
		from->value = earlier(from->value, by);
	if (to->kind == MOMENT_NS && !to->back)
		to->value -= by;
	return true;
}

static void
shift_lens(struct lens *l, int64_t by)
{
	if (!shift_range(&l->from, &l->to, by))
		l->from = l->to = (struct moment){.kind = MOMENT_OPEN};
}

static void
carry_lenses_in(struct app *a, struct app_carried *c, int64_t by)
{
	for (size_t i = 0; i < c->steps.undo.n; i++)
		shift_lens(&c->steps.undo.at[i].lens, by);
	for (size_t i = 0; i < c->steps.redo.n; i++)
		shift_lens(&c->steps.redo.at[i].lens, by);
	app_history_give(a, &c->steps);
}

static void
carry_marks_in(struct app *a, struct app_carried *c, int64_t by)
{
	for (size_t i = c->marks.list.n; i-- > 0;)
		if (!shift_range(&c->marks.list.at[i].from, &c->marks.list.at[i].to, by))
			marks_remove(&c->marks, i);
	marks_release(&a->marks);
	a->marks = c->marks;
	c->marks = (struct marks){0};
}

/* Removes from the lens what this part does not have. */
static void
fit_lens(const struct app *a, struct lens *l)
{
	const struct profile *p = a->look.loaded;
	struct err e;

	err_init(&e);
	if (l->metric && lens_metric(l, p, &e) == METRIC_NONE)
		lens_set_metric(l, NULL);
	err_init(&e);
	if (!fold_fits(p, l, NULL, &e))
		l->from = l->to = (struct moment){.kind = MOMENT_OPEN};
}

/* Makes what was removed a step back. */
static void
say_removed(struct app *a, const struct lens *before)
{
	struct app_step was = {.comparing = a->look.now.comparing};

	lens_copy(&was.lens, before);
	lens_copy(&was.base, &a->look.now.base);
	app_history_add(&a->look.history, &was);
	if (before->metric && !a->look.now.lens.metric)
		app_say(a, "what is kept has no %s any more: the default metric is shown",
			before->metric);
}

void
app_carry_in(struct app *a)
{
	struct app_carried *c = a->config->carried;
	struct app_stand *stand = c->stand;
	int64_t by = difference_clipped(start_of(a), c->start);
	struct lens before;

	if (!may_carry_in(a))
		return;
	a->load.carry_due = false;
	lens_copy(&before, &stand->look.lens);
	fit_lens(a, &stand->look.lens);
	a->touched = c->touched;
	a->mouse_on = c->mouse_on;
	a->details.wish = c->details;
	stand->scrubber.cursor = earlier(stand->scrubber.cursor, by);
	app_stand_restore(a, stand);
	for (size_t i = 0; views[i] && i < VIEWS_MAX; i++)
		if (a->open.states[i] && views[i]->shift_times)
			views[i]->shift_times(a->open.states[i], by);
	carry_lenses_in(a, c, by);
	carry_marks_in(a, c, by);
	memcpy(a->front.history, c->history, sizeof c->history);
	memset(c->history, 0, sizeof c->history);
	if (c->question)
		question_ask(&a->question, c->question);
	if (c->message.len && c->fault)
		app_fault(a, "%s", buf_str(&c->message));
	else if (c->message.len)
		app_say(a, "%s", buf_str(&c->message));
	if (!lens_equal(&before, &stand->look.lens))
		say_removed(a, &before);
	lens_release(&before);
	buf_release(&c->message);
	free(c->question);
	c->question = NULL;
	app_stand_free(stand);
	c->stand = NULL;
}
