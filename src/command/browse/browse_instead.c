/* browse_instead.c - the report that a pipe gets instead of the browser. */
#include "src/command/browse/browse_instead.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "model/base/mem.h"
#include "model/base/vec.h"
#include "src/command/browse/browse_options.h"
#include "src/command/say.h"

static bool
has_row(const struct option_row *row, const char *name)
{
	while (row->name && strcmp(row->name, name))
		row++;
	return row->name != NULL;
}

/* The options that decide between browser and report. */
struct wants {
	bool scripted, no_config;
	VEC(char *) words; /* the words for `report`, without the browser's own options */
	VEC(char *) own;   /* those */
	bool operands;
};

static void
want(void *ctx, const struct option_row *row, const char *value)
{
	struct wants *w = ctx;
	struct buf word = BUF_INIT;
	if (!row) {
		if (!w->operands)
			*vec_push(&w->words) = mem_dup("--", 2);
		w->operands = true;
		*vec_push(&w->words) = mem_dup(value, strlen(value));
		return;
	}
	w->scripted |= !strcmp(row->name, "snapshot") || !strcmp(row->name, "keys") ||
		       !strcmp(row->name, "help");
	w->no_config |= !strcmp(row->name, "no-config");
	bool own = has_row(browse_rows, row->name) && !has_row(report_rows, row->name);
	buf_addf(&word, "--%s%s%s", row->name, value ? "=" : "", value ? value : "");
	*(own ? vec_push(&w->own) : vec_push(&w->words)) = mem_dup(buf_str(&word), word.len);
	buf_release(&word);
}

static void
wants_release(struct wants *w)
{
	for (size_t i = 0; i < w->words.n; i++)
		free(w->words.at[i]);
	for (size_t i = 0; i < w->own.n; i++)
		free(w->own.at[i]);
	vec_release_all(&w->words, &w->own);
}

/* Returns true if the browser's own options are right, which a report then leaves out. */
static bool
own_options_fit(const struct wants *w, struct err *e)
{
	struct browse_options own = {.w = 80, .h = 24};
	struct options o;
	char **words = mem_zalloc(w->own.n + 2, sizeof *words), name[] = "browse";

	words[0] = name;
	for (size_t i = 0; i < w->own.n; i++)
		words[i + 1] = w->own.at[i];
	options_init(&o, &own);
	browse_options_init(&own, &o, false);
	o.session = &own.session;
	bool good = options_read(&o, (int)w->own.n + 1, words, browse_rows, 0, e);
	options_release(&o);
	browse_options_release(&own);
	free(words);
	return good;
}

/* Reports with the words for `report`; with all if they cannot be parsed, so that `report` prints
 * the error. Returns the status. */
static int
report_instead(int argc, char **argv, bool compare, const struct wants *w, bool readable)
{
	const struct command *self = compare ? &command_diff : &command_report;
	char **kept = mem_zalloc(w->words.n + 2, sizeof *kept), report[] = "report";
	int n = 1;
	kept[0] = compare ? argv[0] : report; /* JSON repeats the words */
	for (size_t i = 0; i < w->words.n; i++)
		kept[n++] = w->words.at[i];
	int status = readable ? report_files(self, n, kept, compare)
			      : report_files(self, argc, argv, compare);
	free(kept);
	return status;
}

bool
browse_instead(const struct command *self, int argc, char **argv, bool compare, bool *no_config,
	       int *status)
{
	struct wants w = {0};
	struct err e;

	err_init(&e);
	bool readable = options_scan(argc, argv, browse_rows, TAKES_PROFILE | TAKES_SIDES,
				     report_rows, want, &w);
	bool piped = !w.scripted && !isatty(STDOUT_FILENO);
	*no_config = w.no_config;
	if (piped && readable && !own_options_fit(&w, &e))
		*status = say_usage(self, &e);
	else if (piped)
		*status = report_instead(argc, argv, compare, &w, readable);
	wants_release(&w);
	return piped;
}
