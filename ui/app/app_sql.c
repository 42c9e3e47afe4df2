/* app_sql.c - the prompt for SQL queries.
 *
 * Tab completes the word at the end: names of tables, columns and functions, from the schema
 * itself.  At an empty prompt it lists the stored queries, which run by their names. */
#include <string.h>

#include "model/base/chars.h"
#include "ui/app/app_actions.h"
#include "ui/app/app_front.h"

#define LISTED 12

struct completing {
	struct prompt *prompt;
	const char *word; /* its typed part */
	size_t len;
	struct buf common; /* the common beginning of all candidates */
	unsigned found;
};

static bool
app_sql_begins(const struct completing *k, const char *word)
{
	for (size_t i = 0; i < k->len; i++)
		if ((word[i] | 0x20) != (k->word[i] | 0x20))
			return false;
	return true;
}

static void
found(void *to, const char *word, const char *what)
{
	struct completing *k = to;
	size_t same = 0;
	if (!app_sql_begins(k, word))
		return;
	if (!k->found++)
		buf_adds(&k->common, word);
	while (same < k->common.len && word[same] == k->common.at[same])
		same++;
	k->common.len = same;
	if (k->common.at)
		k->common.at[same] = '\0';
	if (k->found <= LISTED)
		prompt_list_add(k->prompt, word, NULL, what);
}

static void
find_stored(const struct answer_source *source, struct completing *k)
{
	for (size_t i = 0; i < source->n_stored; i++)
		found(k, source->name(source->ctx, i), source->about(source->ctx, i));
}

static bool
app_is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_' || c == '-';
}

static void
complete(void *ctx, struct prompt *p, const char *text, struct buf *out)
{
	struct app *a = ctx;
	const struct answer_source *source = a->question.source;
	size_t len = strlen(text), at = len;
	while (at && app_is_word(text[at - 1]))
		at--;
	struct completing k = {.prompt = p, .word = text + at, .len = len - at};
	if (!at)
		find_stored(source, &k);
	if (at || !k.found)
		source->words(source->ctx, &a->look.now.lens, found, &k);
	buf_add(out, text, at);
	buf_adds(out, k.found ? buf_str(&k.common) : text + at);
	if (k.found == 1)
		prompt_list_clear(p);
	else if (k.found > LISTED)
		prompt_note(p, false, "%u candidates", k.found);
	buf_release(&k.common);
}

static bool
done(void *ctx, struct prompt *p, const char *text)
{
	struct app *a = ctx;
	(void)p;
	if (!text[strspn(text, " ")])
		return true;
	question_ask(&a->question, text);
	app_open_view(a, view_named("sql"));
	return true;
}

static const struct prompt_hooks hooks = {.done = done, .complete = complete};

static void
app_sql_ask(struct app *a)
{
	if (!a->question.source) {
		app_say(a, "this pnav was built without SQLite: it cannot run SQL");
		return;
	}
	app_prompt(a, "sql: ", "", &hooks, ASKED_SQL);
	prompt_note(&a->front.prompt, false,
		    "SELECT ... or the name of a stored query; Tab lists them");
}

const struct app_action app_sql_actions[] = {
	{ACTION_SQL, app_sql_ask},
	{ACTION_NONE, NULL},
};
