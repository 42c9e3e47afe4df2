/* sql_reports.c - the views of `pnav report` as tables of SQL, and a lens in words.
 *
 * The words of a lens come from a query, which may come from a stranger.  So they may be any option
 * of the command line except those that read a file. */
#include "src/command/report/sql_reports.h"

#include <stdlib.h>
#include <string.h>

#include "model/base/mem.h"
#include "model/derive/derived.h"
#include "src/command/report/report.h"
#include "src/options.h"

/* ---- words, as a shell splits them ---- */

struct words {
	VEC(char *) at;
	struct buf word;
};

/* Decodes an escape of $'...'; returns the bytes used. */
static size_t
escaped(const char *at, struct buf *out)
{
	static const char from[] = "ntr\\'\"ae", to[] = "\n\t\r\\'\"\a\033";
	const char *simple = *at ? strchr(from, *at) : NULL;
	char hex[3] = "";
	size_t n = 1;

	if (simple) {
		buf_addc(out, to[simple - from]);
		return 1;
	}
	if (*at != 'x') {
		buf_addc(out, '\\');
		return 0;
	}
	while (n < 3 && at[n] && strchr("0123456789abcdefABCDEF", at[n])) {
		hex[n - 1] = at[n];
		n++;
	}
	buf_addc(out, (char)strtoul(hex, NULL, 16));
	return n;
}

/* Decodes quoted text from `at` on; returns NULL if the quote is not closed. */
static const char *
sql_reports_quoted(const char *at, char quote, bool escapes, struct buf *out)
{
	while (*at && *at != quote) {
		if (*at == '\\' && escapes) {
			at++;
			at += escaped(at, out);
		} else if (*at == '\\' && quote == '"' && at[1] && strchr("\"\\$`", at[1])) {
			buf_addc(out, at[1]);
			at += 2;
		} else {
			buf_addc(out, *at++);
		}
	}
	return *at ? at + 1 : NULL;
}

static const char *
sql_reports_next_word(const char *at, struct buf *out)
{
	while (at && *at && !strchr(" \t\n\r", *at)) {
		if (*at == '$' && at[1] == '\'') {
			at = sql_reports_quoted(at + 2, '\'', true, out);
		} else if (*at == '\'' || *at == '"') {
			at = sql_reports_quoted(at + 1, *at, false, out);
		} else {
			at += *at == '\\' && at[1];
			buf_addc(out, *at++);
		}
	}
	return at;
}

/* Returns false if a quote is not closed. */
static bool
sql_reports_split(const char *at, struct words *w)
{
	*vec_push(&w->at) = mem_dup("sql", 3);
	for (;;) {
		at += strspn(at, " \t\n\r");
		if (!*at)
			break;
		buf_reset(&w->word);
		at = sql_reports_next_word(at, &w->word);
		if (!at)
			return false;
		*vec_push(&w->at) = mem_dup(buf_str(&w->word), w->word.len);
	}
	*vec_push(&w->at) = NULL;
	return true;
}

static void
words_release(struct words *w)
{
	for (size_t i = 0; i < w->at.n; i++)
		free(w->at.at[i]);
	vec_release(&w->at);
	buf_release(&w->word);
}

/* ---- the lens ---- */

static const struct option_row no_rows[] = {{0}};

static bool
read_lens(const char *words, struct lens *out, struct err *e)
{
	struct words w = {0};
	struct options o;
	bool good = sql_reports_split(words, &w);
	int n = (int)w.at.n - 1;

	options_init(&o, NULL);
	if (!good)
		err_usage(e, "lens: a quote has no end in '%s'", words);
	else if (report_words_name_files(n, w.at.at, no_rows))
		good = err_usage(e, "lens: only options of a lens that read no file, not '%s'",
				 words);
	else
		good = options_read(&o, n, w.at.at, NULL, TAKES_LENS, e);
	if (good && o.help)
		good = err_usage(e, "lens: --help is not one of its options");
	if (good) {
		lens_release(out);
		lens_copy(out, &o.lens);
	}
	options_release(&o);
	words_release(&w);
	return good;
}

/* ---- reports ---- */

struct sql_reports_table {
	struct sql_report table; /* first: the table as SQL sees it */
	struct report r;
	struct lens lens;
	struct derived *derived;
};

static const char *
report_name(size_t i)
{
	return report_views[i]->name;
}

static const char *
report_columns(size_t i)
{
	return report_views[i]->columns;
}

static unsigned
report_rows_of(size_t i)
{
	return report_views[i]->rows;
}

static void
report_close(struct sql_report *table)
{
	struct sql_reports_table *t = (struct sql_reports_table *)table;

	report_release(&t->r);
	lens_release(&t->lens);
	derived_free(t->derived);
	free(t);
}

static struct sql_report *
report_open(const struct profile *loaded, size_t i, const struct lens *l, unsigned extras,
	    struct pace *pace, struct err *e)
{
	struct sql_reports_table *t = mem_zalloc(1, sizeof *t);

	lens_copy(&t->lens, l);
	t->derived = derived_new();
	if (report_views[i]->parallelism)
		derived_want_parallelism(t->derived);
	t->r = (struct report){
		.profile = derived_look(t->derived, loaded, &t->lens, false, pace, e),
		.loaded = loaded,
		.changes = loaded->comparison == COMPARE_FILES,
		.pace = pace,
		.err = e,
		.functions = {.by = BY_FUNCTION},
		.limit = UINT64_MAX,
	};
	if (!t->r.profile || !report_make(&t->r, report_views[i], &t->lens,
					     extras & SQL_TIMES)) {
		report_close(&t->table);
		return NULL;
	}
	if (extras & SQL_BARS && t->r.fold)
		fold_find_bars(t->r.fold, t->r.profile);
	t->table = (struct sql_report){&t->r.look, &t->r.rows};
	return &t->table;
}

#define VIEW_COUNT(name) +1
const struct sql_reports sql_reports = {
	.n = 0 REPORT_VIEWS(VIEW_COUNT),
	.name = report_name,
	.columns = report_columns,
	.rows = report_rows_of,
	.read_lens = read_lens,
	.open = report_open,
	.close = report_close,
};
