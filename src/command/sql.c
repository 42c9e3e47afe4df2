/* sql.c - `pnav sql`: SQL queries with results as text, CSV or JSON.
 *
 * CSV and JSON are written row by row.  A text table stores its cells to find their widths, within
 * the memory limit of a query.  This file also stops queries: by a time limit, and by Ctrl-C, which
 * then ends the program as usual. */
#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "model/base/escape.h"
#include "model/base/mem.h"
#include "model/profile/human.h"
#include "src/command/command.h"
#include "src/command/open.h"
#include "src/command/queries.h"
#include "src/command/report/sheet.h"
#include "src/command/report/sql_reports.h"
#include "src/command/say.h"
#include "src/command/sql_prompt.h"
#include "src/encode/json_text.h"
#include "src/input/clock.h"
#include "src/sql/sql.h"
#include "src/whole.h"

#define SCRIPT_MAX (1u << 20)

enum format { FORMAT_TEXT, FORMAT_CSV, FORMAT_JSON, FORMAT_MD, FORMAT_NDJSON };
static const char *const format_names[] = {"text", "csv", "json", "md", "ndjson", NULL};

struct sql_options {
	enum format format;
	const char *script; /* a file */
	const char *query;  /* the name of a stored query */
	bool interactive;
	uint64_t memory;    /* bytes */
	int64_t time_ns;    /* time limit of a query */
	uint64_t limit;
};

static bool
set_memory(struct options *o, const struct option_row *row, const char *value, struct err *e)
{
	static const char units[] = "KMGTkmgt";
	struct sql_options *own = o->own;
	char *end;
	unsigned long long n = strtoull(value, &end, 10);
	const char *unit = *end ? strchr(units, *end) : NULL;
	unsigned shift = unit ? 10 * ((unsigned)(unit - units) % 4 + 1) : 0;

	if (end == value || *value == '-' || (*end && !unit) || (*end && end[1]) || !n ||
	    n > (UINT64_C(1) << 62) >> shift)
		return err_usage(e, "--%s takes a size, such as 500M or 2G, not '%s'", row->name,
				 value);
	own->memory = (uint64_t)n << shift;
	return true;
}

static bool
set_timeout(struct options *o, const struct option_row *row, const char *value, struct err *e)
{
	struct sql_options *own = o->own;

	if (!option_length(row->name, value, &own->time_ns, e))
		return false;
	options_set_silence(o, own->time_ns);
	own->time_ns = own->time_ns ? own->time_ns : INT64_MAX;
	return true;
}

#define INTO(member) .at = offsetof(struct sql_options, member)
static const struct option_row sql_rows[] = {
	{"format", "FORMAT", "text, csv, json, md or ndjson", .kind = OPTION_CHOICE,
	 .choices = format_names, INTO(format)},
	{"script", "FILE", "the queries in this file, instead of one on the command line",
	 .letter = 'f', .kind = OPTION_TEXT, .is_file = true, INTO(script)},
	{"query", "NAME", "a stored query: slowest-calls, busiest-tracks, ...",
	 .kind = OPTION_TEXT, INTO(query)},
	{"interactive", NULL, "read queries and commands from a prompt, or from standard input",
	 .letter = 'i', .kind = OPTION_FLAG, INTO(interactive)},
	{"limit", "N", "at most N rows of each result", .kind = OPTION_NUMBER, INTO(limit)},
	{"sql-memory", "SIZE", "the memory limit of a query: 1G", .set = set_memory},
	{"timeout", "T", "time limit of a query, 5min, and of a silent server, 60s; 0: none",
	 .set = set_timeout},
	{0},
};

/* ---- limits of a query ---- */

static volatile sig_atomic_t interrupted;

static void
on_interrupt(int sig)
{
	(void)sig;
	interrupted = 1;
}

/* A second Ctrl-C ends the program at once. */
static void
catch_interrupt(void)
{
	struct sigaction a = {.sa_handler = on_interrupt, .sa_flags = (int)SA_RESETHAND};

	sigemptyset(&a.sa_mask);
	sigaction(SIGINT, &a, NULL);
}

struct sql_asking {
	const struct sql_options *own;
	const struct options *o;
	bool failed; /* a query of the prompt */
	struct sql *sql;
	int64_t until_ns;
	unsigned answers; /* results written so far */
};

static bool
stop(void *ctx)
{
	const struct sql_asking *x = ctx;

	return interrupted || clock_ns() >= x->until_ns || ferror(stdout);
}

/* ---- answers ---- */

/* Writes a value for programs; blobs in SQL's notation. */
static void
sql_add_value(const struct sql_value *v, struct buf *out)
{
	switch (v->kind) {
	case SQL_NULL:
		return;
	case SQL_WHOLE:
		human_plain(out, v->whole, 0);
		return;
	case SQL_REAL:
		human_real(out, v->real);
		return;
	case SQL_TEXT:
		buf_add(out, v->at, v->len);
		return;
	case SQL_BLOB:
		buf_adds(out, "x'");
		for (size_t i = 0; i < v->len; i++)
			buf_addf(out, "%02x", (unsigned char)v->at[i]);
		buf_addc(out, '\'');
		return;
	}
}

/* Writes a cell of CSV, or of a table for documents. */
static void
write_cell(enum format format, unsigned column, const struct buf *cell)
{
	if (format == FORMAT_MD) {
		fputs("| ", stdout);
		sheet_md_text(stdout, buf_str(cell), cell->len);
		putchar(' ');
		return;
	}
	if (column)
		putchar(',');
	sheet_csv_field(stdout, buf_str(cell), cell->len);
}

static void
write_plain_row(const struct sql_asking *x, unsigned n, struct buf *cell)
{
	for (unsigned i = 0; i < n; i++) {
		struct sql_value v = sql_value(x->sql, i);
		buf_reset(cell);
		sql_add_value(&v, cell);
		write_cell(x->own->format, i, cell);
	}
	puts(x->own->format == FORMAT_MD ? "|" : "");
}

/* Writes the name of a column, as JSON: ndjson repeats it in each row. */
static void
write_json_name(struct sql *s, unsigned i, struct buf *cell)
{
	const char *name = sql_column(s, i);

	buf_reset(cell);
	escape_bytes(cell, name, strlen(name), false);
	json_string(stdout, buf_str(cell), cell->len);
}

static void
write_json_row(struct sql *s, unsigned n, bool names, struct buf *cell)
{
	for (unsigned i = 0; i < n; i++) {
		struct sql_value v = sql_value(s, i);
		fputs(i ? ", " : "", stdout);
		if (names) {
			write_json_name(s, i, cell);
			fputs(": ", stdout);
		}
		buf_reset(cell);
		if (v.kind == SQL_TEXT) /* valid UTF-8, whatever the query produced */
			escape_bytes(cell, v.at, v.len, false);
		else
			sql_add_value(&v, cell);
		if (v.kind == SQL_NULL)
			fputs("null", stdout);
		else if (v.kind == SQL_WHOLE || (v.kind == SQL_REAL && isfinite(v.real)))
			fputs(buf_str(cell), stdout);
		else
			json_string(stdout, buf_str(cell), cell->len);
	}
}

/* `has_row`: the first row is there; a column of a table for documents is aligned like it. */
static void
write_head(const struct sql_asking *x, unsigned n, bool has_row)
{
	enum format format = x->own->format;
	bool json = format == FORMAT_JSON;
	struct buf cell = BUF_INIT;

	if (format == FORMAT_NDJSON)
		return;
	if (x->answers)
		putchar('\n');
	fputs(json ? "{\"columns\": [" : "", stdout);
	for (unsigned i = 0; i < n; i++) {
		const char *name = sql_column(x->sql, i);
		if (json) {
			fputs(i ? ", " : "", stdout);
			write_json_name(x->sql, i, &cell);
			continue;
		}
		buf_reset(&cell);
		escape_bytes(&cell, name, strlen(name), false);
		write_cell(format, i, &cell);
	}
	fputs(json ? "],\n \"rows\": [" : format == FORMAT_MD ? "|\n" : "\n", stdout);
	for (unsigned i = 0; format == FORMAT_MD && i < n; i++) {
		enum sql_kind kind = has_row ? sql_value(x->sql, i).kind : SQL_TEXT;
		bool number = kind == SQL_WHOLE || kind == SQL_REAL;
		printf("%s%s", number ? "| ---: " : "| --- ", i + 1 == n ? "|\n" : "");
	}
	buf_release(&cell);
}

static void
write_row(const struct sql_asking *x, unsigned n, bool first, struct buf *cell)
{
	switch (x->own->format) {
	case FORMAT_TEXT: /* as a table: answer_people() */
	case FORMAT_CSV:
	case FORMAT_MD:
		write_plain_row(x, n, cell);
		return;
	case FORMAT_JSON:
		fputs(first ? "\n  [" : ",\n  [", stdout);
		write_json_row(x->sql, n, false, cell);
		putchar(']');
		return;
	case FORMAT_NDJSON:
		putchar('{');
		write_json_row(x->sql, n, true, cell);
		fputs("}\n", stdout);
		return;
	}
}

static bool
answer_programs(struct sql_asking *x, struct err *e)
{
	unsigned n = sql_columns(x->sql);
	struct buf cell = BUF_INIT;
	uint64_t row = 0;

	/* a query that fails at once has no result and no headings */
	bool more = x->own->limit && sql_step(x->sql, e);
	if (err_is_set(e))
		return false;
	write_head(x, n, more);
	for (; more; more = ++row < x->own->limit && sql_step(x->sql, e))
		write_row(x, n, !row, &cell);
	if (x->own->format == FORMAT_JSON)
		puts("\n ]}");
	buf_release(&cell);
	return !err_is_set(e);
}

/* The cells of a text table, the headings first. */
struct sql_command_table {
	struct buf text;
	VEC(size_t) end;
	VEC(bool) number;
	size_t *width;
	unsigned n;
};

static void
add_cell(struct sql_command_table *t, unsigned column, const char *at, size_t len, bool number)
{
	size_t begin = t->text.len;

	escape_shown(&t->text, at, len, false);
	size_t width = sheet_width(buf_str(&t->text) + begin, t->text.len - begin);
	t->width[column] = width > t->width[column] ? width : t->width[column];
	*vec_push(&t->end) = t->text.len;
	*vec_push(&t->number) = number;
}

static void
sql_add_row(struct sql_command_table *t, struct sql *s, struct buf *cell)
{
	for (unsigned i = 0; i < t->n; i++) {
		struct sql_value v = sql_value(s, i);
		buf_reset(cell);
		sql_add_value(&v, cell);
		add_cell(t, i, buf_str(cell), cell->len,
			 v.kind == SQL_WHOLE || v.kind == SQL_REAL);
	}
}

static void
write_table(const struct sql_command_table *t)
{
	sheet_fit(stdout, t->width, t->n);
	for (size_t i = 0; i < t->end.n; i++) {
		unsigned column = (unsigned)(i % t->n);
		size_t begin = i ? t->end.at[i - 1] : 0;
		/* a heading is aligned like the first cell below it */
		bool right = t->number.at[i < t->n && t->end.n > t->n ? i + t->n : i];
		sheet_text_field(stdout, buf_str(&t->text) + begin, t->end.at[i] - begin,
				 t->width[column], right, column + 1 == t->n);
		fputs(column + 1 == t->n ? "\n" : "  ", stdout);
	}
}

static bool
answer_people(struct sql_asking *x, struct err *e)
{
	struct sql_command_table t = {.n = sql_columns(x->sql)};
	struct buf cell = BUF_INIT;
	bool good = true;

	t.width = mem_zalloc((size_t)t.n + 1, sizeof *t.width);
	for (unsigned i = 0; i < t.n; i++)
		add_cell(&t, i, sql_column(x->sql, i), strlen(sql_column(x->sql, i)), false);
	for (uint64_t row = 0; good && row < x->own->limit && sql_step(x->sql, e); row++) {
		sql_add_row(&t, x->sql, &cell);
		if (t.text.len + t.end.n * sizeof *t.end.at > x->own->memory)
			good = err_usage(e, "the result needs more memory than allowed: %"
					    PRIu64 " MB (--sql-memory); csv and json need none",
					 x->own->memory >> 20);
	}
	good = good && !err_is_set(e);
	if (good && x->answers)
		putchar('\n');
	if (good)
		write_table(&t);
	free(t.width);
	buf_release(&t.text);
	vec_release(&t.end);
	vec_release(&t.number);
	buf_release(&cell);
	return good;
}

static bool
answer(struct sql_asking *x, struct err *e)
{
	if (!sql_columns(x->sql)) {
		sql_step(x->sql, e);
		return !err_is_set(e);
	}
	bool good = x->own->format == FORMAT_TEXT ? answer_people(x, e) : answer_programs(x, e);
	x->answers++;
	return good;
}

/* Explains why the query was stopped, if this file stopped it. */
static void
say_why(const struct sql_asking *x, struct err *e)
{
	if (!err_is_set(e) || interrupted || clock_ns() < x->until_ns)
		return;
	struct buf time = BUF_INIT;
	human_time(&time, x->own->time_ns, UNIT_NS);
	err_init(e);
	err_usage(e, "the query exceeded its time limit: %s (--timeout)", buf_str(&time));
	buf_release(&time);
}

static bool
answer_all(struct sql_asking *x, const char *text, struct err *e)
{
	bool good = true, any = false;

	while (good && *text) {
		if (__builtin_add_overflow(clock_ns(), x->own->time_ns, &x->until_ns))
			x->until_ns = INT64_MAX;
		good = sql_prepare(x->sql, text, &text, e);
		if (!good || !sql_ready(x->sql))
			break;
		any = true;
		good = answer(x, e);
	}
	if (good && !any)
		good = err_usage(e, "there is no query: give SQL, --script or --query");
	if (!good)
		say_why(x, e);
	return good;
}

/* ---- the prompt ---- */

static bool
prompt_answers(void *ctx, const char *text, struct err *e)
{
	struct sql_asking *x = ctx;

	catch_interrupt();
	x->answers = 0;
	return answer_all(x, text, e);
}

static void
prompt_says(void *ctx, const struct err *e)
{
	const struct sql_asking *x = ctx;

	say_error(open_title(x->o), e);
}

static bool
prompt_interrupted(void *ctx)
{
	bool was = interrupted;

	(void)ctx;
	interrupted = 0;
	return was;
}

static bool
answer_prompt(struct sql_asking *x)
{
	struct sql_prompt p = {prompt_answers, prompt_says, prompt_interrupted, x, x->sql};

	x->failed = !sql_prompt_run(&p);
	return true;
}

/* ---- the command ---- */

static int
answer_profile(const struct command *self, const struct options *o, const struct profile *p,
	       struct fold *plain, const char *text, int status)
{
	const struct sql_options *own = o->own;
	struct sql_asking x = {.own = own, .o = o, .until_ns = INT64_MAX};
	struct sql_asks asks = {
		.profile = p,
		.lens = &o->lens,
		.plain = plain,
		.reports = &sql_reports,
		.memory = own->memory,
		.stop = stop,
		.ctx = &x,
	};
	struct err e;

	err_init(&e);
	catch_interrupt();
	x.sql = sql_open(&asks, &e);
	if (x.sql)
		open_say_range(open_title(o), p, &o->lens);
	if (!x.sql || !(own->interactive ? answer_prompt(&x) : answer_all(&x, text, &e)))
		status = ferror(stdout) ? status : say_usage(self, &e);
	if (x.failed)
		status = STATUS_USAGE;
	if (!interrupted || open_frees())
		sql_close(x.sql);
	if (interrupted) {
		signal(SIGINT, SIG_DFL);
		raise(SIGINT);
	}
	return status;
}

static bool
read_script(const char *path, struct buf *out, struct err *e)
{
	bool standard = !strcmp(path, "-");
	FILE *in = standard ? stdin : fopen(path, "re");
	bool good = in && whole_read(in, SCRIPT_MAX, out);

	if (in && !standard)
		fclose(in);
	if (!good)
		return err_usage(e, "--script: '%s' cannot be read", path);
	return out->len <= SCRIPT_MAX || err_usage(e, "--script: '%s' is too long", path);
}

static bool
stored(const char *name, struct buf *out, struct err *e)
{
	struct queries q = {0};

	queries_find(&q);
	const struct query *found = queries_named(&q, name, e);
	if (found)
		buf_adds(out, found->text);
	queries_release(&q);
	return found != NULL;
}

/* Finds the text of the queries: that of an option, else the first operand. */
static bool
find_text(struct options *o, struct buf *out, struct err *e)
{
	const struct sql_options *own = o->own;

	if (own->script && own->query)
		return err_usage(e, "--script and --query: one of them");
	bool no_operand = own->script || own->query || own->interactive;
	if (no_operand && o->old.n && o->files.n > o->old.n + o->new.n)
		return err_usage(e, "--old F... and --new F... need no other files");
	if (own->interactive)
		return !(own->script || own->query) ||
		       err_usage(e, "--interactive, --script and --query: one of them");
	if (own->script)
		return read_script(own->script, out, e);
	if (own->query)
		return stored(own->query, out, e);
	if (!o->files.n)
		return err_usage(e, "there is no query: give SQL, --script or --query");
	if (!access(o->files.at[0], F_OK))
		return err_usage(e, o->files.n > 1 ? "'%s' is a file: the query comes before it"
						   : "'%s' is a file, and there is no query: give "
						     "SQL before it, --script or --query",
				 o->files.at[0]);
	buf_adds(out, o->files.at[0]);
	o->files.n--;
	memmove(o->files.at, o->files.at + 1, o->files.n * sizeof *o->files.at);
	return true;
}

static int
sql_run(const struct command *self, int argc, char **argv)
{
	struct sql_options own = {
		.memory = UINT64_C(1) << 30,
		.time_ns = INT64_C(300000000000),
		.limit = UINT64_MAX,
	};
	struct options o;
	struct buf text = BUF_INIT;
	struct err e;
	int status;

	err_init(&e);
	options_init(&o, &own);
	if (command_options(self, &o, argc, argv, &status)) {
		bool good = sql_is_there() ? find_text(&o, &text, &e)
					   : sql_open(NULL, &e) != NULL;
		if (!good)
			status = say_usage(self, &e);
		struct fold *plain = NULL;
		struct profile *p = good && open_operands(self, &o, &status)
					    ? open_profile(&o, o.old.n != 0, &plain, &status)
					    : NULL;
		if (p)
			status = answer_profile(self, &o, p, plain, buf_str(&text), status);
		fold_free(plain);
		open_release(p);
	}
	options_release(&o);
	buf_release(&text);
	return status;
}

const struct command command_sql = {
	.name = "sql",
	.synopsis = "[OPTION...] 'SELECT ...' [FILE... | --old FILE... --new FILE...]",
	.summary = "query the profile in SQL",
	.examples = "pnav sql 'SELECT * FROM report_functions LIMIT 10' perf.data\0"
		    "pnav sql --query slowest-calls perf.data\0",
	.options = sql_rows,
	.takes = TAKES_PROFILE | TAKES_SIDES | TAKES_QUERY,
	.run = sql_run,
};
