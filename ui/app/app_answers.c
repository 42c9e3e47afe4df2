/* app_answers.c - see app_answers.h.
 *
 * The list opens at once with the questions of the manual. A work computes the answers; then the
 * notable ones are above the questions and the others below them; one with the name of a question
 * is in the row of that, or instead of it. Choosing an answer shows the view of its command, and
 * starts the question of the manual about it, step by step. */
#include "ui/app/app_answers.h"

#include <string.h>

#include "ui/app/app_actions.h"
#include "ui/app/app_draw.h"
#include "ui/app/app_front.h"
#include "ui/app/app_guide.h"

#define ANSWER_IDS 1000 /* ids of menu items: questions are below, answers from there on */

/* The views of reports that have another name here; NULL: the timeline shows them. */
static const struct {
	const char *report, *view;
} views_of[] = {
	{"functions", "functions"}, {"tree", "tree"}, {"info", "info"}, {"slices", "calls"},
};

/* Returns the view that shows what a view of reports does. An empty range, such as a stall, has no
 * functions: what is around it is seen in the timeline. */
static const struct view_ops *
view_of(const struct answers_shown *s)
{
	const char *name = s->view ? s->view : "functions";

	for (size_t i = 0; i < sizeof views_of / sizeof *views_of; i++)
		if (!strcmp(views_of[i].report, name) && !(s->ranges && !strcmp(name, "info")))
			return view_named(views_of[i].view);
	return view_named("timeline");
}

/* Shows what the command of an answer prints. */
static void
show_answer(struct app *a, const struct answers_item *item)
{
	const struct answers_shown *s = &item->shown;
	const struct view_ops *view = view_of(s);
	struct lens lens;

	lens_copy(&lens, &s->lens);
	if (s->function != KEY_NONE)
		lens.by = BY_FUNCTION; /* keys are functions then */
	app_return(a, &lens, s->compares ? &s->base : NULL);
	lens_release(&lens);
	if (s->function != KEY_NONE)
		nav_select_key(&a->nav, a->look.fold, a->scene.p, s->function);
	app_open_view(a, view);
	if (view == view_named("calls")) { /* its list, not the statistics */
		app_arrange(a);
		view->act(app_view_ready(a), &a->scene, ACTION_CALLS_OVER);
	}
}

static void
app_chosen(void *ctx, struct menu *m, int id)
{
	struct app *a = ctx;
	const struct inspections *all = a->config->inspections;
	const struct inspection *q;

	(void)m;
	if (id < ANSWER_IDS) {
		app_guide_start(a, &all->list.at[id]);
		return;
	}
	const struct answers_item *item = &a->answers.all.list.at[id - ANSWER_IDS];
	show_answer(a, item);
	q = inspection_named(all, item->row->guide);
	if (q)
		app_guide_start(a, q);
	app_say(a, "%s", buf_str(&item->text));
}

static const struct menu_hooks answers_hooks = {.chosen = app_chosen};

/* Returns true if a question has this name. */
static bool
is_listed(const struct app *a, const struct guide_list *list, const char *name)
{
	for (size_t i = 0; i < list->at.n; i++)
		if (!strcmp(a->config->inspections->list.at[list->at.at[i]].name, name))
			return true;
	return false;
}

/* Adds an answer, behind a text. */
static void
add_answer(const struct app *a, struct menu *m, size_t i, const char *text)
{
	const struct answers_item *item = &a->answers.all.list.at[i];
	struct buf label = BUF_INIT;

	buf_addf(&label, "%s%s", text, buf_str(&item->text));
	menu_add(m, ANSWER_IDS + (int)i, 0, buf_str(&label), item->row->name);
	buf_release(&label);
}

/* Adds a question, with its answer if that has its name and is not above. */
static void
add_question(const struct app *a, struct menu *m, size_t id)
{
	const struct inspection *q = &a->config->inspections->list.at[id];
	const struct answers *all = &a->answers.all;
	struct buf title = BUF_INIT;
	size_t i = 0;

	while (i < all->list.n && (strcmp(all->list.at[i].row->name, q->name) ||
				   !all->list.at[i].numbers.n))
		i++;
	buf_addf(&title, "%s  ", q->title);
	if (i == all->list.n)
		menu_add(m, (int)id, 0, q->title, q->name);
	else if (!all->list.at[i].notable)
		add_answer(a, m, i, buf_str(&title));
	buf_release(&title);
}

/* The notable answers, the questions, and the answers to none of these. */
static void
app_fill(const struct app *a, struct menu *m)
{
	static const char *const marks[] = {"", "! ", "!! "};
	const struct answers *all = &a->answers.all;
	struct guide_list list = {0};

	app_guide_list(a, &list);
	for (size_t i = 0; i < all->list.n; i++)
		if (all->list.at[i].notable && all->list.at[i].numbers.n)
			add_answer(a, m, i, marks[all->list.at[i].notable]);
	for (size_t i = 0; i < list.at.n; i++)
		add_question(a, m, list.at.at[i]);
	for (size_t i = 0; i < all->list.n; i++)
		if (!all->list.at[i].notable && all->list.at[i].numbers.n &&
		    !is_listed(a, &list, all->list.at[i].row->name))
			add_answer(a, m, i, "");
	vec_release(&list.at);
}

static void
make_answers(void *ctx, struct pace *pace)
{
	struct app *a = ctx;
	const struct app_step *now = &a->look.now;

	answers_make(&a->answers.all, &(struct answers_asks){
					      .p = a->scene.p,
					      .lens = &a->look.now.lens,
					      .kept = now->comparing ? &now->base : NULL,
					      .unfinished = a->slowest.unfinished,
					      .pace = pace,
				      });
}

/* Starts to compute the answers, from the beginning. */
static void
begin_answers(struct app *a)
{
	bool usual = a->scene.portion_ns && a->scene.portion_ns != WORK_ALL;
	struct app_answers *x = &a->answers;

	if (!x->work)
		x->work = work_new(&a->works);
	work_drop(x->work);
	answers_release(&x->all);
	work_begin(x->work, make_answers, a);
	work_on(x->work, usual ? work_first(a->scene.portion_ns) : a->scene.portion_ns);
}

void
app_answers_greet(struct app *a)
{
	/* without the manual F3 shows nothing; a script sees what it asked for */
	if (!a->config->inspections || !a->config->inspections->list.n || a->screen->scripted ||
	    a->rest.heard_ns || a->answers.due)
		return;
	a->answers.greet_due = true;
}

/* Shows the most notable answer once, unless the user has acted meanwhile. */
static void
greet(struct app *a)
{
	struct app_answers *x = &a->answers;
	struct buf keys = BUF_INIT;

	x->greets = false;
	keymap_keys(&a->keys, ACTION_GUIDE, 1, &keys);
	if (x->all.complete && x->all.list.n && x->all.list.at[0].notable && keys.len &&
	    !a->message.text.len && !a->rest.heard_ns)
		app_say(a, "%s: %s", buf_str(&keys), buf_str(&x->all.list.at[0].text));
	buf_release(&keys);
}

void
app_answers_made(struct app *a)
{
	struct app_answers *x = &a->answers;
	struct menu *m = &a->front.menu;

	if (x->greet_due && a->drawn_folds != a->scene.folds) {
		a->scene.again = true; /* once the picture has been shown */
	} else if (x->greet_due) {
		x->greet_due = false;
		x->greets = true;
		begin_answers(a);
	}
	if (x->greets && !work_busy(x->work))
		greet(a);
	if (!x->due || work_busy(x->work))
		return;
	x->due = m->open && m->hooks == &answers_hooks;
	if (!x->due)
		return;
	if (!x->all.complete) { /* another fold is shown now */
		work_begin(x->work, make_answers, a);
		return;
	}
	x->due = false;
	if (m->typing)
		return;
	menu_clear(m);
	app_fill(a, m);
	m->at = 0;
}

static void
menu_answers(struct app *a)
{
	struct app_answers *x = &a->answers;

	if (!a->config->inspections || !a->config->inspections->list.n) {
		app_fault(a, "the manual page, which has the questions, is not installed");
		return;
	}
	x->greets = false;
	if (x->work)
		work_drop(x->work);
	answers_release(&x->all);
	struct menu *m = app_menu(a, "what do you want to know?", &answers_hooks);
	m->searches = true;
	app_fill(a, m);
	x->due = true;
	begin_answers(a);
	app_answers_made(a);
}

void
app_answers_release(struct app *a)
{
	work_free(a->answers.work);
	answers_release(&a->answers.all);
}

const struct app_action app_answers_actions[] = {
	{ACTION_GUIDE, menu_answers},
	{ACTION_NONE, NULL},
};
