/* app_ask.c - the prompts: search, filter, commands.
 *
 * While a pattern is typed the search follows at once, and a filter is shown as it would
 * be, as a fold that is not part of the history; Esc gives back what was.  A pattern that
 * does not compile leaves the screen as it is and puts PCRE2's own words above the prompt. */
#include "ui/app/app_ask.h"

#include <stdlib.h>
#include <string.h>

#include "model/human.h"
#include "model/mem.h"
#include "model/words.h"
#include "ui/app/app_actions.h"
#include "ui/app/app_draw.h"
#include "ui/app/app_front.h"
#include "ui/app/app_marks.h"
#include "ui/app/config.h"

/* ---- search ---- */

static bool
search_for(struct app *a, const char *text, struct err *e)
{
	struct pattern *p = NULL;
	if (*text && !(p = pattern_new(text, strlen(text), e)))
		return false;
	search_set(&a->search, p);
	search_update(&a->search, a->look.fold, a->scene.p);
	return true;
}

static void
search_changed(void *ctx, struct prompt *p, const char *text)
{
	struct app *a = ctx;
	struct err e;
	err_init(&e);
	if (!search_for(a, text, &e)) {
		prompt_note(p, true, "%s", e.text);
		return;
	}
	if (*text && !a->search.keys)
		prompt_note(p, false, "no match");
}

static bool
search_done(void *ctx, struct prompt *p, const char *text)
{
	struct app *a = ctx;
	struct err e;
	err_init(&e);
	/* Nothing typed: the last search again, as in less and vim. */
	if (!*text && a->asked.search_before)
		text = a->asked.search_before;
	if (!search_for(a, text, &e)) {
		prompt_note(p, true, "%s", e.text);
		return false;
	}
	if (!a->search.pattern)
		return true;
	app_arrange(a);
	void *state = app_view_state(a, a->open.view);
	if (search_hits_key(&a->search, a->nav.key))
		a->nav.proposed = false; /* what was searched for is chosen */
	else if (!a->open.view->find(state, &a->scene, 1) && !a->search.keys)
		app_say(a, "no match: %s", text);
	return true;
}

static void
search_cancelled(void *ctx)
{
	struct app *a = ctx;
	struct err e;
	err_init(&e);
	search_for(a, a->asked.search_before ? a->asked.search_before : "", &e);
}

static const struct prompt_hooks search_hooks = {
	.changed = search_changed,
	.done = search_done,
	.cancelled = search_cancelled,
};

static void
ask_search(struct app *a)
{
	free(a->asked.search_before);
	a->asked.search_before = NULL;
	if (a->search.pattern) {
		const char *text = pattern_text(a->search.pattern);
		a->asked.search_before = mem_dup(text, strlen(text));
	}
	app_prompt(a, "/", "", &search_hooks, ASKED_SEARCH);
}

/* ---- filters ---- */

/* The lens with the entry that the text means. */
static bool
with_entry(const struct app *a, const char *text, struct lens *out, struct err *e)
{
	lens_copy(out, &a->look.lens);
	if (lens_add(out, a->asked.verb, text, strlen(text), e)) {
		if (a->asked.editing < a->look.lens.entries.n) {
			lens_move(out, out->entries.n - 1, a->asked.editing);
			lens_remove(out, a->asked.editing + 1);
		}
		return true;
	}
	lens_release(out);
	return false;
}

void
app_preview(struct app *a)
{
	struct lens l;
	struct err e;
	struct buf share = BUF_INIT;
	const char *text = buf_str(&a->front.prompt.text);
	err_init(&e);
	a->asked.preview_due = false;
	if (!a->front.prompt.open)
		return;
	if (!*text) {
		app_look(a, &a->look.lens, &e);
		return;
	}
	if (!with_entry(a, text, &l, &e)) {
		prompt_note(&a->front.prompt, true, "%s", e.text);
		return;
	}
	if (app_look(a, &l, &e)) {
		human_share(&share, a->look.fold->now.total[NODE_ROOT],
			    a->look.fold->now.everything);
		prompt_note(&a->front.prompt, false, "leaves %s of everything in range",
			    share.len ? buf_str(&share) : "nothing");
	}
	lens_release(&l);
	buf_release(&share);
}

static void
filter_changed(void *ctx, struct prompt *p, const char *text)
{
	(void)p;
	(void)text;
	((struct app *)ctx)->asked.preview_due = true;
}

static bool
filter_done(void *ctx, struct prompt *p, const char *text)
{
	struct app *a = ctx;
	struct lens l;
	struct err e;
	err_init(&e);
	a->asked.preview_due = false;
	if (!*text) {
		app_look(a, &a->look.lens, &e);
		return true;
	}
	if (!with_entry(a, text, &l, &e)) {
		prompt_note(p, true, "%s", e.text);
		return false;
	}
	if (app_change(a, &l) && a->look.lens.entries.n) {
		size_t at = a->asked.editing < a->look.lens.entries.n ? a->asked.editing
							   : a->look.lens.entries.n - 1;
		if (projection_unmatched(a->look.fold->tree, at))
			app_say(a, "%s '%s' matches nothing", verb_name(a->asked.verb), text);
	}
	return true;
}

static void
filter_cancelled(void *ctx)
{
	struct app *a = ctx;
	struct err e;
	err_init(&e);
	a->asked.preview_due = false;
	app_look(a, &a->look.lens, &e);
}

static const struct prompt_hooks filter_hooks = {
	.changed = filter_changed,
	.done = filter_done,
	.cancelled = filter_cancelled,
};

void
app_ask_entry(struct app *a, enum verb verb, size_t at)
{
	struct buf label = BUF_INIT;
	const char *text = "";
	a->asked.verb = verb;
	a->asked.editing = at;
	if (at < a->look.lens.entries.n)
		text = pattern_text(a->look.lens.entries.at[at].pattern);
	buf_addf(&label, "%s: ", verb_name(verb));
	app_prompt(a, buf_str(&label), text, &filter_hooks, ASKED_FILTER);
	buf_release(&label);
}

void
app_ask_filter(struct app *a)
{
	app_ask_entry(a, VERB_INCLUDE, SIZE_MAX);
}

/* ---- commands ---- */

/* Words beside the actions that take an argument. */
static const char *const setters[] = {"metric", "by", "from", "to", "bind", "mark"};
#define SETTERS (sizeof setters / sizeof *setters)

/* Calls f with every word a command may begin with. */
static void
each_word(void (*f)(void *ctx, const char *word), void *ctx)
{
	for (int i = ACTION_NONE + 1; i < ACTION_COUNT; i++)
		f(ctx, action_name((enum action)i));
	for (int i = 0; i < VERB_COUNT; i++)
		f(ctx, verb_name((enum verb)i));
	for (size_t i = 0; i < SETTERS; i++)
		if (action_named(setters[i]) == ACTION_NONE)
			f(ctx, setters[i]);
}

struct completion {
	const char *text;
	size_t len;
	struct buf common, list;
	unsigned n;
};

static void
complete_word(void *ctx, const char *word)
{
	struct completion *k = ctx;
	if (strncmp(word, k->text, k->len))
		return;
	if (!k->n++) {
		buf_adds(&k->common, word);
	} else {
		size_t same = 0;
		while (same < k->common.len && k->common.at[same] == word[same])
			same++;
		k->common.len = same;
		k->common.at[same] = '\0';
	}
	buf_addf(&k->list, "%s ", word);
}

static void
command_complete(void *ctx, const char *text, struct buf *out)
{
	struct completion k = {.text = text, .len = strlen(text)};
	(void)ctx;
	each_word(complete_word, &k);
	buf_adds(out, k.n ? buf_str(&k.common) : text);
	buf_release(&k.common);
	buf_release(&k.list);
}

static void
command_changed(void *ctx, struct prompt *p, const char *text)
{
	struct completion k = {.text = text, .len = strlen(text)};
	(void)ctx;
	if (strchr(text, ' '))
		return;
	each_word(complete_word, &k);
	enum action only = k.n == 1 ? action_named(buf_str(&k.common)) : ACTION_NONE;
	if (only)
		prompt_note(p, false, "%s: %s", action_name(only), action_help(only));
	else if (k.n)
		prompt_note(p, false, "%s", buf_str(&k.list));
	else
		prompt_note(p, true, "no such command: %s", text);
	buf_release(&k.common);
	buf_release(&k.list);
}

/* For this session; pnavrc has the same line. */
static bool
bind(struct app *a, const char *value, struct err *e)
{
	struct binding b;
	if (!config_binding(value, &b, e))
		return false;
	if (!b.action)
		return err_usage(e, "bind KEY ACTION");
	keymap_bind(&a->keys, b.key, b.action);
	app_say(a, "bound; for good, in pnavrc: bind %s", value);
	return true;
}

static bool
run_setter(struct app *a, const char *word, const char *value, struct err *e)
{
	struct lens l;
	if (!strcmp(word, "bind"))
		return bind(a, value, e);
	if (!strcmp(word, "mark")) {
		app_mark(a, value);
		return true;
	}
	lens_copy(&l, &a->look.lens);
	if (lens_read_option(&l, word, value, e))
		return app_change(a, &l);
	lens_release(&l);
	return false;
}

static bool
is_setter(const char *word)
{
	for (size_t i = 0; i < SETTERS; i++)
		if (!strcmp(setters[i], word))
			return true;
	return false;
}

/* A word with an argument; false with usage in *e. */
static bool
run_with(struct app *a, const char *word, const char *value, struct err *e)
{
	enum verb verb;
	struct lens l;
	if (is_setter(word))
		return run_setter(a, word, value, e);
	if (!verb_parse(word, strlen(word), &verb))
		return err_usage(e, "no such command: %s", word);
	lens_copy(&l, &a->look.lens);
	if (lens_add(&l, verb, value, strlen(value), e))
		return app_change(a, &l);
	lens_release(&l);
	return false;
}

static bool
command_done(void *ctx, struct prompt *p, const char *text)
{
	struct app *a = ctx;
	struct err e;
	enum verb verb;
	err_init(&e);
	char *word = mem_dup(text, strcspn(text, " "));
	const char *value = text + strlen(word);
	value += strspn(value, " ");
	bool good = true;
	struct completion k = {.text = word, .len = strlen(word)};
	each_word(complete_word, &k);
	enum action action = action_named(k.n == 1 ? buf_str(&k.common) : word);
	if (!*word)
		;
	else if (*value)
		good = run_with(a, word, value, &e);
	else if (action)
		a->due = action;
	else if (verb_parse(k.n == 1 ? buf_str(&k.common) : word,
			    k.n == 1 ? k.common.len : strlen(word), &verb))
		app_ask_entry(a, verb, SIZE_MAX);
	else
		good = err_usage(&e, k.n > 1 ? "which one? %s" : "no such command: %s",
				 k.n > 1 ? buf_str(&k.list) : word);
	if (!good && err_is_set(&e))
		prompt_note(p, true, "%s", e.text);
	buf_release(&k.common);
	buf_release(&k.list);
	free(word);
	return good || !err_is_set(&e);
}

static const struct prompt_hooks command_hooks = {
	.changed = command_changed,
	.done = command_done,
	.complete = command_complete,
};

static void
ask_command(struct app *a)
{
	app_prompt(a, ":", "", &command_hooks, ASKED_COMMAND);
}

void
app_ask_release(struct app *a)
{
	free(a->asked.search_before);
}

const struct app_action app_ask_actions[] = {
	{ACTION_SEARCH, ask_search},
	{ACTION_FILTER, app_ask_filter},
	{ACTION_PALETTE, ask_command},
	{ACTION_NONE, NULL},
};
