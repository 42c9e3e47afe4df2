/* app_command.c - the prompt that runs any action by name.
 *
 * A command is a word, sometimes with an argument: an action, a verb of the lens, or the setter of
 * a part of it (app_setters).  The palette above the prompt lists them. */
#include <stdlib.h>
#include <string.h>

#include "model/base/mem.h"
#include "model/lens/words.h"
#include "ui/app/app_actions.h"
#include "ui/app/app_ask.h"
#include "ui/app/app_calls.h"
#include "ui/app/app_front.h"
#include "ui/app/app_guide.h"
#include "ui/app/app_marks.h"
#include "ui/app/app_palette.h"
#include "ui/app/app_range.h"
#include "ui/app/config.h"
#include "ui/part/complete.h"

/* Calls f with every word that can begin a command. */
static void
each_word(void (*f)(void *ctx, const char *word), void *ctx)
{
	for (int i = ACTION_NONE + 1; i < ACTION_COUNT; i++)
		f(ctx, action_name((enum action)i));
	for (int i = 0; i < VERB_COUNT; i++)
		f(ctx, verb_name((enum verb)i));
	for (const struct app_setter *s = app_setters; s->name; s++)
		if (action_named(s->name) == ACTION_NONE)
			f(ctx, s->name);
}

struct completion {
	const char *text;
	size_t len;
	struct buf common, list;
	unsigned n;
	struct prompt *prompt;
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

/* Calls f with the values of a setter, if they can be listed. */
static void
each_value(const struct app *a, const struct app_setter *s,
	   void (*f)(void *ctx, const char *word), void *ctx)
{
	const struct profile *p = a->scene.p;
	struct buf word = BUF_INIT;
	if (!strcmp(s->name, "metric"))
		for (metric_id m = 0; m < p->n_metrics; m++)
			if (profile_metric_shown(p, m))
				f(ctx, names_get(&p->names, p->metric[m].name).at);
	if (!strcmp(s->name, "guide"))
		for (size_t i = 0; a->config->inspections && i < a->config->inspections->list.n;
		     i++)
			f(ctx, a->config->inspections->list.at[i].name);
	for (const char *at = strchr(s->argument, '|') ? s->argument : ""; *at;) {
		size_t len = strcspn(at, "|");
		buf_reset(&word);
		buf_add(&word, at, len);
		f(ctx, buf_str(&word));
		at += len + (at[len] == '|');
	}
	buf_release(&word);
}

static void
list_word(void *ctx, const char *word)
{
	struct completion *k = ctx;
	if (!strncmp(word, k->text, k->len))
		prompt_list_add(k->prompt, word, NULL, NULL);
}

/* Completes the value of a setter that begins at `at`. */
static void
complete_value(struct app *a, struct prompt *p, const struct app_setter *s,
	       const char *text, size_t at, struct buf *out)
{
	struct completion k = {.text = text + at, .len = strlen(text + at), .prompt = p};
	each_value(a, s, complete_word, &k);
	buf_add(out, text, at);
	buf_adds(out, k.n ? buf_str(&k.common) : text + at);
	if (k.n > 1)
		each_value(a, s, list_word, &k);
	buf_release(&k.common);
	buf_release(&k.list);
}

/* Completes the first word of a command, names after a verb, and values after a setter. */
static void
command_complete(void *ctx, struct prompt *p, const char *text, struct buf *out)
{
	struct completion k = {.text = text, .len = strlen(text)};
	size_t word = strcspn(text, " ");
	enum verb verb;
	if (text[word] && verb_parse(text, word, &verb)) {
		app_complete_names(ctx, p, text, word + strspn(text + word, " "),
				   app_completes(verb),
				   out);
		return;
	}
	struct buf name = BUF_INIT;
	buf_add(&name, text, word);
	const struct app_setter *setter = app_setter_named(buf_str(&name));
	buf_release(&name);
	if (text[word] && setter) {
		complete_value(ctx, p, setter, text, word + strspn(text + word, " "), out);
		return;
	}
	each_word(complete_word, &k);
	buf_adds(out, k.n ? buf_str(&k.common) : text);
	buf_release(&k.common);
	buf_release(&k.list);
}

/* Describes the possible arguments of a word. */
static bool
note_argument(struct prompt *p, const char *text, size_t word)
{
	char *name = mem_dup(text, word);
	const struct app_setter *s = app_setter_named(name);
	enum verb verb;
	if (s)
		prompt_note(p, false, "%s %s: %s", s->name, s->argument, s->help);
	else if (verb_parse(name, word, &verb))
		prompt_note(p, false, "%s %s: %s   Tab names", verb_rows[verb].name,
			    verb == VERB_LABEL ? "KEY" : "PATTERN", verb_rows[verb].help);
	free(name);
	return p->note.len > 0;
}

static void
command_changed(void *ctx, struct prompt *p, const char *text)
{
	size_t word = strcspn(text, " ");
	if (text[word] && note_argument(p, text, word))
		return;
	app_palette(ctx, p, text);
	if (p->list.n)
		return;
	char *name = mem_dup(text, word);
	if (text[word] && action_named(name) != ACTION_NONE)
		prompt_note(p, true, "%s takes no words", name);
	else
		prompt_note(p, true, "unknown command: %s", text);
	free(name);
}

/* Binds a key for this session; pnavrc has the same line. */
static bool
app_bind(struct app *a, const char *value, struct err *e)
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
colour_by(struct app *a, const char *value, struct err *e)
{
	enum hue by;
	if (!hue_read(value, &by, e))
		return false;
	hues_set(&a->hues, by);
	if (a->look.now.comparing || a->config->command)
		app_say(a, "coloured by %s; in the flame of a comparison by what changed",
			hue_word(by));
	else
		app_say(a, "coloured by %s%s", hue_word(by),
			a->open.view->is_hued ? "" : ": flame (1), callers (4), timeline (5)");
	return true;
}

/* Sorts the open view, or the functions if it has no order. */
static bool
app_sort_by(struct app *a, const char *column, struct err *e)
{
	const struct view_ops *v = a->open.view;

	if (!v->set_sort_column)
		v = view_named("functions");
	if (!v->set_sort_column(app_view_state(a, v), column))
		return err_usage(e, "unknown column '%s'", column);
	app_open_view(a, v);
	return true;
}

/* Counts the slices whose end the file lacks in the answers and among the slowest calls, or leaves
 * them out again. */
static bool
toggle_unfinished(struct app *a)
{
	if (labels_unfinished(&a->scene.p->labels, &a->scene.p->names) == LABEL_NONE) {
		app_say(a, "every slice has its end");
		return true;
	}
	slowest_unfinished(&a->slowest, !a->slowest.unfinished);
	app_say(a, a->slowest.unfinished
			   ? "slices without an end count in the answers and the slowest calls"
			   : "slices without an end are not in the answers and the slowest calls");
	return true;
}

static bool
run_setter(struct app *a, const char *word, const char *value, struct err *e)
{
	struct lens l;
	if (!strcmp(word, "again"))
		return a->again_due = true;
	if (!strcmp(word, "bind"))
		return app_bind(a, value, e);
	if (!strcmp(word, "guide"))
		return app_guide_named(a, value, e);
	if (!strcmp(word, "sort"))
		return app_sort_by(a, value, e);
	if (!strcmp(word, "mark")) {
		app_mark(a, value);
		return true;
	}
	if (!strcmp(word, "over"))
		return app_calls_over(a, value, e);
	if (!strcmp(word, "colour"))
		return colour_by(a, value, e);
	if (!strcmp(word, "last"))
		return app_range_last(a, value, e);
	if (!strcmp(word, "range") || !strcmp(word, "from") || !strcmp(word, "to"))
		return app_range_set(a, word, value, e);
	lens_copy(&l, &a->look.now.lens);
	if (lens_read_option(&l, word, value, e))
		return app_change(a, &l);
	lens_release(&l);
	return false;
}

/* Runs a word with an argument; on failure returns false with the usage in *e. */
static bool
run_with(struct app *a, const char *word, const char *value, struct err *e)
{
	const struct app_setter *s = app_setter_named(word);
	enum verb verb;
	struct lens l;
	if (s)
		return run_setter(a, s->name, value, e);
	if (!verb_parse(word, strlen(word), &verb) && action_named(word) != ACTION_NONE)
		return err_usage(e, "%s takes no words", word);
	if (!verb_parse(word, strlen(word), &verb))
		return err_usage(e, "unknown command: %s", word);
	lens_copy(&l, &a->look.now.lens);
	if (lens_add(&l, verb, value, strlen(value), e)) {
		bool good = app_change(a, &l);
		a->asked.entered = good ? a->look.now.lens.entries.n : 0;
		return good;
	}
	lens_release(&l);
	return false;
}

/* Writes the word that the text means: the only word that begins with it, the word that equals it,
 * or, if no word begins with it, the only row of the palette. */
static bool
word_meant(const struct prompt *p, const char *text, struct buf *out, struct err *e)
{
	struct completion k = {.text = text, .len = strlen(text)};
	enum verb verb;
	bool good = true;
	each_word(complete_word, &k);
	if (k.n == 1)
		buf_adds(out, buf_str(&k.common));
	else if (action_named(text) || verb_parse(text, strlen(text), &verb) ||
		 app_setter_named(text))
		buf_adds(out, text);
	else if (!k.n && p->list.n == 1)
		buf_adds(out, p->list.at[0].text);
	else if (k.n > 1)
		good = err_usage(e, "which one? %s", buf_str(&k.list));
	else if (p->list.n)
		good = err_usage(e, "ambiguous: choose with the arrows");
	else
		good = err_usage(e, "unknown command: %s", text);
	buf_release(&k.common);
	buf_release(&k.list);
	return good;
}

/* Runs a word without an argument at once, or asks for the argument that it needs. */
static bool
run_word(struct app *a, struct prompt *p, const char *word)
{
	enum verb verb;
	struct buf text = BUF_INIT;
	struct err e;
	enum action action = action_named(word);
	err_init(&e);
	if (!strcmp(word, "again"))
		return a->again_due = true;
	if (!strcmp(word, "unfinished"))
		return toggle_unfinished(a);
	if (!strcmp(word, "over"))
		return app_calls_over(a, "", &e);         /* removes the limit */
	if (!strcmp(word, "last") && app_range_slides(a)) /* stay at the last line */
		return app_range_last(a, "", &e);
	if (action)
		a->due = action;
	else if (verb_parse(word, strlen(word), &verb))
		app_ask_entry(a, verb, SIZE_MAX);
	else {
		buf_addf(&text, "%s ", word);
		prompt_replace(p, buf_str(&text));
	}
	buf_release(&text);
	return action || verb_parse(word, strlen(word), &verb);
}

static bool
command_done(void *ctx, struct prompt *p, const char *text)
{
	struct app *a = ctx;
	struct err e;
	struct buf word = BUF_INIT;
	bool good = true, closes = true;
	size_t len = strcspn(text, " ");
	const char *value = text + len + strspn(text + len, " ");
	err_init(&e);
	buf_add(&word, text, len);
	if (p->chosen != SIZE_MAX) {
		buf_reset(&word);
		buf_adds(&word, p->list.at[p->chosen].text);
		closes = run_word(a, p, buf_str(&word));
	} else if (*value && !p->list.n) {
		good = run_with(a, buf_str(&word), value, &e);
	} else if (len) {
		struct buf meant = BUF_INIT;
		good = word_meant(p, p->list.n ? text : buf_str(&word), &meant, &e);
		buf_reset(&word);
		buf_adds(&word, buf_str(&meant));
		buf_release(&meant);
		closes = good && run_word(a, p, buf_str(&word));
	}
	if (!good && err_is_set(&e))
		prompt_note(p, true, "%s", e.text);
	buf_release(&word);
	return closes && (good || !err_is_set(&e));
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

const struct app_action app_command_actions[] = {
	{ACTION_PALETTE, ask_command},
	{ACTION_NONE, NULL},
};
