/* app_palette.c - see app_palette.h.
 *
 * The rows come from the list of actions, the verbs of filters and a few words of its own, so the
 * palette always matches the program.  It is rebuilt for each character: a few hundred rows cost
 * less than tracking changes. */
#include "ui/app/app_palette.h"

#include <stdlib.h>
#include <string.h>

#include "model/base/mem.h"
#include "ui/part/keys.h"

const struct app_setter app_setters[] = {
	{"metric", "NAME", "choose the metric"},
	{"by", "function|line|file|module", "what counts as one frame"},
	{"again", "", "query the store for this range and these tracks; u returns"},
	{"range", "FROM TO", "the range: 1.5s 50%"},
	{"from", "TIME", "the range starts there: 2.5s, 50%"},
	{"to", "TIME", "the range ends there"},
	{"last", "TIME", "only the last seconds while reading: 10s; alone: off"},
	{"colour", "auto|kind|module|file", "what the colours of boxes mean"},
	{"bind", "KEY ACTION", "a key for an action, for this session"},
	{"mark", "NAME", "keep place and range under this name"},
	{"unfinished", "", "count slices that never end in answers and slowest calls, or not"},
	{"over", "T", "list only the calls that last longer; alone: all of them"},
	{"sort", "COLUMN", "the order of the functions: calls, -calls reversed"},
	{"guide", "NAME", "start this question of the manual"},
	{NULL, NULL, NULL},
};

const struct app_setter *
app_setter_named(const char *name)
{
	if (!strcmp(name, "color"))
		name = "colour";
	for (const struct app_setter *s = app_setters; s->name; s++)
		if (!strcmp(s->name, name))
			return s;
	return NULL;
}

/* How well a row matches the text. */
enum fit { FITS_BEGIN, FITS_NAME, FITS_WORDS, FITS_NOT };

static enum fit
fit(const char *text, const char *name, const char *help)
{
	if (!strncmp(name, text, strlen(text)))
		return FITS_BEGIN;
	if (strcasestr(name, text))
		return FITS_NAME;
	while (*text) {
		size_t len = strcspn(text, " ");
		char *word = mem_dup(text, len);
		bool there = strcasestr(name, word) || strcasestr(help, word);
		free(word);
		if (!there)
			return FITS_NOT;
		text += len;
		text += strspn(text, " ");
	}
	return FITS_WORDS;
}

static void
add_actions(const struct app *a, struct prompt *p, const char *text, enum fit wanted)
{
	for (int i = ACTION_NONE + 1; i < ACTION_COUNT; i++) {
		enum action action = (enum action)i;
		struct buf keys = BUF_INIT;
		if (fit(text, action_name(action), action_help(action)) != wanted)
			continue;
		keymap_keys(&a->keys, action, 2, &keys);
		prompt_list_add(p, action_name(action), buf_str(&keys),
				action_help(action));
		buf_release(&keys);
	}
}

/* Adds the rows that are not actions; these ask for their arguments. */
static void
add_others(struct prompt *p, const char *text, enum fit wanted)
{
	for (size_t i = 0; i < VERB_COUNT; i++)
		if (fit(text, verb_rows[i].name, verb_rows[i].help) == wanted)
			prompt_list_add(p, verb_rows[i].name, "", verb_rows[i].help);
	for (const struct app_setter *s = app_setters; s->name; s++)
		if (action_named(s->name) == ACTION_NONE &&
		    fit(text, s->name, s->help) == wanted)
			prompt_list_add(p, s->name, "", s->help);
}

void
app_palette(const struct app *a, struct prompt *p, const char *text)
{
	prompt_list_clear(p);
	for (int wanted = FITS_BEGIN; wanted < FITS_NOT; wanted++) {
		add_actions(a, p, text, (enum fit)wanted);
		add_others(p, text, (enum fit)wanted);
	}
	p->choosing = true;
}
