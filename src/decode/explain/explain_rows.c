/* Texts with plans: of EXPLAIN itself, in a table of psql, in PostgreSQL's log.
 *
 *	║ Gather  (cost=... time=16.449..7326.94	borders; a row that was wrapped
 *	║ 1 rows=1000000 loops=1)
 *	'  ->  Hash Join  (cost=... loops=3)'		pgAdmin copies rows in quotes
 *	[						+ psql's mark where a cell continues
 *
 * All that clients add is removed here, before the grammar of the plan sees a line. A wrapped row
 * goes on at the first column, where no property begins, or within the brackets of its node. A
 * table, and the lines of a log after their tabs, may also contain JSON, which is collected. */
#include "src/decode/explain/explain.h"

#include <string.h>

#include "model/base/chars.h"
#include "src/decode/common/last_line.h"
#include "src/decode/common/words.h"
#include "src/input/lines.h"

struct explain_rows {
	struct explain_text text;
	struct buf json; /* lines of a plan in JSON */
	struct buf row;  /* read so far; what follows may go on with it */
	uint64_t json_at, line_at; /* where that plan and this line begin */
	bool table, log, begun, is_json;
};

/* ---- wrapped rows ---- */

static bool
begins_with_any(const char *at, const char *end, const char *const *words)
{
	for (; *words; words++)
		if (begins_with(at, end, *words))
			return true;
	return false;
}

/* Returns true if a node's line is cut before its brackets or within them. */
static bool
brackets_cut(const char *at, const char *end)
{
	static const char *const words[] = {"cost=", "actual ", "never executed"};
	const char *open = memrchr(at, '(', (size_t)(end - at)), *first = skip_blanks(at, end);
	size_t len = open ? (size_t)(end - open) - 1 : 0;

	if (begins_with(first, end, "->") && !text_find(first, end, " ("))
		return true;
	if (!open || memchr(open, ')', len + 1))
		return false;
	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		size_t word = strlen(words[i]);
		if (!memcmp(open + 1, words[i], len < word ? len : word))
			return true;
	}
	return false;
}

/* Returns true if a line goes on with the row before it. */
static bool
goes_on(const struct buf *row, const char *at, const char *end)
{
	static const char *const begins[] = {
		"->", "Planning", "Execution ", "Total runtime: ", "JIT:", "Trigger ", "InitPlan",
		"SubPlan", "CTE ", NULL,
	};
	static const char *const brackets[] = {"(actual ", "(never ", NULL};
	const char *first = skip_blanks(at, end);

	if (!row->len || begins_with(first, end, "->"))
		return false;
	if (brackets_cut(row->at, row->at + row->len) || begins_with_any(first, end, brackets))
		return true;
	if (explain_brackets(first, end))
		return false;
	bool property = *at >= 'A' && *at <= 'Z' && text_find(at, end, ": ");
	return first == at && !property && !begins_with_any(at, end, begins);
}

/* Passes on the row that was read. */
static void
wrapped_end(struct explain_rows *r)
{
	if (r->row.len)
		explain_text_line(&r->text, r->row.at, r->row.at + r->row.len);
	buf_reset(&r->row);
}

/* ---- sections: a table of psql, a record of a log, a file ---- */

static bool
section_end(struct explain_rows *r)
{
	struct explain *x = r->text.x;
	bool good = true;

	wrapped_end(r);
	if (r->is_json) {
		struct input *in = input_open_bytes(r->json.at ? r->json.at : "", r->json.len,
						    input_name(x->in));
		size_t first = x->done.n;
		good = explain_json(x, in);
		input_close(in);
		if (!good) /* the offset within the JSON is not that of the file */
			x->e->offset = r->json_at;
		for (; r->text.in_log && first < x->done.n; first++) {
			struct explain_plan *p = &x->done.at[first];
			p->execution_ns = p->has_execution ? p->execution_ns : r->text.logged_ns;
			p->has_execution = true;
		}
	} else {
		explain_text_end(&r->text);
	}
	buf_reset(&r->json);
	r->begun = r->is_json = r->text.in_query = false;
	return good;
}

static void
section_line(struct explain_rows *r, const char *at, const char *end)
{
	const char *first = skip_blanks(at, end), *stop = drop_blanks(first, end);

	if (!r->begun && first < end) {
		r->begun = true;
		r->is_json = explain_is_json(first, end);
		r->json_at = r->line_at;
	}
	if (r->is_json) {
		buf_add(&r->json, at, (size_t)(end - at));
		buf_addc(&r->json, '\n');
		return;
	}
	if (stop - at > 1 && (*at == '"' || *at == '\'') && stop[-1] == *at) {
		at++;
		end = stop - 1;
		stop = drop_blanks(at, end);
	}
	if (r->text.in_log || stop <= at || !goes_on(&r->row, at, stop))
		wrapped_end(r);
	if (stop > at)
		buf_add(&r->row, at, (size_t)(stop - at) + (end - stop > 2 ? 2 : end - stop));
}

/* Returns the length of a border at the beginning of the line; 0 if there is none. */
static size_t
border(const char *at, const char *end)
{
	static const char *const borders[] = {"|", "\xE2\x94\x82", "\xE2\x95\x91"};

	for (size_t i = 0; i < sizeof borders / sizeof *borders; i++)
		if (begins_with(at, end, borders[i]))
			return strlen(borders[i]);
	return 0;
}

static const char *
without_end(const char *at, const char *end, const char *tail)
{
	size_t len = strlen(tail);

	return (size_t)(end - at) >= len && !memcmp(end - len, tail, len) ? end - len : end;
}

/* Returns true for a line between the rows of a table: `----+---`, `════`. */
static bool
is_ruler(const char *at, const char *end)
{
	bool drawn = begins_with(at, end, "\xE2\x94") || begins_with(at, end, "\xE2\x95");

	for (; !drawn && at < end; at++)
		if (*at != '-' && *at != '+' && *at != ' ')
			return false;
	return true;
}

/* A line of a table of psql, without its borders and its continuation mark. */
static void
table_line(struct explain_rows *r, const char *at, const char *end)
{
	size_t wide = border(at, end);
	const char *stop = drop_blanks(at + wide, end), *inner = stop;

	at += wide;
	inner = without_end(at, inner, "|");
	inner = without_end(at, inner, "\xE2\x94\x82");
	inner = without_end(at, inner, "\xE2\x95\x91");
	if (inner < stop)
		stop = end = drop_blanks(at, inner);
	inner = without_end(at, stop, "+");
	inner = without_end(at, inner, "\xE2\x86\xB5");
	if (!is_ruler(at, stop))
		section_line(r, at, inner < stop ? inner : end);
	else if (r->begun)
		wrapped_end(r);
}

static bool
is_title(const char *at, const char *end)
{
	const char *title = text_find(at, end, "QUERY PLAN");

	for (const char *c = at; title && c < title; c++)
		if (*c == '(' || *c == '\'' || (*c >= 'a' && *c <= 'z'))
			return false;
	return title != NULL;
}

/* A line of a log; its plans are the lines that begin with a tab. */
static bool
log_line(struct explain_rows *r, const char *at, const char *end)
{
	bool good = true;

	if (at < end && *at == '\t' && r->text.in_log) {
		section_line(r, at + 1, end);
		return true;
	}
	if (r->text.in_log)
		good = section_end(r);
	const char *duration = text_find(at, end, "duration: ");
	r->text.in_log = duration && text_find(duration, end, " ms  plan:") &&
			   explain_number(duration, end, "duration: ", 6, &r->text.logged_ns);
	r->log |= r->text.in_log;
	return good;
}

static bool
any_line(struct explain_rows *r, const char *at, const char *end)
{
	bool good = true;

	if (r->log || (text_find(at, end, " ms  plan:") && text_find(at, end, "duration: ")))
		return log_line(r, at, end);
	if (is_title(at, end)) {
		good = section_end(r);
		r->table = true;
	} else if (r->table && end - at > 2 && *at == '(' && is_digit(at[1]) && end[-1] == ')') {
		good = section_end(r);
		r->table = false;
	} else if (r->table || border(at, end)) {
		table_line(r, at, end);
	} else {
		section_line(r, at, end);
	}
	return good;
}

/* A plan of MySQL in one line: its client, writing to a file, prints line ends as `\n`. */
static bool
each_line(struct explain_rows *r, const char *at, const char *end)
{
	const char *stop = begins_with(at, end, "-> ") ? text_find(at, end, "\\n") : NULL;
	bool good = true;

	for (; good && stop; at = stop + 2, stop = text_find(at, end, "\\n"))
		good = any_line(r, at, stop);
	return good && (at == end || any_line(r, at, end));
}

/* A node is whole with its last bracket, a time with its unit, a detail with its last number. */
static enum last_line
explain_last_line(const struct explain_rows *r, const char *at, const char *end)
{
	const char *stop = drop_blanks(at, end), *node = text_find(at, stop, "(cost=");

	while (stop > at && strchr("\"'+ \t", stop[-1]))
		stop--;
	if (r->is_json) /* which shows what is missing */
		return LAST_CLOSED;
	if (node && r->text.timed && !text_find(node, stop, "(actual ") &&
	    !text_find(node, stop, "(never executed)"))
		return LAST_OPEN;
	if (stop - at > 3 && !memcmp(stop - 3, " ms", 3))
		return LAST_CLOSED;
	if (last_line_closed(at, stop, ")]}-") == LAST_CLOSED)
		return LAST_CLOSED;
	if (text_find(at, stop, "Time: ") || text_find(at, stop, "runtime: "))
		return LAST_OPEN;
	return text_find(at, stop, ": ") ? last_line_number(at, stop) : LAST_OPEN;
}

bool
explain_text(struct explain *x, struct input *in)
{
	struct explain_rows r = {.text = {.x = x}};
	struct lines lines;
	struct text_line line;
	struct err cut = {0};
	bool good = true;

	lines_init(&lines, in);
	while (good && lines_next(&lines, &line)) {
		r.line_at = line.offset;
		const char *end = line.at + line.len;
		if (!last_line_whole(in, line.ended, line.offset,
				     explain_last_line(&r, line.at, end), &cut))
			break;
		if (line.len)
			good = each_line(&r, line.at, end);
		else
			wrapped_end(&r);
	}
	good = good && section_end(&r);
	if (good && err_is_set(&cut)) {
		*x->e = cut;
		good = false;
	}
	vec_release(&r.text.open);
	buf_release_all(&r.json, &r.row, &r.text.query);
	return good;
}
