/* mcp_tools.c - the tools of `pnav mcp`.
 *
 * A tool is a row: its name, its arguments, and a function that writes text.  Most are a report
 * with some words in front.
 *
 * The answers of a large profile take a second, and clients think between two requests.  So the
 * server computes them in advance, and keeps them like any result. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "model/base/escape.h"
#include "model/profile/human.h"
#include "src/command/mcp/mcp_inside.h"
#include "src/command/report/sql_reports.h"
#include "src/sql/sql.h"

#define WORDS_MOST 8u
#define PREPARE_TRIES 3u
#define SQL_MEMORY (UINT64_C(1) << 30)

/* Runs a report: the tool's own words, then those of the request. */
static bool
report_with(struct mcp_server *s, struct report_source *source, const struct mcp_args *a,
	    const char *const *own, size_t n_own, struct mcp_result *out, struct err *e)
{
	VEC(const char *) words = VEC_INIT;

	if (!source)
		return false;
	for (size_t i = 0; i < n_own; i++)
		*vec_push(&words) = own[i];
	for (size_t i = 0; i < a->words.n; i++)
		*vec_push(&words) = a->words.at[i];
	struct report_asks asks = {words.at, words.n, a->limit, &s->wire.pace};
	struct buf key = BUF_INIT;
	mcp_memo_key(&key, source, &asks);
	bool good = mcp_memo_find(&s->memo, &key, out);
	if (!good) {
		good = report_ask(source, &asks, &out->text, &out->note, e);
		if (good)
			mcp_memo_keep(&s->memo, &key, out);
	}
	buf_release(&key);
	vec_release(&words);
	return good;
}

static struct report_source *
source_of(struct mcp_server *s, const struct mcp_args *a, struct err *e)
{
	return mcp_files_find(s->files, &s->wire, a->text[MCP_file], e);
}

/* Returns true if the request has a word `--name` or `--name=...`. */
static bool
has_word(const struct mcp_args *a, const char *name)
{
	size_t len = strlen(name);

	for (size_t i = 0; i < a->words.n; i++)
		if (!strncmp(a->words.at[i], name, len) &&
		    (!a->words.at[i][len] || a->words.at[i][len] == '='))
			return true;
	return false;
}

static bool
run_open(struct mcp_server *s, const struct mcp_args *a, struct mcp_result *out, struct err *e)
{
	if (!mcp_files_open(s->files, &s->wire, a->text[MCP_path], e))
		return false;
	struct report_source *source = mcp_files_find(s->files, &s->wire, NULL, e);
	return source && mcp_files_list(s->files, &s->wire, source, &out->text, e);
}

static bool
run_profiles(struct mcp_server *s, const struct mcp_args *a, struct mcp_result *out,
	     struct err *e)
{
	(void)a;
	return mcp_files_list(s->files, &s->wire, NULL, &out->text, e);
}

static bool
run_answers(struct mcp_server *s, const struct mcp_args *a, struct mcp_result *out,
	    struct err *e)
{
	/* sentences; the numbers apart are in csv and json */
	static const char *const own[] = {"--view", "answers", "--format", "md"};

	return report_with(s, source_of(s, a, e), a, own, has_word(a, "--format") ? 2 : 4, out, e);
}

void
mcp_prepare(struct mcp_server *s)
{
	struct mcp_args args = {.limit = MCP_LIMIT};
	struct mcp_result result = {.text = BUF_INIT};
	struct err e;

	err_init(&e);
	if (!mcp_wire_idle(&s->wire))
		return;
	struct report_source *source = mcp_files_find(s->files, &s->wire, NULL, &e);
	uint64_t serial = source ? source->profile->names.serial : 0;
	if (serial != s->prepared) {
		s->prepared = serial;
		s->tries = 0;
	}
	if (source && s->tries < PREPARE_TRIES) {
		s->tries++;
		if (run_answers(s, &args, &result, &e))
			s->tries = PREPARE_TRIES;
	}
	mcp_wire_end(&s->wire);
	buf_release(&result.text);
	buf_release(&result.note);
}

static bool
run_report(struct mcp_server *s, const struct mcp_args *a, struct mcp_result *out,
	   struct err *e)
{
	return report_with(s, source_of(s, a, e), a, NULL, 0, out, e);
}

static bool
run_why(struct mcp_server *s, const struct mcp_args *a, struct mcp_result *out, struct err *e)
{
	const char *own[WORDS_MOST] = {"--why", a->text[MCP_thread]};
	size_t n = 2;

	if (a->text[MCP_from]) {
		own[n++] = "--from";
		own[n++] = a->text[MCP_from];
	}
	if (a->text[MCP_to]) {
		own[n++] = "--to";
		own[n++] = a->text[MCP_to];
	}
	if (!has_word(a, "--view")) {
		own[n++] = "--view";
		own[n++] = "tree";
	}
	return report_with(s, source_of(s, a, e), a, own, n, out, e);
}

static bool
run_compare(struct mcp_server *s, const struct mcp_args *a, struct mcp_result *out,
	    struct err *e)
{
	struct report_source *source = mcp_files_compare(s->files, &s->wire, a->text[MCP_old],
							 a->text[MCP_new], e);

	return report_with(s, source, a, NULL, 0, out, e);
}

/* ---- SQL ---- */

static bool
stops(void *ctx)
{
	struct mcp_server *s = ctx;

	return !pace_on(&s->wire.pace, s->wire.pace.every);
}

static void
add_value(const struct sql_value *v, struct buf *out)
{
	struct buf cell = BUF_INIT;

	switch (v->kind) {
	case SQL_NULL:
		break;
	case SQL_WHOLE:
		human_plain(&cell, v->whole, 0);
		break;
	case SQL_REAL:
		human_real(&cell, v->real);
		break;
	case SQL_TEXT:
	case SQL_BLOB:
		escape_bytes(&cell, v->at, v->len, false);
		break;
	}
	bool quote = cell.len && strpbrk(buf_str(&cell), ",\"\r\n");
	buf_adds(out, quote ? "\"" : "");
	for (size_t i = 0; i < cell.len; i++) {
		if (cell.at[i] == '"')
			buf_addc(out, '"');
		buf_addc(out, cell.at[i]);
	}
	buf_adds(out, quote ? "\"" : "");
	buf_release(&cell);
}

/* Appends the result of the prepared statement as CSV, as many rows as fit. */
static bool
add_result(struct sql *sql, size_t limit, struct mcp_result *out, struct err *e)
{
	unsigned n = sql_columns(sql);
	uint64_t rows = 0;

	limit -= limit > 200 ? 200 : 0; /* for the note */
	for (unsigned i = 0; i < n; i++) {
		const char *name = sql_column(sql, i);
		buf_adds(&out->text, i ? "," : "");
		escape_bytes(&out->text, name, strlen(name), false);
	}
	buf_addc(&out->text, '\n');
	for (; sql_step(sql, e); rows++) {
		size_t before = out->text.len;
		for (unsigned i = 0; i < n; i++) {
			struct sql_value v = sql_value(sql, i);
			buf_adds(&out->text, i ? "," : "");
			add_value(&v, &out->text);
		}
		buf_addc(&out->text, '\n');
		if (out->text.len <= limit)
			continue;
		out->text.len = before;
		buf_addf(&out->note,
			 "cut: the result has more than these %" PRIu64
			 " rows; for more ask with limit: BYTES, or with LIMIT and OFFSET\n",
			 rows);
		return true;
	}
	return !err_is_set(e);
}

static bool
query(struct mcp_server *s, struct report_source *source, const struct mcp_args *a,
      struct mcp_result *out, struct err *e)
{
	const char *text = a->text[MCP_query];
	struct lens lens;
	bool good = true;

	lens_init(&lens);
	struct sql *sql = sql_open(&(struct sql_asks){.profile = source->profile,
						      .lens = &lens,
						      .plain = source->plain,
						      .reports = &sql_reports,
						      .memory = SQL_MEMORY,
						      .stop = stops,
						      .ctx = s},
				   e);
	metric_id m = profile_default_metric(source->profile);
	if (sql && m != METRIC_NONE) {
		buf_adds(&out->text, "# default metric: ");
		profile_write_name(source->profile, source->profile->metric[m].name, &out->text);
		buf_addf(&out->text, " in %s\n",
			 unit_name((enum unit)source->profile->metric[m].unit));
	}
	while (sql && good && *text) {
		good = sql_prepare(sql, text, &text, e);
		if (!good || !sql_ready(sql))
			break;
		if (sql_columns(sql))
			good = add_result(sql, a->limit, out, e);
		else
			sql_step(sql, e);
		good = good && !err_is_set(e);
	}
	sql_close(sql);
	lens_release(&lens);
	return sql && good && !pace_gives_up(&s->wire.pace);
}

static bool
run_sql(struct mcp_server *s, const struct mcp_args *a, struct mcp_result *out, struct err *e)
{
	struct report_source *source = source_of(s, a, e);
	const char *words[] = {"sql", a->text[MCP_query]};
	struct report_asks asks = {words, 2, a->limit, NULL};
	struct buf key = BUF_INIT;

	if (!source)
		return false;
	mcp_memo_key(&key, source, &asks);
	bool good = mcp_memo_find(&s->memo, &key, out);
	if (!good) {
		good = query(s, source, a, out, e);
		if (good)
			mcp_memo_keep(&s->memo, &key, out);
	}
	buf_release(&key);
	return good;
}

static bool
run_manual(struct mcp_server *s, const struct mcp_args *a, struct mcp_result *out,
	   struct err *e)
{
	(void)s;
	return mcp_manual(a->text[MCP_section], a->text[MCP_search], &out->text, e);
}

/* ---- the table ---- */

const struct mcp_tool mcp_tools[] = {
	{"open", "Load a profile (the format is detected) and say what it has: metrics, duration, "
		 "tracks, warnings.",
	 MCP_TAKES(path), MCP_TAKES(path), run_open},
	{"profiles", "The open profiles with their metrics and units, and where others may be "
		     "opened.",
	 0, 0, run_profiles},
	{"answers", "Start here: what is notable in a profile, as sentences with numbers, the most "
		    "notable first, each with the command that shows it.",
	 MCP_TAKES(file) | MCP_TAKES_WORDS, 0, run_answers},
	{"report", "One view of a profile as CSV: --view functions (default), tree, callers, "
		   "lines, calls, slices, tracks, labels, states, edges, values, answers, info. "
		   "Filters: --include, --exclude, --root, --track PATTERN; --from, --to; "
		   "--metric NAME; --sort COLUMN; --limit ROWS. Numbers are in the metric's base "
		   "unit, which the first line names.",
	 MCP_TAKES(file) | MCP_TAKES_WORDS, 0, run_report},
	{"why", "The critical path of a thread: why something took so long, across the threads "
		"that it waited for. Needs scheduler events in the profile.",
	 MCP_TAKES(thread) | MCP_TAKES(from) | MCP_TAKES(to) | MCP_TAKES(file) | MCP_TAKES_WORDS,
	 MCP_TAKES(thread), run_why},
	{"sql", "SQL (SQLite) over a profile; tables: samples, slices, functions, tracks, "
		"report_functions, ...; see the manual's pnav-sql.",
	 MCP_TAKES(query) | MCP_TAKES(file), MCP_TAKES(query), run_sql},
	{"compare", "A view of the difference of two open profiles, new minus old; `sure` says "
		    "whether a change exceeds chance.",
	 MCP_TAKES(old) | MCP_TAKES(new) | MCP_TAKES_WORDS, MCP_TAKES(old) | MCP_TAKES(new),
	 run_compare},
	{"manual", "A section or page of pnav's manual, or the paragraphs with a text; the list "
		   "of sections without arguments.",
	 MCP_TAKES(section) | MCP_TAKES(search), 0, run_manual},
};
const size_t mcp_n_tools = sizeof mcp_tools / sizeof *mcp_tools;

const struct mcp_tool *
mcp_tool_named(const char *name)
{
	for (size_t i = 0; i < mcp_n_tools; i++)
		if (!strcmp(mcp_tools[i].name, name))
			return &mcp_tools[i];
	return NULL;
}
