/* app_act.c - performs actions, and implements those that belong to no other file.
 *
 * An action may open a view.  Otherwise the scrubber gets it first while it has the focus, then the
 * view, then the scrubber, and last the action's own row.  Each topic (app_actions.h) adds its own
 * rows. */
#include "ui/app/app_act.h"

#include <stdlib.h>

#include "model/lens/commandline.h"
#include "model/lens/words.h"
#include "ui/app/app_actions.h"
#include "ui/app/app_ask.h"
#include "ui/app/app_draw.h"
#include "ui/app/app_lines.h"
#include "ui/app/app_range.h"
#include "ui/app/app_why.h"
#include "ui/part/show.h"

/* ---- the selection ---- */

static void
app_act_find(struct app *a, int dir)
{
	if (!a->search.pattern) {
		app_say(a, "nothing was searched yet: / searches");
		return;
	}
	if (a->search.due) {
		a->asked.steps += dir;
		return;
	}
	const struct view_ops *v = a->open.view;
	void *state = app_view_ready(a);
	struct standing before = {0}, now = {0};
	if (v->search_position)
		v->search_position(state, &a->scene, &before);
	if (!v->find(state, &a->scene, dir)) {
		app_say(a, a->search.keys ? "no match in this view" : "no match");
		return;
	}
	app_arrange(a); /* the range is counted for the selection */
	if (v->search_position)
		v->search_position(state, &a->scene, &now);
	bool wrapped = before.all && (dir > 0 ? now.at <= before.at
					      : now.at > before.at - before.here);
	app_say_match(a, !wrapped  ? ""
			 : dir > 0 ? ", from the top again"
				   : ", from the end again");
}

void
app_find_steps(struct app *a)
{
	int steps = a->asked.steps;
	if (!steps || a->search.due || app_too_small(a))
		return;
	a->asked.steps = 0;
	for (; a->search.pattern && steps; steps += steps < 0 ? 1 : -1)
		app_act_find(a, steps < 0 ? -1 : 1);
}

static void
find_next(struct app *a)
{
	app_act_find(a, 1);
}

static void
find_previous(struct app *a)
{
	app_act_find(a, -1);
}

/* Copies `text` and reports it on the message line in its shown form. */
static void
copy(struct app *a, const struct buf *text, const struct buf *shown)
{
	if (!a->screen->ops->copy ||
	    !a->screen->ops->copy(a->screen, buf_str(text), text->len))
		app_say(a, "%s   (this terminal cannot copy)", buf_str(shown));
	else if (a->screen->copy_note)
		app_say(a, "copied: %s   (%s)", buf_str(shown), a->screen->copy_note);
	else
		app_say(a, "copied: %s", buf_str(shown));
}

/* Writes the bytes of the name where `shown` is an escaped form of them.  A name in another charset
 * is written as the converted text. */
static void
write_itself(const struct app *a, const struct buf *shown, struct buf *out)
{
	const struct profile *p = a->scene.p;
	struct buf escaped = BUF_INIT;
	if (a->nav.key != KEY_NONE && p->charset != CHARSET_CP437) {
		name_id id = projection_key_name(a->look.fold->tree, p, a->nav.key);
		struct name name = names_get(&p->names, id);
		profile_show_name(p, id, &escaped);
		buf_add(out, name.at, name.len);
	}
	buf_adds(out, buf_str(shown) + escaped.len); /* a line number follows the name */
	buf_release(&escaped);
}

static void
copy_name(struct app *a)
{
	struct buf text = BUF_INIT, shown = BUF_INIT;
	show_key(&a->scene, a->nav.key, &shown);
	write_itself(a, &shown, &text);
	copy(a, &text, &shown);
	buf_release(&shown);
	buf_release(&text);
}

/* Writes the path from the root, one name at a time, as a session stores it. */
static void
app_write_place(const struct app *a, const char *word, node_id node, struct buf *out)
{
	struct place p = {0};
	place_of(&a->scene, node, &p);
	for (size_t i = 0; i < p.names.n; i++)
		words_option(out, word, p.names.at[i]);
	place_release(&p);
}

/* Writes the state of the view, unless it is the initial one. */
static void
write_state(const struct app *a, struct buf *out)
{
	struct buf words = BUF_INIT;
	for (size_t i = 0; views[i] && i < VIEWS_MAX; i++) {
		if (views[i] != a->open.view || !a->open.states[i] || !views[i]->save_state)
			continue;
		buf_addf(&words, "%s ", views[i]->name);
		size_t had = words.len;
		views[i]->save_state(a->open.states[i], &words);
		if (words.len > had)
			words_option(out, "state", buf_str(&words));
	}
	if (a->scene.chains)
		words_option(out, "chains", NULL);
	if (a->scene.sure_only)
		words_option(out, "only-sure", NULL);
	if (app_colour_by_said(a))
		words_option(out, "colour-by", hue_word(a->hues.by));
	/* the open view proposes the row by itself again, another one does not */
	if (!nav_is_free(&a->nav) || (a->nav.proposed && a->open.proposer != a->open.view))
		app_write_place(a, "select", a->nav.node, out);
	app_write_place(a, "zoom", a->nav.zoom, out);
	if (a->search.pattern)
		words_option(out, "search", pattern_text(a->search.pattern));
	buf_release(&words);
}

/* Fills *out with the words that load these files. */
static void
app_commandline(const struct app *a, struct commandline *out)
{
	const struct app_config *config = a->config;

	*out = (struct commandline){.verb = config->command};
	for (size_t i = 0; i < config->n_options; i++)
		words_option(&out->options, config->options[i].name, config->options[i].value);
	if (config->normalize)
		words_option(&out->rest, "normalize", NULL);
	if (config->independent)
		words_option(&out->rest, "assume-independent", NULL);
	commandline_files(out, config->files, config->n_files,
			  config->command ? config->n_base : 0);
}

/* Writes the command line that gives this view. */
static void
app_write_command(const struct app *a, struct buf *out)
{
	struct commandline line;
	struct buf more = BUF_INIT;

	app_commandline(a, &line);
	write_state(a, &more);
	for (size_t i = 0; i < a->config->n_source_dirs; i++)
		words_option(&more, "source-dir", a->config->source_dirs[i]);
	const struct app_step *now = &a->look.now;
	commandline_write(&line, &now->lens, now->comparing ? &now->base : NULL,
			  a->open.view->name, buf_str(&more), out);
	buf_release(&more);
	commandline_release(&line);
}

static void
copy_command(struct app *a)
{
	struct buf text = BUF_INIT;
	app_write_command(a, &text);
	copy(a, &text, &text);
	buf_release(&text);
}

static void
details(struct app *a)
{
	bool shown = a->details.at.h > 0;
	a->details.wish = shown ? DETAILS_OFF : DETAILS_ON;
	app_arrange(a);
	if (shown)
		return;
	if (a->open.view->no_details)
		app_say(a, "this view has no detail pane");
	else if (!a->details.at.h)
		app_say(a, "no room for the detail pane: the screen is too low");
}

/* ---- the visible part ---- */

static void
invert(struct app *a)
{
	struct lens l;
	lens_copy(&l, &a->look.now.lens);
	l.invert = !l.invert;
	app_change(a, &l);
}

static void
chains(struct app *a)
{
	a->scene.chains = !a->scene.chains;
	app_say(a, a->scene.chains
			   ? "flame and tree: frames that call a single other one share its line"
			   : "flame and tree: each frame separately");
}

static void
sure_only(struct app *a)
{
	const struct fold *f = a->look.fold;
	app_sure_only(a, !a->scene.sure_only);
	if (!a->scene.sure_only)
		app_say(a, "changes that may be chance are shown");
	else if (!f->compares)
		app_say(a, "a comparison will show only sure changes");
	else if (!f->changes.chance)
		app_say(a, "nothing is hidden: chance is unknown here");
	else
		app_say(a, "only changes beyond chance are shown, with their paths");
}

static void
undo(struct app *a)
{
	app_undo(a, false);
}

static void
redo(struct app *a)
{
	app_undo(a, true);
}

static void
cancel(struct app *a)
{
	if (app_look_settle(a))
		return;
	if (a->look.now.comparing) {
		app_compare(a);
	} else if (!a->load.state.done) {
		a->loader.stop(a->loader.ctx);
		a->load.paused = false;
		app_say(a, "loading stops; the data read so far stays");
	} else if (a->search.pattern) {
		search_set(&a->search, NULL);
	} else {
		a->scrubber.focus = false;
	}
}

/* Reading continues in the pause: if pnav stopped reading a pipe, it would stop the writer too. */
static void
pause_or_go_on(struct app *a)
{
	if (!a->load.paused && a->load.state.done) {
		app_say(a, "everything is read: there is nothing to pause");
		return;
	}
	a->load.paused = !a->load.paused;
	app_say(a,
		a->load.paused ? "paused: reading continues, p shows the new data" : "going on");
}

/* Reports that no view was zoomed. */
static void
no_zoom(struct app *a)
{
	app_say(a, "no zoom to leave");
}

/* ---- the program ---- */

static void
back(struct app *a)
{
	if (a->scrubber.focus)
		a->scrubber.focus = false;
	else if (a->open.n_before)
		a->open.view = a->open.before[--a->open.n_before];
	else
		a->quit = true;
}

static void
suspend_screen(struct app *a, void *ctx)
{
	(void)ctx;
	a->screen->ops->suspend(a->screen);
}

static void
suspend(struct app *a)
{
	if (a->screen->ops->suspend)
		app_meanwhile(a, suspend_screen, NULL);
}

static void
mouse(struct app *a)
{
	a->mouse_on = !a->mouse_on;
	if (a->screen->ops->mouse)
		a->screen->ops->mouse(a->screen, a->mouse_on);
	app_say(a,
		a->mouse_on ? "mouse on" : "mouse off: the terminal selects text again");
}

static void
redraw(struct app *a)
{
	if (a->screen->ops->redraw)
		a->screen->ops->redraw(a->screen);
}

static void
quit(struct app *a)
{
	a->quit = true;
}

const struct app_action app_act_actions[] = {
	{ACTION_NEXT, find_next},
	{ACTION_PREVIOUS, find_previous},
	{ACTION_COPY, copy_name},
	{ACTION_COPY_COMMAND, copy_command},
	{ACTION_DETAILS, details},
	{ACTION_INVERT, invert},
	{ACTION_CHAINS, chains},
	{ACTION_SURE_ONLY, sure_only},
	{ACTION_UNDO, undo},
	{ACTION_REDO, redo},
	{ACTION_COMPARE, app_compare},
	{ACTION_CANCEL, cancel},
	{ACTION_OUT, no_zoom},
	{ACTION_PAUSE, pause_or_go_on},
	{ACTION_BACK, back},
	{ACTION_SUSPEND, suspend},
	{ACTION_MOUSE, mouse},
	{ACTION_REDRAW, redraw},
	{ACTION_QUIT, quit},
	{ACTION_NONE, NULL},
};

/* ---- any action ---- */

static const struct app_action *const topics[] = {
#define TOPIC(name) app_##name##_actions,
	APP_TOPICS(TOPIC)
#undef TOPIC
};

void
app_act_row(struct app *a, enum action action)
{
	for (size_t i = 0; i < sizeof topics / sizeof *topics; i++)
		for (const struct app_action *row = topics[i]; row->act; row++)
			if (row->action == action) {
				row->act(a);
				return;
			}
	app_say_idle(a, action);
}

bool
app_answer(struct app *a, enum reply reply)
{
	if (a->scene.say.len)
		app_say(a, "%s", buf_str(&a->scene.say));
	buf_reset(&a->scene.say);
	switch (reply) {
	case REPLY_PASS:
		return false;
	case REPLY_DONE:
		break;
	case REPLY_STACKS:
		app_open_view(a, views[0]);
		break;
	case REPLY_RANGE:
		app_range_take(a);
		break;
	case REPLY_RANGE_STEP:
		app_range_take_step(a);
		break;
	case REPLY_WHY:
		app_why_target(a);
		break;
	case REPLY_MOMENT:
		a->nav.jumps++;
		for (size_t i = 0; views[i]; i++)
			if (views[i]->open == ACTION_VIEW_TIMELINE)
				app_open_view(a, views[i]);
		break;
	}
	return true;
}

void
app_act(struct app *a, enum action action)
{
	if (app_range_step(action) == RANGE_STEP_OWN)
		app_end_steps(a);
	for (size_t i = 0; views[i]; i++)
		if (views[i]->open == action) {
			app_arrange(a); /* the view opened before may propose a selection */
			app_open_view(a, views[i]);
			a->scrubber.focus = false;
			return;
		}
	app_arrange(a);
	if (app_range_takes(action) && a->scrubber.focus) {
		app_range_act(a, action);
		return;
	}
	void *state = app_view_ready(a);
	/* hints have these on counters alone, but they act on calls and all counters, too */
	bool wide = action == ACTION_SLOWER || action == ACTION_FASTER ||
		    action == ACTION_AUTOSCALE;
	bool idle = !wide && !app_means(a, action);
	enum reply reply = a->open.view->act(state, &a->scene, action);
	if (idle && reply == REPLY_DONE && !a->scene.say.len)
		app_say_idle(a, action);
	if (app_answer(a, reply))
		return;
	if (app_range_takes(action))
		app_range_act(a, action);
	else
		app_act_row(a, action);
}
