/* sql_prompt.c - see sql_prompt.h.
 *
 * A query may span lines and ends with a semicolon; a line that begins with a dot is a command,
 * which becomes a query of the schema.  libedit is loaded when a prompt needs it, so pnav neither
 * links it nor depends on its headers.  GNU readline was rejected for its licence, and an editor of
 * our own because the browser has one: this prompt is for those who work without it. */
#include "src/command/sql_prompt.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "model/base/buf.h"
#include "model/base/mem.h"
#include "model/base/vec.h"
#include "src/command/queries.h"
#include "src/command/record/kept.h"
#include "src/late.h"
#include "src/sql/sql.h"

#define HISTORY_MAX 1000

/* libedit's interface of readline; the last one is a variable. */
struct sql_editor {
	char *(*readline)(const char *prompt);
	int (*add_history)(const char *line);
	int (*stifle_history)(int most);
	int (*read_history)(const char *path);
	int (*write_history)(const char *path);
	char **(*matches)(const char *text, char *(*next)(const char *text, int state));
	char **(**complete)(const char *text, int from, int to);
};
static const char *const editor_names[] = {
	"readline",	 "add_history",		"stifle_history",
	"read_history",	 "write_history",	"rl_completion_matches",
	"rl_attempted_completion_function",
};

struct sql_prompting {
	const struct sql_prompt *p;
	struct sql_editor editor;
	bool edits, tty, failed, quits;
	VEC(char *) word;   /* what Tab completes */
	size_t match;       /* the next word to compare */
	struct buf history; /* the path of its file; empty: none */
	struct buf text;    /* of an unfinished query */
	char *line;
	size_t line_cap;
};

/* ---- completion ---- */

/* Collects the names to complete, sorted. */
static void
prompt_collect(struct sql_prompting *x)
{
	static const char names[] =
		"SELECT name FROM sqlite_master UNION SELECT x.name FROM sqlite_master AS m,"
		" pragma_table_xinfo(m.name) AS x UNION SELECT name FROM pragma_function_list"
		" WHERE name GLOB '[a-z]*' ORDER BY 1";
	const char *rest;
	struct err e;

	err_init(&e);
	if (!sql_prepare(x->p->sql, names, &rest, &e))
		return;
	while (sql_step(x->p->sql, &e)) {
		struct sql_value v = sql_value(x->p->sql, 0);
		*vec_push(&x->word) = mem_dup(v.at, v.len);
	}
}

/* libedit passes no context to its callbacks. */
static struct sql_prompting *completing;

/* Returns the next name that begins with the text, on the heap; NULL: no more. */
static char *
next_match(const char *text, int state)
{
	struct sql_prompting *x = completing;
	size_t len = strlen(text);

	for (x->match = state ? x->match : 0; x->match < x->word.n; x->match++)
		if (!strncasecmp(x->word.at[x->match], text, len))
			return strdup(x->word.at[x->match++]);
	return NULL;
}

static char **
complete_word(const char *text, int from, int to)
{
	(void)from;
	(void)to;
	return completing->editor.matches(text, next_match);
}

/* ---- lines ---- */

static void
editor_begin(struct sql_prompting *x)
{
	struct err e;

	err_init(&e);
	x->edits = x->tty && late_load("libedit.so.2", editor_names,
				       sizeof editor_names / sizeof *editor_names, &x->editor, &e);
	if (!x->edits)
		return;
	prompt_collect(x);
	completing = x;
	*x->editor.complete = complete_word;
	x->editor.stifle_history(HISTORY_MAX);
	if (kept_folder(&x->history)) {
		buf_adds(&x->history, "/sql-history");
		x->editor.read_history(buf_str(&x->history));
	} else {
		buf_reset(&x->history);
	}
}

static void
editor_end(struct sql_prompting *x)
{
	if (x->edits && x->history.len)
		x->editor.write_history(buf_str(&x->history));
	completing = NULL;
	for (size_t i = 0; i < x->word.n; i++)
		free(x->word.at[i]);
	vec_release(&x->word);
}

/* Reads a line into x->line, without its end; returns false at the end of the input. */
static bool
prompt_line(struct sql_prompting *x)
{
	const char *prompt = x->text.len ? "  ...> " : "pnav> ";

	if (x->edits) {
		free(x->line);
		x->line = x->editor.readline(prompt);
		if (x->line && *x->line)
			x->editor.add_history(x->line);
		return x->line != NULL;
	}
	if (x->tty) {
		fputs(prompt, stdout);
		fflush(stdout);
	}
	ssize_t n = getline(&x->line, &x->line_cap, stdin);
	if (n > 0 && x->line[n - 1] == '\n')
		x->line[n - 1] = '\0';
	return n >= 0;
}

/* ---- commands ---- */

static void
prompt_answer(struct sql_prompting *x, const char *text)
{
	struct err e;

	err_init(&e);
	if (!x->p->answer(x->p->ctx, text, &e)) {
		fflush(stdout);
		x->p->say(x->p->ctx, &e);
		x->failed = true;
	}
	fflush(stdout);
	x->p->interrupted(x->p->ctx);
}

static void
prompt_schema(struct sql_prompting *x, const char *table)
{
	struct buf text = BUF_INIT;

	buf_adds(&text, "SELECT m.name AS \"table\", x.name AS \"column\", lower(x.type) AS type,"
			" iif(x.hidden, 'hidden', '') AS hidden"
			" FROM sqlite_master AS m, pragma_table_xinfo(m.name) AS x");
	if (*table) {
		buf_adds(&text, " WHERE m.name LIKE '");
		for (; *table; table++)
			buf_addf(&text, *table == '\'' ? "''" : "%c", *table);
		buf_addc(&text, '\'');
	}
	prompt_answer(x, buf_str(&text));
	buf_release(&text);
}

static void
prompt_queries(struct sql_prompting *x, const char *name)
{
	struct queries q = {0};
	struct err e;

	err_init(&e);
	queries_find(&q);
	const struct query *one = *name ? queries_named(&q, name, &e) : NULL;
	if (one)
		prompt_answer(x, one->text);
	else if (*name)
		x->p->say(x->p->ctx, &e);
	for (size_t i = 0; !*name && i < q.all.n; i++)
		printf("%-22s %s\n", q.all.at[i].name, q.all.at[i].about);
	x->failed |= *name && !one;
	queries_release(&q);
}

static void
prompt_tables(struct sql_prompting *x, const char *word)
{
	(void)word;
	prompt_answer(x, "SELECT name AS \"table\" FROM sqlite_master"
			 " ORDER BY name LIKE 'report@_%' ESCAPE '@', name");
}

static void
prompt_quit(struct sql_prompting *x, const char *word)
{
	(void)word;
	x->quits = true;
}

static void prompt_help(struct sql_prompting *x, const char *word);

static const struct prompt_command {
	const char *name, *about;
	void (*run)(struct sql_prompting *x, const char *word);
} commands[] = {
	{".tables", "the tables", prompt_tables},
	{".schema [TABLE]", "columns of all tables, or of those like TABLE", prompt_schema},
	{".query [NAME]", "the stored queries, or runs one", prompt_queries},
	{".help", "these commands", prompt_help},
	{".quit", "ends, as Ctrl-D does", prompt_quit},
};
#define N_COMMANDS (sizeof commands / sizeof *commands)

static void
prompt_help(struct sql_prompting *x, const char *word)
{
	(void)x;
	(void)word;
	for (size_t i = 0; i < N_COMMANDS; i++)
		printf("%-16s %s\n", commands[i].name, commands[i].about);
	puts("Everything else is SQL, up to a semicolon.");
}

static void
prompt_command(struct sql_prompting *x)
{
	size_t len = strcspn(x->line, " \t");
	char *word = x->line + len + strspn(x->line + len, " \t");
	struct err e;

	for (size_t n = strlen(word); n && strchr(" \t;", word[n - 1]);)
		word[--n] = '\0';
	for (size_t i = 0; i < N_COMMANDS; i++)
		if (strcspn(commands[i].name, " ") == len &&
		    !memcmp(commands[i].name, x->line, len)) {
			commands[i].run(x, word);
			return;
		}
	err_init(&e);
	err_usage(&e, "no command '%.*s': .help lists them", (int)len, x->line);
	x->p->say(x->p->ctx, &e);
	x->failed = true;
}

/* Adds the line to the query, and runs it once it is complete. */
static void
prompt_take(struct sql_prompting *x)
{
	if (!x->text.len && *x->line == '.') {
		prompt_command(x);
		return;
	}
	if (x->text.len || x->line[strspn(x->line, " \t")])
		buf_addf(&x->text, "%s\n", x->line);
	if (!x->text.len || !sql_complete(buf_str(&x->text)))
		return;
	prompt_answer(x, buf_str(&x->text));
	buf_reset(&x->text);
}

bool
sql_prompt_run(const struct sql_prompt *p)
{
	struct sql_prompting x = {.p = p, .tty = isatty(STDIN_FILENO) && isatty(STDOUT_FILENO)};

	editor_begin(&x);
	if (x.tty)
		puts("SQL on the profile: .help for commands, .quit to end.");
	while (!x.quits) {
		if (prompt_line(&x)) {
			prompt_take(&x);
			continue;
		}
		if (!x.tty || !p->interrupted(p->ctx))
			break;
		clearerr(stdin); /* Ctrl-C drops the query */
		buf_reset(&x.text);
		putchar('\n');
	}
	if (x.text.len) /* the last query may lack its semicolon */
		prompt_answer(&x, buf_str(&x.text));
	if (x.tty && !x.quits)
		putchar('\n');
	editor_end(&x);
	free(x.line);
	buf_release(&x.text);
	buf_release(&x.history);
	return x.tty || !x.failed;
}
